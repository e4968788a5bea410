"""search: it reaches what can be reached, comes nearest otherwise, and says which."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation
from strategies import FIXED_ARMS, arm_of, arm_texts, examples, in_line

from ik_node.core import search, search_branches, two_link
from ik_node.core.branch import branch_limits, branch_signs
from ik_node.core.search import Search
from ik_node.errors import SizeError, TargetError, UnknownNameError

ARMS = {name: arm_of(text) for name, text in FIXED_ARMS.items()}


def errors(arm, q, target):
    """Distance [m] and angle [rad] of the tool at q from the target, by another rotation log."""
    T = arm.forward_kinematics(q)
    turn = Rotation.from_matrix(target[:3, :3] @ T[:3, :3].T).magnitude()
    return float(np.linalg.norm(T[:3, 3] - target[:3, 3])), float(turn)


def inside(arm, q):
    return bool(np.all(q >= arm.lower) and np.all(q <= arm.upper))


def anywhere(arm, rng):
    return arm.random_configurations(1, rng)[0]


@pytest.mark.parametrize("name", ARMS)
def test_every_pose_drawn_inside_the_limits_is_reached_from_any_seed(name):
    arm = ARMS[name]
    rng = np.random.default_rng(0)
    for _ in range(examples(300)):
        target = arm.forward_kinematics(anywhere(arm, rng))
        found = search(arm, target, anywhere(arm, rng))
        assert found.converged, found.reason
        assert inside(arm, found.q)
        distance, angle = errors(arm, found.q, target)
        assert distance <= 1e-5
        assert angle <= 1e-4


@pytest.mark.parametrize("name", ARMS)
def test_next_to_the_seed_no_joint_goes_far(name):
    arm = ARMS[name]
    rng = np.random.default_rng(1)
    for _ in range(examples(200)):
        goal = anywhere(arm, rng)
        seed = np.clip(goal + rng.uniform(-0.035, 0.035, arm.size), arm.lower, arm.upper)
        found = search(arm, arm.forward_kinematics(goal), seed)
        assert found.converged, found.reason
        assert np.abs(found.q - seed).max() <= 0.5
        assert found.travel == pytest.approx(np.abs(found.q - seed).max(), abs=1e-12)


@settings(max_examples=examples(60), deadline=None)
@given(arm_texts(), st.integers(0, 10**6), st.booleans())
def test_converged_is_true_only_within_tolerance_inside_the_limits(text, seed, far):
    arm = arm_of(text)
    rng = np.random.default_rng(seed)
    target = arm.forward_kinematics(anywhere(arm, rng))
    if far:
        target[:3, 3] += rng.normal(0.0, 0.3, 3)
    found = search(arm, target, anywhere(arm, rng), restarts=6)
    distance, angle = errors(arm, found.q, target)
    assert inside(arm, found.q)
    assert found.position_error == pytest.approx(distance, abs=1e-9)
    assert found.orientation_error == pytest.approx(angle, abs=1e-7)
    level_one = distance <= 1e-6 and (arm.size < 6 or angle <= 1e-5)
    assert found.converged == level_one
    assert bool(found.reason) == (not (distance <= 1e-6 and angle <= 1e-5))


@pytest.mark.parametrize("name", ["planar_2r", "omx", "wx200", "wx250s", "ur5", "panda"])
def test_on_a_branch_the_answer_stays_on_it(name):
    arm = ARMS[name]
    rng = np.random.default_rng(2)
    for sign in branch_signs(arm, arm.elbow, 0.0, 0.0):
        label = arm.elbow.label(sign)
        box = branch_limits(arm, arm.elbow, sign, 0.0, 0.0)
        lower, upper = np.maximum(box.lower, -7.0), np.minimum(box.upper, 7.0)
        for _ in range(examples(60)):
            target = arm.forward_kinematics(rng.uniform(lower, upper))
            found = search(arm, target, anywhere(arm, rng), branch=label)
            assert found.converged, found.reason
            assert found.branch == label
            assert box.contains(found.q)
            target[:3, 3] = rng.normal(0.0, arm.reach, 3)
            assert box.contains(search(arm, target, anywhere(arm, rng), branch=label).q)


@settings(max_examples=examples(100), deadline=None)
@given(st.floats(-0.7, 0.7), st.floats(-0.7, 0.7), st.sampled_from(["+", "-"]))
def test_on_two_links_it_is_the_closed_form(x, z, label):
    arm = ARMS["planar_2r"]
    closed = two_link.inverse_kinematics(x, z, 0.30, 0.25)
    found = search(arm, np.array([x, 0.0, z]), np.array([0.1, 0.5]), branch=label)
    wanted = np.array(closed.down if label == "+" else closed.up)
    reach = np.hypot(x, z)
    if abs(wanted[1]) > 2.6:
        return  # the closed form knows no joint limits
    assert found.converged == (0.05 <= reach <= 0.55) or abs(reach - 0.55) < 1e-5
    if found.converged and abs(wanted[1]) > 1e-3:
        turn = np.abs(np.angle(np.exp(1j * (found.q - wanted))))
        assert turn.max() < 1e-4
    elif not found.converged:
        assert found.position_error == pytest.approx(max(reach - 0.55, 0.05 - reach), abs=1e-6)


@pytest.mark.parametrize("name", ["planar_2r", "omx", "wx200", "wx250s", "ur5", "panda"])
def test_out_of_reach_it_comes_as_near_as_a_general_optimiser(name):
    arm = ARMS[name]
    rng = np.random.default_rng(7)
    lower, upper = np.maximum(arm.lower, -7.0), np.minimum(arm.upper, 7.0)
    for _ in range(examples(5)):
        point = rng.normal(0.0, 1.0, 3)
        point *= arm.reach * rng.uniform(1.1, 3.0) / np.linalg.norm(point)
        found = search(arm, point, anywhere(arm, rng))
        assert not found.converged
        assert "out of reach by" in found.reason

        def gap(q, point=point):
            return arm.forward_kinematics(q)[:3, 3] - point

        def slope(q):
            return arm.jacobian(q)[:3]

        starts = np.clip(arm.random_configurations(6, rng), lower + 1e-6, upper - 1e-6)
        best = min(
            np.linalg.norm(least_squares(gap, q, slope, (lower, upper), max_nfev=100).fun)
            for q in starts
        )
        assert found.position_error <= best + 1e-6


NARROW = [
    ("ur5", "up", [3.1217, -5.9504, 0.062, -0.6463, 0.0007, 1.0054]),
    ("wx250s", "up", [-0.4609, 1.5724, 1.606, 0.7573, 0.2832, 1.7821]),
    ("wx250s", "down", [-3.0728, -0.5879, -2.147, -2.8078, 1.8713, -3.1093]),
]
"""At a limit, nearly straight, next to a singularity of the wrist."""


@pytest.mark.parametrize(("name", "label", "goal"), NARROW)
def test_a_pose_of_a_branch_is_reached_on_it_where_the_way_in_is_narrow(name, label, goal):
    arm = ARMS[name]
    rng = np.random.default_rng(0)
    target = arm.forward_kinematics(np.clip(goal, arm.lower, arm.upper))
    for _ in range(examples(20)):
        found = search(arm, target, anywhere(arm, rng), branch=label)
        assert found.converged, found.reason


def test_both_branches_are_listed_with_an_honest_flag():
    arm = ARMS["wx250s"]
    q = np.array([0.3, -0.4, 0.5, 0.2, 0.6, -0.1])
    found = search_branches(arm, arm.forward_kinematics(q), q)
    assert found[0].branch == arm.elbow.label(arm.elbow.sign_of(q))
    assert found[0].converged
    assert {s.branch for s in found} == {"up", "down"}
    assert found[0].travel < 1e-6
    for solution in found:
        distance, _ = errors(arm, solution.q, arm.forward_kinematics(q))
        assert solution.converged == (distance < 1e-6 and solution.orientation_error < 1e-5)
    only = search_branches(ARMS["scara"], ARMS["scara"].forward_kinematics(np.full(4, 0.1)))
    assert len(only) in (1, 2)


def test_the_seed_s_branch_is_kept_where_it_reaches():
    for name in ("planar_2r", "ur5"):
        arm = ARMS[name]
        rng = np.random.default_rng(4)
        for _ in range(examples(50)):
            goal = anywhere(arm, rng)
            seed = goal + rng.uniform(-0.2, 0.2, arm.size)
            seed = np.clip(seed, arm.lower, arm.upper)
            if arm.elbow.sign_of(goal) != arm.elbow.sign_of(seed):
                continue
            found = search(arm, arm.forward_kinematics(goal), seed)
            assert found.branch == arm.elbow.label(arm.elbow.sign_of(seed))


WITH_ELBOW = {name: arm for name, arm in ARMS.items() if arm.elbow is not None} | {
    "in line": arm_of(in_line())
}


@pytest.mark.parametrize("border", ["straight", "folded"])
@pytest.mark.parametrize("name", WITH_ELBOW)
def test_a_target_just_across_is_reached_by_crossing_and_not_by_a_leap(name, border):
    arm = WITH_ELBOW[name]
    elbow = arm.elbow.index
    middle = arm.elbow.straight + (math.pi if border == "folded" else 0.0)
    if not arm.lower[elbow] < middle - 0.05 < middle + 0.05 < arm.upper[elbow]:
        pytest.skip("the limits end there")
    rng = np.random.default_rng(14)
    leaps = 0
    for _ in range(examples(300)):
        goal = anywhere(arm, rng)
        joint = rng.choice(np.delete(np.arange(arm.size), elbow))
        goal[joint] = rng.choice([arm.lower[joint] + 0.01, arm.upper[joint] - 0.01])
        side = rng.choice([-1.0, 1.0])
        goal[elbow] = middle + side * rng.uniform(0.005, 0.03)
        seed = np.clip(goal + rng.uniform(-0.05, 0.05, arm.size), arm.lower, arm.upper)
        seed[elbow] = middle - side * rng.uniform(0.005, 0.02)
        found = search(arm, arm.forward_kinematics(goal), seed)
        assert found.converged, found.reason
        leaps += found.travel > 0.5
    assert (
        leaps <= 1
    )  # of 300 beside straight and a limit at once: one may be out of the seed's sight


def test_turns_are_counted_from_the_seed():
    arm = ARMS["ur5"]
    rng = np.random.default_rng(9)
    for _ in range(examples(50)):
        goal = rng.uniform(-3.0, 3.0, 6)
        seed = np.clip(goal + 2 * np.pi * rng.integers(-1, 2, 6), arm.lower, arm.upper)
        found = search(arm, arm.forward_kinematics(goal), seed)
        turned = np.abs(found.q - seed) > np.pi + 1e-9
        for joint in np.flatnonzero(turned):
            nearer = found.q[joint] + 2 * np.pi * np.sign(seed[joint] - found.q[joint])
            assert not arm.lower[joint] <= nearer <= arm.upper[joint]


def test_the_same_seeds_give_the_same_answer_and_other_ones_may_not():
    arm = ARMS["panda"]
    rng = np.random.default_rng(3)
    target, seed = arm.forward_kinematics(anywhere(arm, rng)), anywhere(arm, rng)
    first = search(arm, target, seed, rng_seed=5)
    search(arm, arm.forward_kinematics(anywhere(arm, rng)), seed, rng_seed=5)
    again = search(arm, target, seed, rng_seed=5)
    np.testing.assert_array_equal(first.q, again.q)
    fresh = Search(arm, keep_side=True, enough=1, rng_seed=5)
    fresh.begin(target, seed)
    assert fresh.advance(10**6)
    np.testing.assert_array_equal(first.q, fresh.solution().q)


@pytest.mark.parametrize("name", ["omx", "wx200", "panda"])
def test_spread_over_ticks_the_answer_is_the_same(name):
    arm = ARMS[name]
    rng = np.random.default_rng(6)
    whole, parts = Search(arm), Search(arm)
    for trial in range(examples(10)):
        target, seed = arm.forward_kinematics(anywhere(arm, rng)), anywhere(arm, rng)
        if trial % 2:
            target[:3, 3] *= 1.5
        whole.begin(target, seed)
        assert whole.advance(10**6)
        parts.begin(target, seed)
        early = parts.solution() if parts.advance(1) else None
        calls = 1
        while early is None and not parts.advance(7):
            calls += 1
        assert calls >= whole.solution().iterations / 7 - 1
        np.testing.assert_array_equal(whole.solution().q, parts.solution().q)
        assert whole.solution()[1:] == parts.solution()[1:]


def test_before_any_descent_has_ended_it_says_so():
    arm = ARMS["panda"]
    rng = np.random.default_rng(6)
    searching = Search(arm)
    searching.begin(arm.forward_kinematics(anywhere(arm, rng)), anywhere(arm, rng))
    assert not searching.advance(1)
    assert not searching.solution().converged
    assert "not finished" in searching.solution().reason


def test_a_restart_that_is_hardly_better_does_not_replace_the_descent_from_the_seed():
    arm = ARMS["wx200"]
    rng = np.random.default_rng(10)
    searching = Search(arm)
    replaced = 0
    for _ in range(examples(20)):
        target = arm.forward_kinematics(anywhere(arm, rng))
        target[:3, 3] *= 3.0
        seed = anywhere(arm, rng)
        searching.begin(target, seed, restarts=0)
        searching.advance(10**6)
        alone = searching.solution()
        searching.begin(target, seed, hysteresis=10.0, turn_hysteresis=10.0)
        searching.advance(10**6)
        if not searching.solution().converged:
            np.testing.assert_allclose(alone.q, searching.solution().q, atol=1e-6)
        searching.begin(target, seed)
        searching.advance(10**6)
        replaced += not searching.solution().local
    assert replaced > 0


@pytest.mark.parametrize("wish", ["elbow_high", "elbow_low", "centre"])
def test_a_posture_chooses_among_what_reaches(wish):
    arm = ARMS["panda"]
    rng = np.random.default_rng(12)
    middle = 0.5 * (arm.lower + arm.upper)

    def liking(q):
        if wish.startswith("elbow"):
            height = arm.joint_axes(q)[arm.elbow.index, 2]
            return height if wish == "elbow_high" else -height
        return -np.linalg.norm(q - middle)

    for _ in range(examples(10)):
        goal = arm.lower + rng.uniform(0.3, 0.7, 7) * (arm.upper - arm.lower)
        target = arm.forward_kinematics(goal)
        plain = search(arm, target, goal)
        found = search(arm, target, goal, posture=wish)
        assert found.converged, found.reason
        assert liking(found.q) >= liking(plain.q) - 1e-6


def test_bad_input_is_named():
    arm = ARMS["omx"]
    with pytest.raises(SizeError, match="joint1"):
        search(arm, np.eye(4), np.zeros(3))
    with pytest.raises(TargetError, match="finite"):
        search(arm, np.array([np.nan, 0, 0]), np.zeros(4))
    with pytest.raises(TargetError, match="finite"):
        search(arm, np.eye(4), np.array([0.0, np.nan, 0, 0]))
    with pytest.raises(UnknownNameError, match="up"):
        search(arm, np.eye(4), np.zeros(4), branch="upp")
    with pytest.raises(UnknownNameError, match="position"):
        search(arm, np.eye(4), np.zeros(4), rows="positon")
