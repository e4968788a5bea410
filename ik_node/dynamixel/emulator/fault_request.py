"""A fault as a user asks for it, on the command line or over the control socket."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isfinite
from typing import Any

from ik_node.dynamixel.emulator.faults import Fault
from ik_node.errors import ConfigurationError

FAULT_KEYS = ("probability", "count", "duration", "value")
"""What can be said in numbers; `kind` and `servo` are names."""


def fault_from(request: Mapping[str, Any], now: float) -> Fault:
    """The fault that begins at `now` [s]; a key that is missing or None takes the default.

    Raises:
        UnknownNameError: a kind that does not exist.
        ConfigurationError: a number that cannot be, or a servo that is missing.
    """
    kind, servo = str(request.get("kind")), request.get("servo")
    probability, count, duration, value = (_number(kind, key, request) for key in FAULT_KEYS)
    if count is not None and (count < 1.0 or count != int(count)):
        raise ConfigurationError(f"fault {kind}", f"has count {count:g}", "give 1, 2, ...")
    return Fault(
        kind=kind,
        servo=None if servo is None else str(servo),
        probability=1.0 if probability is None else probability,
        remaining=None if count is None else int(count),
        until=inf if duration is None else now + duration,
        value=value,
    )


def _number(kind: str, key: str, request: Mapping[str, Any]) -> float | None:
    given = request.get(key)
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise ConfigurationError(f"fault {kind}", f"has {key} {given!r}", "give a number")
    try:
        number = float(given)
    except OverflowError:
        number = inf
    if not isfinite(number) or number < 0.0:
        raise ConfigurationError(
            f"fault {kind}", f"has {key} {number:g}", "give a finite number from 0 on"
        )
    return number
