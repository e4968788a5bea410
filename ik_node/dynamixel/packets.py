"""Protocol 2.0 packets: exact byte stuffing, and a parser that nothing on the wire can upset.

The SDK sends what it should have stuffed unstuffed, and decodes a status packet without checking
its length: `stuff` and `take_status` stand in for its `addStuffing` and `rxPacket`. Source: ROBOTIS
e-manual, "DYNAMIXEL Protocol 2.0".
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from struct import Struct
from typing import NamedTuple

HEADER = b"\xff\xff\xfd\x00"
BROADCAST = 0xFE
STATUS = 0x55
STATUS_OVERHEAD = 11  # header 4, ID, length 2, instruction, error, CRC 2
ALERT = 0x80

_SEQUENCE = b"\xff\xff\xfd"
_LENGTH_END = 7


class Instruction(IntEnum):
    """Instruction codes of Protocol 2.0 that this package sends."""

    PING = 0x01
    READ = 0x02
    WRITE = 0x03
    REBOOT = 0x08
    CLEAR = 0x10
    SYNC_READ = 0x82
    SYNC_WRITE = 0x83
    FAST_SYNC_READ = 0x8A


ERRORS = {
    1: "it could not process the packet",
    2: "it does not know the instruction",
    3: "the packet arrived damaged",
    4: "the value is out of range",
    5: "the data has the wrong length",
    6: "the value is outside the servo's limits",
    7: "the register is read-only, missing, or locked while torque is on",
}
"""Meaning of the low seven bits of a status packet's error byte."""


class Status(NamedTuple):
    """A status packet whose CRC, length and stuffing were right."""

    id: int
    error: int
    data: bytes

    @property
    def alert(self) -> bool:
        """Whether the servo reports a hardware error."""
        return bool(self.error & ALERT)


def crc16(data: bytes) -> int:
    """CRC-16 with polynomial 0x8005 = x^16 + x^15 + x^2 + 1, not reflected, from 0.

    The polynomial is (x + 1)(x^15 + x + 1), and modulo the second factor x^(15 k) is x^k + 1 where
    k is a power of two: a packet as one long number folds upon itself in a few shifts. Modulo the
    first factor a number is the parity of its ones.
    """
    rest = int.from_bytes(data, "big") << 16
    ones = rest.bit_count()
    k = 1 << max(rest.bit_length() // 15, 1).bit_length() - 1
    while k:
        while high := rest >> 15 * k:
            rest ^= high << 15 * k ^ high << k ^ high
        k >>= 1
    return rest ^ 0x8003 if (rest.bit_count() ^ ones) & 1 else rest


def stuff(body: bytes) -> bytes:
    """`body` (instruction to last parameter) with FD put after every FF FF FD."""
    return body.replace(_SEQUENCE, _SEQUENCE + b"\xfd")


def unstuff(body: bytes) -> bytes:
    """The inverse of `stuff`."""
    return body.replace(_SEQUENCE + b"\xfd", _SEQUENCE)


def take_status(buffer: bytearray, longest: int, *, complete: bool = False) -> Status | None:
    """Remove the first good status packet from `buffer` and return it, or None if there is none.

    Noise, damaged packets, echoes of instructions, fast replies and anything longer than `longest`
    bytes are dropped on the way. What may still become a packet stays in the buffer, unless
    `complete` says that nothing more will come: then a packet hidden behind a false header is
    found too.

    Args:
        buffer: received bytes; edited.
        longest: total length of the longest packet expected (with stuffing).
        complete: no more bytes will come.
    """
    while True:
        start = buffer.find(HEADER)
        if start < 0:
            # The last three bytes may be the beginning of a header.
            del buffer[: max(0, len(buffer) - len(HEADER) + 1)]
            return None
        del buffer[:start]
        end = _packet_end(buffer, longest)
        if end is None:
            if not complete:
                return None
        elif end:
            packet = bytes(buffer[:end])
            if _intact(packet):
                del buffer[:end]
                status = _status(packet)
                if status is not None:
                    return status
                continue
        del buffer[:1]


def _packet_end(buffer: bytearray, longest: int) -> int | None:
    """Length of the packet at the buffer's start; None: not all here yet; 0: not a packet."""
    if len(buffer) < _LENGTH_END:
        return None
    end = _LENGTH_END + (buffer[5] | buffer[6] << 8)
    if not _LENGTH_END + 3 <= end <= longest:
        return 0
    return end if len(buffer) >= end else None


def _intact(packet: bytes) -> bool:
    return crc16(packet[:-2]) == packet[-2] | packet[-1] << 8


def _status(packet: bytes) -> Status | None:
    if packet[7] != STATUS or packet[4] == BROADCAST:
        return None
    body = unstuff(packet[8:-2])
    return Status(packet[4], body[0], body[1:]) if body else None


def longest_status(data_length: int) -> int:
    """Bytes of a status packet with `data_length` bytes of data when all of it needs stuffing."""
    return STATUS_OVERHEAD + data_length + (data_length + 2) // 3


def wire_length(status: Status) -> int:
    """Bytes that `status` had on the wire."""
    return STATUS_OVERHEAD - 2 + len(stuff(bytes([STATUS, status.error]) + status.data))


class FastReply:
    """The packet in which `count` servos answer a fast sync read of `size` bytes each.

    From the broadcast ID, not stuffed: of each servo its error, ID, data and the CRC of all so
    far, of which the last one is looked at.

    Attributes:
        length: bytes of the packet.
    """

    def __init__(self, size: int, count: int) -> None:
        self._part = Struct(f"BB{size}s2x")
        body = count * self._part.size
        self._head = (
            HEADER + bytes([BROADCAST]) + (body + 1).to_bytes(2, "little") + bytes([STATUS])
        )
        self.length = len(self._head) + body

    def is_in(self, buffer: bytearray) -> bool:
        """Whether its head is in `buffer` and as much behind that as belongs to it."""
        return 0 <= buffer.find(self._head) <= len(buffer) - self.length

    def take(self, buffer: bytearray) -> tuple[bytearray, list[Status]]:
        """Remove the packet from `buffer`, and all that came before it; return that, and the parts.

        Without a good packet that is everything, and no parts.
        """
        start = buffer.find(self._head)
        while start >= 0:
            end = start + self.length
            packet = bytes(buffer[start:end])
            if len(packet) == self.length and _intact(packet):
                before = buffer[:start]
                del buffer[:end]
                parts = self._part.iter_unpack(packet[len(self._head) :])
                return before, [Status(servo_id, error, data) for error, servo_id, data in parts]
            start = buffer.find(self._head, start + 1)
        everything = buffer[:]
        buffer.clear()
        return everything, []


@lru_cache(maxsize=64)
def fast_reply(size: int, count: int) -> FastReply:
    """The `FastReply` that belongs to a request made in every cycle."""
    return FastReply(size, count)
