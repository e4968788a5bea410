"""Which writes a servo refuses, and with which error number."""

from __future__ import annotations

from ik_node.dynamixel.control_table import Model, Register
from ik_node.dynamixel.emulator.memory import Change, Memory
from ik_node.dynamixel.emulator.protocol import Error

GOALS = frozenset({"goal_pwm", "goal_current", "goal_velocity", "goal_position"})

_LIMITED_BY = {
    "goal_pwm": "pwm_limit",
    "goal_current": "current_limit",
    "goal_velocity": "velocity_limit",
}
_MASKS = frozenset({"drive_mode", "startup_configuration", "shutdown"})
_PROTOCOLS = frozenset({1, 2, 20, 21, 22})


def refusal(memory: Memory, change: Change, *, torque: bool, tripped: bool) -> Error:
    """Return why `change` is refused, or Error.NONE.

    Args:
        memory: of the servo, before the change.
        change: one register and its new value.
        torque: whether torque is on, which locks the EEPROM.
        tripped: whether the bus watchdog has tripped, which locks the goals until it is set to 0.
    """
    register, value = change.register, change.value
    if register.eeprom and torque:
        return Error.ACCESS
    if tripped and (register.name in GOALS or (register.name == "bus_watchdog" and value)):
        return Error.DATA_RANGE
    if not in_range(memory.model, register, value):
        return Error.DATA_RANGE
    limit = _LIMITED_BY.get(register.name)
    if limit and abs(value) > memory.get(limit):
        return Error.DATA_LIMIT
    if register.name == "goal_position" and memory.get("operating_mode") == 3:
        low, high = memory.get("min_position_limit"), memory.get("max_position_limit")
        if not low <= value <= high:
            return Error.DATA_LIMIT
    return Error.NONE


def in_range(model: Model, register: Register, value: int) -> bool:
    """Whether a servo of `model` can hold `value`, whatever else it holds."""
    if register.name in _MASKS:
        return not value & ~(register.maximum or 0)
    if register.name == "operating_mode":
        return value in model.operating_modes
    if register.name == "protocol_type" and value not in _PROTOCOLS:
        return False
    if register.minimum is not None and value < register.minimum:
        return False
    return register.maximum is None or value <= register.maximum
