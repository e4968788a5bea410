"""Figures about the servos and the bus, from what the driver knows anyway."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from ik_node.datatypes import JointReading, Severity
from ik_node.dynamixel.bus import Bus
from ik_node.dynamixel.latency_timer import latency_warning
from ik_node.dynamixel.report import BusHealth, DriverState, ServoHealth
from ik_node.dynamixel.servo import Servo, Stage
from ik_node.dynamixel.wire_record import WireRecord

WINDOW = 1000
"""Cycles over which figures are taken."""

REFRESH = 0.5
"""How often they are computed anew [s]."""

HOT = 5
"""Degrees below a servo's temperature limit from which on it is warned about."""


class Summary(NamedTuple):
    """Everything in a report that does not change every cycle."""

    severity: Severity
    message: str
    servos: tuple[ServoHealth, ...]
    bus: BusHealth


class Health:
    """Figures of `bus` and `servos`, computed anew when something happened or `REFRESH` s went by.

    Cycle times and the error rate are taken over the last `WINDOW` cycles.
    """

    def __init__(self, bus: Bus, servos: Sequence[Servo]) -> None:
        self._bus = bus
        self._servos = servos
        self._durations: deque[float] = deque(maxlen=WINDOW)
        self._wire = WireRecord(bus.counters)
        self._reads: deque[tuple[int, int]] = deque(maxlen=WINDOW)
        self._latest: Summary | None = None
        self._refreshed = -math.inf
        self._situation: object = None

    def add_cycle(self, duration: float) -> None:
        """Note that a cycle kept the bus for `duration` s."""
        self._durations.append(duration)

    def add_reads(self, asked: int, failed: int) -> None:
        """Note how many servos were asked in a cycle and how many of them failed."""
        self._reads.append((asked, failed))

    def summary(self, now: float, state: DriverState, problem: str, *, fast: bool) -> Summary:
        """The figures; `problem` is the sentence of a driver that is DISCONNECTED."""
        situation = (
            state,
            problem,
            [
                (s.stage, s.reason, s.hardware_error, s.lagging, s.beyond is None)
                for s in self._servos
            ],
        )
        if self._latest is None or situation != self._situation or now - self._refreshed >= REFRESH:
            severity, message = _verdict(self._servos, state, problem)
            servos = tuple(servo_health(servo, now) for servo in self._servos)
            self._latest = Summary(severity, message, servos, self._bus_health(now, fast))
            self._situation = situation
            self._refreshed = now
        return self._latest

    def _bus_health(self, now: float, fast: bool) -> BusHealth:
        durations = sorted(self._durations)
        asked = sum(reads[0] for reads in self._reads)
        failed = sum(reads[1] for reads in self._reads)
        port = self._bus.port
        return BusHealth(
            port=port.port_name,
            baud=port.baudrate,
            cycle_p50=_percentile(durations, 0.5),
            cycle_p99=_percentile(durations, 0.99),
            error_rate=failed / asked if asked else 0.0,
            counters=vars(self._bus.counters).copy(),
            trouble=self._wire.trouble(port.port_name, now),
            latency_timer=port.latency_timer,
            latency_warning=latency_warning(port.port_name, port.latency_timer),
            fast_sync_read=fast,
        )


def _verdict(servos: Sequence[Servo], state: DriverState, problem: str) -> tuple[Severity, str]:
    worst = max(servos, key=servo_severity)
    severity = servo_severity(worst)
    if state is DriverState.DISCONNECTED:
        return Severity.ERROR, problem
    if state is DriverState.CONNECTING:
        return Severity.ERROR, "connecting: the servos are being called"
    if state is DriverState.STOPPED:
        return Severity.ERROR, "the driver has ended"
    if severity is Severity.ERROR:
        return severity, f"{worst.joint} {worst.stage.predicate}: {worst.reason}"
    if severity is Severity.WARN:
        return severity, f"{worst.joint} reports: {_warning(worst)}"
    return severity, f"{len(servos)} servos in service"


def servo_severity(servo: Servo) -> Severity:
    """ERROR when out of service; WARN when it serves, but something is wrong with it."""
    if servo.stage is not Stage.READY:
        return Severity.ERROR
    return Severity.WARN if _warning(servo) else Severity.OK


def _warning(servo: Servo) -> str:
    if servo.hardware_error:
        return " and ".join(servo.error_words)
    if servo.lagging:
        return "it does not follow its goal"
    limit = servo.model.register("temperature_limit").initial
    hot = servo.slow is not None and servo.slow.temperature > limit - HOT
    if hot:
        return "it is hot"
    return f"its command is {servo.held_back}" if servo.beyond is not None else ""


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
        reason=servo.reason or ("" if servo.error_words else _warning(servo)),
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


def joint_readings(servos: Sequence[Servo], now: float) -> tuple[JointReading, ...]:
    """The joints that were heard at `now`, in joint units; shadows are no joints."""
    return tuple(
        [
            JointReading(
                servo.joint,
                servo.map.position(state.position),
                servo.map.velocity(state.velocity),
                servo.map.effort(state.effort),
                now,
            )
            for servo in servos
            if servo.stamp == now and (state := servo.state) and not servo.config.shadow_of
        ]
    )


def _percentile(ordered: list[float], share: float) -> float:
    if not ordered:
        return math.nan
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
