"""Bringing servos into service, bit by bit between the cycles of those that serve already.

Whatever has to be asked of a servo that is not in service (finding it after the port opened,
starting it, calling a silent one once a second, waiting for a reboot) is one generator at a time,
advanced for at most the time that the cycle can spare.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from ik_node.datatypes import Severity
from ik_node.dynamixel.bus import Bus
from ik_node.dynamixel.config import BusConfig
from ik_node.dynamixel.connect import find, silence
from ik_node.dynamixel.event_log import EventLog
from ik_node.dynamixel.servo import Servo, Stage
from ik_node.dynamixel.settings import DROOP
from ik_node.dynamixel.start import Start
from ik_node.dynamixel.watch import Watch
from ik_node.errors import BusError, PortError

PROBE_PERIOD = 1.0
"""A servo out of service is called this often [s], one servo at a time."""

SCAN_PERIOD = 10.0
"""While no servo at all answers, the other bauds are tried this often [s]."""


class BringUp:
    """The work on servos that are not in service.

    Attributes:
        found: whether every servo has been called since the port opened.
    """

    def __init__(
        self,
        bus: Bus,
        servos: Sequence[Servo],
        config: BusConfig,
        watch: Watch,
        log: EventLog,
        clock: Callable[[], float],
    ) -> None:
        self._bus = bus
        self._servos = servos
        self._config = config
        self._watch = watch
        self._log = log
        self._clock = clock
        self._work: Iterator[None] | None = None
        self._next_probe = -math.inf
        self._next_scan = -math.inf
        self._torque = True
        self.found = False

    def begin(self, now: float) -> None:
        """Start from the beginning: the port has just been opened."""
        self.found = False
        self._work = self._find(now)

    def abandon(self) -> None:
        """Forget what was under way: the port is gone."""
        self._work = None

    def hasten(self, now: float) -> None:
        """Call the next servo now."""
        self._next_probe = min(self._next_probe, now)

    def set_torque(self, on: bool, now: float) -> None:
        """Let servos hold, or not, once they are in service; a start under way begins again."""
        self._torque = on
        self.abandon()
        for servo in self._servos:
            if servo.stage is Stage.STARTING:
                servo.set_stage(Stage.SILENT, "its start was interrupted")
        self.hasten(now)

    def advance(self, now: float, until: float) -> None:
        """Work until the clock reads `until`, or nothing is due. Raises PortError."""
        if self._work is None:
            self._work = self._next_work(now)
        while self._work is not None:
            try:
                next(self._work)
            except StopIteration:
                self._work = self._next_work(now)
            if self._clock() >= until:
                return

    def _next_work(self, now: float) -> Iterator[None] | None:
        if all(servo.stage is Stage.READY for servo in self._servos):
            return None
        booted = self._watch.booted(now)
        if booted is not None:
            return self._call(booted, now)
        out = [
            servo
            for servo in self._servos
            if servo.stage in (Stage.SILENT, Stage.REFUSED) and now >= servo.not_before
        ]
        if not out or now < self._next_probe:
            return None
        self._next_probe = now + PROBE_PERIOD
        if len(out) == len(self._servos):
            return self._find(now)
        return self._call(min(out, key=lambda servo: servo.next_probe), now)

    def _find(self, now: float) -> Iterator[None]:
        scan = now >= self._next_scan
        if scan:
            self._next_scan = now + SCAN_PERIOD
        present = yield from find(self._bus, self._servos, self._config.baud, scan=scan)
        self.found = True
        self._next_probe = self._clock() + PROBE_PERIOD
        for servo in self._servos:
            if servo not in present:
                key = f"{servo.joint} {servo.reason}"
                self._log.say(f"{servo.joint}: {servo.reason}", Severity.ERROR, key)
        # Shadows first: one that still listens to its leader's ID must not be woken by it.
        for servo in sorted(present, key=lambda servo: not servo.config.shadow_of):
            yield from self._start(servo)

    def _call(self, servo: Servo, now: float) -> Iterator[None]:
        servo.next_probe = now + PROBE_PERIOD
        try:
            self._bus.ping(servo.id)
            servo.elsewhere = ""
        except PortError:
            raise
        except BusError as error:
            if servo.stage is not Stage.BOOTING:
                servo.set_stage(Stage.SILENT, silence(servo, error, self._config.baud))
            return
        yield
        yield from self._start(servo)
        if servo.stage is not Stage.REFUSED:  # which no haste would mend
            self.hasten(now)

    def _start(self, servo: Servo) -> Iterator[None]:
        start = Start(
            self._bus,
            servo,
            self._config,
            torque=self._torque,
            log=self._log,
            clock=self._clock,
        )
        try:
            yield from start.steps()
            self._level(servo)
        except PortError:
            raise
        except BusError as error:
            servo.set_stage(Stage.SILENT, silence(servo, error, self._config.baud))
        self._watch.started(servo)

    def _level(self, started: Servo) -> None:
        """Give the servos of a joint one goal: it may have sagged between their starts."""
        joint = started.config.shadow_of or started.joint
        leader = next(servo for servo in self._servos if servo.joint == joint)
        for shadow in self._servos:
            pair = (leader, shadow)
            if shadow.config.shadow_of != joint or any(s.stage is not Stage.READY for s in pair):
                continue
            ticks = shadow.map.ticks(leader.map.position(leader.goal_ticks))
            sag = abs(ticks - shadow.goal_ticks) * math.tau / shadow.map.turn
            if 0.0 < sag <= 2.0 * DROOP:  # one of two alone hangs twice as far
                goal = shadow.model.register("goal_position")
                self._bus.write_register(shadow.id, goal, ticks)
                shadow.set_goal(ticks)
