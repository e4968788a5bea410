"""The control table of a servo with a certain firmware, which may know less than the newest.

Source: ROBOTIS e-manual, Drive Mode(10) of the X series.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from ik_node.dynamixel.control_table import Model

_TIME_BASED, _TORQUE_BY_GOAL = 4, 8
_TIME_BASED_SINCE = 42


def table(model: Model, firmware: int) -> Model:
    """`model` as a servo with `firmware` is."""
    model = model.at_firmware(firmware)
    version, mode = model.registers["firmware_version"], model.registers["drive_mode"]
    bits = mode.maximum or 0
    if firmware < _TIME_BASED_SINCE:
        bits &= ~_TIME_BASED
    if firmware < _torque_by_goal_since(model):
        bits &= ~_TORQUE_BY_GOAL
    known = {
        **model.registers,
        "firmware_version": replace(version, initial=firmware),
        "drive_mode": replace(mode, maximum=bits),
    }
    return replace(model, registers=MappingProxyType(known))


def _torque_by_goal_since(model: Model) -> int:
    return 46 if model.name.startswith(("XL330", "XC330")) else 45
