"""Begins and ends faults: the ones that change a servo are put in and taken back here."""

from __future__ import annotations

from ik_node.dynamixel.control_table import baud_code
from ik_node.dynamixel.emulator.bus import Bus
from ik_node.dynamixel.emulator.faults import KINDS, Fault
from ik_node.dynamixel.emulator.health import HardwareError
from ik_node.dynamixel.emulator.servo import Servo
from ik_node.errors import ConfigurationError, UnknownNameError


class Injector:
    """Faults into a bus; `plugged` is what the port has to follow."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
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
        if servo is None:
            self._bus.faults.add(fault)
        elif fault.kind == "reboot":
            servo.reboot(now)
        else:
            fault.value = self._meant(fault, servo)
            self._bus.faults.add(fault)
            if fault.kind == "overload":
                servo.health.forced = HardwareError.OVERLOAD
            self._settle(fault.kind, servo)

    def end(self, fault: Fault) -> None:
        """Take `fault` back; another one of its kind holds on."""
        self._bus.faults.remove(fault)
        if fault.servo is not None:
            self._settle(fault.kind, self._bus.servo(fault.servo))

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

    def _meant(self, fault: Fault, servo: Servo) -> float | None:
        """The value of `fault` on `servo`, chosen where the user left that open."""
        if fault.value is not None:
            if fault.kind == "wrong_baud":
                baud_code(int(fault.value))  # raises before anything changes
            return fault.value
        if fault.kind == "wrong_baud":
            return 57_600 if servo.baud != 57_600 else 1_000_000
        if fault.kind == "over_temperature":
            return servo.memory.get("temperature_limit") + 10.0
        if fault.kind == "same_id":
            others = [other.id for other in self._bus.servos if other is not servo]
            if not others:
                raise ConfigurationError("fault same_id", "needs a second servo", "give value")
            return others[0]
        return None

    def _settle(self, kind: str, servo: Servo) -> None:
        """Let `servo` be as the newest fault of `kind` has it, or as without any."""
        fault = self._bus.faults.holds(kind, servo.name)
        value = None if fault is None else fault.value
        if kind == "stuck":
            self._jam(servo.joint)
        elif kind == "wrong_baud":
            servo.pretend("baud_rate", None if value is None else baud_code(int(value)))
        elif kind == "same_id":
            servo.pretend("id", None if value is None else int(value))
        elif kind == "over_temperature":
            servo.health.heat(value)
        elif kind == "overload" and fault is None:
            servo.health.forced = HardwareError.NONE

    def _jam(self, joint: str) -> None:
        """Jam the joint, with all its servos, if one of them is stuck."""
        servos = [servo for servo in self._bus.servos if servo.joint == joint]
        jammed = any(self._bus.faults.holds("stuck", servo.name) for servo in servos)
        for servo in servos:
            servo.drive.jammed = jammed
