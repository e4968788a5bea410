"""What may stand in servos.yaml, as data: name, kind, default, unit, bounds and purpose.

The driver node declares its ROS parameters from the same two tables.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Union

from ik_node.errors import ConfigurationError, UnknownNameError

Value = Union[bool, int, float, str]  # noqa: UP007  (evaluated at run time on Python 3.10)

REQUIRED = None
"""Default of an entry that must be given."""

_WORDS = {bool: "true or false", int: "an integer", float: "a number", str: "a text"}


@dataclass(frozen=True)
class Field:
    """One entry; `kind` is bool, int, float or str; bounds are inclusive.

    A default of `REQUIRED` (None) means that the entry must be given.
    """

    name: str
    kind: type
    default: Value | None
    description: str
    unit: str = ""
    lower: float = -math.inf
    upper: float = math.inf
    choices: tuple[Value, ...] = ()

    @property
    def request(self) -> str:
        """What to write where the entry is missing."""
        bounds = "" if math.isinf(self.upper) else f", {self.lower:g} to {self.upper:g}"
        return f"write {self.name}: ..., {self.description}{bounds}"

    def convert(self, value: object, where: str) -> Value:
        """Return `value` as this entry's kind (an integer serves as a number).

        Raises:
            ConfigurationError: wrong kind, not finite or out of bounds; it names `where`.
            UnknownNameError: not one of the choices.
        """
        kinds = (int, float) if self.kind is float else (self.kind,)
        if not isinstance(value, kinds) or (isinstance(value, bool) and self.kind is not bool):
            raise ConfigurationError(where, f"is {value!r}", f"write {_WORDS[self.kind]}")
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return self._number(value, where)
        if self.choices and value not in self.choices:
            raise UnknownNameError(f"value of {where}", str(value), map(str, self.choices))
        return self.kind(value)  # type: ignore[no-any-return]

    def _number(self, value: float, where: str) -> Value:
        if not math.isfinite(value):
            raise ConfigurationError(where, f"is {value}", "write a finite number")
        if self.choices and value not in self.choices:
            words = " or ".join(f"{choice:+}" for choice in self.choices)
            raise ConfigurationError(where, f"is {value}", f"it must be {words}")
        if not self.lower <= value <= self.upper:
            unit = f" {self.unit}" if self.unit else ""
            if math.isinf(self.upper):
                bounds = f"at least {self.lower:g}{unit}"
            else:
                bounds = f"from {self.lower:g} to {self.upper:g}{unit}"
            raise ConfigurationError(where, f"is {value:g}", f"it must be {bounds}")
        return self.kind(value)  # type: ignore[no-any-return]


NODE_ENTRIES = frozenset({"auto_activate", "command_interface", "gripper_joint"})
"""Entries of the driver node, which shares the file; they mean nothing to the bus."""

BUS_FIELDS = (
    Field("port", str, REQUIRED, "serial device; a /dev/serial/by-id path survives replugging"),
    Field("baud", int, 1_000_000, "speed of the bus; the servos must be set to the same", "bit/s"),
    Field("rate_hz", float, 100.0, "cycles a second: one write and one read each", "Hz", 1, 1000),
    Field("prefix", str, "", "put before every joint name"),
    Field(
        "reply_slack",
        float,
        0.0,
        "how long a reply may be late; 0 takes the adapter's latency timer plus a margin",
        "s",
        0.0,
        1.0,
    ),
    Field("return_delay", float, 0.0, "pause of a servo before it replies", "s", 0.0, 508e-6),
    Field("fast_sync_read", bool, True, "use fast sync read where every servo's firmware has it"),
    Field(
        "command_timeout",
        float,
        0.5,
        "after this long without a command the joints hold where they are sent",
        "s",
        0.02,
        60.0,
    ),
    Field(
        "bus_watchdog",
        float,
        0.2,
        "a servo that hears nothing for this long stops by itself; 0 switches it off",
        "s",
        0.0,
        2.54,
    ),
    Field(
        "shutdown",
        str,
        "hold",
        "how the arm is left when the driver ends: held; every torque off; or parked, and then "
        "every torque off, also of joints without a park position",
        choices=("hold", "torque_off", "park"),
    ),
    Field(
        "approach_speed",
        float,
        0.5,
        "speed to the first command after a pause, and to park; of a linear joint, times its "
        "metres_per_radian",
        "rad/s",
        0.001,
        10.0,
    ),
    Field("overload_recovery", bool, False, "reboot a servo in overload without being asked"),
    Field(
        "overload_recovery_interval",
        float,
        30.0,
        "least time between two such reboots of one servo",
        "s",
        1.0,
        3600.0,
    ),
)

SERVO_FIELDS = (
    Field("id", int, REQUIRED, "the servo's ID", "", 0, 252),
    Field("model", str, REQUIRED, "the servo's model, as in XM430-W350"),
    Field("direction", int, 1, "+1 or -1: the sign between servo and joint", choices=(1, -1)),
    Field("zero", int, 2048, "position of the servo where the joint is at 0", "ticks", -1e6, 1e6),
    Field("gear_ratio", float, 1.0, "turns of the servo a turn of the joint", "", 1e-3, 1e3),
    Field(
        "metres_per_radian",
        float,
        0.0,
        "travel of a linear joint a radian of the servo (after the gear); 0 for a rotary joint",
        "m/rad",
        0.0,
        10.0,
    ),
    Field(
        "mode",
        str,
        "position",
        "operating mode of the servo",
        choices=("position", "extended_position", "current_based_position"),
    ),
    Field("lower", float, -math.inf, "least position that is ever commanded", "rad or m"),
    Field("upper", float, math.inf, "largest position that is ever commanded", "rad or m"),
    Field(
        "max_velocity",
        float,
        0.0,
        "fastest that a command may move the joint; 0 takes the servo's own velocity limit",
        "rad/s or m/s",
        0.0,
        100.0,
    ),
    Field(
        "profile_velocity",
        float,
        0.0,
        "of the servo's own profile; 0 leaves it out",
        "rad/s",
        0.0,
        100.0,
    ),
    Field(
        "profile_acceleration",
        float,
        0.0,
        "of the servo's own profile; 0 leaves it out",
        "rad/s^2",
        0.0,
        10000.0,
    ),
    Field(
        "goal_current",
        float,
        0.0,
        "largest current in current_based_position; 0 takes the servo's current limit",
        "A",
        0.0,
        20.0,
    ),
    Field(
        "torque_constant",
        float,
        0.0,
        "for the effort; 0 takes an estimate from the model's stall figures",
        "N m/A",
        0.0,
        100.0,
    ),
    Field(
        "unwrap",
        str,
        "servo",
        "which turn an extended position starts on: the servo's own count (lost at power-off), "
        "or the only one inside lower..upper",
        choices=("servo", "limits"),
    ),
    Field("shadow_of", str, "", "joint whose commands this second servo follows"),
    Field(
        "park",
        float,
        math.nan,
        "where the joint goes when `shutdown` is park, before every torque goes off",
        "rad or m",
    ),
)
