"""Every code is reached, with a sentence and its numbers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from control.interruptions import tune
from control.simulation import Simulation, at, fixed_arm, moved
from hypothesis import given, settings
from hypothesis import strategies as st

from ik_node.control import PoseTracker, StatusCode, TrackerConfig, TwistTarget
from ik_node.datatypes import Severity
from ik_node.errors import SizeError


def test_nothing_is_sent_before_a_complete_joint_state_has_come() -> None:
    tracker = PoseTracker(fixed_arm("omx"))
    target = at(0.2, 0.0, 0.2)
    out = tracker.step(None, target, 0.0, 0.01, missing=("joint4",))
    assert out.q_command is None
    assert out.status.code is StatusCode.WAITING_FOR_STATE
    assert "joint4" in out.status.sentence
    out = tracker.step([0.0, math.nan, 0.0, 0.0], target, 0.01, 0.01)
    assert out.q_command is None


def test_the_first_command_is_the_measured_state_whatever_is_asked() -> None:
    tracker = PoseTracker(fixed_arm("omx"))
    q = np.array([0.1, 0.2, 0.3, 0.4])
    out = tracker.step(q, at(0.2, 0.1, 0.1), 5.0, 0.01, qd_measured=[0.5, 0.0, 0.0, 0.0])
    assert out.q_command is not None
    np.testing.assert_array_equal(out.q_command, q)


def test_a_state_of_the_wrong_size_is_a_mistake() -> None:
    with pytest.raises(SizeError, match="joint1, joint2"):
        PoseTracker(fixed_arm("omx")).step([0.0, 0.0], None, 0.0, 0.01)


def test_without_a_target_the_arm_holds() -> None:
    simulation = Simulation.ready("wx200")
    before = simulation.q.copy()
    out = simulation.run(None, 0.3)
    assert out.status.code is StatusCode.HOLDING
    np.testing.assert_array_equal(simulation.q, before)


def test_tracking_becomes_reached_and_settled() -> None:
    simulation = Simulation.ready("wx200")
    target = moved(simulation.tool, [-0.03, 0.02, 0.01])
    simulation.run(target, 0.1)
    assert StatusCode.TRACKING in simulation.last.status.codes
    assert not simulation.last.status.settled
    out = simulation.run_to_rest(target)
    assert StatusCode.REACHED in out.status.codes
    assert out.status.settled
    assert out.status.distance < 1e-5


def test_settled_is_about_the_measured_tool() -> None:
    simulation = Simulation.ready("wx200")
    target = moved(simulation.tool, [-0.03, 0.02, 0.01])
    simulation.run_to_rest(target)
    hanging = simulation.q + 0.05
    out = simulation.tracker.step(hanging, target, simulation.now + 0.01, 0.01)
    assert StatusCode.REACHED in out.status.codes
    assert not out.status.settled


INVALID = [
    np.full((4, 4), np.nan),
    np.zeros((4, 4)),
    np.diag([1.0, 1.0, -1.0, 1.0]),
    [1.0, 2.0],
    np.eye(3),
    [math.inf, 0.0, 0.0],
    "over there",
    at(1e9, 0.0, 0.0),
    TwistTarget([math.nan, 0.0, 0.0]),
    TwistTarget([0.0, 0.0]),
    TwistTarget([0.0, 1e7, 0.0]),
    {"x": 1.0},
]


@pytest.mark.parametrize("target", INVALID, ids=lambda t: type(t).__name__)
def test_a_bad_target_is_named_and_moves_nothing(target: object) -> None:
    simulation = Simulation.ready("wx200")
    simulation.run(None, 0.05)
    before = simulation.q.copy()
    out = simulation.run(target, 0.2)
    assert out.status.code is StatusCode.INVALID_TARGET
    assert len(out.status.sentence) > 20
    np.testing.assert_array_equal(simulation.q, before)
    good = moved(simulation.tool, [-0.02, 0.0, 0.0])
    assert StatusCode.REACHED in simulation.run_to_rest(good).status.codes


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=16, max_size=16))
def test_no_numbers_make_it_raise(numbers: list[float]) -> None:
    simulation = Simulation.ready("planar_2r")
    simulation.run(np.reshape(numbers, (4, 4)), 0.03)
    simulation.run(numbers[:3], 0.03)
    simulation.run(TwistTarget(numbers[:3], numbers[3:6]), 0.03)


def test_the_newest_input_of_any_kind_cancels_the_others() -> None:
    simulation = Simulation.ready("wx200")
    simulation.run(moved(simulation.tool, [-0.1, 0.0, 0.0]), 0.2)
    simulation.run(TwistTarget([0.0, 0.0, 0.1]), 0.1)
    assert simulation.last.goal_pose is None
    out = simulation.run(None, 0.5)
    assert out.status.code is StatusCode.HOLDING
    assert np.all(out.dq == 0.0)


def test_hold_stops_and_the_old_target_asks_no_more_but_the_same_anew_does() -> None:
    simulation = Simulation.ready("wx200")
    target = moved(simulation.tool, [-0.1, 0.0, 0.0])
    simulation.run(target, 0.2)
    simulation.tracker.hold()
    out = simulation.run(target, 0.5)
    assert out.status.code is StatusCode.HOLDING
    assert np.all(out.dq == 0.0)
    assert StatusCode.REACHED in simulation.run_to_rest(target.copy()).status.codes


def test_paused_slows_down_then_sends_nothing_and_resumes_from_where_the_arm_is() -> None:
    simulation = Simulation.ready("wx200")
    target = moved(simulation.tool, [-0.1, 0.0, 0.0])
    simulation.run(target, 0.2)
    simulation.tracker.enable(False)
    out = simulation.run(target, 0.5)
    assert out.status.code is StatusCode.PAUSED
    assert out.q_command is None
    simulation.q = simulation.q + 0.4
    simulation.v[:] = 0.0
    simulation.tracker.enable(True)
    out = simulation.tick(target)
    np.testing.assert_array_equal(out.q_command, simulation.q)
    assert StatusCode.REACHED in simulation.run_to_rest(target).status.codes


def test_droop_during_a_pause_does_not_pull_the_command_down() -> None:
    simulation = Simulation.ready("wx200")
    simulation.run(None, 0.1)
    command = simulation.q.copy()
    simulation.tracker.enable(False)
    simulation.run(None, 0.1)
    simulation.tracker.enable(True)
    out = simulation.tracker.step(command - 0.05, None, simulation.now + 0.01, 0.01)
    np.testing.assert_array_equal(out.q_command, command)


def test_a_fault_of_the_driver_sends_nothing_until_it_is_over() -> None:
    simulation = Simulation.ready("wx200")
    target = moved(simulation.tool, [-0.1, 0.0, 0.0])
    simulation.run(target, 0.2)
    simulation.tracker.fault("servo 12 is overloaded")
    out = simulation.tick(target)
    assert out.status.code is StatusCode.FAULT
    assert out.status.severity is Severity.ERROR
    assert out.status.sentence == "servo 12 is overloaded"
    assert out.q_command is None
    simulation.tracker.fault(None)
    simulation.v[:] = 0.0
    assert StatusCode.REACHED in simulation.run_to_rest(target).status.codes


def test_a_stale_state_slows_the_arm_down_to_a_hold_and_names_the_joint() -> None:
    simulation = Simulation.ready("omx")
    target = moved(simulation.tool, [-0.1, 0.0, 0.0])
    simulation.run(target, 0.2)
    command = simulation.q.copy()
    for _ in range(100):
        simulation.now += 0.01
        stamps = [simulation.now, simulation.now, 0.0, simulation.now]
        out = simulation.tracker.step(
            command, target, simulation.now + 1.0, 0.01, state_stamps=stamps
        )
        assert out.q_command is not None
    assert out.status.code is StatusCode.STALE_STATE
    assert "joint1, joint2, joint3, joint4" in out.status.sentence
    assert np.all(out.dq == 0.0)


def test_an_arm_that_does_not_follow_stops_the_wind_up() -> None:
    simulation = Simulation.ready("omx")
    stuck = simulation.q.copy()
    target = moved(simulation.tool, [-0.1, 0.15, 0.0])
    out = None
    for _ in range(600):
        simulation.now += 0.01
        out = simulation.tracker.step(stuck, target, simulation.now, 0.01)
    assert out is not None and out.q_command is not None
    assert out.status.code is StatusCode.LAGGING
    assert "joint" in out.status.sentence
    config = simulation.config
    assert np.all(np.abs(out.q_command - stuck) <= config.lag_tolerance + config.lag_time * 4.8)
    again = simulation.tracker.step(out.q_command, target, simulation.now + 0.01, 0.01)
    assert StatusCode.LAGGING not in again.status.codes


def test_an_arm_moved_by_somebody_else_is_followed_and_one_wild_reading_is_not() -> None:
    simulation = Simulation.ready("omx")
    simulation.run(None, 0.2)
    command, now = simulation.q.copy(), simulation.now
    elsewhere = command + 0.6
    out = simulation.tracker.step(elsewhere, None, now + 0.01, 0.01)
    np.testing.assert_array_equal(out.q_command, command)
    out = simulation.tracker.step(command, None, now + 0.02, 0.01)
    np.testing.assert_array_equal(out.q_command, command)
    for k in range(3):
        out = simulation.tracker.step(elsewhere, None, now + 0.03 + 0.01 * k, 0.01)
    np.testing.assert_array_equal(out.q_command, elsewhere)


def test_near_a_singularity_it_is_named() -> None:
    simulation = Simulation.ready("planar_2r")
    out = simulation.run_to_rest(at(0.5499, 0.0, 0.0))
    assert StatusCode.NEAR_SINGULARITY in out.status.codes
    sentence = next(
        c.sentence for c in out.status.conditions if c.code is StatusCode.NEAR_SINGULARITY
    )
    assert "straight" in sentence
    assert out.manipulability is not None and out.manipulability.relative < 0.1


def test_a_joint_at_its_limit_is_named_where_it_holds_the_arm_back() -> None:
    simulation = Simulation.ready("scara")
    out = simulation.run_to_rest(at(0.3, 0.1, -1.0))
    assert StatusCode.AT_JOINT_LIMIT in out.status.codes
    assert "slide" in out.status.joint


def test_codes_come_by_seriousness_and_all_are_listed() -> None:
    simulation = Simulation.ready("planar_2r")
    out = simulation.run_to_rest(at(5.0, 0.0, 0.0))
    assert out.status.code is StatusCode.UNREACHABLE
    assert StatusCode.NEAR_SINGULARITY in out.status.codes
    ranks = [code.rank for code in out.status.codes]
    assert ranks == sorted(ranks)


def test_an_outer_integral_removes_droop_slowly_and_within_its_bound() -> None:
    simulation = Simulation.ready("omx", droop_gain=1.0, droop_limit=0.08)
    simulation.run(None, 0.1)
    wanted, now = simulation.q.copy(), simulation.now
    droop = np.array([0.0, 0.05, 0.03, -0.15])
    command = wanted
    for _ in range(1500):
        now += 0.01
        out = simulation.tracker.step(command - droop, None, now, 0.01)
        assert out.q_command is not None
        assert np.all(np.abs(out.q_command - command) <= 4.8 * 0.01 * 0.05)
        command = out.q_command
    np.testing.assert_allclose((command - droop)[:3], wanted[:3], atol=1e-3)
    assert abs(command[3] - wanted[3]) <= 0.08 + 1e-12


HANGING = np.array([0.0, 0.05, 0.03, 0.02])


def test_a_hanging_arm_is_told_what_takes_droop_away_or_what_hinders_it() -> None:
    for config, sentence in (
        ({}, "droop_gain takes droop away"),
        ({"droop_gain": 0.1}, "droop is being taken out"),
        ({"droop_gain": 8.0, "droop_limit": 0.04}, "joint2 hangs by more than droop_limit 0.04"),
    ):
        simulation = Simulation.ready("omx", **config)
        target = simulation.tool
        simulation.droop = HANGING
        simulation.run(target, 1.0)
        assert sentence in simulation.last.status.sentence
    raised = PoseTracker(simulation.arm, TrackerConfig(droop_gain=8.0))
    raised.go_on_from(simulation.tracker)
    simulation.tracker = raised
    simulation.run(target, 5.0)
    assert simulation.last.status.settled


def test_an_arm_that_is_tuned_where_it_rests_does_not_sag() -> None:
    simulation = Simulation.ready("omx", droop_gain=2.0)
    target = simulation.tool
    simulation.droop = HANGING
    simulation.run(target, 8.0)
    assert simulation.last.status.settled
    before = simulation.q.copy()
    for change in ({"tool_speed": 0.1}, {"droop_limit": 0.07}, {"droop_gain": 1.0}):
        tuned = PoseTracker(simulation.arm, replace(simulation.config, **change))
        tuned.go_on_from(simulation.tracker)
        simulation.tracker = tuned
        simulation.run(target, 1.0)
        np.testing.assert_allclose(simulation.q, before, atol=1e-3)
        assert simulation.last.status.settled


@pytest.mark.parametrize("jerk", [0.0, 60.0])
@pytest.mark.parametrize("name", ["omx", "wx250s"])
def test_tuning_a_moving_arm_keeps_every_limit(name: str, jerk: float) -> None:
    simulation = Simulation.ready(name, droop_gain=2.0, jerk_limit=jerk)
    simulation.droop = np.full(simulation.arm.size, 0.02)
    rng = np.random.default_rng(5)
    for _ in range(60):
        target = simulation.arm.forward_kinematics(
            simulation.q + 0.3 * rng.standard_normal(simulation.arm.size)
        )
        simulation.run(target, rng.uniform(0.05, 0.4))
        tune(
            simulation,
            tool_speed=rng.uniform(0.05, 0.5),
            droop_limit=rng.uniform(0.01, 0.2),
            droop_gain=rng.choice([0.0, 2.0, 8.0]),
        )


@pytest.mark.parametrize("name", ["planar_2r", "omx", "wx200"])
def test_droop_removal_does_not_keep_the_arm_from_ending_at_a_limit(name: str) -> None:
    simulation = Simulation.ready(name, droop_gain=2.0)
    simulation.droop = np.full(simulation.arm.size, 0.02)
    for sign in (1.0, -1.0):
        simulation.run(None, 1.5)
        away = simulation.tool.copy()
        away[:3, 3] *= 3.0
        out = simulation.run(away, 10.0)
        assert StatusCode.UNREACHABLE in out.status.codes
        assert "the arm holds the nearest pose" in out.status.sentence
        assert np.abs(out.dq).max() < 1e-6
        simulation.droop *= -sign


def test_the_default_configuration_works_for_an_arm_without_velocity_limits() -> None:
    assert TrackerConfig().default_velocity > 0.0
