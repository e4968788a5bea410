"""The control socket: faults in and out of a running emulator, and what its servos are like.

One request a connection: a line of JSON there, a line of JSON back. `do` is one of
`fault` (kind, servo, probability, count, duration, value), `clear` (kind, servo), `status`. An
answer holds `ok`, and `error` with a sentence when that is false.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from math import inf
from pathlib import Path
from typing import Any

from ik_node.dynamixel.emulator.bus import Bus
from ik_node.dynamixel.emulator.fault_request import FAULT_KEYS, fault_from
from ik_node.dynamixel.emulator.injector import Injector
from ik_node.dynamixel.emulator.pty import Pty
from ik_node.dynamixel.emulator.servo import Servo
from ik_node.errors import ConfigurationError, IkNodeError, PortError, UnknownNameError

_TIMEOUT = 2.0
_LONGEST = 65536
_KEYS = {"fault": ("kind", "servo", *FAULT_KEYS), "clear": ("kind", "servo"), "status": ()}
"""What each request may hold beside `do`."""


class Control:
    """What the requests do."""

    def __init__(self, bus: Bus, injector: Injector, port: Pty) -> None:
        self._bus = bus
        self._injector = injector
        self._port = port
        self._actions: Mapping[str, Callable[[Mapping[str, Any], float], dict[str, Any]]] = {
            "fault": self._fault,
            "clear": self._clear,
            "status": self._status,
        }

    def handle(self, request: object, now: float) -> dict[str, Any]:
        """Answer one request; never raises."""
        try:
            if not isinstance(request, Mapping):
                raise ConfigurationError("request", "is no JSON object", 'write {"do": "status"}')
            action = str(request.get("do"))
            if action not in self._actions:
                raise UnknownNameError("request", action, self._actions)
            for key in request:
                if key not in ("do", *_KEYS[action]):
                    raise UnknownNameError(f"key of request {action}", str(key), _KEYS[action])
            return {"ok": True, **self._actions[action](request, now)}
        except IkNodeError as error:
            return {"ok": False, "error": str(error)}
        except (TypeError, ValueError) as error:
            return {"ok": False, "error": f"request cannot be used: {error}"}

    def _fault(self, request: Mapping[str, Any], now: float) -> dict[str, Any]:
        self._injector.begin(fault_from(request, now), now)
        return {}

    def _clear(self, request: Mapping[str, Any], now: float) -> dict[str, Any]:
        return {"cleared": self._injector.clear(request.get("kind"), request.get("servo"))}

    def _status(self, request: Mapping[str, Any], now: float) -> dict[str, Any]:
        self._bus.advance(now)
        return {
            "device": self._port.device if self._port.plugged else None,
            "servos": {servo.name: _servo_status(servo) for servo in self._bus.servos},
            "faults": [
                {
                    "kind": fault.kind,
                    "servo": fault.servo,
                    "probability": fault.probability,
                    "value": fault.value,
                    "left": None if fault.until == inf else max(0.0, fault.until - now),
                    "remaining": fault.remaining,
                    "struck": fault.struck,
                }
                for fault in self._bus.faults
            ],
        }


def _servo_status(servo: Servo) -> dict[str, Any]:
    return {
        "id": servo.id,
        "model": servo.model.name,
        "position": servo.joint_position,
        "torque": servo.torque,
        "watchdog_tripped": servo.tripped,
        "hardware_error": servo.memory.get("hardware_error_status"),
        "voltage": servo.voltage,
        "temperature": servo.health.temperature,
        "current": servo.current,
        "boots": servo.boots,
        "eeprom_writes": dict(servo.eeprom.wear(servo.name)),
    }


class ControlSocket:
    """A unix socket at `<link>.control`; raises PortError when an emulator serves it already."""

    def __init__(self, link: Path) -> None:
        self.path = control_path(link)
        self.listener = socket.socket(socket.AF_UNIX)
        try:
            with _short(self.path) as short:
                if self.path.exists():
                    if _alive(short):
                        raise PortError(str(link), "busy", "another emulator serves it")
                    self.path.unlink()
                self.listener.bind(short)
            self.listener.listen(8)
        except OSError as error:
            self.listener.close()
            remedy = f"{error.strerror}; choose a writable place"
            raise PortError(str(link), "refused", remedy) from None
        except PortError:
            self.listener.close()
            raise

    def accept(self) -> Connection | None:
        """The client that has come, or None if it has gone again."""
        try:
            return Connection(self.listener.accept()[0])
        except OSError:
            return None

    def close(self) -> None:
        """Remove the socket."""
        self.listener.close()
        self.path.unlink(missing_ok=True)


class Connection:
    """One client of the socket; its line may come in pieces, the bus never waits for it."""

    def __init__(self, client: socket.socket) -> None:
        self.client = client
        self._line = b""
        client.setblocking(False)

    def serve(self, handle: Callable[[object], dict[str, Any]]) -> bool:
        """Take what has come; answer a whole line. True when the client can be closed."""
        with contextlib.suppress(OSError):
            more = self.client.recv(4096)
            self._line += more
            if more and not more.endswith(b"\n") and len(self._line) < _LONGEST:
                return False
            self.client.sendall(json.dumps(self._answer(handle)).encode() + b"\n")
        return True

    def _answer(self, handle: Callable[[object], dict[str, Any]]) -> dict[str, Any]:
        try:
            return handle(json.loads(self._line))
        except (ValueError, RecursionError) as error:
            return {"ok": False, "error": f"request is not JSON: {error}"}


def control_path(link: Path) -> Path:
    """Where the socket of the emulator behind `link` is."""
    return link.with_name(link.name + ".control")


def send(link: Path, request: Mapping[str, Any]) -> dict[str, Any]:
    """Send `request` to the emulator behind `link` and return its answer.

    Raises PortError when there is none, ConfigurationError when it refuses.
    """
    try:
        with _short(control_path(link)) as short, socket.socket(socket.AF_UNIX) as client:
            client.settimeout(_TIMEOUT)
            client.connect(short)
            client.sendall(json.dumps(dict(request)).encode() + b"\n")
            answer: dict[str, Any] = json.loads(_line(client))
    except (OSError, ValueError):
        raise PortError(str(link), "missing", "start emulated_dynamixel with this link") from None
    if not answer.pop("ok"):
        raise ConfigurationError("emulator", str(answer["error"]))
    return answer


def _line(connection: socket.socket) -> bytes:
    data = b""
    while not data.endswith(b"\n") and len(data) < _LONGEST:
        more = connection.recv(4096)
        if not more:
            break
        data += more
    return data


@contextlib.contextmanager
def _short(path: Path) -> Iterator[str]:
    """A name for `path` that fits the 108 bytes of a socket address."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def _alive(address: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(address) == 0
