"""Frozen values that cross the borders between layers."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

quick = tuple.__new__
"""`quick(Kind, (a, b))` is the named tuple `Kind(a, b)` in a third of the time."""


class Severity(IntEnum):
    """How bad a state is; the numbers are those of diagnostic_msgs/DiagnosticStatus."""

    OK = 0
    WARN = 1
    ERROR = 2
    STALE = 3


class JointReading(NamedTuple):
    """One joint as last measured: rad (m), rad/s (m/s), N m (N), and seconds of receipt."""

    name: str
    position: float
    velocity: float
    effort: float
    stamp: float
