"""What instructions to many servos say to each of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ik_node.dynamixel.emulator.protocol import BROADCAST, Instruction, Packet

_EVERYONE = range(256)


@dataclass(frozen=True)
class Asked:
    """One servo's part of a read from many: its ID and the span."""

    id: int
    address: int
    length: int


def _word(data: bytes, at: int) -> int:
    return data[at] | data[at + 1] << 8


def sync_spans(data: bytes) -> list[Asked]:
    """What a sync read asks of each servo."""
    if len(data) < 5:
        return []
    address, length = _word(data, 0), _word(data, 2)
    return [Asked(servo_id, address, length) for servo_id in data[4:]]


def bulk_spans(data: bytes) -> list[Asked]:
    """What a bulk read asks of each servo."""
    parts = (data[at : at + 5] for at in range(0, len(data) - 4, 5))
    return [Asked(part[0], _word(part, 1), _word(part, 3)) for part in parts]


def sync_values(data: bytes) -> dict[int, tuple[int, bytes]]:
    """Address and data by servo of a sync write."""
    if len(data) < 4:
        return {}
    address, length = _word(data, 0), _word(data, 2)
    step = length + 1
    starts = range(4, len(data) - length, step)
    return {data[at]: (address, data[at + 1 : at + step]) for at in starts}


def bulk_values(data: bytes) -> dict[int, tuple[int, bytes]]:
    """Address and data by servo of a bulk write."""
    values = {}
    at = 0
    while at + 5 <= len(data):
        length = _word(data, at + 3)
        values[data[at]] = (_word(data, at + 1), data[at + 5 : at + 5 + length])
        at += 5 + length
    return values


def recipients(packet: Packet) -> Collection[int]:
    """IDs of the servos that an instruction is meant for."""
    instruction, data = packet.instruction, packet.parameters
    if packet.id != BROADCAST:
        return (packet.id,)
    if instruction in (Instruction.SYNC_READ, Instruction.FAST_SYNC_READ):
        return data[4:]
    if instruction in (Instruction.BULK_READ, Instruction.FAST_BULK_READ):
        return [span.id for span in bulk_spans(data)]
    if instruction == Instruction.SYNC_WRITE:
        return sync_values(data)
    if instruction == Instruction.BULK_WRITE:
        return bulk_values(data)
    return _EVERYONE
