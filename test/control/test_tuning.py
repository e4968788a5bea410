"""Parameters that are changed at any moment: nothing is lost, and no limit is broken."""

from __future__ import annotations

import numpy as np
import pytest
from control.interruptions import ask_for_the_other_branch, side, tune, tune_it
from control.simulation import DT, Simulation, fixed_arm

from ik_node.control import PoseTracker, StatusCode, TrackerConfig, TwistTarget
from ik_node.core.kernels.jit import COMPILED
from ik_node.errors import ConfigurationError


def test_a_parameter_that_leaves_no_room_on_the_branch_of_the_arm_is_refused() -> None:
    simulation = Simulation.ready("wx200")
    simulation.q[2] = -1.7
    simulation.run(None, 0.1)
    with pytest.raises(ConfigurationError, match="no room on branch"):
        tune(simulation, branch_margin=0.9)
    assert simulation.run(None, 0.1).status.code is StatusCode.HOLDING


def test_a_parameter_that_leaves_no_room_where_a_change_goes_is_refused() -> None:
    simulation = Simulation.ready("wx200")
    simulation.run(None, 0.1)
    ask_for_the_other_branch(simulation)
    simulation.run(None, 0.05)
    with pytest.raises(ConfigurationError, match="no room on branch"):
        tune(simulation, branch_margin=0.9)


@pytest.mark.parametrize("seconds", [0.1, 0.3, 0.6, 0.9])
def test_a_branch_that_is_configured_during_a_change_is_kept_or_waited_for(seconds) -> None:
    simulation = Simulation(fixed_arm("planar_2r"), np.array([0.5, -0.8]))
    simulation.run(None, 0.1)
    assert simulation.tracker.branch == "up"
    ask_for_the_other_branch(simulation)
    simulation.run(None, seconds)
    tune(simulation, branch="up")
    simulation.run(None, 2.0)
    assert simulation.tracker.branch == "up"
    waits = simulation.last.status.code is StatusCode.OTHER_BRANCH
    across = simulation.arm.elbow.angle(simulation.q) > simulation.config.branch_margin
    assert waits is bool(across)


@pytest.mark.parametrize(
    "settings",
    [
        {"fold_margin": 1.5},
        {"limit_margin": 1.0},
        {"velocity_scale": 0.1},
        {"branch_margin": 0.9},
        {"tool_speed": 0.05},
        {"droop_gain": 1.0},
    ],
)
@pytest.mark.parametrize("jerk", [0.0, 400.0])
@pytest.mark.parametrize(("start", "end"), [(0.8, 2.4), (2.4, 0.8)])
def test_an_arm_that_is_tuned_in_motion_brakes_within_its_acceleration(
    settings, jerk, start, end
) -> None:
    simulation = Simulation(
        fixed_arm("planar_2r"),
        np.array([0.5, start]),
        TrackerConfig(tool_speed=5.0, jerk_limit=jerk),
    )
    target = simulation.arm.forward_kinematics(np.array([0.5, end]))
    simulation.run(target, 3.0, lambda _: abs(simulation.q[1] - start) > 1.2)
    tune(simulation, **settings)
    for _ in range(900):
        before, v = simulation.q, simulation.v
        simulation.tick(target, check=False)
        assert np.all(np.abs(simulation.v - v) <= simulation.acceleration * DT * 1.001)
        assert np.all(np.abs(simulation.v) <= np.maximum(np.abs(v), simulation.speed) * 1.001)
        assert side(simulation) == simulation.tracker.branch
        assert np.isfinite(before).all()
    assert not simulation.v.any()


def test_tuning_an_arm_that_follows_late_is_no_push() -> None:
    simulation = Simulation.ready("planar_2r")
    late = 14
    sent = [simulation.q.copy()] * late

    def tick() -> None:
        simulation.now += DT
        out = simulation.tracker.step(sent[-late], None, simulation.now, DT)
        simulation.check(out.q_command, DT)
        simulation.v, simulation.q = out.dq / DT, out.q_command.copy()
        sent.append(simulation.q)

    for _ in range(late):
        tick()
    other = ask_for_the_other_branch(simulation)
    for _ in range(40):
        tick()
    assert np.abs(sent[-1] - sent[-late]).max() > 0.3
    tune(simulation, tool_turn=2.9)
    for _ in range(200):
        tick()
    assert simulation.tracker.branch == side(simulation) == other


def test_a_paused_arm_that_somebody_moves_is_sent_nothing_though_it_is_tuned() -> None:
    simulation = Simulation.ready("planar_2r")
    simulation.run(None, 0.2)
    simulation.tracker.enable(False)
    simulation.run(None, 0.3)
    for kind in (simulation.tracker, None):
        tracker = PoseTracker(simulation.arm, simulation.config)
        if kind is not None:
            tracker.go_on_from(kind)
        tracker.enable(False)
        q = simulation.q.copy()
        for _ in range(60):
            q = q + np.array([0.002, 0.0])
            simulation.now += DT
            out = tracker.step(q, None, simulation.now, DT, qd_measured=[0.2, 0.0])
            assert out.q_command is None


