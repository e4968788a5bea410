"""From what the tracker knows to what it says: conditions with sentences and numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from ik_node.control.commitment import Commitment
from ik_node.control.config import TrackerConfig
from ik_node.control.droop import Droop
from ik_node.control.following import Following
from ik_node.control.goal import Goal
from ik_node.control.observation import Observation
from ik_node.control.reconfigure import Reconfiguration
from ik_node.control.request import Request, RequestKind
from ik_node.control.status import Condition, Status, StatusCode, by_seriousness
from ik_node.control.way import Way
from ik_node.datatypes import quick

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

NOTABLE_TURN = 1e-3
"""rad, of orientation left that is said with REACHED."""

_HOLDING = Condition(StatusCode.HOLDING, "holding")
_NO_TARGET = Condition(StatusCode.HOLDING, "holding: there is no target")
_PAUSED = Condition(StatusCode.PAUSED, "paused: nothing is sent until it is enabled again")
_STALE_TWIST = Condition(StatusCode.STALE_TARGET, "the twist stopped coming, so the arm stopped")
_TWIST = Condition(StatusCode.TRACKING, "following the twist")
_SEARCHING = Condition(StatusCode.TRACKING, "looking for the way to the target")
_GOING = Condition(StatusCode.TRACKING, "going to the target")
_REACHED = Condition(StatusCode.REACHED, "the command has reached the target")
_DETOUR = Condition(
    StatusCode.DETOUR, "going by the joints, the tool's straight line does not lead to the target"
)


class Situation(NamedTuple):
    """What is known at the end of a tick."""

    fault: str | None
    paused: bool
    stale: tuple[str, ...]
    request: Request
    twist_is_stale: bool
    across: bool
    change: Reconfiguration | None
    goal: Goal | None
    walled: bool


def waiting(missing: tuple[str, ...], fault: str | None) -> Status:
    """Return the status before the first complete joint state."""
    which = f" of {', '.join(missing)}" if missing else ""
    found = [
        Condition(
            StatusCode.WAITING_FOR_STATE,
            f"waiting for the joint state{which}; nothing is sent before it has come",
        )
    ]
    if fault is not None:
        found.append(Condition(StatusCode.FAULT, fault))
    return Status(by_seriousness(found))


class Reporter:
    """Says what is true."""

    def __init__(
        self,
        arm: JointGroup,
        config: TrackerConfig,
        commitment: Commitment,
        following: Following,
        way: Way,
        observation: Observation,
        droop: Droop,
    ) -> None:
        self._arm = arm
        self._config = config
        self._commitment = commitment
        self._following = following
        self._way = way
        self._seen = observation
        self._droop = droop

    def report(self, now_known: Situation) -> Status:
        """Return the status of a started tracker."""
        s, seen = now_known, self._seen
        found: list[Condition] = []
        if s.fault is not None:
            found.append(Condition(StatusCode.FAULT, s.fault))
        if s.paused:
            found.append(_PAUSED)
        if s.stale:
            found.append(self._stale_state(s.stale))
        if self._following.lagging:
            found.append(self._lagging())
        if s.change is not None:
            found.append(Condition(StatusCode.RECONFIGURING, s.change.sentence))
        elif s.across:
            found.append(self._across())
        elif s.goal is not None:
            self._about_the_goal(s.goal, found)
        else:
            self._about_the_request(s, found)
        joints = self._about_limits(s, found)
        if seen.near is not None and seen.manipulability is not None:
            percent = 100.0 * seen.manipulability.relative
            sentence = f"{seen.near.sentence} (manipulability {percent:.1f} % of its best)"
            found.append(Condition(StatusCode.NEAR_SINGULARITY, sentence))
            joints = joints or seen.near.joints
        conditions = by_seriousness(found) if len(found) > 1 else (found[0],)
        distance = max(seen.distance, seen.hanging)
        return quick(Status, (conditions, distance, seen.angle, joints, seen.settled, seen.held()))

    def _stale_state(self, joints: tuple[str, ...]) -> Condition:
        return Condition(
            StatusCode.STALE_STATE,
            f"no joint state of {', '.join(joints)} for over {self._config.state_timeout:g} s, "
            "so the arm holds",
        )

    def _lagging(self) -> Condition:
        joint, gap = self._arm.joint_names[self._following.worst], self._following.gap
        return Condition(
            StatusCode.LAGGING,
            f"joint {joint} is {gap:.2f} away from its command, which waits for it; free the "
            "joint, or pause and enable to go on from where it is",
        )

    def _across(self) -> Condition:
        label = self._commitment.label
        return Condition(
            StatusCode.OTHER_BRANCH,
            f"branch '{label}' is configured and the arm is on the other one, so it holds; ask for "
            f"the change to '{label}'",
        )

    def _about_the_request(self, s: Situation, found: list[Condition]) -> None:
        kind = s.request.kind
        if kind is RequestKind.INVALID:
            found.append(Condition(StatusCode.INVALID_TARGET, s.request.why))
        elif kind is RequestKind.HOLD:
            found.append(_NO_TARGET)
        elif kind is not RequestKind.TWIST:
            found.append(_SEARCHING)
        elif s.twist_is_stale:
            found.extend((_STALE_TWIST, _HOLDING))
        else:
            found.append(_TWIST)

    def _about_the_goal(self, goal: Goal, found: list[Condition]) -> None:
        resting = self._seen.landed and self._seen.at_rest
        if self._way.blocked:
            found.append(Condition(StatusCode.BLOCKED, self._way.blocked))
        if not goal.reached:
            left = f"{1000.0 * goal.distance:.1f} mm and {math.degrees(goal.angle):.1f} deg"
            doing = "the arm holds" if resting else "the arm goes to"
            found.append(
                Condition(
                    StatusCode.UNREACHABLE,
                    f"the target is out of reach by {left}; {doing} the nearest pose",
                )
            )
        if goal.other_branch:
            elbow, sign = self._commitment.elbow, self._commitment.sign
            other = elbow.label(-sign) if elbow is not None else "none"
            found.append(
                Condition(
                    StatusCode.OTHER_BRANCH,
                    f"only branch '{other}' reaches the target; the arm is committed to "
                    f"'{self._commitment.label}' and comes to {1000.0 * goal.distance:.1f} mm; "
                    f"ask for the change to '{other}'",
                )
            )
        if self._way.is_detour and not resting:
            found.append(_DETOUR)
        if not resting:
            found.append(_HOLDING if self._way.exhausted else _GOING)
        elif not goal.reached:
            found.append(_HOLDING)
        elif goal.angle > NOTABLE_TURN:
            degrees = math.degrees(goal.angle)
            found.append(
                Condition(
                    StatusCode.REACHED,
                    f"the command has reached the position; the orientation is {degrees:.1f} deg "
                    "off, as near as was found",
                )
            )
        elif self._seen.hanging > self._config.position_tolerance:
            found.append(
                Condition(
                    StatusCode.REACHED,
                    "the command has reached the target, but the arm is "
                    f"{1000.0 * self._seen.hanging:.1f} mm off it; {self._about_droop()}",
                )
            )
        else:
            found.append(_REACHED)

    def _about_droop(self) -> str:
        """Say what takes it away, or what hinders it."""
        if self._config.droop_gain == 0.0:
            return "droop_gain takes droop away"
        joints = self._arm.names(self._droop.exhausted)
        if not joints:
            return "droop is being taken out"
        return (
            f"{', '.join(joints)} hangs by more than droop_limit {self._config.droop_limit:g}; "
            "raise it, or the servo's gain"
        )

    def _about_limits(self, s: Situation, found: list[Condition]) -> tuple[str, ...]:
        """Name the joints at a limit where that matters: not where the target is met."""
        if s.goal is not None:
            matters = not (s.goal.reached and self._seen.landed)
        else:
            matters = s.walled and s.request.kind is RequestKind.TWIST
        joints = self._seen.at_limit() if matters else ()
        if not joints:
            return ()
        words = []
        for name, is_upper in joints:
            i = self._arm.index(name)
            limit = self._arm.upper[i] if is_upper else self._arm.lower[i]
            words.append(f"joint {name} is at its {'upper' if is_upper else 'lower'} {limit:.3f}")
        found.append(Condition(StatusCode.AT_JOINT_LIMIT, f"limit: {', '.join(words)}"))
        return tuple(name for name, _ in joints)
