"""What the tracker says about itself: codes by seriousness, each with a sentence."""

from __future__ import annotations

from enum import Enum
from operator import attrgetter
from typing import NamedTuple

from ik_node.datatypes import Severity


class StatusCode(str, Enum):
    """Every code, the most serious first."""

    FAULT = "FAULT"
    WAITING_FOR_STATE = "WAITING_FOR_STATE"
    STALE_STATE = "STALE_STATE"
    PAUSED = "PAUSED"
    INVALID_TARGET = "INVALID_TARGET"
    LAGGING = "LAGGING"
    BLOCKED = "BLOCKED"
    OTHER_BRANCH = "OTHER_BRANCH"
    UNREACHABLE = "UNREACHABLE"
    STALE_TARGET = "STALE_TARGET"
    RECONFIGURING = "RECONFIGURING"
    DETOUR = "DETOUR"
    AT_JOINT_LIMIT = "AT_JOINT_LIMIT"
    NEAR_SINGULARITY = "NEAR_SINGULARITY"
    TRACKING = "TRACKING"
    REACHED = "REACHED"
    HOLDING = "HOLDING"

    rank: int
    """0 for the most serious."""

    @property
    def severity(self) -> Severity:
        """The level for diagnostics."""
        return _SEVERITY.get(self, Severity.WARN)


for _rank, _code in enumerate(StatusCode):
    _code.rank = _rank

_SEVERITY = {
    StatusCode.FAULT: Severity.ERROR,
    StatusCode.STALE_STATE: Severity.ERROR,
    StatusCode.TRACKING: Severity.OK,
    StatusCode.REACHED: Severity.OK,
    StatusCode.HOLDING: Severity.OK,
    StatusCode.RECONFIGURING: Severity.OK,
}


class Condition(NamedTuple):
    """One thing that is true now, and the sentence that says it with its numbers."""

    code: StatusCode
    sentence: str


class Status(NamedTuple):
    """All that is true now.

    Attributes:
        conditions: the most serious first, at least one.
        distance: m, left between the command's tool and the target asked for, or between the
            measured tool and its goal where it hangs further off; 0 without a target.
        angle: rad, likewise; 0 where the orientation is not asked for.
        joint: names of the joints at a limit or named by the singularity.
        settled: the measured tool is within the tolerances of the commanded goal and both rest.
        limited_by: names of the joints whose limit changed or shortened this tick's step.
    """

    conditions: tuple[Condition, ...]
    distance: float = 0.0
    angle: float = 0.0
    joint: tuple[str, ...] = ()
    settled: bool = False
    limited_by: tuple[str, ...] = ()

    @property
    def code(self) -> StatusCode:
        """The most serious code."""
        return self.conditions[0].code

    @property
    def codes(self) -> tuple[StatusCode, ...]:
        """All codes that are true, the most serious first."""
        return tuple(condition.code for condition in self.conditions)

    @property
    def sentence(self) -> str:
        """The sentence of the most serious code."""
        return self.conditions[0].sentence

    @property
    def severity(self) -> Severity:
        """The worst level of all codes."""
        return max(condition.code.severity for condition in self.conditions)


def by_seriousness(conditions: list[Condition]) -> tuple[Condition, ...]:
    """Return the conditions, the most serious first."""
    return tuple(sorted(conditions, key=attrgetter("code.rank")))
