"""Whether limits and park position are in the servo's reach: degrees and millimetres are not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ik_node.dynamixel.servo_map import ServoMap
from ik_node.errors import ConfigurationError

if TYPE_CHECKING:
    from ik_node.dynamixel.config import ServoConfig

TURNS = 2.0
"""A rotary joint that is not stopped by its servo turns no further than this."""


def check_reach(servo: ServoConfig) -> None:
    """Raise ConfigurationError where `servo` cannot have meant its limits, or reach its park.

    Limits may be wider than the servo's own, as a URDF's often are, but not by more than a turn.
    In current_based_position a servo turns freely; there a rotary joint's turns are counted.
    """
    if servo.mode == "extended_position":
        return
    turn = math.tau
    if servo.linear:
        turn *= servo.metres_per_radian / servo.gear_ratio
    reach = _reach(servo, {})
    _check(servo, "lower", servo.lower, reach, turn)
    _check(servo, "upper", servo.upper, reach, turn)
    _check(servo, "park", servo.park, _reach(servo, servo.registers), ServoMap(servo).rounding)


def _check(
    servo: ServoConfig, name: str, value: float, reach: tuple[float, float], beyond: float
) -> None:
    low, high = reach
    if not math.isfinite(value):
        return
    turns = abs(value) / math.tau
    if not low - beyond <= value <= high + beyond:
        unit = "m" if servo.linear else "rad"
        problem = f"is {value:g}, but the servo reaches {low:.4g} .. {high:.4g} {unit}"
    elif servo.mode != "position" and not servo.linear and turns > TURNS:
        problem = f"is {value:g}, which is {turns:.3g} turns of the joint"
    else:
        return
    remedy = "write radians, or correct zero or gear_ratio"
    if servo.linear:
        remedy = "write metres, or correct zero or metres_per_radian"
    raise ConfigurationError(f"servos.{servo.joint}.{name}", problem, remedy)


def _reach(servo: ServoConfig, limits: Mapping[str, int]) -> tuple[float, float]:
    """Joint positions [rad or m] between which the servo can go.

    In mode position that is one turn, or what of it the registers in `limits` leave.
    """
    servo_map = ServoMap(servo)
    if servo.mode == "position":
        first = limits.get("min_position_limit", 0)
        last = limits.get("max_position_limit", servo_map.turn - 1)
    else:
        goal = servo.servo_model.register("goal_position")
        first, last = goal.minimum or 0, goal.maximum or 0
    low, high = sorted((servo_map.position(first), servo_map.position(last)))
    return low, high
