"""Time as the tracker uses it: bounded intervals, and how old is too old."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ik_node.datatypes import quick

SHORTEST_STEP = 1e-4


class Interval(NamedTuple):
    """The time of one tick.

    Attributes:
        moving: s, the time that the arm moves for; 0 when it must not.
        passed: s, the time that passed, for velocities.
    """

    moving: float
    passed: float


NO_TIME = Interval(0.0, 0.0)


@dataclass(frozen=True)
class Watchdog:
    """Judges intervals and ages.

    Attributes:
        longest_step: s, no tick moves the arm for longer.
        state_timeout: s, a joint state older than this is stale.
        target_timeout: s, a twist older than this is stale.
    """

    longest_step: float
    state_timeout: float
    target_timeout: float

    def interval(self, dt: float) -> Interval:
        """Return the usable part of a measured interval, whatever the clock did."""
        if not math.isfinite(dt) or dt < SHORTEST_STEP:
            return NO_TIME
        return quick(Interval, (min(dt, self.longest_step), dt))

    def stale_joints(self, stamps: Sequence[float] | None, now: float) -> Sequence[int]:
        """Return the places of the joints whose stamp (s of receipt) is too old, or unknown.

        Without stamps the caller answers for all.
        """
        if stamps is None:
            return ()
        oldest = now - self.state_timeout
        return tuple(i for i, stamp in enumerate(stamps) if not stamp >= oldest)

    def twist_is_stale(self, received: float, now: float) -> bool:
        """Tell whether a twist received then must not move the arm any more."""
        return not now - received <= self.target_timeout
