"""The servo bus as configured: frozen, complete and consistent once it exists.

`servos_yaml.py` reads it from a file or from ROS parameters; here are the rules that bind
several entries together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ik_node.dynamixel.reach import check_reach
from ik_node.dynamixel.registers import BAUD_RATES, MODELS, Model, baud_code, model_by_name
from ik_node.errors import ConfigurationError, UnknownNameError

OPERATING_MODES: Mapping[str, int] = {
    "position": 3,
    "extended_position": 4,
    "current_based_position": 5,
}
"""Name in servos.yaml to register `operating_mode`."""

MANAGED_REGISTERS = frozenset(
    {"id", "baud_rate", "protocol_type", "secondary_id", "operating_mode", "drive_mode"}
    | {"return_delay_time", "torque_enable", "status_return_level", "bus_watchdog", "goal_pwm"}
    | {"goal_current", "goal_velocity", "goal_position", "profile_velocity", "profile_acceleration"}
)
"""Registers that the driver sets from entries of their own, or must not be set."""


@dataclass(frozen=True)
class ServoConfig:
    """One servo and the joint that it moves; units are rad (m where linear), s, A.

    `joint` includes the bus's prefix. `registers` holds further registers to set, by name.
    """

    joint: str
    id: int
    model: str
    direction: int = 1
    zero: int = 2048
    gear_ratio: float = 1.0
    metres_per_radian: float = 0.0
    mode: str = "position"
    lower: float = -math.inf
    upper: float = math.inf
    max_velocity: float = 0.0
    profile_velocity: float = 0.0
    profile_acceleration: float = 0.0
    goal_current: float = 0.0
    torque_constant: float = 0.0
    unwrap: str = "servo"
    shadow_of: str = ""
    park: float = math.nan
    registers: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        """Check this servo by itself; raises ConfigurationError or UnknownNameError."""
        where = f"servos.{self.joint}"
        model = model_by_name(self.model)
        mode = OPERATING_MODES[self.mode]
        if mode not in model.operating_modes:
            names = [
                name for name, code in OPERATING_MODES.items() if code in model.operating_modes
            ]
            raise ConfigurationError(
                f"{where}.mode", f"a {self.model} has no mode {self.mode}", _one_of(names)
            )
        if self.lower >= self.upper:
            raise ConfigurationError(
                f"{where}.lower", f"{self.lower:g} is not below upper {self.upper:g}", "swap them"
            )
        if self.goal_current and mode != OPERATING_MODES["current_based_position"]:
            raise ConfigurationError(
                f"{where}.goal_current",
                f"has no effect in mode {self.mode}",
                "set mode: current_based_position or leave it out",
            )
        if not math.isnan(self.park) and not self.lower <= self.park <= self.upper:
            raise ConfigurationError(
                f"{where}.park", f"{self.park:g} is outside {self.lower:g} .. {self.upper:g}"
            )
        self._check_unwrap(where, model)
        self._check_registers(where, model)
        check_reach(self)

    def _check_unwrap(self, where: str, model: Model) -> None:
        if self.unwrap != "limits":
            return
        if self.mode == "position":
            raise ConfigurationError(
                f"{where}.unwrap", "needs an extended mode", "set mode: extended_position"
            )
        turn = 2.0 * math.pi / self.gear_ratio * (self.metres_per_radian or 1.0)
        if self.upper - self.lower > turn:
            raise ConfigurationError(
                f"{where}.unwrap",
                f"limits {self.lower:g} .. {self.upper:g} span more than one turn of the servo "
                f"({turn:.4g}), so they do not tell the turn",
                "narrow lower and upper, or set unwrap: servo",
            )

    def _check_registers(self, where: str, model: Model) -> None:
        for name, value in self.registers.items():
            register = model.register(name)
            entry = f"{where}.registers.{name}"
            if name in MANAGED_REGISTERS or name.startswith("indirect_"):
                raise ConfigurationError(entry, "is set by the driver itself", "leave it out")
            if not register.writable:
                raise ConfigurationError(entry, "cannot be written", "leave it out")
            low = -math.inf if register.minimum is None else register.minimum
            high = math.inf if register.maximum is None else register.maximum
            if not low <= value <= high:
                raise ConfigurationError(entry, f"is {value}", f"it must be {low:g} to {high:g}")

    @property
    def servo_model(self) -> Model:
        """The control table."""
        return MODELS[self.model]

    @property
    def linear(self) -> bool:
        """Whether the joint is measured in metres."""
        return self.metres_per_radian > 0.0


@dataclass(frozen=True)
class BusConfig:
    """A whole bus; times in s, `baud` in bit/s. Joints keep the order of the configuration."""

    port: str
    servos: tuple[ServoConfig, ...]
    baud: int = 1_000_000
    rate_hz: float = 100.0
    prefix: str = ""
    reply_slack: float = 0.0
    return_delay: float = 0.0
    fast_sync_read: bool = True
    command_timeout: float = 0.5
    bus_watchdog: float = 0.2
    shutdown: str = "hold"
    approach_speed: float = 0.5
    overload_recovery: bool = False
    overload_recovery_interval: float = 30.0

    def __post_init__(self) -> None:
        """Check the servos against each other; raises ConfigurationError or UnknownNameError."""
        if not self.port:
            raise ConfigurationError("port", "is empty", "name the serial device")
        if not self.servos:
            raise ConfigurationError(
                "servos", "is empty", "give --params-file config/ARM/servos.yaml, or your own"
            )
        self._check_ids()
        self._check_baud()
        self._check_shadows()
        if 0.0 < self.bus_watchdog < 3.0 / self.rate_hz:
            raise ConfigurationError(
                "bus_watchdog",
                f"{self.bus_watchdog:g} s is under three cycles of {1 / self.rate_hz:g} s",
                "raise it, or set 0 to switch it off",
            )
        if self.shutdown == "park" and all(math.isnan(servo.park) for servo in self.servos):
            raise ConfigurationError(
                "shutdown", "is park but no servo says where", "give servos.<joint>.park"
            )

    def _check_ids(self) -> None:
        owner: dict[int, str] = {}
        for servo in self.servos:
            if servo.id in owner:
                raise ConfigurationError(
                    f"servos.{servo.joint}.id",
                    f"{servo.id} is also the id of {owner[servo.id]}",
                    "give every servo its own id",
                )
            owner[servo.id] = servo.joint

    def _check_baud(self) -> None:
        if self.baud not in BAUD_RATES.values():
            raise ConfigurationError("baud", f"is {self.baud}", _one_of(BAUD_RATES.values()))
        code = baud_code(self.baud)
        for servo in self.servos:
            last = servo.servo_model.register("baud_rate").maximum
            if last is not None and code > last:
                possible = [baud for key, baud in BAUD_RATES.items() if key <= last]
                raise ConfigurationError(
                    "baud", f"{self.baud} is too fast for a {servo.model}", _one_of(possible)
                )

    def _check_shadows(self) -> None:
        leaders = [servo.joint for servo in self.servos if not servo.shadow_of]
        for servo in self.servos:
            if servo.shadow_of and servo.shadow_of not in leaders:
                raise UnknownNameError(
                    f"joint in servos.{servo.joint}.shadow_of", servo.shadow_of, leaders
                )

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that are commanded and reported (shadows are neither)."""
        return tuple(servo.joint for servo in self.servos if not servo.shadow_of)

    def servo(self, joint: str) -> ServoConfig:
        """The servo of `joint`; raises UnknownNameError listing the joints."""
        for servo in self.servos:
            if servo.joint == joint:
                return servo
        raise UnknownNameError("joint", joint, (servo.joint for servo in self.servos))


def _one_of(values: Iterable[object]) -> str:
    return "it must be one of " + ", ".join(str(value) for value in values)
