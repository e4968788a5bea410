"""How an arm is left when its driver ends: held, relaxed, or parked and then relaxed.

Relaxed is every servo, also one of a joint that has no park position.
In every case the bus watchdog is switched off knowingly, so that it does not strike when the
driver falls silent and leave the goals locked for the next program.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ik_node.dynamixel.bus import Bus
from ik_node.dynamixel.config import BusConfig
from ik_node.dynamixel.servo import Servo, Stage
from ik_node.errors import BusError, PortError

SPARE = 3.0
"""Parking may take this much longer [s] than the way at the speed that is allowed."""

ARRIVED = math.radians(3.0)
"""A joint this near to its park position [rad of the servo] is parked."""


def park_goals(servos: Sequence[Servo]) -> dict[str, float]:
    """Park position [rad or m] of every joint that has one and is in service."""
    return {
        servo.joint: servo.config.park
        for servo in servos
        if servo.stage is Stage.READY and not math.isnan(servo.config.park)
    }


def park_time(servos: Sequence[Servo], config: BusConfig) -> float:
    """How long parking may take [s]."""

    def time(servo: Servo) -> float:
        unit = servo.config.metres_per_radian or 1.0
        return _way(servo) / min(servo.fastest or math.inf, config.approach_speed * unit)

    return max((time(servo) for servo in servos), default=0.0) + SPARE


def parked(servos: Sequence[Servo]) -> bool:
    """Whether every joint in service is where it is to be left."""
    return all(_at_park(servo) for servo in servos if servo.stage is Stage.READY)


def release(bus: Bus, servos: Sequence[Servo], *, torque: bool) -> list[str]:
    """Switch the bus watchdogs off, and the torque unless it stays; returns what went wrong."""
    wrong = []
    for servo in servos:
        if not servo.readable:
            continue
        try:
            if not torque:
                bus.write_register(servo.id, servo.model.register("torque_enable"), 0)
                servo.set_stage(Stage.RELAXED, "the driver has ended")
            bus.write_register(servo.id, servo.model.register("bus_watchdog"), 0)
        except PortError:
            raise
        except BusError as error:
            wrong.append(f"{servo}: {error}")
    return wrong


def farewell(servos: Sequence[Servo], *, park: bool) -> str:
    """How every joint is left after `release`, as a sentence; a shadow is left as its leader."""
    joints: dict[str, list[str]] = {}
    for servo in servos:
        if not servo.config.shadow_of:
            joints.setdefault(_left(servo, park=park), []).append(servo.joint)
    return "the driver ends: " + "; ".join(f"{', '.join(j)} {how}" for how, j in joints.items())


def _left(servo: Servo, *, park: bool) -> str:
    if servo.stage is Stage.READY:
        return "held with torque on"
    if not servo.readable:
        return "left as it was, out of service"
    if not park or math.isnan(servo.config.park):
        return "left with torque off"
    if _at_park(servo):
        return "parked, then torque off"
    return "short of its park position, torque off"


def _way(servo: Servo) -> float:
    """The joint's way [rad or m] to its park position, or to its limit before that."""
    if servo.state is None or math.isnan(servo.config.park):
        return 0.0
    park = min(max(servo.config.park, servo.lower), servo.upper)
    return abs(servo.map.position(servo.state.position) - park)


def _at_park(servo: Servo) -> bool:
    ticks = _way(servo) * abs(servo.map.ticks_per_unit)
    return ticks * math.tau / servo.map.turn < ARRIVED
