"""Says when the arm comes near a singularity, once each time."""

from __future__ import annotations

RELEASE = 1.25
"""The alarm ends at this many times the level at which it starts."""


class ManipulabilityAlarm:
    """On under `level` of the relative manipulability, off over RELEASE times that."""

    def __init__(self) -> None:
        self.on = False

    def update(self, relative: float, level: float) -> bool:
        """Return whether the alarm has just gone on."""
        was = self.on
        self.on = relative < (level * RELEASE if was else level)
        return self.on and not was
