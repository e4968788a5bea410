"""What went wrong on the bus, counted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Counters:
    """Totals since the bus was made.

    `late` counts replies that nobody waited for any more, `damaged` broken ones, `garbled`
    instructions that a servo got broken, `duplicates` replies that came again, `noise` bytes that
    belonged to no reply; `refusals` are a servo's considered answer.
    """

    transactions: int = 0
    silences: int = 0
    late: int = 0
    damaged: int = 0
    garbled: int = 0
    duplicates: int = 0
    noise: int = 0
    refusals: int = 0
