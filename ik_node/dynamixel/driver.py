"""The driver: one call a cycle, from commands to readings, through every fault of the bus.

    DISCONNECTED --port opens--> CONNECTING --every servo called once--> RUNNING --> STOPPED

Servos come into service one by one (`bring_up.py`, `start.py`) and leave it one by one
(`watch.py`); the others go on meanwhile. There is no thread and no clock in here: the executable
calls `cycle` at its rate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from ik_node.datatypes import Severity
from ik_node.dynamixel.bring_up import BringUp
from ik_node.dynamixel.bus import Bus
from ik_node.dynamixel.commands import Commands
from ik_node.dynamixel.config import BusConfig
from ik_node.dynamixel.devices import lasting_name
from ik_node.dynamixel.event_log import EventLog
from ik_node.dynamixel.health import Health, joint_readings
from ik_node.dynamixel.packet import Leave
from ik_node.dynamixel.packets import Status
from ik_node.dynamixel.port import SerialPort
from ik_node.dynamixel.report import DriverReport, DriverState
from ik_node.dynamixel.servo import Servo, Stage
from ik_node.dynamixel.shutdown import farewell, park_goals, park_time, parked, release
from ik_node.dynamixel.state_reader import StateReader
from ik_node.dynamixel.watch import Watch
from ik_node.errors import BusError, PortError

BACK_OFF = (0.05, 0.1, 0.2)
"""Pauses between attempts to open the port [s]; the last one repeats."""

LONG_READ_PERIOD = 0.25
"""Voltage, temperature, watchdog and goal are read this often [s]."""


class Driver:
    """Owns the port and the servos of `config`.

    Args:
        config: the bus.
        clock: a monotonic clock [s], for deadlines; `now` in `cycle` is read from the same one.
        port: another kind of port than the serial device that `config` names.
    """

    def __init__(
        self, config: BusConfig, clock: Callable[[], float], port: SerialPort | None = None
    ) -> None:
        self.config = config
        self._clock = clock
        self.port = port or SerialPort(config.port, clock, config.reply_slack)
        self.bus = Bus(self.port)
        self.servos = tuple(Servo(servo) for servo in config.servos)
        self._log = EventLog()
        self._reader = StateReader(self.bus, allow_fast=config.fast_sync_read, say=self._warn)
        self._commands = Commands(config, self.servos, self._refuse)
        self._watch = Watch(config, self.servos, self._log)
        self._health = Health(self.bus, self.servos)
        self._state = DriverState.DISCONNECTED
        self._problem = "not connected yet"
        self._bring_up = BringUp(self.bus, self.servos, config, self._watch, self._log, clock)
        self._next_open = -math.inf
        self._attempts = 0
        self._park_until: float | None = None
        self._next_long = -math.inf
        self._last_cycle = self._idle_since = -math.inf

    def cycle(self, now: float, goals: Mapping[str, float] | None = None) -> DriverReport:
        """Send what is due, read every servo in service, and report.

        Args:
            now: the time [s]; it never goes back.
            goals: commands that arrived since the last cycle, by joint [rad or m].
        """
        self._log.now = now
        started = self._clock()
        try:
            if not self.port.is_open and self._state is not DriverState.STOPPED:
                self._open(now)
            if self.port.is_open:
                self._exchange(now, goals or {})
        except PortError as error:
            self._disconnect(error)
        if not self.port.is_open:
            self._commands.accept(goals or {}, now)
        self._last_cycle = now
        self._idle_since = self._clock()
        self._health.add_cycle(self._idle_since - started)
        return self._report(now)

    def set_torque(self, on: bool, now: float) -> str:
        """Switch every servo on or off; returns what was done, as a sentence.

        Raises BusError where a servo may still hold.
        """
        self._log.now = now
        self._bring_up.set_torque(on, now)
        self._commands.forget_all()
        if on:
            for servo in self.servos:
                if servo.stage is Stage.RELAXED:
                    servo.set_stage(Stage.SILENT, "torque comes on")
            return "torque comes on, one servo after the other, each where it stands"
        deaf = []
        for servo in self.servos:
            try:
                self.bus.write_register(servo.id, servo.model.register("torque_enable"), 0)
                if servo.readable and servo.stage is not Stage.FAULT:
                    servo.set_stage(Stage.RELAXED, "its torque is off, as asked")
            except BusError as error:
                deaf.append(f"{servo} ({error})")
        if deaf:
            raise BusError(f"torque is off, except perhaps at {', '.join(deaf)}; ask again")
        return "torque is off: the arm can be moved by hand"

    def reboot(self, now: float) -> str:
        """Restart the servos that report a hardware error, and only those."""
        self._log.now = now
        try:
            return self._watch.reboot(self.bus, now)
        except PortError as error:
            self._disconnect(error)
            return str(error)

    def wind_down(self, now: float) -> DriverReport:
        """Call instead of `cycle`, at the same rate, until the report says STOPPED.

        The arm is left as `shutdown` says: held, relaxed, or parked and then relaxed.
        """
        goals: dict[str, float] = {}
        if self.config.shutdown == "park" and self.port.is_open:
            if self._park_until is None:
                longest = park_time(self.servos, self.config)
                self._park_until = now + longest
                self._commands.forget_all()
                self._log.say(f"parking, for {longest:.0f} s at most")
            if now < self._park_until and not parked(self.servos):
                goals = park_goals(self.servos)
        if goals:
            return self.cycle(now, goals)
        self._log.now = now
        try:
            hold = self.config.shutdown == "hold"
            for sentence in release(self.bus, self.servos, torque=hold):
                self._log.say(sentence, Severity.ERROR)
        except PortError as error:
            self._disconnect(error)
        self._log.say(farewell(self.servos, park=self.config.shutdown == "park"))
        self.close()
        return self._report(now)

    def close(self) -> None:
        """Let go of the port; the servos keep doing what they do."""
        self.port.closePort()
        self._state = DriverState.STOPPED

    def _open(self, now: float) -> None:
        if now < self._next_open:
            return
        try:
            self.port.open(self.config.baud)
        finally:
            self._next_open = now + BACK_OFF[min(self._attempts, len(BACK_OFF) - 1)]
            self._attempts += 1
        self._attempts = 0
        self._state = DriverState.CONNECTING
        self._log.say(f"port {self.config.port} is open at {self.config.baud} bit/s")
        lasting = lasting_name(self.config.port)
        if lasting is not None:
            self._log.say(f"{self.config.port} may change its number; better set port: {lasting}")
        self._bring_up.begin(now)

    def _disconnect(self, error: PortError) -> None:
        if self._state is not DriverState.DISCONNECTED or str(error) != self._problem:
            self._log.say(str(error), Severity.ERROR)
        self._problem = str(error)
        self._state = DriverState.DISCONNECTED
        self._bring_up.abandon()
        self.bus.forget_unsent()
        self.port.closePort()
        self._commands.interrupt_all()
        for servo in self.servos:
            servo.set_stage(Stage.SILENT, f"the port is {error.reason}")

    def _exchange(self, now: float, goals: Mapping[str, float]) -> None:
        serving = any(servo.readable for servo in self.servos)
        share = 0.5 if serving else 0.9
        self._bring_up.advance(now, self._clock() + share / self.config.rate_hz)
        if self._bring_up.found:
            self._state = DriverState.RUNNING
        self._commands.accept(goals, now)
        if 0.0 < self.config.bus_watchdog < now - self._last_cycle:
            # The servos may have stopped by themselves meanwhile: look before speaking.
            self._read(now, long=True)
            return
        long = now >= self._next_long
        # A long read looks at the goals too: those must have arrived.
        leave = Leave.WITH_NEXT if long else Leave.after(now - self._idle_since)
        self._write(self._commands.advance(now, now - self._last_cycle), leave)
        self._read(now, long=long)

    def _write(self, goals: Mapping[Servo, float], leave: Leave) -> None:
        by_address: dict[int, dict[int, bytes]] = {}
        for servo, position in goals.items():
            register = servo.model.register("goal_position")
            ticks = servo.map.ticks(position)
            by_address.setdefault(register.address, {})[servo.id] = register.encode(ticks)
            servo.set_goal(ticks, position)
        for address, data in by_address.items():
            self.bus.sync_write(address, data, leave)

    def _read(self, now: float, *, long: bool) -> None:
        servos = [servo for servo in self.servos if servo.readable]
        if not servos:
            return
        if long:
            self._next_long = now + LONG_READ_PERIOD
        replies = self._reader.read(servos, now, long=long)
        failed = sum(not isinstance(reply, Status) for reply in replies.values())
        for servo, reply in replies.items():
            if isinstance(reply, Status):
                self._watch.heard(servo, servo.block.decode(reply.data), now)
            else:
                self._watch.missed(servo, reply, now, alone=failed < len(servos))
        self._health.add_reads(len(servos), failed)
        if self._watch.recover(self.bus, now):
            self._bring_up.hasten(now)

    def _report(self, now: float) -> DriverReport:
        health = self._health.summary(now, self._state, self._problem, fast=self._reader.fast)
        return DriverReport(
            now=now,
            state=self._state,
            severity=health.severity,
            message=health.message,
            readings=joint_readings(self.servos, now),
            sent=self._commands.sent(),
            gripping=self._commands.gripping(),
            servos=health.servos,
            bus=health.bus,
            events=self._log.take(),
            recent=self._log.recent(),
        )

    def _warn(self, sentence: str) -> None:
        self._log.say(sentence, Severity.WARN)

    def _refuse(self, key: str, sentence: str) -> None:
        self._log.say(sentence, Severity.WARN, key)
