"""The driver on the emulated bus in one process, under a clock that only waiting moves.

Exact to the byte and the same on every machine: a reply comes when the wire would bring it, a
cycle costs what its bytes cost, and a second passes in a fraction of one.
"""

from __future__ import annotations

import errno
from random import Random
from typing import Any

from bus_rig import Rig

from ik_node.cli.emulator_options import numbers_of
from ik_node.dynamixel.config import BusConfig
from ik_node.dynamixel.driver import Driver
from ik_node.dynamixel.emulator.build import build_bus
from ik_node.dynamixel.emulator.control import Control
from ik_node.dynamixel.emulator.injector import Injector
from ik_node.dynamixel.port import BITS_PER_BYTE, SerialPort
from ik_node.dynamixel.port_errors import lost, open_failed
from ik_node.errors import ConfigurationError


class VirtualClock:
    """A clock that stands still until somebody waits [s]."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def wait_until(self, time: float) -> None:
        self.now = max(self.now, time)


class VirtualBus:
    """Emulated servos and the plug of their adapter; answers what the control socket answers.

    Attributes:
        plugging: how often the adapter has been plugged in; a port opened before is lost.
    """

    def __init__(self, config: BusConfig, *options: str) -> None:
        values: dict[str, list[str]] = {}
        for name, value in zip(options[::2], options[1::2], strict=True):
            values.setdefault(name, []).append(value)
        self.clock = VirtualClock()
        self.wire = build_bus(
            config,
            Random(0),
            poses=numbers_of("--pose", tuple(values.pop("--pose", ()))),
            loads=numbers_of("--load", tuple(values.pop("--load", ()))),
            latency=float(values.pop("--latency", ["0"])[0]) * 1e-3,
            firmwares={
                name: int(version)
                for name, version in numbers_of(
                    "--firmware", tuple(values.pop("--firmware", ()))
                ).items()
            },
        )
        assert not values, f"not an option of a virtual bus: {values}"
        self.plugging = 1
        self._plugged = True
        self._injector = Injector(self.wire)
        self._control = Control(self.wire, self._injector, self)  # type: ignore[arg-type]

    device = "virtual"

    @property
    def plugged(self) -> bool:
        """Whether the adapter is there; faults that are over have ended."""
        self._injector.end_expired(self.clock.now)
        wanted = self._injector.plugged
        replug = wanted and self._injector.take_replug()
        if wanted and (replug or not self._plugged):
            self.plugging += 1
        self._plugged = wanted
        return wanted

    def _ask(self, **request: Any) -> dict[str, Any]:
        answer = self._control.handle(request, self.clock.now)
        if not answer.pop("ok"):
            raise ConfigurationError("emulator", answer["error"])
        return answer

    def fault(self, kind: str, servo: str | None = None, **more: Any) -> None:
        self._ask(do="fault", kind=kind, servo=servo, **more)

    def clear(self, kind: str | None = None) -> None:
        self._ask(do="clear", kind=kind)

    def servo(self, joint: str) -> dict[str, Any]:
        servos: dict[str, dict[str, Any]] = self._ask(do="status")["servos"]
        return servos[joint]


class VirtualPort(SerialPort):
    """A port on a virtual bus: waiting for a reply moves the clock."""

    def __init__(self, bus: VirtualBus, path: str, slack: float = 0.0) -> None:
        super().__init__(path, bus.clock, slack)
        self._bus = bus
        self._plugging = 0
        self._coming: list[tuple[float, bytes]] = []

    def setupPort(self, cflag_baud: int) -> bool:
        if not self._bus.plugged:
            raise open_failed(self.port_name, OSError(errno.ENOENT, "missing"))
        self._plugging = self._bus.plugging
        self._coming.clear()
        self.is_open = True
        self.is_using = False
        self.tx_time_per_byte = 1000.0 * BITS_PER_BYTE / cflag_baud
        return True

    def writePort(self, packet: list[int] | bytes) -> int:
        self._check()
        clock, wire = self._bus.clock, self._bus.wire
        came = wire.receive(bytes(packet), clock.now, self.baudrate)
        self._coming += [(delivery.due, delivery.data) for delivery in came]
        return len(packet)

    def rest(self) -> None:
        self._bus.clock.wait_until(self._due)

    def read_available(self, size: int = 4096) -> bytes:
        self._check()
        clock = self._bus.clock
        if self._coming and self._coming[0][0] <= max(clock.now, self._deadline):
            due, data = self._coming.pop(0)
            clock.wait_until(due)
            return data
        clock.wait_until(self._deadline + 1e-9)
        self._check()
        return b""

    def clearPort(self) -> None:
        self._check()
        now = self._bus.clock.now
        self.stale = b"".join(data for due, data in self._coming if due <= now)
        self._coming = [(due, data) for due, data in self._coming if due > now]

    def _check(self) -> None:
        if not self.is_open:
            raise lost(self.port_name)
        if not self._bus.plugged or self._bus.plugging != self._plugging:
            raise self._lost()


class VirtualRig(Rig):
    """A driver on a virtual bus, cycled at its rate."""

    def __init__(self, bus: VirtualBus, config: BusConfig) -> None:
        port = VirtualPort(bus, config.port, config.reply_slack)
        super().__init__(bus, config, Driver(config, bus.clock, port), bus.clock)

    def wait_until(self, time: float) -> None:
        """Let the servos move on until `time`, whoever speaks."""
        self.clock.wait_until(time)
        self.bus.wire.advance(self.clock())

    def again(self) -> VirtualRig:
        return VirtualRig(self.bus, self.config)
