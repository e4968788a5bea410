"""A fault does all that was asked for, or is refused with a sentence."""

from __future__ import annotations

import pytest
from virtual_bus import VirtualClient, make_bus

from ik_node.dynamixel.emulator.fault_request import fault_from
from ik_node.dynamixel.emulator.faults import KINDS
from ik_node.dynamixel.emulator.protocol import Instruction
from ik_node.errors import ConfigurationError

POSITION = b"\x84\x00\x04\x00"
FOR_OTHERS = [
    (1, Instruction.PING, b""),
    (1, Instruction.READ, POSITION),
    (1, Instruction.WRITE, b"\x41\x00\x01"),
    (0xFE, Instruction.SYNC_READ, POSITION + b"\x01\x02"),
    (0xFE, Instruction.FAST_SYNC_READ, POSITION + b"\x01\x02"),
    (0xFE, Instruction.BULK_READ, b"\x01" + POSITION + b"\x02" + POSITION),
    (0xFE, Instruction.FAST_BULK_READ, b"\x01" + POSITION),
    (0xFE, Instruction.SYNC_WRITE, b"\x41\x00\x01\x00\x01\x01"),
    (0xFE, Instruction.BULK_WRITE, b"\x01\x41\x00\x01\x00\x01"),
]
FOR_IT = [
    (3, Instruction.PING, b""),
    (50, Instruction.WRITE, b"\x41\x00\x01"),
    (0xFE, Instruction.PING, b""),
    (0xFE, Instruction.ACTION, b""),
    (0xFE, Instruction.SYNC_READ, POSITION + b"\x01\x03"),
    (0xFE, Instruction.BULK_READ, b"\x01" + POSITION + b"\x03" + POSITION),
    (0xFE, Instruction.SYNC_WRITE, b"\x41\x00\x01\x00\x32\x01"),
    (0xFE, Instruction.BULK_WRITE, b"\x03\x41\x00\x01\x00\x01"),
]


def strikes(kind: str, packet: tuple[int, int, bytes]) -> int:
    """How often a fault of servo 3, which is also 50, strikes at an instruction."""
    client = VirtualClient(make_bus("XM430-W350", "XM430-W350", "XM430-W350"))
    client.must_set(3, secondary_id=50)
    client.inject(kind, "j3", remaining=1)
    client.send(*packet)
    client.wait(0.01)
    (fault,) = client.bus.faults
    return fault.struck


@pytest.mark.parametrize("kind", ["drop_request", "corrupt_request"])
@pytest.mark.parametrize("packet", FOR_OTHERS)
def test_a_request_for_other_servos_does_not_use_a_fault_up(kind, packet):
    assert strikes(kind, packet) == 0


@pytest.mark.parametrize("kind", ["drop_request", "corrupt_request"])
@pytest.mark.parametrize("packet", FOR_IT)
def test_a_request_for_the_servo_meets_its_fault_once(kind, packet):
    assert strikes(kind, packet) == 1


STATES = [kind for kind in KINDS if not KINDS[kind].wire]


def request(kind: str, **options: float) -> dict[str, object]:
    """A fault of `kind` on a servo, unless it is one of the bus."""
    return {"kind": kind, "servo": None if KINDS[kind].of_the_bus else "j1", **options}


@pytest.mark.parametrize("kind", STATES)
@pytest.mark.parametrize("chance", [{"count": 1}, {"probability": 0.5}])
def test_a_state_takes_no_chance(kind, chance):
    with pytest.raises(ConfigurationError, match="leave them out"):
        fault_from(request(kind, **chance), 0.0)


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.of_the_bus])
def test_a_fault_of_the_whole_bus_takes_no_servo(kind):
    with pytest.raises(ConfigurationError, match="leave the servo out"):
        fault_from({"kind": kind, "servo": "j1"}, 0.0)


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if not kind.value])
def test_a_value_that_means_nothing_is_refused(kind):
    with pytest.raises(ConfigurationError, match="takes no value; leave it out"):
        fault_from(request(kind, value=1.0), 0.0)


@pytest.mark.parametrize("kind", ["same_id", "wrong_baud", "noise"])
def test_a_value_that_counts_something_is_a_whole_number(kind):
    with pytest.raises(ConfigurationError, match="give a whole number"):
        fault_from({"kind": kind, "servo": "j1", "value": 1.5}, 0.0)


def test_a_supply_may_break_down_to_nothing():
    client = VirtualClient(make_bus("XM430-W350"))
    client.inject("voltage_sag", value=0.0)
    client.wait(0.2)
    assert client.get(1, "present_input_voltage") == 0


def test_a_reboot_has_no_duration():
    with pytest.raises(ConfigurationError, match="leave duration out"):
        fault_from({"kind": "reboot", "servo": "j1", "duration": 5}, 0.0)


def test_a_replug_lasts_as_long_as_its_value_says():
    with pytest.raises(ConfigurationError, match="give value"):
        fault_from({"kind": "replug", "duration": 5}, 0.0)
