"""The committed branch, and changing it on purpose."""

from __future__ import annotations

import numpy as np
import pytest
from control.simulation import READY, Simulation, at, fixed_arm
from strategies import JointText, arm_of, fixed_joint, urdf

from ik_node.control import PoseTracker, StatusCode, TrackerConfig
from ik_node.core import JointGroup, search, two_link
from ik_node.errors import ConfigurationError, UnknownNameError


def test_the_measured_side_is_committed_at_the_start() -> None:
    for name in ("planar_2r", "wx200", "wx250s", "ur5"):
        simulation = Simulation.ready(name)
        simulation.tick(None)
        elbow = simulation.arm.elbow
        assert elbow is not None
        assert simulation.tracker.branch == elbow.label(elbow.sign_of(simulation.q))


def test_inside_the_margin_the_first_target_decides() -> None:
    simulation = Simulation.ready("planar_2r")
    simulation.q = np.array([0.3, 0.001])
    simulation.tick(None)
    assert simulation.tracker.branch == "undecided"
    target = at(0.35, 0.0, 0.25)
    out = simulation.run_to_rest(target)
    assert StatusCode.REACHED in out.status.codes
    assert simulation.tracker.branch in ("up", "down")


def test_a_configured_branch_that_the_arm_is_not_on_holds_until_it_is_asked_for() -> None:
    simulation = Simulation.ready("planar_2r")
    other = PoseTracker(simulation.arm)
    other.step(simulation.q, None, 0.0, 0.01)
    wanted = next(label for label in other.branches if label != other.branch)
    simulation = Simulation.ready("planar_2r", branch=wanted)
    before = simulation.q.copy()
    out = simulation.run(at(0.3, 0.0, 0.2), 0.5)
    assert out.status.code is StatusCode.OTHER_BRANCH
    assert wanted in out.status.sentence
    np.testing.assert_array_equal(simulation.q, before)
    assert simulation.tracker.request_branch(wanted).accepted
    out = simulation.run_to_rest(at(0.3, 0.0, 0.2))
    assert StatusCode.REACHED in out.status.codes
    assert simulation.tracker.branch == wanted


def test_auto_takes_the_branch_that_reaches_with_the_least_travel() -> None:
    simulation = Simulation.ready("planar_2r", branch="auto")
    simulation.tick(None)
    here = simulation.arm.elbow.sign_of(simulation.q)
    out = simulation.run_to_rest(simulation.arm.forward_kinematics(simulation.q + 0.1)[:3, 3])
    assert StatusCode.REACHED in out.status.codes
    assert simulation.arm.elbow.sign_of(simulation.q) == here


def only_on_the_other_branch(simulation: Simulation) -> np.ndarray:
    """A pose that only the other elbow sign reaches."""
    arm, elbow = simulation.arm, simulation.arm.elbow
    assert elbow is not None
    here = elbow.sign_of(simulation.q)
    for q in arm.random_configurations(4000, np.random.default_rng(0)):
        if elbow.sign_of(q) == here or abs(elbow.angle(q)) < 0.3:
            continue
        pose = arm.forward_kinematics(q)
        if not search(arm, pose, simulation.q, branch=elbow.label(here)).converged:
            return pose
    raise AssertionError("everything is reached on both branches")


def planar_with_a_limited_shoulder() -> JointGroup:
    across = (0.0, -1.0, 0.0)
    shoulder = JointText("shoulder", axis=across, lower=0.0, upper=2.0)
    elbow = JointText("elbow", xyz=(0.3, 0, 0), axis=across, lower=-2.6, upper=2.6)
    return arm_of(urdf([shoulder, elbow, fixed_joint((0.25, 0, 0))]))


@pytest.mark.parametrize("name", ["planar", "wx200", "wx250s"])
def test_what_only_the_other_branch_reaches_is_said_held_and_reached_after_the_change(
    name: str,
) -> None:
    if name == "planar":
        simulation = Simulation(planar_with_a_limited_shoulder(), [1.0, 1.0])
    else:
        simulation = Simulation.ready(name)
    if name == "wx200":  # whose wide branch reaches all that the narrow one does
        simulation.q[2] = -1.9
    target = only_on_the_other_branch(simulation)
    out = simulation.run_to_rest(target)
    assert StatusCode.OTHER_BRANCH in out.status.codes
    assert StatusCode.UNREACHABLE in out.status.codes
    other = next(b for b in simulation.tracker.branches if b != simulation.tracker.branch)
    answer = simulation.tracker.request_branch(other)
    assert answer.accepted, answer.sentence
    assert answer.time > 0.0 and answer.travel > 0.0 and answer.sweep > 0.0
    simulation.tick(target)
    assert simulation.last.status.code is StatusCode.RECONFIGURING
    out = simulation.run_to_rest(target, 20.0)
    assert StatusCode.REACHED in out.status.codes
    assert simulation.tracker.branch == other


