"""The bus against the emulated one: every kind of transaction and of answer."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
from bus_rig import THREE, flat_servos
from hypothesis import given, settings
from hypothesis import strategies as st
from virtual_rig import VirtualBus, VirtualPort

from ik_node.dynamixel.bus import Bus, Identity
from ik_node.dynamixel.emulator.protocol import status_packet
from ik_node.dynamixel.packet import Leave
from ik_node.dynamixel.packets import Status
from ik_node.dynamixel.registers import MODELS
from ik_node.dynamixel.servos_yaml import bus_config_from_parameters
from ik_node.errors import BusError, NoReplyError, PacketError, ServoError

XM430 = MODELS["XM430-W350"]
IDS = (11, 12, 13)
STUFFED = b"\xff\xff\xfd\xff\xff\xfd\x00\xfd"


@pytest.fixture
def wire() -> tuple[Bus, VirtualBus]:
    servos = {"port": "/dev/virtual", **flat_servos(THREE)}
    emulated = VirtualBus(bus_config_from_parameters(servos))
    port = VirtualPort(emulated, "/dev/virtual", slack=0.05)
    port.open(1_000_000)
    return Bus(port), emulated


def until_it_answers(bus: Bus, servo_id: int) -> None:
    deadline = bus.port.clock() + 5.0
    while bus.port.clock() < deadline:
        with contextlib.suppress(NoReplyError):
            bus.ping(servo_id)
            return
    pytest.fail(f"servo {servo_id} does not come back")


def test_ping_tells_model_and_firmware(wire: tuple[Bus, VirtualBus]) -> None:
    assert wire[0].ping(11) == Identity(XM430.number, XM430.firmware)


def test_broadcast_ping_finds_everybody(wire: tuple[Bus, VirtualBus]) -> None:
    assert set(wire[0].broadcast_ping()) == set(IDS)


def test_registers_are_read_with_their_sign(wire: tuple[Bus, VirtualBus]) -> None:
    bus, _ = wire
    goal = XM430.register("goal_velocity")
    bus.write_register(11, goal, -100)
    assert bus.read_register(11, goal) == -100


def test_data_that_looks_like_a_header_survives_both_ways(wire: tuple[Bus, VirtualBus]) -> None:
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


def test_a_refusal_is_told_in_words(wire: tuple[Bus, VirtualBus]) -> None:
    """SDK fault 3: it takes a value from the CRC of such a reply."""
    bus, _ = wire
    with pytest.raises(ServoError, match=r"servo 11 refused: the register is read-only") as caught:
        bus.write_register(11, XM430.register("present_position"), 1)
    assert caught.value.number == 7
    assert bus.counters.refusals == 1


def test_a_silent_servo_is_told_and_the_next_one_answers(wire: tuple[Bus, VirtualBus]) -> None:
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
    wire: tuple[Bus, VirtualBus],
) -> None:
    bus, emulated = wire
    emulated.fault("corrupt_reply", "joint1", count=1)
    with pytest.raises(PacketError, match="bad reply from servo 11: damaged on the way"):
        bus.read(11, 132, 4)
    emulated.fault("corrupt_reply", "joint1", count=1)
    assert len(bus.read(11, 132, 4, retries=1)) == 4
    assert bus.counters.damaged == 2


def test_a_damaged_request_is_repeated(wire: tuple[Bus, VirtualBus]) -> None:
    bus, emulated = wire
    emulated.fault("corrupt_request", "joint1", count=1)
    assert len(bus.read(11, 132, 4, retries=1)) == 4


def test_the_error_of_a_servo_in_alert_is_seen_in_a_group_read(
    wire: tuple[Bus, VirtualBus],
) -> None:
    """The SDK throws the error byte of group reads away."""
    bus, emulated = wire
    emulated.fault("overload", "joint2")
    deadline = bus.port.clock() + 5.0
    while bus.port.clock() < deadline:
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


def test_a_late_reply_is_not_taken_for_the_next_one(wire: tuple[Bus, VirtualBus]) -> None:
    bus, emulated = wire
    emulated.fault("delay", "joint1", value=0.08, count=1)
    with pytest.raises(NoReplyError):
        bus.read(11, 132, 4)
    bus.drain()
    assert bus.read_register(11, XM430.register("operating_mode"), retries=0) == 3


@pytest.mark.parametrize("noise", [0, 5])
def test_a_late_reply_before_a_fast_one_is_counted_as_late(
    wire: tuple[Bus, VirtualBus], noise: int
) -> None:
    bus, emulated = wire
    emulated.fault("delay", "joint1", value=0.08, count=1)
    with pytest.raises(NoReplyError):
        bus.read(11, 132, 4)
    if noise:
        emulated.fault("noise", "joint1", value=noise, count=1)
    replies = bus.fast_sync_read(132, 4, IDS)
    assert [type(replies[servo_id]) for servo_id in IDS] == [Status] * 3
    assert (bus.counters.late, bus.counters.noise) == (1, noise)
    assert bus.counters.damaged == 0


def test_a_rebooting_servo_is_silent_until_it_is_back(wire: tuple[Bus, VirtualBus]) -> None:
    """SDK fault 11: the reply comes before the servo is away."""
    bus, _ = wire
    bus.write_register(11, XM430.register("led"), 1)
    bus.reboot(11)
    with pytest.raises(NoReplyError):
        bus.ping(11)
    until_it_answers(bus, 11)
    assert bus.read_register(11, XM430.register("led")) == 0


def test_a_reply_that_comes_twice_is_counted_and_never_taken_for_the_next_one(
    wire: tuple[Bus, VirtualBus],
) -> None:
    bus, emulated = wire
    emulated.fault("duplicate")
    mode, led = XM430.register("operating_mode"), XM430.register("led")
    for _ in range(3):
        assert bus.read_register(11, mode, retries=0) == 3
        assert bus.read_register(11, led, retries=0) == 0
        assert all(isinstance(r, Status) for r in bus.sync_read(132, 4, IDS).values())
    assert bus.counters.duplicates >= 6 + 3 * len(IDS) - 1
    assert bus.counters.late == bus.counters.noise == 0


def test_noise_before_a_reply_is_counted_and_does_no_harm(wire: tuple[Bus, VirtualBus]) -> None:
    bus, emulated = wire
    emulated.fault("noise", value=5)
    for _ in range(20):
        assert bus.read_register(11, XM430.register("operating_mode"), retries=0) == 3
    assert bus.counters.noise >= 20 * 5


GOAL = XM430.register("goal_position")
READS: dict[str, Callable[[Bus], object]] = {
    "of one": lambda bus: bus.read(11, 132, 4),
    "of all": lambda bus: bus.sync_read(132, 4, IDS),
    "of all, fast": lambda bus: bus.fast_sync_read(132, 4, IDS),
}


@pytest.mark.parametrize("fault", ["", "drop_reply", "noise"])
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_write_behind_the_next_reply_leaves_when_that_is_in_or_overdue(
    wire: tuple[Bus, VirtualBus], read: Callable[[Bus], object], fault: str
) -> None:
    bus, emulated = wire
    before = bus.read_register(11, GOAL)
    bus.sync_write(GOAL.address, dict.fromkeys(IDS, GOAL.encode(1900)), Leave.BEHIND_NEXT)
    bus.port.clock.wait_until(1.0)
    assert emulated.wire.servo("joint1").memory.get("goal_position") == before
    if fault:
        emulated.fault(fault)
    with contextlib.suppress(BusError):
        read(bus)
    emulated.clear()
    assert [bus.read_register(servo_id, GOAL) for servo_id in IDS] == [1900] * 3


def test_a_write_goes_with_the_next_packet_or_is_forgotten(wire: tuple[Bus, VirtualBus]) -> None:
    bus, _ = wire
    for leave in (Leave.WITH_NEXT, Leave.BEHIND_NEXT):
        bus.sync_write(GOAL.address, {11: GOAL.encode(1900)}, leave)
        bus.forget_unsent()
    bus.ping(11)
    assert bus.read_register(11, GOAL) != 1900
    bus.sync_write(GOAL.address, {11: GOAL.encode(1900)}, Leave.WITH_NEXT)
    assert bus.read_register(11, GOAL) == 1900


class NoisyPort(VirtualPort):
    """A port that brings what it is given, whatever is asked."""

    brings = b""

    def read_available(self, size: int = 4096) -> bytes:
        data, self.brings = self.brings, b""
        if not data:
            self.clock.wait_until(self._deadline + 1e-9)  # type: ignore[attr-defined]
        return data


def noisy_bus() -> tuple[Bus, NoisyPort]:
    servos = {"port": "/dev/virtual", "servos.joint1.id": 11, "servos.joint1.model": "XM430-W350"}
    port = NoisyPort(VirtualBus(bus_config_from_parameters(servos)), "/dev/virtual")
    port.open(1_000_000)
    return Bus(port), port


NOISY = noisy_bus()

STATUSES = st.builds(
    status_packet, st.sampled_from([11, 12, 13, 99]), st.integers(0, 255), st.binary(max_size=6)
)
NOISE = st.lists(STATUSES | st.binary(max_size=12), max_size=4).map(b"".join)


@settings(max_examples=150)
@given(NOISE)
def test_whatever_comes_only_a_whole_reply_of_the_servo_asked_is_taken(noise: bytes) -> None:
    bus, port = NOISY
    port.brings = noise
    try:
        data = bus.read(12, 132, 4)
    except BusError:
        return
    assert any(status_packet(12, error, data) in noise for error in (0, 128))


@settings(max_examples=150)
@given(NOISE, st.booleans())
def test_whatever_comes_a_group_read_takes_only_whole_replies_of_those_asked(
    noise: bytes, fast: bool
) -> None:
    bus, port = NOISY
    port.brings = noise
    replies = (bus.fast_sync_read if fast else bus.sync_read)(132, 4, IDS)
    assert set(replies) == set(IDS)
    for servo_id, reply in replies.items():
        if isinstance(reply, Status):
            assert not fast
            assert status_packet(servo_id, reply.error, reply.data) in noise
