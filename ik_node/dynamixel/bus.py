"""The servo bus: instructions out, checked replies in.

One call is one transaction (sync reads and writes included). A reply counts only with the right
CRC, ID and length; a servo's refusal, silence and a damaged packet are errors of their own. Not
thread-safe: one thread owns the bus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import pack
from typing import NamedTuple

from ik_node.dynamixel.counters import Counters
from ik_node.dynamixel.packet import Leave, instruction_packet
from ik_node.dynamixel.packets import (
    ALERT,
    BROADCAST,
    ERRORS,
    STATUS_OVERHEAD,
    Instruction,
    Status,
    fast_reply,
    longest_status,
    take_status,
    wire_length,
)
from ik_node.dynamixel.port import SerialPort
from ik_node.dynamixel.registers import Register
from ik_node.errors import BusError, NoReplyError, PacketError, ServoError

SLOWEST_RETURN_DELAY = 508e-6
_PING_DATA = 3
_ARRIVED_DAMAGED = 3


class Identity(NamedTuple):
    """What a servo answers to a ping."""

    model_number: int
    firmware: int


class Bus:
    """A half-duplex servo bus on `port`.

    Attributes:
        return_delay: longest pause of any servo before it replies [s].
        counters: how many transactions failed in which way.
    """

    def __init__(self, port: SerialPort) -> None:
        self.port = port
        self.return_delay = SLOWEST_RETURN_DELAY
        self.counters = Counters()
        self._with_next: list[bytes] = []
        self._behind_next: list[bytes] = []
        self._buffer = bytearray()
        self._damage_seen = False
        self._answered: dict[int, Status] = {}
        self._sending = 0.0

    def ping(self, servo_id: int, retries: int = 0) -> Identity:
        """Model number and firmware of a servo; raises BusError."""
        data = self._ask(servo_id, Instruction.PING, b"", _PING_DATA, "ping", retries)
        return Identity(data[0] | data[1] << 8, data[2])

    def broadcast_ping(self, window: float = 0.1) -> dict[int, Identity]:
        """Every servo that answers within `window` s (they take turns, about 3 ms an ID)."""
        self._send(BROADCAST, Instruction.PING, b"")
        self._expect(0, window)
        found = {}
        while (status := self._receive(_PING_DATA)) is not None:
            if len(status.data) == _PING_DATA:
                data = status.data
                found[status.id] = Identity(data[0] | data[1] << 8, data[2])
        return found

    def read(
        self, servo_id: int, address: int, size: int, retries: int = 0, patience: float = 0.0
    ) -> bytes:
        """`size` bytes of the control table, waiting `patience` s longer; raises BusError."""
        parameters = _words(address, size)
        return self._ask(servo_id, Instruction.READ, parameters, size, "read", retries, patience)

    def write(self, servo_id: int, address: int, data: bytes, retries: int = 0) -> None:
        """Write and wait for the servo's consent; raises BusError."""
        parameters = _words(address) + data
        self._ask(servo_id, Instruction.WRITE, parameters, 0, "write", retries)

    def read_register(self, servo_id: int, register: Register, retries: int = 2) -> int:
        """Value of `register`; raises BusError."""
        return register.decode(self.read(servo_id, register.address, register.size, retries))

    def write_register(
        self, servo_id: int, register: Register, value: int, retries: int = 2
    ) -> None:
        """Write `value` and wait for the servo's consent; raises BusError."""
        self.write(servo_id, register.address, register.encode(value), retries)

    def reboot(self, servo_id: int) -> None:
        """Restart a servo; it answers, then stays silent while it boots. Raises BusError."""
        self._ask(servo_id, Instruction.REBOOT, b"", 0, "reboot", 0)

    def sync_write(
        self, address: int, data: Mapping[int, bytes], leave: Leave = Leave.AT_ONCE
    ) -> None:
        """Write to several servos at once (all of one size); nobody answers."""
        size = len(next(iter(data.values())))
        parameters = bytearray(_words(address, size))
        for servo_id, values in data.items():
            parameters.append(servo_id)
            parameters += values
        self.counters.transactions += 1
        queue = self._behind_next if leave is Leave.BEHIND_NEXT else self._with_next
        queue.append(instruction_packet(BROADCAST, Instruction.SYNC_WRITE, bytes(parameters)))
        if leave is Leave.AT_ONCE:
            self._flush()

    def sync_read(
        self, address: int, size: int, servo_ids: Sequence[int]
    ) -> dict[int, Status | BusError]:
        """The same bytes of several servos in one turn: a status or an error for each ID.

        Servos answer in the order asked; after a silent one, those behind it stay silent too.
        """
        self._send(BROADCAST, Instruction.SYNC_READ, _words(address, size) + bytes(servo_ids))
        replies: dict[int, Status | BusError] = {}
        while len(replies) < len(servo_ids):
            self._expect(STATUS_OVERHEAD + size, self.return_delay)
            status = self._receive(size)
            if status is None:
                break
            if status.id in replies or status.id not in servo_ids:
                self._count_stray(status)
            else:
                replies[status.id] = self._check(status, size)
        self._reply_is_in()
        for servo_id in servo_ids:
            if servo_id not in replies:
                replies[servo_id] = self._nothing_from(servo_id, "sync read")
        return replies

    def fast_sync_read(
        self, address: int, size: int, servo_ids: Sequence[int]
    ) -> dict[int, Status | BusError]:
        """As `sync_read`, with all answers in one packet: all of it is good, or nothing."""
        parameters = _words(address, size) + bytes(servo_ids)
        self._send(BROADCAST, Instruction.FAST_SYNC_READ, parameters)
        reply = fast_reply(size, len(servo_ids))
        self._expect(reply.length, self.return_delay)
        if not self._behind_next:  # else the bus has no pauses, and no time to oversleep
            self.port.rest()
        while not reply.is_in(self._buffer) and self._listen():
            pass
        self._reply_is_in()
        strange, found = reply.take(self._buffer)
        noise = self._sort_strays(strange)
        if [status.id for status in found] == list(servo_ids):
            self.counters.noise += noise
            return {status.id: self._check(status, size) for status in found}
        self._damage_seen = noise > 0 or bool(found)
        return {i: self._nothing_from(i, "fast sync read") for i in servo_ids}

    def drain(self) -> None:
        """Wait until nothing more comes, so that a late reply is not taken for the next one."""
        for _ in range(10):
            self._expect(0, self.return_delay)
            if not self.port.read_available():
                return

    def _ask(
        self,
        servo_id: int,
        instruction: Instruction,
        parameters: bytes,
        size: int,
        doing: str,
        retries: int,
        patience: float = 0.0,
    ) -> bytes:
        silence: BusError | None = None
        while True:
            self._send(servo_id, instruction, parameters)
            answer = self._answer(servo_id, size, doing, patience)
            self._reply_is_in()
            if isinstance(answer, Status):
                return answer.data
            if isinstance(answer, NoReplyError):
                silence = answer
            refused = isinstance(answer, ServoError) and answer.number != _ARRIVED_DAMAGED
            if refused or retries == 0:
                raise silence or answer
            retries -= 1
            self.drain()

    def _answer(self, servo_id: int, size: int, doing: str, patience: float) -> Status | BusError:
        self._expect(STATUS_OVERHEAD + size, self.return_delay + patience)
        while (status := self._receive(size)) is not None:
            if status.id == servo_id:
                return self._check(status, size)
            self._count_stray(status)
        return self._nothing_from(servo_id, doing)

    def forget_unsent(self) -> None:
        """Drop what has not left yet: it was meant for then, not for later."""
        self._with_next.clear()
        self._behind_next.clear()

    def _send(self, servo_id: int, instruction: Instruction, parameters: bytes) -> None:
        self.counters.transactions += 1
        self._with_next.append(instruction_packet(servo_id, instruction, parameters))
        self._flush()

    def _flush(self) -> None:
        self.port.clearPort()
        self._write(self._with_next)
        if self._buffer or self.port.stale:
            # What had come unasked when this packet went out.
            self._sort_strays(self._buffer + self.port.stale)
            self._buffer.clear()
        self._answered.clear()

    def _reply_is_in(self) -> None:
        if self._behind_next:
            self._write(self._behind_next)

    def _write(self, packets: list[bytes]) -> None:
        data = b"".join(packets)
        packets.clear()
        self.port.writePort(data)
        self._sending += self.port.wire_time(len(data))

    def _expect(self, length: int, extra: float) -> None:
        """Start waiting; what was sent is still on its way when the call to send it returns."""
        self.port.expect(length, extra + self._sending)
        self._sending = 0.0

    def _sort_strays(self, strange: bytearray) -> int:
        """Count the replies among bytes that nobody waits for; how many bytes belong to none."""
        noise = longest = len(strange)
        while strange and (status := take_status(strange, longest, complete=True)) is not None:
            self._count_stray(status)
            noise -= wire_length(status)
        return noise

    def _count_stray(self, status: Status) -> None:
        if self._answered.get(status.id) == status:
            self.counters.duplicates += 1
        else:
            self.counters.late += 1

    def _receive(self, size: int) -> Status | None:
        longest = longest_status(size)
        self._damage_seen = False
        while True:
            before = len(self._buffer)
            self._damage_seen = self._damage_seen or before > 0
            status = take_status(self._buffer, longest)
            if status is not None:
                taken = before - len(self._buffer)
                self.counters.noise += taken - wire_length(status)
                return status
            if not self._listen():
                return take_status(self._buffer, longest, complete=True)

    def _listen(self) -> bool:
        """Wait for more bytes; False once the reply is overdue."""
        data = self.port.read_available()
        self._buffer += data
        return bool(data) or not self.port.expired()

    def _check(self, status: Status, size: int) -> Status | BusError:
        number = status.error & ~ALERT
        if number:
            self.counters.garbled += number == _ARRIVED_DAMAGED
            self.counters.refusals += number != _ARRIVED_DAMAGED
            return ServoError(status.id, number, ERRORS.get(number, "unknown error"))
        if len(status.data) != size:
            self.counters.damaged += 1
            return PacketError(status.id, f"{len(status.data)} bytes of data instead of {size}")
        self._answered[status.id] = status
        return status

    def _nothing_from(self, servo_id: int, doing: str) -> BusError:
        if self._damage_seen:
            self.counters.damaged += 1
            return PacketError(servo_id, f"damaged on the way ({doing})")
        self.counters.silences += 1
        return NoReplyError(servo_id, doing)


def _words(*values: int) -> bytes:
    return pack(f"<{len(values)}H", *values)
