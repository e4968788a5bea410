"""A client of the emulated bus under a virtual clock: bytes in, bytes out, exact times."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from ik_node.dynamixel.config import BusConfig, ServoConfig
from ik_node.dynamixel.emulator.build import build_bus
from ik_node.dynamixel.emulator.bus import Bus
from ik_node.dynamixel.emulator.faults import Fault
from ik_node.dynamixel.emulator.injector import Injector
from ik_node.dynamixel.emulator.protocol import Instruction, Parser, instruction_packet
from ik_node.dynamixel.emulator.servo import Servo


@dataclass(frozen=True)
class Status:
    """A reply: who, which error byte, what, and when its last byte came [s]."""

    id: int
    error: int
    data: bytes
    time: float


def make_bus(*models: str, first_id: int = 1, baud: int = 1_000_000, **options) -> Bus:
    """A bus with one servo a model, joints j1, j2, ... and IDs from `first_id` on."""
    servos = tuple(
        ServoConfig(joint=f"j{i}", id=first_id + i - 1, model=model)
        for i, model in enumerate(models, start=1)
    )
    config = BusConfig(port="unused", servos=servos, baud=baud)
    return build_bus(config, Random(0), **options)


class VirtualClient:
    """Talks to `bus`; every exchange moves `now` to the end of the last reply."""

    def __init__(self, bus: Bus, baud: int = 1_000_000) -> None:
        self.bus = bus
        self.baud = baud
        self.now = 0.0
        self.injector = Injector(bus)

    def servo(self, servo_id: int) -> Servo:
        return next(servo for servo in self.bus.servos if servo.id == servo_id)

    def wait(self, duration: float) -> None:
        self.now += duration
        self.bus.advance(self.now)

    def inject(self, kind: str, servo: str | None = None, **options) -> None:
        self.injector.begin(Fault(kind, servo, **options), self.now)

    def raw(self, data: bytes) -> bytes:
        """Send bytes and return the bytes that come back."""
        deliveries = self.bus.receive(data, self.now, self.baud)
        self.now = max([self.now, self.bus.time, *(delivery.due for delivery in deliveries)])
        return b"".join(delivery.data for delivery in deliveries)

    def send(self, servo_id: int, instruction: int, parameters: bytes = b"") -> list[Status]:
        """Send an instruction and return the replies."""
        packet = instruction_packet(servo_id, instruction, parameters)
        parser = Parser()
        replies = []
        for delivery in self.bus.receive(packet, self.now, self.baud):
            for reply in parser.feed(delivery.data):
                assert reply.instruction == 0x55
                assert reply.intact
                data = reply.parameters
                replies.append(Status(reply.id, data[0], data[1:], delivery.due))
        self.now = max([self.now, self.bus.time, *(reply.time for reply in replies)])
        return replies

    def one(self, servo_id: int, instruction: int, parameters: bytes = b"") -> Status:
        replies = self.send(servo_id, instruction, parameters)
        assert len(replies) == 1, replies
        return replies[0]

    def ping(self, servo_id: int) -> list[Status]:
        return self.send(servo_id, Instruction.PING)

    def read_raw(self, servo_id: int, address: int, length: int) -> Status:
        span = address.to_bytes(2, "little") + length.to_bytes(2, "little")
        return self.one(servo_id, Instruction.READ, span)

    def write_raw(self, servo_id: int, address: int, data: bytes) -> Status:
        return self.one(servo_id, Instruction.WRITE, address.to_bytes(2, "little") + data)

    def get(self, servo_id: int, name: str) -> int:
        """Value of a register, read over the wire."""
        register = self.servo(servo_id).model.register(name)
        status = self.read_raw(servo_id, register.address, register.size)
        assert status.error & 0x7F == 0, status
        return register.decode(status.data)

    def set(self, servo_id: int, name: str, value: int) -> int:
        """Write a register over the wire; return the error byte."""
        register = self.servo(servo_id).model.register(name)
        return self.write_raw(servo_id, register.address, register.encode(value)).error

    def must_set(self, servo_id: int, **values: int) -> None:
        for name, value in values.items():
            error = self.set(servo_id, name, value)
            assert error == 0, (name, value, error)
