"""The bus against the emulated one: every kind of transaction and of answer."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

import pytest
from bus_rig import EmulatedBus

from ik_node.dynamixel.bus import Bus, Identity
from ik_node.dynamixel.packets import Status
from ik_node.dynamixel.port import SerialPort
from ik_node.dynamixel.registers import MODELS
from ik_node.errors import NoReplyError, PacketError, ServoError

XM430 = MODELS["XM430-W350"]
IDS = (11, 12, 13)
STUFFED = b"\xff\xff\xfd\xff\xff\xfd\x00\xfd"


@pytest.fixture
def wire(lasting_bus: EmulatedBus) -> Iterator[tuple[Bus, EmulatedBus]]:
    port = SerialPort(str(lasting_bus.link), time.monotonic, slack=0.05)
    port.open(1_000_000)
    yield Bus(port), lasting_bus
    lasting_bus.clear()
    port.closePort()


def until_it_answers(bus: Bus, servo_id: int) -> None:
    deadline = time.monotonic() + 5.0
    while time.monotonic() < deadline:
        with contextlib.suppress(NoReplyError):
            bus.ping(servo_id)
            return
    pytest.fail(f"servo {servo_id} does not come back")


def test_ping_tells_model_and_firmware(wire: tuple[Bus, EmulatedBus]) -> None:
    assert wire[0].ping(11) == Identity(XM430.number, XM430.firmware)


def test_broadcast_ping_finds_everybody(wire: tuple[Bus, EmulatedBus]) -> None:
    assert set(wire[0].broadcast_ping()) == set(IDS)


def test_registers_are_read_with_their_sign(wire: tuple[Bus, EmulatedBus]) -> None:
    bus, _ = wire
    goal = XM430.register("goal_velocity")
    bus.write_register(11, goal, -100)
    assert bus.read_register(11, goal) == -100


def test_data_that_looks_like_a_header_survives_both_ways(wire: tuple[Bus, EmulatedBus]) -> None:
    """SDK fault 1: its own packets go out unstuffed."""
    bus, _ = wire
    address = XM430.indirect[0].data
    bus.write(11, address, STUFFED)
    assert bus.read(11, address, len(STUFFED)) == STUFFED
    bus.sync_write(address, dict.fromkeys(IDS, STUFFED[::-1] + STUFFED))
    for reply in bus.sync_read(address, 16, IDS).values():
        assert isinstance(reply, Status)
        assert reply.data == STUFFED[::-1] + STUFFED
    for reply in bus.fast_sync_read(address, 16, IDS).values():
        assert isinstance(reply, Status)
        assert reply.data == STUFFED[::-1] + STUFFED


def test_a_refusal_is_told_in_words(wire: tuple[Bus, EmulatedBus]) -> None:
    """SDK fault 3: it takes a value from the CRC of such a reply."""
    bus, _ = wire
    with pytest.raises(ServoError, match=r"servo 11 refused: the register is read-only") as caught:
        bus.write_register(11, XM430.register("present_position"), 1)
    assert caught.value.number == 7
    assert bus.counters.refusals == 1


def test_a_silent_servo_is_told_and_the_next_one_answers(wire: tuple[Bus, EmulatedBus]) -> None:
    bus, emulated = wire
    with pytest.raises(NoReplyError, match=r"servo 99 did not answer \(ping\)"):
        bus.ping(99)
    assert bus.ping(12).model_number == XM430.number
    emulated.fault("mute", "joint2")
    replies = bus.sync_read(132, 4, IDS)
    assert isinstance(replies[11], Status)
    assert isinstance(replies[12], NoReplyError)
    assert not any(isinstance(r, Status) for r in bus.fast_sync_read(132, 4, IDS).values())


def test_a_damaged_reply_is_told_and_a_repeated_read_gets_it(
    wire: tuple[Bus, EmulatedBus],
) -> None:
    bus, emulated = wire
    emulated.fault("corrupt_reply", "joint1", count=1)
    with pytest.raises(PacketError, match="bad reply from servo 11: damaged on the way"):
        bus.read(11, 132, 4)
    emulated.fault("corrupt_reply", "joint1", count=1)
    assert len(bus.read(11, 132, 4, retries=1)) == 4
    assert bus.counters.damaged == 2


def test_a_damaged_request_is_repeated(wire: tuple[Bus, EmulatedBus]) -> None:
    bus, emulated = wire
    emulated.fault("corrupt_request", "joint1", count=1)
    assert len(bus.read(11, 132, 4, retries=1)) == 4


def test_the_error_of_a_servo_in_alert_is_seen_in_a_group_read(
    wire: tuple[Bus, EmulatedBus],
) -> None:
    """The SDK throws the error byte of group reads away."""
    bus, emulated = wire
    emulated.fault("overload", "joint2")
    deadline = time.monotonic() + 5.0
    while time.monotonic() < deadline:
        replies = bus.sync_read(132, 4, IDS)
        if isinstance(reply := replies[12], Status) and reply.alert:
            break
    assert isinstance(reply, Status)
    assert reply.alert
    assert isinstance(replies[11], Status)
    assert not replies[11].alert
    emulated.clear()
    bus.reboot(12)
    until_it_answers(bus, 12)


def test_a_late_reply_is_not_taken_for_the_next_one(wire: tuple[Bus, EmulatedBus]) -> None:
    bus, emulated = wire
    emulated.fault("delay", "joint1", value=0.08, count=1)
    with pytest.raises(NoReplyError):
        bus.read(11, 132, 4)
    bus.drain()
    assert bus.read_register(11, XM430.register("operating_mode"), retries=0) == 3


def test_a_rebooting_servo_is_silent_until_it_is_back(wire: tuple[Bus, EmulatedBus]) -> None:
    """SDK fault 11: the reply comes before the servo is away."""
    bus, _ = wire
    bus.write_register(11, XM430.register("led"), 1)
    bus.reboot(11)
    with pytest.raises(NoReplyError):
        bus.ping(11)
    until_it_answers(bus, 11)
    assert bus.read_register(11, XM430.register("led")) == 0
