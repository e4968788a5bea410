from __future__ import annotations

import pytest
from virtual_bus import VirtualClient, make_bus

from ik_node.dynamixel.emulator.protocol import Error, Instruction
from ik_node.dynamixel.registers import MODELS

FOLLOWING, RUNNING, IN_POSITION = 0x08, 0x02, 0x01


@pytest.fixture
def client() -> VirtualClient:
    return VirtualClient(make_bus("XM430-W350"))


def run_until_profile_ends(client: VirtualClient) -> float:
    """Seconds from now until bit 1 of moving_status is 0, to 2 ms."""
    start = client.now
    while client.get(1, "moving_status") & RUNNING:
        assert client.now - start < 20.0
        client.wait(0.002 - 0.0014)
    return client.now - start


@pytest.mark.parametrize(
    ("velocity", "acceleration", "distance"), [(100, 10, 1500), (50, 5, 800), (200, 200, 2000)]
)
def test_a_velocity_profile_takes_as_long_as_the_manual_says(
    client, velocity, acceleration, distance
):
    client.must_set(1, profile_velocity=velocity, profile_acceleration=acceleration)
    client.must_set(1, torque_enable=1, goal_position=2048 - distance)
    rise = 64.0 * velocity / acceleration
    assert run_until_profile_ends(client) * 1e3 == pytest.approx(
        64.0 * distance / velocity + rise, rel=0.01, abs=4.0
    )


@pytest.mark.parametrize(("total", "ramp"), [(1000, 300), (500, 0), (2000, 1000)])
def test_a_time_based_profile_takes_its_time(client, total, ramp):
    client.must_set(1, drive_mode=4, profile_velocity=total, profile_acceleration=ramp)
    client.must_set(1, torque_enable=1, goal_position=1500)
    assert run_until_profile_ends(client) == pytest.approx(total * 1e-3, abs=0.004)
    client.wait(0.5)
    assert client.get(1, "present_position") == pytest.approx(1500, abs=1)


def test_the_velocity_of_a_profile_is_kept_and_reported(client):
    client.must_set(1, profile_velocity=60, profile_acceleration=20)
    client.must_set(1, torque_enable=1, goal_position=1000)
    client.wait(0.6)
    assert client.get(1, "velocity_trajectory") == -60
    assert client.get(1, "present_velocity") == pytest.approx(-60, abs=2)
    assert client.get(1, "moving") == 1
    assert client.get(1, "moving_status") & 0x33 == 0x30 | RUNNING
    client.wait(3.0)
    assert client.get(1, "moving") == 0
    assert client.get(1, "moving_status") == IN_POSITION
    assert client.get(1, "position_trajectory") == 1000


def test_a_new_goal_takes_over_where_the_old_one_was(client):
    client.must_set(1, profile_velocity=100, profile_acceleration=10)
    client.must_set(1, torque_enable=1, goal_position=3500)
    client.wait(0.8)
    before = client.get(1, "position_trajectory")
    client.must_set(1, goal_position=500)
    assert client.get(1, "position_trajectory") == pytest.approx(before, abs=10)
    highest = before
    for _ in range(400):
        client.wait(0.01)
        highest = max(highest, client.get(1, "position_trajectory"))
    assert highest > before + 50, "it brakes before it turns"
    assert client.get(1, "present_position") == pytest.approx(500, abs=1)


def test_without_a_profile_the_horn_goes_as_fast_as_the_motor_can(client):
    client.must_set(1, torque_enable=1, goal_position=4000)
    client.wait(0.15)
    assert client.get(1, "moving_status") & FOLLOWING
    assert client.get(1, "present_velocity") == pytest.approx(200, abs=20)
    assert client.get(1, "present_pwm") == 885
    client.wait(2.0)
    assert client.get(1, "present_position") == pytest.approx(4000, abs=1)


def test_torque_off_is_limp_and_torque_on_goes_to_the_goal_that_is_there(client):
    client.must_set(1, goal_position=2500)
    client.wait(1.0)
    assert client.get(1, "present_position") == 2048
    client.must_set(1, torque_enable=1)
    client.wait(1.0)
    assert client.get(1, "present_position") == pytest.approx(2500, abs=1)


