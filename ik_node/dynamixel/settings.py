"""Which registers a servo must hold before it runs, from its configuration.

EEPROM wears out, so it is compared before it is written; RAM is lost at every restart, so it is
written again after each.
"""

from __future__ import annotations

import math

from ik_node.dynamixel.config import OPERATING_MODES, BusConfig, ServoConfig
from ik_node.dynamixel.registers import Register

WATCHDOG_UNIT = 0.02
RETURN_DELAY_UNIT = 2e-6

DROOP = math.radians(6.0)
"""A servo under load holds this far from its goal [rad of the servo]."""

NO_SECONDARY_ID = 255
"""A second servo of a joint gets goals of its own; with the first one's ID it would also take those
that are meant for the first, the wrong way round where it is mounted in reverse."""

_SLAVE_BIT = 0b10  # a servo wired to follow another one keeps doing so


def eeprom_settings(servo: ServoConfig, bus: BusConfig) -> dict[str, int]:
    """Register name to value; `drive_mode` is completed by `drive_mode`."""
    wanted = {
        "return_delay_time": round(bus.return_delay / RETURN_DELAY_UNIT),
        "operating_mode": OPERATING_MODES[servo.mode],
        "secondary_id": NO_SECONDARY_ID,
    }
    return {**wanted, **_extra(servo, eeprom=True)}


def drive_mode(present: int) -> int:
    """Direction normal, velocity-based profile, torque only when switched on."""
    return present & _SLAVE_BIT


def ram_settings(servo: ServoConfig, current_limit: int | None) -> dict[str, int]:
    """Register name to value.

    Args:
        servo: the configuration.
        current_limit: the servo's register `current_limit`, None where it has none.
    """
    model = servo.servo_model
    wanted = {
        "profile_acceleration": at_least_one(
            servo.profile_acceleration,
            model.acceleration_unit,
            model.register("profile_acceleration"),
        ),
        "profile_velocity": at_least_one(
            servo.profile_velocity, model.velocity_unit, model.register("profile_velocity")
        ),
    }
    if servo.mode == "current_based_position" and model.current_unit and current_limit:
        asked = round(servo.goal_current / model.current_unit) or current_limit
        wanted["goal_current"] = min(asked, current_limit)
    return {**wanted, **_extra(servo, eeprom=False)}


def watchdog_setting(bus: BusConfig) -> int:
    """Value of register `bus_watchdog`; 0 is off."""
    if not bus.bus_watchdog:
        return 0
    return min(127, max(1, round(bus.bus_watchdog / WATCHDOG_UNIT)))


def at_least_one(value: float, unit: float, register: Register) -> int:
    """`value` in register units; only an exact 0 gives 0, which a servo takes as infinite."""
    if value == 0.0:
        return 0
    return min(register.maximum or 32767, max(1, round(value / unit)))


def _extra(servo: ServoConfig, *, eeprom: bool) -> dict[str, int]:
    model = servo.servo_model
    return {
        name: value
        for name, value in servo.registers.items()
        if model.register(name).eeprom == eeprom
    }
