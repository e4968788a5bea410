"""What a cycle of the driver tells: readings, health, and sentences worth a log line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from ik_node.datatypes import JointReading, Severity


class DriverState(Enum):
    """Where the driver as a whole is."""

    DISCONNECTED = "disconnected"
    CONNECTING = "connecting"
    RUNNING = "running"
    STOPPED = "stopped"


@dataclass(frozen=True)
class Event:
    """A sentence for the log, told once (or at most every few seconds); `time` in s."""

    severity: Severity
    sentence: str
    time: float


@dataclass(frozen=True)
class ServoHealth:
    """One servo: V, degrees Celsius, A (NaN where unknown), counts, and seconds since last heard.

    `load` is the share of the stall torque where the servo has no current sensor, else NaN.
    `age` is infinite before the first reading. `errors` are the hardware errors as words.
    """

    joint: str
    id: int
    model: str
    firmware: int
    stage: str
    reason: str
    severity: Severity
    torque: bool
    voltage: float
    temperature: float
    current: float
    load: float
    errors: tuple[str, ...]
    retries: int
    implausible: int
    age: float


@dataclass(frozen=True)
class BusHealth:
    """The bus: times in s (NaN before there are any), rates as shares of 1.

    `counters` holds transactions since the start and what went wrong in them, by kind (see
    `bus.Counters`); `trouble` is a sentence about the last seconds, None where all is well.
    `latency_timer` is None where the adapter has none; `latency_warning` says what to do about a
    slow one.
    """

    port: str
    baud: int
    cycle_p50: float
    cycle_p99: float
    error_rate: float
    counters: Mapping[str, int]
    trouble: str | None
    latency_timer: float | None
    latency_warning: str | None
    fast_sync_read: bool


class DriverReport(NamedTuple):
    """One cycle.

    Attributes:
        now: time of the cycle, and of every reading in it [s].
        state: of the driver as a whole.
        severity: ERROR while any servo is out of service.
        message: one sentence, for `driver_status`.
        readings: joints read in this very cycle; a joint without a fresh reading is left out.
        sent: goals that the joints under command were sent [rad or m].
        gripping: joints stopped by what they hold.
        servos: health of every servo, shadows included.
        bus: health of the bus.
        events: what is new.
        recent: warnings and errors of the last minute, so that whoever looks once a second
            misses nothing.
    """

    now: float
    state: DriverState
    severity: Severity
    message: str
    readings: tuple[JointReading, ...]
    sent: Mapping[str, float]
    gripping: tuple[str, ...]
    servos: tuple[ServoHealth, ...]
    bus: BusHealth
    events: tuple[Event, ...]
    recent: tuple[Event, ...]
