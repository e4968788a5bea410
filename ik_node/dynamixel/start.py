"""Bringing one servo into service without a jump.

    identify -> compare EEPROM -> [torque off, write] -> settings -> map the state block
    -> read the position -> goal := position, read back -> watchdog -> torque on

The steps are a generator that pauses after every transaction, so that the other servos' cycle goes
on meanwhile. A servo that already holds torque keeps it, and its goal, unless EEPROM must change.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Generator, Iterator

from ik_node.datatypes import Severity
from ik_node.dynamixel.block import (
    Block,
    RawState,
    direct_block,
    indirect_block,
    indirect_mapping,
)
from ik_node.dynamixel.bus import Bus
from ik_node.dynamixel.config import BusConfig
from ik_node.dynamixel.event_log import EventLog
from ik_node.dynamixel.registers import model_by_number
from ik_node.dynamixel.servo import Servo, Stage, error_words
from ik_node.dynamixel.settings import (
    DROOP,
    drive_mode,
    eeprom_settings,
    ram_settings,
    watchdog_setting,
)
from ik_node.dynamixel.table import Table
from ik_node.errors import BusError, IkNodeError, NoReplyError, ServoError, UnknownNameError


class RefusalError(IkNodeError):
    """The servo must not run as it is; the message says why and what to do."""


class Start:
    """The start of `servo`; `steps` is run by the driver, a transaction at a time.

    Args:
        bus: the bus.
        servo: its stage becomes READY, RELAXED, FAULT or REFUSED.
        config: the bus's configuration.
        torque: whether it shall hold in the end.
        log: takes sentences worth a line.
        clock: for the stamp of the first reading [s].
    """

    def __init__(
        self,
        bus: Bus,
        servo: Servo,
        config: BusConfig,
        *,
        torque: bool,
        log: EventLog,
        clock: Callable[[], float],
    ) -> None:
        self._bus = bus
        self._servo = servo
        self._config = config
        self._torque = torque
        self._log = log
        self._clock = clock
        self._table = Table(bus, servo.id, servo.model)
        self._ends = (0, servo.map.turn - 1)

    def steps(self) -> Iterator[None]:
        """Run; raises BusError where the servo falls silent or refuses a setting."""
        servo = self._servo
        servo.set_stage(Stage.STARTING, "its settings are compared and written")
        try:
            yield from self._identify()
            yield from self._answer_everything()
            holds = bool(self._table.read("torque_enable"))
            if servo.served and not holds and not self._shut_down():
                sentence = "it restarted, or lost power; its settings are written again"
                self._log.say(f"{servo}: {sentence}", Severity.WARN)
            holds = yield from self._eeprom(holds)
            yield from self._limits()
            yield from self._ram()
            yield from self._map_block()
            state = self._table.state()
            yield
            if state.hardware_error and not state.torque_enable:
                words = " and ".join(error_words(state.hardware_error))
                servo.trust(state, self._clock())
                servo.set_stage(
                    Stage.FAULT, f"{words}; mend the cause, then call the reboot service"
                )
                return
            yield from self._seed_goal(state, holds)
            yield from self._energise(holds)
        except RefusalError as refusal:
            servo.set_stage(Stage.REFUSED, str(refusal))

    def _shut_down(self) -> bool:
        """Whether an error that it reports is one for which a servo takes its torque off."""
        return bool(self._table.read("hardware_error_status") & self._table.read("shutdown"))

    def _identify(self) -> Iterator[None]:
        servo = self._servo
        identity = self._bus.ping(servo.id, retries=2)
        yield
        if identity.model_number != servo.model.number:
            try:
                found = f"a {model_by_number(identity.model_number).name}"
            except UnknownNameError:
                found = f"model number {identity.model_number}, which this package does not know"
            raise RefusalError(
                f"id {servo.id} is {found}, not a {servo.model.name}; "
                f"correct servos.{servo.joint}.model or exchange the servo"
            )
        servo.identify(identity.firmware)
        self._table = Table(self._bus, servo.id, servo.model)

    def _answer_everything(self) -> Iterator[None]:
        """Make it answer reads and writes: somebody may have told it not to."""
        try:
            if self._table.read("status_return_level") == 2:
                return
        except NoReplyError:
            pass
        yield
        with contextlib.suppress(NoReplyError):
            self._table.write("status_return_level", 2)
        yield
        self._table.read("status_return_level")
        yield

    def _eeprom(self, holds: bool) -> Generator[None, None, bool]:
        wanted = eeprom_settings(self._servo.config, self._config)
        present = {}
        for name in ("drive_mode", *wanted):
            present[name] = self._table.read(name)
        yield
        wanted["drive_mode"] = drive_mode(present["drive_mode"])
        changes = {name: value for name, value in wanted.items() if present[name] != value}
        if not changes:
            return holds
        if holds:
            self._log.say(f"{self._servo}: torque off for a moment, its EEPROM must change")
            self._table.write("torque_enable", 0)
            yield
        for name, value in changes.items():
            self._table.write(name, value)
            yield
            if self._table.read(name) != value:
                raise RefusalError(f"register {name} does not keep {value}; exchange the servo")
            yield
        listed = ", ".join(f"{name} {present[name]} -> {value}" for name, value in changes.items())
        self._log.say(f"{self._servo}: EEPROM written: {listed}")
        return False

    def _limits(self) -> Iterator[None]:
        """What may be commanded: the configured limits inside the servo's own."""
        servo = self._servo
        config = servo.config
        if config.mode == "position":
            self._ends = (
                self._table.read("min_position_limit"),
                self._table.read("max_position_limit"),
            )
        else:
            goal = servo.model.register("goal_position")
            self._ends = (goal.minimum or -1, goal.maximum or 1)
        speed = self._table.read("velocity_limit") * servo.model.velocity_unit
        yield
        low, high = sorted(servo.map.position(ticks) for ticks in self._ends)
        lower, upper = max(config.lower, low), min(config.upper, high)
        if lower >= upper:
            raise RefusalError(
                f"its limits {config.lower:.4g} .. {config.upper:.4g} hold nothing of "
                f"{low:.4g} .. {high:.4g}, which the servo reaches; correct lower and upper, or "
                f"zero and direction, of servos.{servo.joint}"
            )
        servo.lower, servo.upper = lower, upper
        servo.fastest = config.max_velocity or servo.map.speed(speed)

    def _ram(self) -> Iterator[None]:
        limit = None
        if "current_limit" in self._servo.model.registers:
            limit = self._table.read("current_limit")
            yield
        for name, value in ram_settings(self._servo.config, limit).items():
            if self._table.read(name) != value:
                yield
                self._table.write(name, value)
            yield

    def _map_block(self) -> Iterator[None]:
        """Map the state block, and prove that the servo shows in it what its registers hold."""
        servo = self._servo
        address, words = indirect_mapping(servo.model)
        servo.mapped = None
        try:
            if self._bus.read(servo.id, address, len(words), retries=2) != words:
                yield
                self._bus.write(servo.id, address, words, retries=2)
            yield
            if (yield from self._shows(indirect_block(servo.model))):
                servo.mapped = indirect_block(servo.model)
        except ServoError as error:
            self._log.say(f"{servo}: it takes no indirect addresses ({error})")
        try:
            whole = yield from self._shows(direct_block(servo.model))
        except ServoError:
            whole = False
        servo.direct = direct_block(servo.model) if whole else None
        if servo.mapped is None and servo.direct is None:
            raise RefusalError("its state cannot be read in one piece; update its firmware")
        if servo.mapped is None:
            self._log.say(f"{servo}: read in one long piece instead of through indirect addresses")

    def _shows(self, block: Block) -> Generator[None, None, bool]:
        """Whether `block` shows the unmoving part of the state as the registers have it."""
        data = self._bus.read(self._servo.id, block.address, block.long, retries=2)
        yield
        seen, true = block.decode(data), self._table.state()
        yield
        return (
            seen.torque_enable == true.torque_enable
            and seen.slow is not None
            and true.slow is not None
            and seen.slow.goal_position == true.slow.goal_position
            and seen.slow.bus_watchdog == true.slow.bus_watchdog
        )

    def _seed_goal(self, state: RawState, holds: bool) -> Iterator[None]:
        servo = self._servo
        servo.map.unwrap(state.position)
        if state.slow is not None and state.slow.bus_watchdog != 0:
            self._table.write("bus_watchdog", 0)
            yield
        goal = state.slow.goal_position if state.slow else state.position
        droop = DROOP * servo.map.turn / (2.0 * math.pi)
        if not holds or abs(goal - state.position) > droop:
            goal = self._seed(state.position)
            self._table.write("goal_position", goal)
            yield
            if self._table.read("goal_position") != goal:
                raise RefusalError("it does not keep its goal position; exchange the servo")
            yield
        servo.set_goal(goal)

    def _seed(self, ticks: int) -> int:
        """`ticks` as a goal; in position mode torque-on folds the position into one turn."""
        servo = self._servo
        if servo.config.mode != "position":
            return ticks
        offset = self._table.read("homing_offset")
        folded = (ticks - offset) % servo.map.turn + offset
        low, high = self._ends
        if not low <= folded <= high:
            raise RefusalError(
                f"it stands at {folded} ticks, outside its own limits {low} .. {high}; "
                "move it inside by hand, or widen min_position_limit and max_position_limit"
            )
        return folded

    def _energise(self, holds: bool) -> Iterator[None]:
        servo = self._servo
        self._table.write("bus_watchdog", watchdog_setting(self._config))
        yield
        if self._torque != holds:
            self._table.write("torque_enable", int(self._torque))
            yield
        state = self._table.state()
        yield
        if self._torque and not state.torque_enable:
            raise BusError(f"{servo} does not switch its torque on")
        servo.trust(state, self._clock())
        if state.torque_enable:
            servo.set_stage(Stage.READY)
        else:
            servo.set_stage(Stage.RELAXED, "its torque is off, as asked")
