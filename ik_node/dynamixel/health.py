"""Figures about the servos and the bus, from what the driver knows anyway."""

from __future__ import annotations

import math
from collections import deque

from ik_node.datatypes import JointReading, Severity
from ik_node.dynamixel.bus import Bus
from ik_node.dynamixel.latency_timer import latency_warning
from ik_node.dynamixel.report import BusHealth, Event, ServoHealth
from ik_node.dynamixel.servo import Servo, Stage

WINDOW = 1000
"""Cycles over which figures are taken."""

HOT = 5
"""Degrees below a servo's temperature limit from which on it is warned about."""


class BusFigures:
    """Cycle times and the error rate over the last `WINDOW` cycles."""

    def __init__(self) -> None:
        self._durations: deque[float] = deque(maxlen=WINDOW)
        self._reads: deque[tuple[int, int]] = deque(maxlen=WINDOW)

    def add_cycle(self, duration: float) -> None:
        """Note that a cycle kept the bus for `duration` s."""
        self._durations.append(duration)

    def add_reads(self, asked: int, failed: int) -> None:
        """Note how many servos were asked in a cycle and how many of them failed."""
        self._reads.append((asked, failed))

    def health(self, bus: Bus, *, fast: bool) -> BusHealth:
        """The figures now."""
        durations = sorted(self._durations)
        asked = sum(reads[0] for reads in self._reads)
        failed = sum(reads[1] for reads in self._reads)
        counters = bus.counters
        return BusHealth(
            port=bus.port.port_name,
            baud=bus.port.baudrate,
            cycle_p50=_percentile(durations, 0.5),
            cycle_p99=_percentile(durations, 0.99),
            error_rate=failed / asked if asked else 0.0,
            transactions=counters.transactions,
            silences=counters.silences,
            damaged=counters.damaged,
            refusals=counters.refusals,
            latency_timer=bus.port.latency_timer,
            latency_warning=latency_warning(bus.port.port_name, bus.port.latency_timer),
            fast_sync_read=fast,
        )


class EventLog:
    """Collects sentences for the log; one with the same key again only after `every` s."""

    def __init__(self, every: float = 5.0) -> None:
        self._every = every
        self._said: dict[str, float] = {}
        self._events: list[Event] = []
        self.now = 0.0

    def say(self, sentence: str, severity: Severity = Severity.OK, key: str = "") -> None:
        """Add `sentence`; with a `key` it is throttled."""
        if key:
            if self.now - self._said.get(key, -math.inf) < self._every:
                return
            self._said[key] = self.now
        self._events.append(Event(severity, sentence))

    def take(self) -> tuple[Event, ...]:
        """The sentences since the last call."""
        events = tuple(self._events)
        self._events.clear()
        return events


def servo_severity(servo: Servo) -> Severity:
    """ERROR when out of service; WARN when it serves but reports an error or is hot."""
    if servo.stage is not Stage.READY:
        return Severity.ERROR
    limit = servo.model.register("temperature_limit").initial
    hot = servo.slow is not None and servo.slow.temperature > limit - HOT
    return Severity.WARN if servo.error_words or hot else Severity.OK


def servo_health(servo: Servo, now: float) -> ServoHealth:
    """The figures of `servo`; NaN where nothing was read yet."""
    state, slow = servo.state, servo.slow
    unit = servo.model.current_unit
    effort = math.nan if state is None else float(state.effort)
    return ServoHealth(
        joint=servo.joint,
        id=servo.id,
        model=servo.model.name,
        firmware=servo.firmware,
        stage=servo.stage.value,
        reason=servo.reason,
        severity=servo_severity(servo),
        torque=state is not None and bool(state.torque_enable),
        voltage=math.nan if slow is None else slow.voltage / 10.0,
        temperature=math.nan if slow is None else float(slow.temperature),
        current=math.nan if unit is None else effort * unit,
        load=math.nan if unit is not None else effort / 1000.0,
        errors=servo.error_words,
        retries=servo.retries,
        implausible=servo.implausible,
        age=now - servo.stamp,
    )


def joint_reading(servo: Servo) -> JointReading | None:
    """The last good state as joint units, or None before there is one."""
    state = servo.state
    if state is None:
        return None
    return JointReading(
        name=servo.joint,
        position=servo.map.position(state.position),
        velocity=servo.map.velocity(state.velocity),
        effort=servo.map.effort(state.effort),
        stamp=servo.stamp,
    )


def _percentile(ordered: list[float], share: float) -> float:
    if not ordered:
        return math.nan
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
