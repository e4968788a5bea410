"""Temperature and hardware errors of one servo.

Bits of register `hardware_error_status`. The models are first-order and their figures are
estimates: a stalled motor reaches its limit in under a minute, one at a fifth of its stall torque
never does.
"""

from __future__ import annotations

from enum import IntFlag
from math import exp, inf

AMBIENT = 25.0
"""Temperature of the room [deg C]."""

STALL_RISE = 150.0
"""How much hotter a motor would end up if it stalled for ever [K]."""

THERMAL_TIME_CONSTANT = 120.0
"""Of motor and case [s]."""

OVERLOAD_TORQUE = 0.6
"""Share of the stall torque from which a standing motor counts as overloaded."""

OVERLOAD_TIME = 2.0
"""How long it takes until that shuts the servo down [s]."""


class HardwareError(IntFlag):
    """Bits of `hardware_error_status`, and of the mask `shutdown`."""

    NONE = 0
    VOLTAGE = 1
    OVERHEATING = 4
    ENCODER = 8
    SHOCK = 16
    OVERLOAD = 32


class Health:
    """Accumulates heat and load; `update` tells which errors hold now.

    A fault can force errors, until a restart, and keep the motor at least as `hot` [deg C].
    """

    def __init__(self) -> None:
        self.temperature = AMBIENT + 5.0
        self.hot = -inf
        self.forced = HardwareError.NONE
        self._strained = 0.0

    def restart(self) -> None:
        """A power cycle: the load is forgotten, the heat is not."""
        self._strained = 0.0
        self.forced = HardwareError.NONE

    def heat(self, hot: float | None) -> None:
        """Let the motor be at least as `hot` [deg C], or cool at once."""
        self.hot = -inf if hot is None else hot
        if hot is None:
            self.temperature = AMBIENT

    def update(
        self,
        duration: float,
        torque: float,
        moving: bool,
        voltage: float,
        limits: tuple[float, float, float],
    ) -> HardwareError:
        """Let `duration` seconds pass and return the errors that hold.

        Args:
            duration: seconds.
            torque: share of the stall torque during that time.
            moving: whether the horn turned.
            voltage: at the servo [V].
            limits: lowest and highest voltage [V], highest temperature [deg C].
        """
        settled = AMBIENT + STALL_RISE * torque * torque
        decay = exp(-duration / THERMAL_TIME_CONSTANT)
        self.temperature = max(self.hot, settled + (self.temperature - settled) * decay)
        if abs(torque) >= OVERLOAD_TORQUE and not moving:
            self._strained += duration
        else:
            self._strained = max(0.0, self._strained - 2.0 * duration)
        low, high, hottest = limits
        errors = self.forced
        if not low <= voltage <= high:
            errors |= HardwareError.VOLTAGE
        if self.temperature > hottest:
            errors |= HardwareError.OVERHEATING
        if self._strained >= OVERLOAD_TIME:
            errors |= HardwareError.OVERLOAD
        return errors