def test_a_twist_goes_on_after_tuning() -> None:
    simulation = Simulation.ready("omx")
    start = simulation.tool[:3, 3].copy()
    for _ in range(20):
        simulation.tick(TwistTarget(np.array([0.0, 0.05, 0.0]), np.zeros(3), simulation.now))
    tune_it(simulation)
    for _ in range(20):
        simulation.tick(TwistTarget(np.array([0.0, 0.05, 0.0]), np.zeros(3), simulation.now))
    assert simulation.tool[1, 3] - start[1] > 0.01


@pytest.mark.parametrize("jerk", [(0.0, 0.0), (400.0, 400.0), (0.0, 400.0), (400.0, 0.0)])
@pytest.mark.parametrize("name", ["planar_2r", "omx"])
def test_tuning_at_speed_opens_no_wall(name, jerk) -> None:
    """Whenever it comes while a twist drives the elbow towards straight."""
    for ticks in range(30, 100, 5 if COMPILED else 30):
        simulation = Simulation.ready(name, tool_speed=2.0, jerk_limit=jerk[0])
        outward = simulation.tool[:3, 3] / np.linalg.norm(simulation.tool[:3, 3])
        elbow, margin = simulation.arm.elbow, simulation.config.branch_margin
        for tick in range(200):
            if tick == ticks:
                tune(simulation, deadband=4e-4, jerk_limit=jerk[1])
            simulation.tick(TwistTarget(outward, np.zeros(3), simulation.now), check=False)
            assert abs(elbow.angle(simulation.q)) > margin - 1e-9, (ticks, tick)


@pytest.mark.parametrize("jerk", [0.0, 400.0])
@pytest.mark.parametrize("still", [False, True])
def test_a_smaller_acceleration_is_used_as_soon_as_the_arm_can_stop_with_it(jerk, still) -> None:
    simulation = Simulation.ready("planar_2r", tool_speed=2.0, jerk_limit=jerk)
    places = [
        simulation.tool,
        simulation.arm.forward_kinematics(simulation.q + np.array([1.0, 0.5])),
    ]
    for tick in range(200):
        simulation.tick(places[0 if still else tick // 40 % 2])
    tune(simulation, acceleration_time=1.0)
    gentle = simulation.acceleration * 0.2
    fastest = np.zeros(2)
    for tick in range(1200):
        v = simulation.v
        simulation.tick(places[(tick // 40 + 1) % 2])
        if still or tick > 150:
            fastest = np.maximum(fastest, np.abs(simulation.v - v) / DT)
    assert np.all(fastest <= gentle * 1.001) and fastest.any()


@pytest.mark.parametrize("jerk", [0.0, 400.0])
@pytest.mark.parametrize("settings", [{"branch_margin": 0.12}, {"limit_margin": 0.08}])
def test_a_wall_that_comes_nearer_than_the_lift_of_a_hanging_arm_moves_it_gently(
    settings, jerk
) -> None:
    at_limit = "limit_margin" in settings
    q = np.array([0.5, 2.5 if at_limit else 0.15])
    config = TrackerConfig(droop_gain=1.0, jerk_limit=jerk)
    hanging = np.array([0.0, 0.06 if at_limit else -0.06])
    simulation = Simulation(fixed_arm("planar_2r"), q, config, hanging)
    target = simulation.tool
    simulation.run(target, 8.0)
    assert abs(simulation.q[1] - q[1]) > 0.05
    tune(simulation, **settings)
    simulation.run(target, 8.0)  # every limit is checked


def test_configuring_the_branch_that_a_change_is_under_way_to_lets_it_go_on() -> None:
    simulation = Simulation.ready("planar_2r")
    simulation.run(None, 0.1)
    other = ask_for_the_other_branch(simulation)
    simulation.run(None, 0.3)
    tune(simulation, branch=other)
    simulation.run(None, 3.0)
    assert simulation.last.status.code is StatusCode.HOLDING
    assert simulation.tracker.branch == side(simulation) == other


def test_a_target_that_hold_has_dropped_stays_dropped_after_tuning() -> None:
    simulation = Simulation.ready("planar_2r")
    target = simulation.arm.forward_kinematics(simulation.q + 0.3)
    simulation.run(target, 0.2)
    simulation.tracker.hold()
    simulation.run(target, 1.0)
    before = simulation.q.copy()
    tune_it(simulation)
    assert simulation.run(target, 0.5).status.code is StatusCode.HOLDING
    np.testing.assert_array_equal(simulation.q, before)
