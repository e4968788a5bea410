"""The parameters of `dynamixel_driver`: its own, and those of servos.yaml."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from ik_node.dynamixel.config import BusConfig
from ik_node.dynamixel.fields import BUS_FIELDS, REQUIRED, SERVO_FIELDS, Field
from ik_node.dynamixel.servos_yaml import bus_config_from_parameters, no_servo
from ik_node.errors import UnknownNameError
from ik_node.ros.joint_command import JOINT_STATE, JOINT_TRAJECTORY
from ik_node.ros.parameters import Kind, Parameter, ParameterTable

OWN = (
    Parameter(
        "auto_activate",
        Kind.BOOL,
        True,
        "connect at start; false leaves the lifecycle transitions to a manager",
        read_only=True,
    ),
    Parameter(
        "command_interface",
        Kind.STRING,
        JOINT_STATE,
        "form of joint_command",
        choices=(JOINT_STATE, JOINT_TRAJECTORY),
        read_only=True,
    ),
    Parameter(
        "gripper_joint",
        Kind.STRING,
        "",
        "joint that ~/gripper moves; empty: the only linear one",
        read_only=True,
    ),
)

_KINDS = {bool: Kind.BOOL, int: Kind.INTEGER, float: Kind.DOUBLE, str: Kind.STRING}
_SERVO = {field.name: field for field in SERVO_FIELDS}


def driver_table(given: Mapping[str, Any]) -> ParameterTable:
    """Return the parameters of a driver for which `given` was set from outside.

    Of the servos there are only the entries that were given: their joints' names are free.

    Raises:
        UnknownNameError: an entry that neither the driver nor a servo has.
        ConfigurationError: no servos, or one without entries.
    """
    table = [*OWN, *(_parameter(field, field.name) for field in BUS_FIELDS)]
    names = [parameter.name for parameter in table]
    for name, value in given.items():
        if name == "servos" or (name.startswith("servos.") and name.count(".") == 1):
            raise no_servo(name, value)
        if name not in names and not name.startswith("servos."):
            raise UnknownNameError("parameter", name, [*names, "servos.<joint>.<entry>"])
    return ParameterTable([*table, *_servo_parameters(given)])


def bus_config(values: Mapping[str, Any]) -> BusConfig:
    """Return the bus that the driver's parameters describe.

    Raises:
        ConfigurationError, UnknownNameError: they describe none.
    """
    own = {parameter.name for parameter in OWN}
    return bus_config_from_parameters({n: v for n, v in values.items() if n not in own})


def _servo_parameters(given: Mapping[str, Any]) -> Iterator[Parameter]:
    for name, value in given.items():
        entry = ".".join(name.split(".")[2:])
        if not name.startswith("servos.") or not entry:
            continue
        if entry.startswith("registers."):
            yield Parameter(name, Kind.INTEGER, value, "register set at start")
            continue
        joint = name.split(".")[1]
        if entry not in _SERVO:
            raise UnknownNameError(f"entry of servos.{joint}", entry, [*_SERVO, "registers"])
        yield _parameter(_SERVO[entry], name)


def _parameter(field: Field, name: str) -> Parameter:
    words = tuple(choice for choice in field.choices if isinstance(choice, str))
    return Parameter(
        name,
        _KINDS[field.kind],
        "" if field.default is REQUIRED else field.default,
        field.description,
        field.unit,
        field.lower if math.isfinite(field.lower) else None,
        field.upper if math.isfinite(field.upper) else None,
        words,
    )
