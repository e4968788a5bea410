"""Whether a position can be true: no joint moves faster than its motor.

A packet with a right CRC can still lie: a servo that restarted answers from a table that no longer
maps to its position, two servos on one ID overlap. Such a reading is left out, never smoothed in.
"""

from __future__ import annotations

from enum import Enum

TOLERANCE = 20
"""Ticks that a position may jump at once (backlash, a late reading)."""

OVERSPEED = 1.5
"""A driven or pushed joint may exceed the motor's no-load speed by this factor."""

REPEATS = 3


class Verdict(Enum):
    """What a `PositionFilter` says of a reading."""

    PLAUSIBLE = "plausible"
    IMPLAUSIBLE = "implausible"
    DISPLACED = "displaced"  # implausible, but the same several times running


class PositionFilter:
    """Judges the positions of one servo; `fastest` is in ticks/s."""

    def __init__(self, fastest: float) -> None:
        self._fastest = OVERSPEED * fastest
        self._last: tuple[int, float] | None = None
        self._suspect: tuple[int, float] | None = None
        self._repeats = 0

    def restart(self, ticks: int, now: float) -> None:
        """Trust `ticks`: it was read with care at a start."""
        self._last = (ticks, now)
        self._suspect = None
        self._repeats = 0

    def judge(self, ticks: int, now: float) -> Verdict:
        """Judge a reading taken at `now` [s]; a plausible one becomes the new reference."""
        if self._last is None or self._near(self._last, ticks, now):
            self.restart(ticks, now)
            return Verdict.PLAUSIBLE
        same = self._suspect is not None and self._near(self._suspect, ticks, now)
        self._repeats = self._repeats + 1 if same else 1
        self._suspect = (ticks, now)
        return Verdict.DISPLACED if self._repeats >= REPEATS else Verdict.IMPLAUSIBLE

    def _near(self, before: tuple[int, float], ticks: int, now: float) -> bool:
        allowed = TOLERANCE + self._fastest * max(0.0, now - before[1])
        return abs(ticks - before[0]) <= allowed
