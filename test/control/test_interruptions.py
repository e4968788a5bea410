"""What was asked for or granted is not lost, reversed or hurried by what comes in between."""

from __future__ import annotations

import numpy as np
import pytest
from control.interruptions import (
    INTERRUPTIONS,
    ask_for_the_other_branch,
    found_at,
    push_it_away,
    side,
    tune_it,
)
from control.simulation import Simulation, at, fixed_arm

from ik_node.control import StatusCode, TrackerConfig
from ik_node.core.kernels.jit import COMPILED


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
    for seed in range(8 if COMPILED else 1):
        simulation = Simulation.ready(name, velocity_scale=0.1)
        simulation.droop = np.zeros(simulation.arm.size)
        simulation.droop[1] = droop
        simulation.run(None, 0.2)
        rng = np.random.default_rng(seed)
        pose = simulation.arm.forward_kinematics(simulation.arm.random_configurations(1, rng)[0])
        out = simulation.run(1.3 * pose[:3, 3], 60.0, lambda out: out.status.settled)
        stands = not np.any(simulation.v)
        assert not (stands and StatusCode.TRACKING in out.status.codes), (seed, out.status)


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
