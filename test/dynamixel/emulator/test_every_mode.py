"""What holds in whatever mode a servo operates."""

from __future__ import annotations

import pytest
from virtual_bus import VirtualClient, make_bus

from ik_node.dynamixel.emulator.protocol import Error, Instruction

GOALS = {
    0: {"goal_current": 300},
    1: {"goal_velocity": 100},
    3: {"goal_position": 4000},
    4: {"goal_position": 30000},
    5: {"goal_position": 30000},
    16: {"goal_pwm": 400},
}
"""Operating mode to a goal that keeps the horn turning for a while."""


def turning(mode: int, **registers: int) -> VirtualClient:
    """A client whose servo 1 turns in `mode`."""
    client = VirtualClient(make_bus("XM430-W350"))
    client.must_set(1, operating_mode=mode, **registers)
    client.must_set(1, torque_enable=1, **GOALS[mode])
    return client


def speed(client: VirtualClient) -> int:
    return abs(client.get(1, "present_velocity"))


@pytest.mark.parametrize("mode", GOALS)
def test_a_tripped_watchdog_stops_the_horn_until_it_is_cleared_and_told_to_move(mode):
    client = turning(mode)
    client.wait(0.1)
    assert speed(client) > 10
    client.must_set(1, bus_watchdog=3)
    client.wait(0.5)
    assert client.get(1, "bus_watchdog") == -1
    assert speed(client) == 0
    stopped = client.servo(1).joint_position
    client.must_set(1, led=1)
    client.wait(1.0)
    client.must_set(1, bus_watchdog=0)
    client.wait(1.0)
    assert client.servo(1).joint_position == pytest.approx(stopped, abs=0.01)
    client.must_set(1, **{name: value // 2 for name, value in GOALS[mode].items()})
    client.wait(0.1)
    assert speed(client) > 10


@pytest.mark.parametrize("mode", GOALS)
def test_no_goal_moves_a_servo_that_has_shut_down(mode):
    client = VirtualClient(make_bus("XM430-W350"))
    client.must_set(1, operating_mode=mode, drive_mode=8)
    client.inject("overload", "j1")
    client.wait(0.1)
    before = client.servo(1).joint_position
    for _ in range(20):
        for name, value in GOALS[mode].items():
            assert client.set(1, name, value) & 0x7F == Error.NONE
        client.wait(0.02)
        assert client.get(1, "torque_enable") == 0
    assert client.servo(1).joint_position == before


OFFSETS = [0, 500, -500, 1024, -1024]


def forget_turns(client: VirtualClient) -> None:
    assert client.one(1, Instruction.CLEAR, b"\x01DXL\x22").error == Error.NONE


@pytest.mark.parametrize("offset", [*OFFSETS, 3000, -40_000])
@pytest.mark.parametrize("mode", [4, 5])
def test_after_turns_are_forgotten_torque_on_moves_nothing(mode, offset):
    client = VirtualClient(make_bus("XM430-W350"))
    client.must_set(1, operating_mode=mode, homing_offset=offset)
    client.must_set(1, torque_enable=1, goal_position=9000 + offset)
    client.wait(4.0)
    forget_turns(client)
    assert client.get(1, "present_position") == pytest.approx(9000 % 4096 + offset, abs=3)
    stood = client.servo(1).joint_position
    client.must_set(1, torque_enable=0)
    client.must_set(1, torque_enable=1)
    client.wait(1.0)
    assert client.servo(1).joint_position == pytest.approx(stood, abs=0.01)


@pytest.mark.parametrize("offset", [*OFFSETS, 1025, -1025, 3000, 1_044_479, -1_044_479])
@pytest.mark.parametrize("mode", GOALS)
def test_position_mode_ignores_a_homing_offset_that_it_has_no_room_for(mode, offset):
    client = VirtualClient(make_bus("XM430-W350"))
    client.must_set(1, homing_offset=offset, operating_mode=mode)
    counts = 0 if mode == 3 and abs(offset) > 1024 else offset
    assert client.get(1, "homing_offset") == offset
    assert client.get(1, "present_position") == 2048 + counts
    client.one(1, Instruction.REBOOT)
    client.wait(0.4)
    assert client.get(1, "goal_position") == client.get(1, "present_position") == 2048 + counts


@pytest.mark.parametrize("offset", [*OFFSETS, 3000])
def test_a_goal_is_reached_as_it_is_reported_whatever_the_homing_offset(offset):
    client = VirtualClient(make_bus("XM430-W350"))
    client.must_set(1, homing_offset=offset, torque_enable=1, goal_position=2100)
    client.wait(1.0)
    assert client.get(1, "present_position") == pytest.approx(2100, abs=1)
    assert client.get(1, "position_trajectory") == 2100


@pytest.mark.parametrize("mode", GOALS)
def test_a_tripped_watchdog_is_cleared_by_zero_alone(mode):
    client = turning(mode, bus_watchdog=3)
    client.wait(0.2)
    for value in (1, 3, 7, 127):
        assert client.set(1, "bus_watchdog", value) == Error.DATA_RANGE
        assert client.get(1, "bus_watchdog") == -1
        for name, goal in GOALS[mode].items():
            assert client.set(1, name, goal) == Error.DATA_RANGE
    client.must_set(1, bus_watchdog=0)
    client.must_set(1, bus_watchdog=7, **GOALS[mode])