def test_velocity_mode_keeps_the_velocity(client):
    client.must_set(1, operating_mode=1, torque_enable=1)
    client.must_set(1, profile_acceleration=20, goal_velocity=-100)
    client.wait(0.16)
    assert client.get(1, "velocity_trajectory") == pytest.approx(-50, abs=2)
    client.wait(2.0)
    assert client.get(1, "present_velocity") == pytest.approx(-100, abs=1)
    client.must_set(1, goal_velocity=0)
    client.wait(3.0)
    assert client.get(1, "present_velocity") == pytest.approx(0, abs=1)


def test_pwm_mode_runs_at_a_share_of_the_no_load_speed(client):
    client.must_set(1, operating_mode=16, torque_enable=1, goal_pwm=-442)
    client.wait(1.0)
    fastest = MODELS["XM430-W350"].motor.no_load_speed / MODELS["XM430-W350"].velocity_unit
    assert client.get(1, "present_velocity") == pytest.approx(-0.5 * fastest, rel=0.05)
    assert client.get(1, "present_pwm") == -442


def test_current_mode_pushes_with_the_current_against_a_stop():
    client = VirtualClient(make_bus("XM430-W350"))
    client.servo(1).set_stops(-0.1, 0.1)
    client.must_set(1, operating_mode=0, torque_enable=1, goal_current=200)
    client.wait(1.0)
    assert client.get(1, "present_current") == pytest.approx(200, abs=2)
    assert client.get(1, "present_velocity") == 0
    assert client.servo(1).joint_position == pytest.approx(0.1, abs=1e-6)


def test_current_based_position_stops_at_its_current():
    client = VirtualClient(make_bus("XM430-W350"))
    client.servo(1).set_stops(-1.0, 0.2)
    client.must_set(1, operating_mode=5, torque_enable=1, goal_current=150, goal_position=3000)
    client.wait(1.0)
    assert client.servo(1).joint_position == pytest.approx(0.2, abs=1e-6)
    assert client.get(1, "present_current") == pytest.approx(150, abs=2)


def test_extended_position_counts_turns_and_position_mode_forgets_them():
    client = VirtualClient(make_bus("XM430-W350"))
    client.must_set(1, operating_mode=4, torque_enable=1, goal_position=2048 + 3 * 4096)
    client.wait(8.0)
    assert client.get(1, "present_position") == pytest.approx(2048 + 3 * 4096, abs=1)
    truth = client.servo(1).joint_position
    client.must_set(1, torque_enable=0)
    client.must_set(1, operating_mode=3)
    client.must_set(1, torque_enable=1)
    assert client.get(1, "present_position") == pytest.approx(2048, abs=1)
    client.wait(1.0)
    assert client.servo(1).joint_position == pytest.approx(truth, abs=0.01)


def test_clear_forgets_turns_but_only_at_rest():
    client = VirtualClient(make_bus("XM430-W350"))
    client.must_set(1, operating_mode=4, torque_enable=1, goal_position=2048 + 4096)
    client.wait(0.3)
    assert client.one(1, Instruction.CLEAR, b"\x01DXL\x22").error == Error.RESULT_FAIL
    client.wait(3.0)
    assert client.one(1, Instruction.CLEAR, b"\x01DXL\x22").error == Error.NONE
    assert client.get(1, "present_position") == pytest.approx(2048, abs=1)
    client.wait(1.0)
    assert client.get(1, "present_position") == pytest.approx(2048, abs=1)


def test_reverse_mode_mirrors_the_servo_and_not_the_homing_offset(client):
    client.must_set(1, homing_offset=100)
    assert client.get(1, "present_position") == 2148
    client.must_set(1, drive_mode=1)
    assert client.get(1, "present_position") == 4096 - 2048 + 100
    client.must_set(1, torque_enable=1, goal_position=2348)
    client.wait(1.0)
    assert client.get(1, "present_position") == pytest.approx(2348, abs=1)
    assert client.servo(1).joint_position < -0.25, "the horn turned the other way"


def test_a_goal_can_switch_torque_on_when_the_drive_mode_says_so(client):
    client.must_set(1, goal_position=2100)
    assert client.get(1, "torque_enable") == 0
    client.must_set(1, drive_mode=8)
    client.must_set(1, goal_position=2200)
    assert client.get(1, "torque_enable") == 1


