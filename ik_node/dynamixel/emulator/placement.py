"""Where a servo sits on its joint: encoder ticks to the joint's position, and loads back.

The physical truth, whatever homing offset or drive mode the registers hold: the direction, zero and
gear ratio of servos.yaml describe a servo in normal drive mode without homing offset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import pi

from ik_node.dynamixel.config import ServoConfig

LoadFunction = Callable[[Mapping[str, float]], Mapping[str, float]]
"""Joint positions [rad, m] to the effort [N m, N] that each joint needs to stand still there."""


@dataclass(frozen=True)
class Placement:
    """Conversions for one servo; ticks are raw, positions in rad (m for a linear joint)."""

    zero: float
    per_tick: float
    stall_torque: float

    @classmethod
    def of(cls, config: ServoConfig) -> Placement:
        """The placement that `config` describes."""
        scale = config.metres_per_radian or 1.0
        per_tick = config.direction * 2.0 * pi / 4096.0 * scale / config.gear_ratio
        return cls(config.zero, per_tick, config.servo_model.motor.stall_torque)

    def position(self, ticks: float) -> float:
        """Joint position at raw `ticks`."""
        return (ticks - self.zero) * self.per_tick

    def ticks(self, position: float) -> float:
        """Raw ticks at a joint position."""
        return self.zero + position / self.per_tick

    def share(self, effort: float) -> float:
        """A joint's effort [N m, N] as a share of the stall torque, positive towards more ticks.

        Virtual work: effort times joint motion is torque times horn motion.
        """
        return effort * self.per_tick * 4096.0 / (2.0 * pi) / self.stall_torque
