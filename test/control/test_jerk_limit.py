"""With a jerk limit the command is softer and later, and every other promise holds as without."""

from __future__ import annotations

import numpy as np
import pytest
from control.desk_arms import bent, desk_arm
from control.hostile import WITHOUT_JERK, hostile_target, pester, torment
from control.simulation import DT, READY, Simulation, fixed_arm, off_the_line
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import examples

from ik_node.control import PoseTracker, StatusCode, TrackerConfig, TwistTarget
from ik_node.core import JointGroup
from ik_node.core.kernels.jit import COMPILED
from ik_node.errors import ConfigurationError

ARMS = list(READY) if COMPILED else ["planar_2r", "omx"]
TICKS = 300 if COMPILED else 60
STEADY = 1.0, 1.0
USUAL = 0.1
"""s, window of a usual limit."""

Chance = np.random.Generator


def some_arm(size: int, seed: int) -> tuple[JointGroup, Chance]:
    rng = np.random.default_rng(seed)
    return desk_arm(size, rng), rng


SOME_ARM = st.builds(some_arm, st.integers(2, 7), st.integers(0, 2**32 - 1))
WINDOW = st.sampled_from([0.005, 0.033, 0.1, 0.25, 0.8])
SLOW = settings(
    max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def limit_for(arm: JointGroup, window: float) -> float:
    """The limit with which the command rests one window later."""
    config = TrackerConfig()
    speed = np.where(np.isfinite(arm.velocity), arm.velocity, config.default_velocity)
    return float(2.0 * speed.max() / config.acceleration_time / window)


def soft(arm: JointGroup, q: np.ndarray, window: float = USUAL) -> Simulation:
    return Simulation(arm, q, TrackerConfig(jerk_limit=limit_for(arm, window)))


def soft_one(name: str, window: float = USUAL) -> Simulation:
    return soft(fixed_arm(name), np.array(READY[name]), window)


def peak_jerk(simulation: Simulation, start: np.ndarray) -> float:
    """The largest jerk of a steadily ticking simulation that began at rest at `start` (n,)."""
    path = np.vstack([start, start, start, simulation.trace])
    return float(np.abs(np.diff(path, 3, axis=0)).max() / DT**3)


@SLOW
@given(SOME_ARM, WINDOW)
def test_random_arms_keep_every_limit_and_their_branch_under_hostile_targets(
    some: tuple[JointGroup, Chance], window: float
) -> None:
    arm, rng = some
    torment(soft(arm, arm.random_configurations(1, rng)[0], window), rng, TICKS)


@SLOW
@given(SOME_ARM, WINDOW)
def test_pauses_holds_and_changes_of_branch_break_no_limit(
    some: tuple[JointGroup, Chance], window: float
) -> None:
    arm, rng = some
    pester(soft(arm, bent(arm, rng), window), rng, TICKS)


@SLOW
@given(SOME_ARM, WINDOW)
def test_at_a_steady_rate_the_jerk_is_limited_whatever_is_asked(
    some: tuple[JointGroup, Chance], window: float
) -> None:
    arm, rng = some
    start = bent(arm, rng)
    simulation = soft(arm, start, window)
    pester(simulation, rng, TICKS, STEADY, WITHOUT_JERK)
    assert peak_jerk(simulation, start) <= simulation.config.jerk_limit * (1.0 + 1e-9)


@pytest.mark.parametrize("name", ARMS)
def test_the_same_pose_is_reached_one_window_later(name: str) -> None:
    hard, gentle = Simulation.ready(name), soft_one(name)
    target = hard.arm.forward_kinematics(hard.q + 0.3)
    hard.run_to_rest(target)
    gentle.run_to_rest(target)
    assert gentle.last.status.codes == hard.last.status.codes
    np.testing.assert_allclose(gentle.q, hard.q, atol=1e-6)
    assert len(gentle.outputs) - len(hard.outputs) == pytest.approx(USUAL / DT, abs=1.5)
    assert peak_jerk(hard, hard.trace[0]) > 3.0 * peak_jerk(gentle, gentle.trace[0])


@pytest.mark.parametrize("name", ["planar_2r", "omx", "wx250s"])
def test_reached_is_said_of_what_is_sent(name: str) -> None:
    simulation = soft_one(name, window=0.5)
    target = simulation.arm.forward_kinematics(simulation.q + 0.3)
    simulation.run_to_rest(target)
    for out, q in zip(simulation.outputs, simulation.trace, strict=True):
        away = float(np.linalg.norm(simulation.arm.forward_kinematics(q)[:3, 3] - target[:3, 3]))
        assert out.status.distance == pytest.approx(away, abs=1e-9) or out.goal_pose is None
        np.testing.assert_allclose(out.tool_pose, simulation.arm.forward_kinematics(q), atol=1e-12)
        if StatusCode.REACHED in out.status.codes:
            assert away < 1e-5
            assert not out.dq.any()


@pytest.mark.parametrize("dt", [0.005, 0.01, 0.02])
@pytest.mark.parametrize("name", [name for name in ARMS if name != "planar_2r"])
def test_a_10_cm_move_is_straight_within_a_millimetre(name: str, dt: float) -> None:
    simulation = soft_one(name)
    start = simulation.tool[:3, 3].copy()
    way = -np.array([start[0], start[1], 0.0]) / np.linalg.norm(start[:2])
    way[2] = 0.0 if name == "scara" else 0.2
    end = start + 0.1 * way / np.linalg.norm(way)
    simulation.run_to_rest(end, dt=dt)
    assert StatusCode.REACHED in simulation.last.status.codes
    assert off_the_line(simulation.tools(), start, end) < 1e-3


@pytest.mark.parametrize("name", ARMS)
def test_out_of_reach_the_command_comes_to_an_absolute_rest(name: str) -> None:
    simulation = soft_one(name)
    away = simulation.tool[:3, 3] * 8.0
    simulation.run_to_rest(away)
    assert StatusCode.UNREACHABLE in simulation.last.status.codes
    rest = simulation.q.copy()
    for _ in range(100):
        simulation.tick(away)
    np.testing.assert_array_equal(simulation.q, rest)


@pytest.mark.parametrize("name", ["planar_2r", "omx", "wx250s"])
def test_a_twist_keeps_the_tools_speed_and_stops_softly(name: str) -> None:
    simulation = soft_one(name)
    start = simulation.q.copy()
    down = TwistTarget((0.0, 0.0, -0.05))
    for _ in range(80):
        simulation.tick(TwistTarget(down.linear))
    steps = np.diff(simulation.tools()[30:], axis=0)
    np.testing.assert_allclose(steps, np.tile([0.0, 0.0, -0.05 * DT], (len(steps), 1)), atol=2e-5)
    simulation.run(None, 1.0)
    assert not simulation.last.dq.any()
    assert peak_jerk(simulation, start) <= simulation.config.jerk_limit * (1.0 + 1e-9)


@pytest.mark.parametrize("name", ["planar_2r", "wx200", "wx250s"])
def test_a_change_of_branch_takes_the_time_that_it_says(name: str) -> None:
    simulation = soft_one(name, window=0.5)
    tracker = simulation.tracker
    simulation.run(None, 0.1)
    other = next(label for label in tracker.branches if label != tracker.branch)
    answer = tracker.request_branch(other)
    assert answer.accepted, answer.sentence
    took = 0
    while tracker.branch != other:
        simulation.tick(None)
        took += 1
        assert took * DT < answer.time + 0.1
    assert took * DT == pytest.approx(answer.time, abs=0.1)
    elbow = simulation.arm.elbow
    assert elbow is not None
    assert elbow.label(elbow.sign_of(simulation.q)) == other


@pytest.mark.parametrize("name", ["omx", "wx250s"])
def test_a_start_in_motion_goes_on_without_a_jump_and_stays_inside(name: str) -> None:
    simulation = soft_one(name, window=0.4)
    arm = simulation.arm
    lower, upper = np.maximum(arm.lower, -3.0), np.minimum(arm.upper, 3.0)
    for q in (0.5 * (lower + upper) + 0.1, upper - 1e-3, lower + 1e-3):
        for sign in (1.0, -1.0):
            speed = sign * 0.2 * simulation.speed
            tracker = PoseTracker(arm, simulation.config)
            first = tracker.step(q, None, 0.0, 0.0, qd_measured=speed).q_command
            np.testing.assert_array_equal(first, q)
            path = [q - speed * DT, q]
            for tick in range(200):
                out = tracker.step(path[-1], None, DT * (tick + 1), DT)
                path.append(out.q_command)
            assert np.all(path[1:] >= arm.lower) and np.all(path[1:] <= arm.upper)
            assert not out.dq.any()
            room = np.minimum(q - lower, upper - q).min()
            if room > 0.5:
                change = np.abs(np.diff(path, 2, axis=0)).max(axis=0) / DT**2
                assert np.all(change <= simulation.acceleration * (1.0 + 1e-9))


@pytest.mark.parametrize("name", ["planar_2r", "wx250s"])
def test_a_start_outside_the_limits_only_moves_inward(name: str) -> None:
    rng = np.random.default_rng(0)
    arm = fixed_arm(name)
    for joint in range(arm.size):
        if np.isfinite(arm.upper[joint]):
            q = np.array(READY[name])
            q[joint] = arm.upper[joint] + 0.2
            simulation = soft(arm, q)
            for _ in range(3):
                simulation.run(hostile_target(arm, simulation.q, rng), 0.3)


def test_after_a_fault_it_goes_on_from_where_it_stood() -> None:
    simulation = soft_one("wx250s", window=0.4)
    target = simulation.arm.forward_kinematics(simulation.q + 0.5)
    simulation.run(target, 0.4)
    stood = simulation.q.copy()
    simulation.tracker.fault("the bus is gone")
    simulation.run(target, 0.5)
    np.testing.assert_array_equal(simulation.q, stood)
    simulation.tracker.fault(None)
    simulation.v[:] = 0.0
    simulation.run_to_rest(target)
    assert StatusCode.REACHED in simulation.last.status.codes
    np.testing.assert_allclose(simulation.tool, target, atol=1e-5)


def test_a_pause_goes_silent_once_what_is_sent_rests() -> None:
    simulation = soft_one("wx250s", window=0.4)
    target = simulation.arm.forward_kinematics(simulation.q + 0.5)
    simulation.run(target, 0.4)
    simulation.tracker.enable(False)
    simulation.run(target, 2.0, until=lambda out: out.q_command is None)
    last = simulation.outputs[-2]
    assert last.q_command is not None
    assert np.abs(last.dq).max() < simulation.config.jerk_limit * DT**3


@pytest.mark.parametrize("name", ARMS)
def test_a_very_high_limit_is_none(name: str) -> None:
    hard, gentle = Simulation.ready(name), Simulation.ready(name, jerk_limit=1e9)
    target = hard.arm.forward_kinematics(hard.q + 0.3)
    for simulation in (hard, gentle):
        simulation.run(target, 0.5)
    np.testing.assert_allclose(gentle.trace, hard.trace, atol=1e-6)


def test_a_limit_that_would_come_far_too_late_is_refused_with_the_least_that_is_not() -> None:
    arm = fixed_arm("omx")
    with pytest.raises(ConfigurationError, match=r"jerk_limit.*joint1.*late.*at least 48"):
        PoseTracker(arm, TrackerConfig(jerk_limit=10.0))
    PoseTracker(arm, TrackerConfig(jerk_limit=48.0))