def test_a_load_makes_the_horn_droop_and_the_i_gain_lifts_it():
    client = VirtualClient(make_bus("XM430-W350", loads={"j1": 0.4}))
    client.must_set(1, torque_enable=1, goal_position=2048)
    client.wait(1.0)
    motor = MODELS["XM430-W350"].motor
    droop = 0.4 / motor.stall_torque * 885.0 / (800.0 / 128.0)
    assert client.get(1, "present_position") == pytest.approx(2048 - droop, abs=1.5)
    assert client.get(1, "present_current") * 0.00269 == pytest.approx(
        0.4 / motor.torque_constant, rel=0.06
    )
    client.must_set(1, position_i_gain=400)
    client.wait(6.0)
    assert client.get(1, "present_position") == pytest.approx(2048, abs=1)


def test_a_limp_arm_falls_until_its_stop():
    client = VirtualClient(make_bus("XM430-W350", loads={"j1": 0.4}))
    client.servo(1).set_stops(-1.0, 1.0)
    client.wait(5.0)
    assert client.servo(1).joint_position == pytest.approx(-1.0, abs=1e-6)


def test_friction_alone_holds_a_small_load():
    client = VirtualClient(make_bus("XM430-W350", loads={"j1": 0.1}, friction=0.05))
    client.wait(5.0)
    assert client.servo(1).joint_position == 0.0


def test_a_servo_without_a_current_sensor_reports_load():
    client = VirtualClient(make_bus("XL430-W250", loads={"j1": 0.3}))
    client.must_set(1, torque_enable=1)
    client.wait(1.0)
    assert client.get(1, "present_load") == pytest.approx(1000 * 0.3 / 1.5, rel=0.05)


def test_the_clock_of_the_servo_counts_milliseconds(client):
    before = client.get(1, "realtime_tick")
    client.wait(0.25)
    assert client.get(1, "realtime_tick") - before == pytest.approx(250, abs=3)


def test_the_same_time_in_many_small_or_few_large_steps_is_the_same_motion():
    positions = []
    for step in (0.002, 0.1):
        client = VirtualClient(make_bus("XM430-W350"))
        client.must_set(1, profile_velocity=100, profile_acceleration=20)
        client.must_set(1, torque_enable=1, goal_position=3000)
        for _ in range(round(0.8 / step)):
            client.wait(step)
        positions.append(client.servo(1).joint_position)
    assert positions[0] == pytest.approx(positions[1], abs=0.003)


@pytest.mark.parametrize("name", MODELS)
def test_every_model_settles_in_its_goal_with_factory_gains(name):
    client = VirtualClient(make_bus(name))
    client.must_set(1, torque_enable=1, goal_position=2600)
    highest = 0
    for _ in range(150):
        client.wait(0.01)
        highest = max(highest, client.get(1, "present_position"))
    assert highest <= 2048 + 552 * 1.25
    assert client.get(1, "present_position") == pytest.approx(2600, abs=1)
    assert client.get(1, "moving") == 0


@pytest.mark.parametrize(
    "unrelated",
    [{"led": 1}, {"velocity_i_gain": 1920}, {"goal_pwm": 885}, {"goal_velocity": 100}],
)
@pytest.mark.parametrize("drive_mode", [0, 4])
def test_the_ramp_of_a_velocity_goes_on_whatever_else_is_written(drive_mode, unrelated):
    shown = []
    for writes in ({}, unrelated):
        client = VirtualClient(make_bus("XM430-W350"))
        client.must_set(1, operating_mode=1, drive_mode=drive_mode, torque_enable=1)
        client.must_set(1, profile_acceleration=1000 if drive_mode else 6, goal_velocity=100)
        start = client.now
        seen = []
        for tick in range(1, 12):
            client.must_set(1, **writes)
            client.wait(start + 0.1 * tick - client.now)
            seen.append(client.servo(1).drive.velocity_reference)
        shown.append(seen)
    assert shown[0] == pytest.approx(shown[1], abs=2.0)
    assert shown[0][4] < 0.55 * shown[0][-1]
    assert client.get(1, "velocity_trajectory") == 100
    client.must_set(1, goal_velocity=0)
    client.wait(0.5)
    assert 40 < client.get(1, "velocity_trajectory") < 60, "a new goal has a ramp of its own"
