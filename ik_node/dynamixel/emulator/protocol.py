"""DYNAMIXEL Protocol 2.0 as a servo speaks it: instruction packets in, status packets out.

Written for the emulator alone: sharing no code with the driver's side keeps each a judge of the
other. Source: ROBOTIS e-manual, Protocol 2.0 and CRC pages.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

HEADER = b"\xff\xff\xfd\x00"
BROADCAST = 0xFE
ALERT = 0x80
MAX_LENGTH = 2048
LONGEST_FAST = 0xFFFE
"""What a fast reply can announce at most [bytes]."""
_STATUS = 0x55


class Instruction(IntEnum):
    """What a client can ask."""

    PING = 0x01
    READ = 0x02
    WRITE = 0x03
    REG_WRITE = 0x04
    ACTION = 0x05
    FACTORY_RESET = 0x06
    REBOOT = 0x08
    CLEAR = 0x10
    BACKUP = 0x20
    SYNC_READ = 0x82
    SYNC_WRITE = 0x83
    FAST_SYNC_READ = 0x8A
    BULK_READ = 0x92
    BULK_WRITE = 0x93
    FAST_BULK_READ = 0x9A


class Error(IntEnum):
    """Error number of a status packet (without the alert bit)."""

    NONE = 0
    RESULT_FAIL = 1
    INSTRUCTION = 2
    CRC = 3
    DATA_RANGE = 4
    DATA_LENGTH = 5
    DATA_LIMIT = 6
    ACCESS = 7


@dataclass(frozen=True)
class Packet:
    """An instruction as received, unstuffed; `intact` tells whether its CRC was right."""

    id: int
    instruction: int
    parameters: bytes
    intact: bool = True


def _table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        crc = byte << 8
        for _ in range(8):
            crc = ((crc << 1) ^ 0x8005 if crc & 0x8000 else crc << 1) & 0xFFFF
        table.append(crc)
    return tuple(table)


_CRC = _table()


def crc16(data: bytes | bytearray, crc: int = 0) -> int:
    """CRC-16 with polynomial 0x8005, neither reflected nor inverted, going on from `crc`."""
    for byte in data:
        crc = (crc << 8 & 0xFF00) ^ _CRC[crc >> 8 ^ byte]
    return crc


def stuff(body: bytes) -> bytes:
    """`body` (instruction to last parameter) with FD added to every header that is in it."""
    return body.replace(b"\xff\xff\xfd", b"\xff\xff\xfd\xfd")


def unstuff(body: bytes) -> bytes:
    """The inverse of `stuff`."""
    return body.replace(b"\xff\xff\xfd\xfd", b"\xff\xff\xfd")


def _frame(servo_id: int, body: bytes) -> bytes:
    packet = HEADER + bytes((servo_id,)) + (len(body) + 2).to_bytes(2, "little") + body
    return packet + crc16(packet).to_bytes(2, "little")


def instruction_packet(servo_id: int, instruction: int, parameters: bytes = b"") -> bytes:
    """The bytes of an instruction, as a client would send them."""
    return _frame(servo_id, stuff(bytes((instruction,)) + parameters))


def status_packet(servo_id: int, error: int, parameters: bytes = b"") -> bytes:
    """The bytes of a reply."""
    return _frame(servo_id, stuff(bytes((_STATUS, error)) + parameters))


def fast_status_pieces(answers: Iterable[tuple[int, int, bytes]], expected: int) -> list[bytes]:
    """The one reply to a fast read in the pieces that the servos send, one after the other.

    Args:
        answers: (id, error, data) of every servo that answers, in the order of the request.
        expected: bytes of data that the whole request asked for and its servos, as the first one
            has to announce the length: `sum(data + 4)`.

    Every piece ends in the CRC over all bytes up to it. Nothing is stuffed.
    """
    pieces: list[bytes] = []
    crc = 0
    for servo_id, error, data in answers:
        piece = bytes((error, servo_id)) + data
        if not pieces:
            head = HEADER + bytes((BROADCAST,)) + (expected + 1).to_bytes(2, "little")
            piece = head + bytes((_STATUS,)) + piece
        crc = crc16(piece, crc)
        end = crc.to_bytes(2, "little")
        crc = crc16(end, crc)
        pieces.append(piece + end)
    return pieces


class Parser:
    """Bytes of the wire to packets, whatever the bytes are."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    @property
    def pending(self) -> int:
        """Bytes of a packet that is not complete."""
        return len(self._buffer)

    def reset(self) -> None:
        """Forget a packet that never became complete."""
        self._buffer.clear()

    def feed(self, data: bytes) -> list[Packet]:
        """Take `data` and return every packet that is complete now."""
        buffer = self._buffer
        buffer += data
        packets: list[Packet] = []
        while True:
            self._seek_header()
            if len(buffer) < 7:
                return packets
            length = buffer[5] | buffer[6] << 8
            servo_id = buffer[4]
            if length < 3 or length > MAX_LENGTH or servo_id in (0xFD, 0xFF):
                del buffer[:1]
                continue
            if len(buffer) < 7 + length:
                return packets
            end = 5 + length
            body = bytes(buffer[7:end])
            if crc16(buffer[:end]) == buffer[end] | buffer[end + 1] << 8:
                del buffer[: end + 2]
                body = unstuff(body)
                packets.append(Packet(servo_id, body[0], body[1:]))
            else:
                packets.append(Packet(servo_id, body[0], b"", intact=False))
                del buffer[:4]

    def _seek_header(self) -> None:
        buffer = self._buffer
        start = buffer.find(HEADER)
        if start > 0:
            del buffer[:start]
        elif start < 0:
            keep = next((n for n in (3, 2, 1) if buffer.endswith(HEADER[:n])), 0)
            del buffer[: len(buffer) - keep]
