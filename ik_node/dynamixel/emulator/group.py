"""What instructions to many servos say to each of them."""

from __future__ import annotations

from dataclasses import dataclass


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
