"""Every error that the package raises, as one tree.

Exceptions are for mistakes (a broken URDF, a wrong size, a missing port); what the world does
(unreachable, singular, stale) is a status in a result.

    IkNodeError
    ├── UrdfError             the robot description cannot be used
    ├── UnknownNameError      a joint, link, frame, register, model ... that does not exist
    ├── SizeError             an array of the wrong length
    ├── TargetError           a target that is not a pose (NaN, zero quaternion, ...)
    ├── ConfigurationError    a parameter or a YAML entry that cannot be used
    └── BusError              the servo bus
        ├── PortError         the serial port: missing, forbidden, busy or lost
        ├── NoReplyError      a servo did not answer in time
        ├── PacketError       a packet that is short, corrupted or from somebody else
        └── ServoError        a servo answered with an error number
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class IkNodeError(Exception):
    """Root of all errors of this package; `str(error)` is one sentence naming the remedy."""


class UrdfError(IkNodeError):
    """The robot description cannot be used; `element` is the link or joint at fault."""

    def __init__(self, element: str, problem: str, remedy: str = "") -> None:
        self.element = element
        self.problem = problem
        self.remedy = remedy
        super().__init__(_sentence(f"URDF: {element} {problem}", remedy))


class UnknownNameError(IkNodeError):
    """A name that does not exist; `valid` holds the names that do."""

    def __init__(self, kind: str, name: str, valid: Iterable[str], remedy: str = "") -> None:
        self.kind = kind
        self.name = name
        self.valid = tuple(valid)
        nearest = difflib.get_close_matches(name, self.valid, n=1)
        hint = f"did you mean '{nearest[0]}'? " if nearest else ""
        known = ", ".join(self.valid) or "none"
        super().__init__(_sentence(f"unknown {kind} '{name}': {hint}known are: {known}", remedy))


class SizeError(IkNodeError):
    """An array whose length does not fit the arm."""

    def __init__(self, what: str, expected: str, got: str) -> None:
        self.what = what
        self.expected = expected
        self.got = got
        super().__init__(f"{what} must be {expected}, got {got}")


class TargetError(IkNodeError):
    """A target that is not a pose or a point; `problem` says why."""

    def __init__(self, problem: str) -> None:
        self.problem = problem
        super().__init__(f"invalid target: {problem}")


class ConfigurationError(IkNodeError):
    """A parameter or a YAML entry that cannot be used; `where` names it."""

    def __init__(self, where: str, problem: str, remedy: str = "") -> None:
        self.where = where
        self.problem = problem
        self.remedy = remedy
        super().__init__(_sentence(f"{where}: {problem}", remedy))


class BusError(IkNodeError):
    """The servo bus failed."""


class PortError(BusError):
    """The serial port cannot be used; `reason` is missing, forbidden, busy, refused or lost."""

    def __init__(self, port: str, reason: str, remedy: str = "") -> None:
        self.port = port
        self.reason = reason
        super().__init__(_sentence(f"port {port} is {reason}", remedy))


class NoReplyError(BusError):
    """Servo `servo_id` did not answer in time."""

    def __init__(self, servo_id: int, doing: str) -> None:
        self.servo_id = servo_id
        super().__init__(f"servo {servo_id} did not answer ({doing})")


class PacketError(BusError):
    """A reply that is short, corrupted or from another servo."""

    def __init__(self, servo_id: int, problem: str) -> None:
        self.servo_id = servo_id
        super().__init__(f"bad reply from servo {servo_id}: {problem}")


class ServoError(BusError):
    """Servo `servo_id` answered with error `number` (Protocol 2.0, status packet error field)."""

    def __init__(self, servo_id: int, number: int, meaning: str) -> None:
        self.servo_id = servo_id
        self.number = number
        super().__init__(f"servo {servo_id} refused: {meaning} (error {number})")


def _sentence(problem: str, remedy: str) -> str:
    return f"{problem}; {remedy}" if remedy else problem
