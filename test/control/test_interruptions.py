"""What was asked for or granted is not lost, reversed or hurried by what comes in between."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from control.simulation import DT, Simulation, at, fixed_arm

from ik_node.control import PoseTracker, StatusCode, TrackerConfig, TrackerOutput, TwistTarget
from ik_node.errors import ConfigurationError


def found_at(simulation: Simulation, q, target=None, velocity=None) -> list[TrackerOutput]:
    """The arm stands at q whatever it is told, until the tracker has seen it."""
    outputs = []
    for _ in range(3):
        simulation.now += DT
        outputs.append(simulation.tracker.step(q, target, simulation.now, DT, qd_measured=velocity))
    if outputs[-1].q_command is not None:
        simulation.q, simulation.v = outputs[-1].q_command, outputs[-1].dq / DT
    return outputs


def lose_the_joint_states(simulation: Simulation, target=None) -> None:
    for _ in range(120):
        simulation.now += DT
        simulation.tracker.step(None, target, simulation.now, DT)
    found_at(simulation, simulation.q, target)


def push_it_away(simulation: Simulation, target=None) -> None:
    found_at(simulation, simulation.q + 0.4, target)


def tune(simulation: Simulation, **settings) -> None:
    """Other parameters from now on; the simulation checks the limits that they set."""
    simulation.config = replace(simulation.config, **settings)
    tuned = PoseTracker(simulation.arm, simulation.config)
    tuned.go_on_from(simulation.tracker)
    simulation.tracker = tuned


def tune_it(simulation: Simulation, target=None) -> None:
    tune(simulation, tool_speed=0.1)


def pause_and_tune_it(simulation: Simulation, target=None) -> None:
    simulation.tracker.enable(False)
    simulation.run(target, 0.4)
    tune_it(simulation)
    simulation.run(target, 0.1)
    simulation.tracker.enable(True)


def have_a_fault_and_tune_it(simulation: Simulation, target=None) -> None:
    simulation.tracker.fault("overload")
    simulation.run(target, 0.1)
    tune_it(simulation)
    simulation.run(target, 0.1)
    simulation.tracker.fault(None)
    found_at(simulation, simulation.q, target)


INTERRUPTIONS = [
    lose_the_joint_states,
    push_it_away,
    tune_it,
    pause_and_tune_it,
    have_a_fault_and_tune_it,
]


def ask_for_the_other_branch(simulation: Simulation) -> str:
    tracker = simulation.tracker
    other = next(label for label in tracker.branches if label != tracker.branch)
    answer = tracker.request_branch(other)
    assert answer.accepted, answer.sentence
    return other


def side(simulation: Simulation) -> str:
    elbow = simulation.arm.elbow
    return elbow.label(elbow.sign_of(simulation.q))


@pytest.mark.parametrize("interrupt", INTERRUPTIONS)
@pytest.mark.parametrize("seconds", [0.05, 0.2, 0.5])
def test_a_change_that_was_granted_is_made(interrupt, seconds) -> None:
    simulation = Simulation.ready("planar_2r")
    simulation.run(None, 0.1)
    other = ask_for_the_other_branch(simulation)
    simulation.run(None, seconds)
    interrupt(simulation)
    simulation.run(None, 4.0)
    assert simulation.tracker.branch == side(simulation) == other
    assert simulation.last.status.code is StatusCode.HOLDING


@pytest.mark.parametrize("interrupt", INTERRUPTIONS)
@pytest.mark.parametrize("branch", ["current", "auto", "up"])
def test_a_change_that_was_made_stays_made(interrupt, branch) -> None:
    simulation = Simulation(
        fixed_arm("planar_2r"), np.array([0.5, -0.8]), TrackerConfig(branch=branch)
    )
    target = simulation.tool[:3, 3].copy()
    simulation.run(target, 0.5)
    other = ask_for_the_other_branch(simulation)
    simulation.run(target, 4.0)
    interrupt(simulation, target)
    simulation.run(target, 4.0)
    assert simulation.tracker.branch == side(simulation) == other
    assert simulation.last.status.code is StatusCode.REACHED


def test_a_change_whose_way_would_now_lead_through_the_floor_stops_and_says_why() -> None:
    simulation = Simulation.ready("planar_2r", floor_height=0.0)
    simulation.q = np.array([0.862, -0.9])
    simulation.run(None, 0.1)
    other = ask_for_the_other_branch(simulation)
    simulation.run(None, 0.1)
    low = np.array([-0.49, -1.32])
    said = [step.status.sentence for step in found_at(simulation, low)]
    assert any("floor_height" in sentence for sentence in said), said
    simulation.run(None, 1.0)
    assert simulation.tracker.branch != other
    np.testing.assert_allclose(simulation.q, low, atol=1e-9)


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


@pytest.mark.parametrize("jerk", [0.0, 400.0])
@pytest.mark.parametrize("seconds", np.arange(0.1, 1.2, 0.1))
@pytest.mark.parametrize("interrupt", [tune_it, push_it_away])
def test_an_arm_that_is_stopped_in_a_change_keeps_every_limit_and_stays(
    interrupt, seconds, jerk
) -> None:
    simulation = Simulation.ready("planar_2r", jerk_limit=jerk)
    simulation.run(None, 0.1)
    ask_for_the_other_branch(simulation)
    simulation.run(None, seconds)
    simulation.tracker.hold()
    simulation.tick(None)
    interrupt(simulation)
    simulation.run(None, 1.0)
    assert simulation.tracker.branch == side(simulation)
    assert StatusCode.HOLDING in simulation.last.status.codes


def test_an_arm_that_is_paused_and_stopped_in_a_change_is_just_paused() -> None:
    simulation = Simulation.ready("planar_2r")
    simulation.run(None, 0.1)
    ask_for_the_other_branch(simulation)
    simulation.run(None, 0.3)
    simulation.tracker.enable(False)
    simulation.tracker.hold()
    simulation.run(None, 1.0)
    assert simulation.last.status.codes == (StatusCode.PAUSED, StatusCode.HOLDING)
    assert simulation.tracker.branch == side(simulation)


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


@pytest.mark.parametrize("kind", ["pause", "fault"])
def test_droop_is_not_summed_up_while_nothing_is_sent(kind) -> None:
    simulation = Simulation.ready("planar_2r", droop_gain=1.0)
    simulation.droop = np.array([0.03, 0.0])
    simulation.run(None, 0.2)
    tracker = simulation.tracker
    if kind == "pause":
        tracker.enable(False)
    else:
        tracker.fault("overload")
    simulation.run(None, 8.0)
    assert simulation.last.q_command is None
    simulation.v = np.zeros(2)
    tracker.enable(True)
    tracker.fault(None)
    simulation.run(None, 20.0)  # every limit is checked
    out = simulation.last
    np.testing.assert_allclose(simulation.q - simulation.droop, out.q_command - [0.03, 0.0])


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


@pytest.mark.parametrize("kind", ["pause", "fault"])
def test_the_first_command_is_where_the_arm_is_though_it_comes_late(kind) -> None:
    simulation = Simulation.ready("planar_2r")
    target = simulation.arm.forward_kinematics(simulation.q + 0.3)
    simulation.tracker.enable(kind != "pause")
    simulation.tracker.fault("overload" if kind == "fault" else None)
    for _ in range(50):
        simulation.q = simulation.q + 0.002
        assert simulation.tick(target).q_command is None
    simulation.tracker.enable(True)
    simulation.tracker.fault(None)
    simulation.q = simulation.q + 0.002
    moved = simulation.q.copy()
    np.testing.assert_array_equal(simulation.tick(target).q_command, moved)
    assert StatusCode.REACHED in simulation.run_to_rest(target).status.codes


def test_the_branch_that_is_asked_for_may_be_as_far_from_a_target_out_of_reach() -> None:
    simulation = Simulation.ready("planar_2r")
    far = at(0.7, 0.0, 0.1)
    simulation.run(far, 3.0)
    first = simulation.tracker.branch
    other = ask_for_the_other_branch(simulation)
    simulation.run(far, 0.1)
    assert simulation.tracker.request_branch(other).accepted, "asked again on the way"
    assert simulation.tracker.request_branch(first).accepted, "and back"
    simulation.run(far, 4.0)
    assert simulation.tracker.branch == side(simulation) == first


def test_what_the_status_says_to_ask_for_is_granted_for_a_target_out_of_reach_too() -> None:
    simulation = Simulation(
        fixed_arm("planar_2r"), np.array([0.5, -0.8]), TrackerConfig(branch="down")
    )
    far = at(0.7, 0.0, 0.1)
    out = simulation.run(far, 0.5)
    assert out.status.code is StatusCode.OTHER_BRANCH and "'down'" in out.status.sentence
    assert simulation.tracker.request_branch("down").accepted
    out = simulation.run(far, 4.0)
    assert StatusCode.UNREACHABLE in out.status.codes
    assert simulation.tracker.branch == side(simulation) == "down"


@pytest.mark.parametrize("droop", [0.0, 0.13])
@pytest.mark.parametrize("name", ["planar_2r", "wx200"])
def test_an_arm_that_hangs_far_below_still_notices_that_the_line_is_stuck(name, droop) -> None:
    for seed in range(8):
        simulation = Simulation.ready(name, velocity_scale=0.1)
        simulation.droop = np.zeros(simulation.arm.size)
        simulation.droop[1] = droop
        simulation.run(None, 0.2)
        rng = np.random.default_rng(seed)
        pose = simulation.arm.forward_kinematics(simulation.arm.random_configurations(1, rng)[0])
        out = simulation.run(1.3 * pose[:3, 3], 60.0, lambda out: out.status.settled)
        stands = not np.any(simulation.v)
        assert not (stands and StatusCode.TRACKING in out.status.codes), (seed, out.status)


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
    for ticks in range(30, 100, 5):
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


def test_a_change_that_ends_near_straight_moves_a_hanging_arm_gently() -> None:
    for sign in (1.0, -1.0):
        for droop in (0.06, -0.06):
            simulation = Simulation(
                fixed_arm("planar_2r"),
                np.array([0.5, sign * 0.05]),
                TrackerConfig(droop_gain=1.0),
                np.array([0.0, droop]),
            )
            target = simulation.tool
            simulation.run(target, 7.0)
            ask_for_the_other_branch(simulation)
            simulation.run(target, 6.0)  # every limit is checked


def test_a_hanging_arm_goes_on_after_a_fault_from_what_was_sent_last() -> None:
    for ticks in range(10, 80, 10):
        simulation = Simulation.ready("planar_2r", droop_gain=1.0)
        target = simulation.tool
        simulation.droop = np.array([0.04, 0.04])
        simulation.run(target, 6.0)
        goal = simulation.q.copy()
        goal[1] = simulation.arm.upper[1]
        target = simulation.arm.forward_kinematics(goal)
        for _ in range(ticks):
            simulation.tick(target)
        simulation.tracker.fault("overload")
        simulation.run(target, 2.0)
        simulation.v = np.zeros(2)
        simulation.tracker.fault(None)
        simulation.run(target, 2.0)  # every limit is checked


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
