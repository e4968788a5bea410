"""Whatever is commanded, goals stay bounded in place and in speed, and derive from a good read."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from ik_node.dynamixel.block import RawState, SlowState
from ik_node.dynamixel.commands import Commands
from ik_node.dynamixel.config import BusConfig, ServoConfig
from ik_node.dynamixel.servo import Servo, Stage

SPEED, APPROACH, LIMIT = 2.0, 0.5, 1.2
START = {"joint1": 2048, "joint2": 2300}

wild = st.floats(allow_nan=True, allow_infinity=True) | st.floats(-2.0, 2.0)
commands = st.dictionaries(st.sampled_from(["joint1", "joint2", "nobody"]), wild)
cycles = st.lists(st.tuples(commands, st.floats(0.0, 0.5)), max_size=60)


def made() -> tuple[Commands, list[Servo], list[str]]:
    """Commands for two servos in service at `START`, and what is said."""
    config = BusConfig(
        "/dev/x",
        tuple(
            ServoConfig(joint, number, "XM430-W350", max_velocity=SPEED, lower=-LIMIT, upper=LIMIT)
            for number, joint in enumerate(START, start=1)
        ),
        approach_speed=APPROACH,
    )
    servos = [Servo(servo) for servo in config.servos]
    for servo in servos:
        ticks = START[servo.joint]
        servo.trust(RawState(ticks, 0, 0, 0, 1, SlowState(10, 120, 25, ticks)), 0.0)
        servo.set_goal(ticks)
        servo.set_stage(Stage.READY)
    said: list[str] = []
    return Commands(config, servos, lambda key, sentence: said.append(sentence)), servos, said


@settings(max_examples=150)
@given(cycles)
def test_no_sequence_of_commands_makes_a_goal_jump_or_leave_the_limits(
    sequence: list[tuple[dict[str, float], float]],
) -> None:
    judge, servos, _ = made()
    now = 0.0
    for goals, dt in sequence:
        now += dt
        judge.accept(goals, now)
        before = {servo: servo.goal for servo in servos}
        for servo, goal in judge.advance(now, dt).items():
            held = before[servo]
            assert held is not None
            assert math.isfinite(goal)
            assert abs(goal - held) <= SPEED * min(dt, 2.0 / 100.0) + 1e-12
            assert -LIMIT <= goal <= LIMIT
            servo.set_goal(servo.map.ticks(goal), goal)


@settings(max_examples=20)
@given(st.floats(-1.0, 1.0))
def test_a_command_kept_up_is_reached_exactly(target: float) -> None:
    judge, servos, _ = made()
    for i in range(1000):
        judge.accept({"joint1": target}, 0.01 * i)
        for servo, goal in judge.advance(0.01 * i, 0.01).items():
            servo.set_goal(servo.map.ticks(goal), goal)
    assert servos[0].goal == target
    assert servos[1].goal == servos[1].map.position(START["joint2"])


def test_a_goal_starts_where_the_servo_was_read_and_not_at_the_command() -> None:
    judge, servos, _ = made()
    judge.accept({"joint2": -1.0}, 0.0)
    goal = judge.advance(0.0, 0.01)[servos[1]]
    assert abs(goal - servos[1].map.position(START["joint2"])) <= APPROACH * 0.01 + 1e-12


def test_a_command_ends_when_its_servo_leaves_service() -> None:
    judge, servos, said = made()
    judge.accept({"joint1": 1.0, "joint2": 1.0}, 0.0)
    servos[0].set_stage(Stage.FAULT, "overload")
    assert set(judge.advance(0.0, 0.01)) == {servos[1]}
    judge.accept({"joint1": 1.0}, 0.01)
    assert said == ["command for joint1 refused: it has a fault (overload)"]


def test_one_joint_s_commands_time_out_without_the_other_s() -> None:
    judge, servos, _ = made()
    judge.accept({"joint1": 1.0}, 0.0)
    for i in range(1, 60):
        judge.accept({"joint2": 0.3}, 0.01 * i)
        goals = judge.advance(0.01 * i, 0.01)
    assert set(goals) == {servos[1]}
