"""Every servo model that the package knows, by name and by number.

Registers go by name, never by address: `MODELS["XM430-W350"].register("goal_position").address`.
The rows are data in `registers_x.py` (X series and MX with Protocol 2.0); another series is another
such module, added to `MODELS`.
"""

from __future__ import annotations

from collections.abc import Mapping

from ik_node.dynamixel.control_table import (
    ACCELERATION_UNIT,
    BAUD_RATES,
    HARDWARE_ERRORS,
    PWM_UNIT,
    VELOCITY_UNIT,
    IndirectBlock,
    Model,
    Motor,
    Register,
    baud_code,
)
from ik_node.dynamixel.registers_x import models
from ik_node.errors import UnknownNameError

__all__ = [
    "ACCELERATION_UNIT",
    "BAUD_RATES",
    "HARDWARE_ERRORS",
    "MODELS",
    "PWM_UNIT",
    "VELOCITY_UNIT",
    "IndirectBlock",
    "Model",
    "Motor",
    "Register",
    "baud_code",
    "model_by_name",
    "model_by_number",
]

MODELS: Mapping[str, Model] = {model.name: model for model in models()}
"""Model name (as in servos.yaml) to its table."""

_BY_NUMBER: Mapping[int, Model] = {model.number: model for model in MODELS.values()}


def model_by_name(name: str) -> Model:
    """The model called `name`; raises UnknownNameError with the nearest and all known names."""
    try:
        return MODELS[name]
    except KeyError:
        raise UnknownNameError("servo model", name, MODELS) from None


def model_by_number(number: int) -> Model:
    """The model that answers a ping with `number`; raises UnknownNameError listing those known."""
    try:
        return _BY_NUMBER[number]
    except KeyError:
        known = (f"{model.number} ({model.name})" for model in MODELS.values())
        raise UnknownNameError("servo model number", str(number), known) from None
