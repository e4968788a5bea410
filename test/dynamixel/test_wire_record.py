"""A bad wire is told in words, with what fails and the remedy; a stray failure is not."""

from __future__ import annotations

import pytest

from ik_node.dynamixel.counters import Counters
from ik_node.dynamixel.wire_record import FEW, KINDS, WINDOW, WireRecord


def test_a_good_wire_is_nothing_to_tell() -> None:
    counters = Counters()
    record = WireRecord(counters)
    for second in range(20):
        counters.transactions += 1000
        counters.silences += 1
        assert record.trouble("/dev/ttyUSB0", float(second)) is None


@pytest.mark.parametrize(("kind", "words"), KINDS.items())
def test_every_kind_of_trouble_has_its_words_until_it_has_been_over_for_a_while(
    kind: str, words: str
) -> None:
    counters = Counters()
    record = WireRecord(counters)
    record.trouble("/dev/ttyUSB0", 0.0)
    counters.transactions += 100
    setattr(counters, kind, FEW + 1)
    told = record.trouble("/dev/ttyUSB0", 1.0)
    assert told == (
        f"of the last 100 exchanges on /dev/ttyUSB0: {FEW + 1} {words}; "
        "check cables, connectors and supply"
    )
    assert record.trouble("/dev/ttyUSB0", WINDOW) is not None
    assert record.trouble("/dev/ttyUSB0", 1.0 + WINDOW) is None
