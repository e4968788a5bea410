"""Reading the state of many servos in as few turns as possible, whatever some of them do.

One fast sync read where the firmware of all has it, else one sync read; a servo whose answer is
missing is read by itself in the same cycle. A servo that was silent last time goes to the end of
the line, because those behind a silent one stay silent too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter

from ik_node.dynamixel.block import Block
from ik_node.dynamixel.bus import Bus
from ik_node.dynamixel.packets import Status
from ik_node.dynamixel.servo import Servo
from ik_node.dynamixel.watch import MISSES
from ik_node.errors import BusError, NoReplyError, PortError

FAST_TRIALS = 3
"""Fast reads that may fail where the plain one works, before a group gives them up."""

FAST_PAUSE = 30.0
"""After this long [s] a fast read that was given up is tried again: it may have been the wire."""

PATIENCE = 0.01
"""How much longer [s] a servo that is asked again may take: a busy host or adapter stalls."""


@dataclass
class _Group:
    """Servos with one block (address and size), read fast from `fast_from` [s] on."""

    servos: list[Servo]
    fast_from: float = -math.inf
    failures: int = 0


class StateReader:
    """Reads the blocks of servos; `allow_fast` permits fast sync reads."""

    def __init__(self, bus: Bus, *, allow_fast: bool, say: Callable[[str], None]) -> None:
        self._bus = bus
        self._allow_fast = allow_fast
        self._say = say
        self._groups: dict[Block, _Group] = {}
        self._members: tuple[list[Servo], list[Block]] = ([], [])

    @property
    def fast(self) -> bool:
        """Whether every group is read by fast sync read."""
        groups = self._groups.values()
        return bool(groups) and all(group.fast_from == -math.inf for group in groups)

    def read(
        self, servos: Iterable[Servo], now: float, *, long: bool
    ) -> dict[Servo, Status | BusError]:
        """A status or an error for each servo; `long` reads the long block. Raises PortError."""
        self._regroup(list(servos))
        replies: dict[Servo, Status | BusError] = {}
        for block, group in self._groups.items():
            size = block.long if long else block.short
            replies.update(self._read_group(block, group, size, now))
        return replies

    def _regroup(self, servos: list[Servo]) -> None:
        members = servos, [servo.block for servo in servos]
        if members == self._members:
            return
        self._members = members
        self._groups = {}
        for servo in servos:
            group = self._groups.setdefault(servo.block, _Group([]))
            group.servos.append(servo)
            if not (self._allow_fast and servo.model.fast_read(servo.firmware)):
                group.fast_from = math.inf

    def _read_group(
        self, block: Block, group: _Group, size: int, now: float
    ) -> dict[Servo, Status | BusError]:
        line = sorted(group.servos, key=attrgetter("misses"))
        ids = [servo.id for servo in line]
        replies: dict[int, Status | BusError] = {}
        healthy = line[-1].misses == 0
        if len(ids) > 1 and now >= group.fast_from and healthy:
            replies = self._bus.fast_sync_read(block.address, size, ids)
            if set(map(type, replies.values())) == {Status}:
                group.failures = 0
                group.fast_from = -math.inf
                return dict(zip(line, replies.values(), strict=True))
        if len(ids) > 1:
            tried_fast = bool(replies)
            replies = self._bus.sync_read(block.address, size, ids)
            if tried_fast:
                self._judge_fast(group, replies, now)
        self._ask_the_missing(line, replies, block.address, size)
        return {servo: replies[servo.id] for servo in line if servo.id in replies}

    def _ask_the_missing(
        self, line: list[Servo], replies: dict[int, Status | BusError], address: int, size: int
    ) -> None:
        """Read by itself whoever is missing in `replies`; edits it.

        The first silent one in the line has had its chance if it was silent last time too, unless
        this is its last one; those behind it had none. Once nobody at all has answered, the rest
        is not asked.
        """
        silent = next((s for s in line if isinstance(replies.get(s.id), NoReplyError)), None)
        had_its_chance = silent if silent and 0 < silent.misses < MISSES - 1 else None
        for servo in line:
            reply = replies.get(servo.id)
            if isinstance(reply, Status) or servo is had_its_chance:
                continue
            servo.retries += reply is not None
            patience = 0.0 if servo.misses else PATIENCE
            replies[servo.id] = alone = self._read_one(servo, address, size, patience)
            nobody = not any(isinstance(other, Status) for other in replies.values())
            if nobody and isinstance(alone, NoReplyError) and len(replies) == len(line):
                return

    def _read_one(
        self, servo: Servo, address: int, size: int, patience: float
    ) -> Status | BusError:
        try:
            return Status(servo.id, 0, self._bus.read(servo.id, address, size, patience=patience))
        except PortError:
            raise
        except BusError as error:
            return error

    def _judge_fast(self, group: _Group, plain: dict[int, Status | BusError], now: float) -> None:
        if not all(isinstance(reply, Status) for reply in plain.values()):
            return
        group.failures += 1
        if group.failures < FAST_TRIALS:
            return
        if group.failures == FAST_TRIALS:
            names = ", ".join(servo.joint for servo in group.servos)
            self._say(f"fast sync read fails where sync read works: given up for {names}")
        group.fast_from = now + FAST_PAUSE