def test_the_change_takes_the_time_that_was_said() -> None:
    simulation = Simulation.ready("planar_2r")
    simulation.run(None, 0.1)
    other = next(b for b in simulation.tracker.branches if b != simulation.tracker.branch)
    answer = simulation.tracker.request_branch(other)
    before, start = simulation.tool.copy(), simulation.now
    simulation.run(None, 20.0, lambda out: out.branch == other)
    assert simulation.now - start == pytest.approx(answer.time, rel=0.1, abs=0.05)
    np.testing.assert_allclose(simulation.tool[:3, 3], before[:3, 3], atol=1e-5)
    closed = two_link.inverse_kinematics(before[0, 3], before[2, 3], 0.30, 0.25)
    best = min(np.abs(np.array(b) - simulation.q).max() for b in (closed.up, closed.down))
    assert best < 1e-4


def test_a_dry_run_answers_without_moving() -> None:
    simulation = Simulation.ready("planar_2r")
    simulation.run(None, 0.1)
    other = next(b for b in simulation.tracker.branches if b != simulation.tracker.branch)
    before = simulation.q.copy()
    assert simulation.tracker.request_branch(other, dry_run=True).accepted
    out = simulation.run(None, 0.3)
    assert out.status.code is StatusCode.HOLDING
    np.testing.assert_array_equal(simulation.q, before)


def test_a_change_that_the_limits_forbid_is_refused_naming_the_joint() -> None:
    simulation = Simulation.ready("omx")
    simulation.run(None, 0.1)
    other = next(b for b in simulation.tracker.branches if b != simulation.tracker.branch)
    answer = simulation.tracker.request_branch(other)
    assert not answer.accepted
    assert "joint3" in answer.sentence and "limit" in answer.sentence
    assert simulation.run(None, 0.1).status.code is StatusCode.HOLDING


def test_a_change_through_the_floor_is_refused() -> None:
    simulation = Simulation.ready("planar_2r", floor_height=0.0)
    simulation.q = np.array([0.9, -1.2])
    simulation.run(None, 0.1)
    other = next(b for b in simulation.tracker.branches if b != simulation.tracker.branch)
    answer = simulation.tracker.request_branch(other)
    assert not answer.accepted
    assert "floor_height" in answer.sentence


def test_hold_stops_a_change_and_commits_to_the_side_where_it_stops() -> None:
    simulation = Simulation.ready("planar_2r")
    simulation.run(None, 0.1)
    other = next(b for b in simulation.tracker.branches if b != simulation.tracker.branch)
    simulation.tracker.request_branch(other)
    simulation.run(None, 0.2)
    simulation.tracker.hold()
    out = simulation.run(None, 1.0)
    assert out.status.code is StatusCode.HOLDING
    elbow = simulation.arm.elbow
    assert simulation.tracker.branch == elbow.label(elbow.sign_of(simulation.q))


def test_asking_for_the_branch_that_it_is_on_is_granted_and_moves_nothing() -> None:
    simulation = Simulation.ready("wx200")
    simulation.run(None, 0.1)
    assert simulation.tracker.request_branch(simulation.tracker.branch).accepted
    assert np.all(simulation.run(None, 0.2).dq == 0.0)


def test_names_of_branches_are_checked() -> None:
    simulation = Simulation.ready("wx200")
    simulation.run(None, 0.1)
    with pytest.raises(UnknownNameError, match="up"):
        simulation.tracker.request_branch("sideways")
    with pytest.raises(UnknownNameError):
        PoseTracker(fixed_arm("wx200"), TrackerConfig(branch="left"))
    with pytest.raises(UnknownNameError):
        TrackerConfig(branch="sideways")


def test_an_arm_without_an_elbow_has_no_branches() -> None:
    slide = JointText("b", "prismatic", lower=0.0, upper=0.2)
    text = urdf([JointText("a"), slide, fixed_joint((0.1, 0, 0))])
    simulation = Simulation(arm_of(text), [0.0, 0.1])
    simulation.tick(None)
    assert simulation.tracker.branch == "none"
    assert simulation.tracker.branches == ()
    assert not simulation.tracker.request_branch("up").accepted
    with pytest.raises(ConfigurationError, match="elbow"):
        PoseTracker(simulation.arm, TrackerConfig(branch="up"))


def test_the_committed_side_is_kept_when_the_target_sweeps_across_the_base() -> None:
    for name in READY:
        simulation = Simulation.ready(name)
        elbow = simulation.arm.elbow
        if elbow is None:
            continue
        sign = elbow.sign_of(simulation.q)
        start = simulation.tool[:3, 3].copy()
        for share in np.linspace(1.0, -1.0, 40):
            simulation.run(start * [share, share, 1.0], 0.05)
            assert elbow.sign_of(simulation.q) == sign
