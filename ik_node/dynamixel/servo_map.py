"""Between a servo's numbers and its joint's: position, velocity, effort, both ways.

    joint = direction * (ticks - zero) * 2 pi / ticks_per_revolution / gear_ratio

times `metres_per_radian` for a linear joint. Sign and zero are kept in the configuration, not in
the servo, so that a replaced servo needs nothing but its ID.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ik_node.dynamixel.config import ServoConfig


ROUNDING = 2
"""Ticks by which figures differ that mean one end, of a URDF, a servo or a park position."""


class ServoMap:
    """The map of one servo.

    Attributes:
        ticks_per_unit: signed; ticks a rad (m) of the joint.
        rounding: positions that differ by no more [rad or m] are the same.
        turn_offset: ticks added to what the servo reports, a whole number of turns (see `unwrap`).
    """

    def __init__(self, config: ServoConfig) -> None:
        self._config = config
        self._model = config.servo_model
        self._unit = config.metres_per_radian or 1.0
        self.turn = self._model.ticks_per_revolution
        self.ticks_per_unit = (
            config.direction * self.turn * config.gear_ratio / (2.0 * math.pi) / self._unit
        )
        self.rounding = ROUNDING / abs(self.ticks_per_unit)
        self.turn_offset = 0
        self._per_servo_radian = config.direction / config.gear_ratio * self._unit
        self._velocity_unit = self._model.velocity_unit * self._per_servo_radian
        self._effort_unit = self._torque_unit() / self._per_servo_radian

    def position(self, ticks: int) -> float:
        """Joint position [rad or m] where the servo reports `ticks`."""
        return (ticks + self.turn_offset - self._config.zero) / self.ticks_per_unit

    def ticks(self, position: float) -> int:
        """The servo position nearest to joint `position` [rad or m]."""
        return round(position * self.ticks_per_unit) + self._config.zero - self.turn_offset

    def velocity(self, raw: int) -> float:
        """Joint velocity [rad/s or m/s] of a velocity register."""
        return raw * self._velocity_unit

    def effort(self, raw: int) -> float:
        """Estimated joint effort [N m or N] of the current or load register.

        Makers name no torque constant: unless it is configured, stall torque over stall current
        stands in, which neglects friction.
        """
        return raw * self._effort_unit

    def speed(self, servo_speed: float) -> float:
        """Size of the joint's speed [rad/s or m/s] at a `servo_speed` [rad/s]."""
        return abs(servo_speed * self._per_servo_radian)

    def unwrap(self, ticks: int) -> None:
        """Choose the turn on which `ticks` lies inside the limits (`unwrap: limits`).

        A servo forgets its turns at power-off. Where the joint's travel is at most one turn of
        the servo, the limits tell which turn it must be; the one nearest to their middle is taken.
        """
        self.turn_offset = 0
        if self._config.unwrap == "limits":
            middle = self.ticks((self._config.lower + self._config.upper) / 2.0)
            self.turn_offset = self.turn * round((middle - ticks) / self.turn)

    def _torque_unit(self) -> float:
        """Torque at the servo's horn [N m] of one unit of its current or load register."""
        if self._model.current_unit is None:
            return self._model.motor.stall_torque / 1000.0
        constant = self._config.torque_constant or self._model.motor.torque_constant
        return self._model.current_unit * constant
