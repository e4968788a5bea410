"""Time as the tracker uses it: bounded intervals, and how old is too old."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SHORTEST_STEP = 1e-4


@dataclass(frozen=True)
class Interval:
    """The time of one tick.

    Attributes:
        moving: s, the time that the arm moves for; 0 when it must not.
        passed: s, the time that passed, for velocities.
    """

    moving: float
    passed: float


_NONE = Interval(0.0, 0.0)


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
            return _NONE
        return Interval(min(dt, self.longest_step), dt)

    def stale_joints(self, stamps: Array | None, now: float) -> Array:
        """Return the indices of the joints whose stamp (s of receipt) is too old, or unknown."""
        if stamps is None:
            return np.empty(0, dtype=np.intp)
        return np.flatnonzero(~(now - stamps <= self.state_timeout))

    def twist_is_stale(self, received: float, now: float) -> bool:
        """Tell whether a twist received then must not move the arm any more."""
        return not now - received <= self.target_timeout
