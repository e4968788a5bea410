"""Begins and ends faults: the ones that change a servo are put in and taken back here."""

from __future__ import annotations

from math import inf

from ik_node.dynamixel.control_table import BAUD_RATES
from ik_node.dynamixel.emulator.bus import Bus
from ik_node.dynamixel.emulator.faults import KINDS, Fault
from ik_node.dynamixel.emulator.health import AMBIENT, HardwareError
from ik_node.dynamixel.emulator.servo import Servo
from ik_node.errors import ConfigurationError, UnknownNameError

_ONCE = frozenset({"reboot"})


class Injector:
    """Faults into a bus; `plugged` is what the port has to follow."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._undo: dict[int, tuple[Servo, str, int]] = {}
        self._replug = False

    @property
    def plugged(self) -> bool:
        """Whether the port should be there."""
        faults = self._bus.faults
        replug = faults.holds("replug")
        return faults.holds("unplug") is None and replug is None

    def take_replug(self) -> bool:
        """Whether the port has to come back as another tty; asking answers once."""
        replug, self._replug = self._replug, False
        return replug

    def begin(self, fault: Fault, now: float) -> None:
        """Let `fault` hold from `now` on; raises UnknownNameError or ConfigurationError."""
        servo = self._bus.servo(fault.servo) if fault.servo is not None else None
        if fault.kind == "replug":
            self._replug = True
            if not fault.value:
                return
            fault.until = min(fault.until, now + fault.value)
        if servo is not None:
            self._change(fault, servo, now)
        if fault.kind not in _ONCE:
            self._bus.faults.add(fault)

    def end(self, fault: Fault) -> None:
        """Take `fault` back."""
        self._bus.faults.remove(fault)
        if id(fault) in self._undo:
            servo, register, value = self._undo.pop(id(fault))
            servo.memory.set(register, value)
        if fault.servo is None:
            return
        servo = self._bus.servo(fault.servo)
        if fault.kind == "stuck":
            servo.drive.jammed = False
        elif fault.kind == "overload":
            servo.health.forced &= ~HardwareError.OVERLOAD
        elif fault.kind == "over_temperature":
            servo.health.hot = -inf
            servo.health.temperature = AMBIENT

    def end_expired(self, now: float) -> None:
        """Take back the faults whose time or number is over."""
        for fault in self._bus.faults.expired(now):
            self.end(fault)

    def clear(self, kind: str | None = None, servo: str | None = None) -> int:
        """Take back all faults of a kind and a servo (None: of any); returns how many.

        Raises:
            UnknownNameError: a kind or a servo that does not exist.
        """
        if kind is not None and kind not in KINDS:
            raise UnknownNameError("fault", kind, KINDS)
        if servo is not None:
            self._bus.servo(servo)
        matching = [
            fault
            for fault in self._bus.faults
            if kind in (None, fault.kind) and servo in (None, fault.servo)
        ]
        for fault in matching:
            self.end(fault)
        return len(matching)

    def _change(self, fault: Fault, servo: Servo, now: float) -> None:
        if fault.kind == "stuck":
            servo.drive.jammed = True
        elif fault.kind == "reboot":
            servo.reboot(now)
        elif fault.kind == "overload":
            servo.health.forced |= HardwareError.OVERLOAD
        elif fault.kind == "over_temperature":
            hot = servo.memory.get("temperature_limit") + 10.0
            servo.health.hot = hot if fault.value is None else fault.value
        elif fault.kind == "wrong_baud":
            self._set(fault, servo, "baud_rate", _other_baud(servo, fault.value))
        elif fault.kind == "same_id":
            others = [other.id for other in self._bus.servos if other is not servo]
            if not others and fault.value is None:
                raise ConfigurationError("fault same_id", "needs a second servo", "give value")
            wanted = others[0] if fault.value is None else int(fault.value)
            self._set(fault, servo, "id", wanted)

    def _set(self, fault: Fault, servo: Servo, register: str, value: int) -> None:
        self._undo[id(fault)] = (servo, register, servo.memory.get(register))
        servo.memory.set(register, value)


def _other_baud(servo: Servo, wanted: float | None) -> int:
    now = servo.memory.get("baud_rate")
    if wanted is None:
        return 1 if now != 1 else 3
    for code, rate in BAUD_RATES.items():
        if rate == int(wanted):
            return code
    known = (str(rate) for rate in BAUD_RATES.values())
    raise UnknownNameError("baud rate", str(int(wanted)), known)
