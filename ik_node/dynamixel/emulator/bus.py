"""The wire: who hears an instruction, who replies, in which order and when.

Time is handed in; a reply carries the time at which its last byte is at the client. Half duplex at
the client's line speed: 10 bits a byte, the return delay of every servo, one packet at a time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from ik_node.dynamixel.emulator import replies
from ik_node.dynamixel.emulator.coupling import Coupling
from ik_node.dynamixel.emulator.faults import Faults
from ik_node.dynamixel.emulator.group import (
    Asked,
    bulk_spans,
    bulk_values,
    recipients,
    sync_spans,
    sync_values,
)
from ik_node.dynamixel.emulator.instructions import Answer, execute, obey, read, write
from ik_node.dynamixel.emulator.placement import LoadFunction
from ik_node.dynamixel.emulator.protocol import (
    BROADCAST,
    LONGEST_FAST,
    Error,
    Instruction,
    Packet,
    Parser,
)
from ik_node.dynamixel.emulator.replies import Delivery, Reply
from ik_node.dynamixel.emulator.servo import Servo
from ik_node.errors import UnknownNameError

BAUD_TOLERANCE = 0.03
"""How far off a line speed may be and still be understood."""

PACKET_GAP = 0.02
"""A packet that stops for longer than this is given up [s]."""

SUPPLY_RESISTANCE = 0.1
"""Of cables and supply [ohm]; an estimate."""

_LOAD_PERIOD = 0.005

_WRITES_TO_MANY = frozenset({Instruction.SYNC_WRITE, Instruction.BULK_WRITE})


@dataclass(frozen=True)
class Write:
    """A write to many whose last byte is with the servos at `due` [s]; `baud` as it was sent."""

    due: float
    packet: Packet
    baud: int


class Bus:
    """Servos on one wire.

    Args:
        servos: all of them.
        faults: what is wrong with them and the wire.
        load: effort that the joints need to stand still, from their positions.
        supply: voltage of the supply [V]; None gives every servo what its model is made for.
        paced: whether bytes take their time on the wire.
        latency: how long a USB adapter holds replies back [s].
    """

    def __init__(
        self,
        servos: Sequence[Servo],
        faults: Faults,
        load: LoadFunction | None = None,
        supply: float | None = None,
        paced: bool = True,
        latency: float = 0.0,
    ) -> None:
        self.servos = tuple(servos)
        self.faults = faults
        self.load = load
        self.supply = supply
        self.paced = paced
        self.latency = latency
        self.time = 0.0
        self._coupling = Coupling(self.servos)
        self._parser = Parser()
        self._last_byte = 0.0
        self._free = 0.0
        self._loaded = -1.0
        self._writes: deque[Write] = deque()

    def servo(self, name: str) -> Servo:
        """The servo of a joint; raises UnknownNameError listing the joints."""
        for servo in self.servos:
            if servo.name == name:
                return servo
        raise UnknownNameError("servo", name, (servo.name for servo in self.servos))

    @property
    def due(self) -> float:
        """When the servos have the next write to many that is on its way [s]; inf without one."""
        return self._writes[0].due if self._writes else inf

    def advance(self, now: float) -> None:
        """Let every servo move on until `now`, with what is written to it on the way."""
        while self.due <= now:
            write = self._writes.popleft()
            self._move_on(write.due)
            self._handle(write.packet, self._hearing(write.packet, write.baud))
        self._move_on(now)

    def _move_on(self, now: float) -> None:
        if now <= self.time:
            return
        before, self.time = self.time, now
        if self.load is not None and now - self._loaded >= _LOAD_PERIOD:
            self._loaded = now
            efforts = self.load({servo.joint: servo.joint_position for servo in self.servos})
            for servo in self.servos:
                servo.set_load(self._coupling.share(servo, efforts.get(servo.joint, 0.0)))
        self._coupling.advance(before, now)
        current = 0.0
        for servo in self.servos:
            servo.advance(now)
            current += servo.current
        for servo in self.servos:
            servo.voltage = max(0.0, self._supply_of(servo) - current * SUPPLY_RESISTANCE)

    def _supply_of(self, servo: Servo) -> float:
        sag = self.faults.holds("voltage_sag", servo.name)
        if sag is None:
            return self.supply or servo.model.motor.voltage
        if sag.value is None:
            return 0.09 * servo.memory.get("min_voltage_limit")
        return sag.value

    def receive(self, data: bytes, now: float, baud: int) -> list[Delivery]:
        """Take bytes that the client sent at `now` with `baud` [bit/s]; return what it gets."""
        if baud <= 0:
            return []
        if now - self._last_byte > PACKET_GAP:
            self._parser.reset()
        self._last_byte = now
        byte_time = 10.0 / baud if self.paced else 0.0
        self._free = max(self._free, now) + len(data) * byte_time
        deliveries: list[Delivery] = []
        for packet in self._parser.feed(data):
            if packet.instruction in _WRITES_TO_MANY:
                self._writes.append(Write(self._free, packet, baud))
                continue
            self.advance(self._free)
            sent = self._handle(packet, self._hearing(packet, baud))
            deliveries += replies.schedule(sent, self._free, byte_time, self.faults)
            if deliveries:
                self._free = max(self._free, deliveries[-1].due)
        return replies.through_usb(deliveries, self.latency)

    def _hearing(self, packet: Packet, baud: int) -> list[Servo]:
        return [servo for servo in self.servos if self._hears(servo, packet, baud)]

    def _hears(self, servo: Servo, packet: Packet, baud: int) -> bool:
        return (
            abs(servo.baud - baud) <= BAUD_TOLERANCE * baud
            and servo.awake(self.time)
            and (not self.faults or self._reached(servo, packet))
        )

    def _reached(self, servo: Servo, packet: Packet) -> bool:
        return (
            not self.faults.holds("mute_all")
            and not self.faults.holds("mute", servo.name)
            and not self._struck("drop_request", servo, packet)
        )

    def _struck(self, kind: str, servo: Servo, packet: Packet) -> bool:
        """Whether a fault of requests strikes this one, which it can only if `servo` is meant."""
        if not self.faults.holds(kind, servo.name):
            return False
        ids = recipients(packet)
        meant = servo.id in ids or servo.memory.bytes[12] in ids
        return meant and self.faults.strikes(kind, servo.name) is not None

    def _handle(self, packet: Packet, heard: list[Servo]) -> list[Reply]:
        intact = []
        for servo in heard:
            if packet.intact and not self._struck("corrupt_request", servo, packet):
                servo.hear(self.time)
                intact.append(servo)
        if packet.id != BROADCAST:
            return self._to_one(packet, heard, intact)
        return self._to_many(packet, intact)

    def _to_one(self, packet: Packet, heard: list[Servo], intact: list[Servo]) -> list[Reply]:
        sent = []
        for servo in heard:
            memory = servo.memory
            if servo.id == packet.id:
                level = memory.bytes[68]
                if servo not in intact:
                    answer = Answer(Error.CRC)
                else:
                    answer = execute(servo, packet.instruction, packet.parameters, self.time)
                if _replies(packet.instruction, level):
                    sent.append(replies.status(servo, packet.id, answer))
            elif memory.bytes[12] == packet.id and servo in intact:
                obey(servo, packet.instruction, packet.parameters, self.time)
        return replies.collide(sent)

    def _to_many(self, packet: Packet, servos: list[Servo]) -> list[Reply]:
        instruction, data = packet.instruction, packet.parameters
        if instruction == Instruction.SYNC_READ:
            return self._chain(sync_spans(data), servos)
        if instruction == Instruction.FAST_SYNC_READ:
            return self._fast(sync_spans(data), servos)
        if instruction == Instruction.BULK_READ:
            return self._chain(bulk_spans(data), servos)
        if instruction == Instruction.FAST_BULK_READ:
            return self._fast(bulk_spans(data), servos)
        if instruction in (Instruction.SYNC_WRITE, Instruction.BULK_WRITE):
            values = (
                sync_values(data) if instruction == Instruction.SYNC_WRITE else bulk_values(data)
            )
            self._write_many(values, servos)
            return []
        if instruction == Instruction.PING:
            sent = []
            for servo in sorted(servos, key=lambda servo: servo.id):
                answer = execute(servo, instruction, data, self.time)
                sent.append(replies.status(servo, servo.id, answer))
            return replies.collide(sent)
        if instruction == Instruction.READ or (
            instruction == Instruction.FACTORY_RESET and data == b"\xff"
        ):
            return []
        for servo in servos:
            execute(servo, instruction, data, self.time)
        return []

    def _write_many(self, values: Mapping[int, tuple[int, bytes]], servos: list[Servo]) -> None:
        for servo in servos:
            mine = values.get(servo.id)
            if mine is not None:
                write(servo, *mine)
                continue
            shadowed = values.get(servo.memory.bytes[12])
            if shadowed is not None:
                write(servo, *shadowed, secondary=True)

    def _chain(self, spans: list[Asked], servos: list[Servo]) -> list[Reply]:
        """Each servo replies after the one before it in the list, or never."""
        sent: list[Reply] = []
        for span in spans:
            answers = [
                replies.status(servo, span.id, read(servo, span.address, span.length), chained=True)
                for servo in servos
                if servo.id == span.id and servo.memory.bytes[68] >= 1
            ]
            if not answers:
                break
            sent += replies.collide(answers)
        return sent

    def _fast(self, spans: list[Asked], servos: list[Servo]) -> list[Reply]:
        """All data in one packet, each servo adding its piece after the one before it.

        Nobody answers a request for more than one packet can announce.
        """
        expected = sum(span.length + 4 for span in spans)
        if expected > LONGEST_FAST:
            return []
        answers, doubles = [], []
        for span in spans:
            here = [
                (servo, read(servo, span.address, span.length), span.length)
                for servo in servos
                if servo.id == span.id and servo.memory.bytes[68] >= 1 and self._knows_fast(servo)
            ]
            if not here:
                break
            answers.append(here[0])
            doubles.append(here[1:])
        return replies.fast(answers, doubles, expected)

    def _knows_fast(self, servo: Servo) -> bool:
        return servo.fast_read and not self.faults.holds("no_fast_read", servo.name)


def _replies(instruction: int, level: int) -> bool:
    if instruction == Instruction.PING:
        return True
    return level >= 1 if instruction == Instruction.READ else level >= 2
