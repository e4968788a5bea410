"""solve_ik: bounded, inside every limit, and it gets there by each method."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import FIXED_ARMS, JointText, arm_of, arm_texts, examples, fixed_joint, urdf

from ik_node.core import search, solve_ik
from ik_node.core.damping import Damping
from ik_node.core.kernels.jit import COMPILED
from ik_node.core.kernels.search import advance
from ik_node.core.kernels.step import differential_step
from ik_node.core.limits import Box
from ik_node.core.tasks import FrameTask
from ik_node.errors import ConfigurationError, SizeError, TargetError, UnknownNameError

ARMS = {name: arm_of(text) for name, text in FIXED_ARMS.items()}


def away_from_borders(arm, rng):
    """A configuration well inside the limits whose elbow is bent."""
    lower, upper = np.maximum(arm.lower, -2.0), np.minimum(arm.upper, 2.0)
    while True:
        q = lower + rng.uniform(0.2, 0.8, arm.size) * (upper - lower)
        if arm.elbow is None or abs(arm.elbow.angle(q)) > 0.4:
            return q


def follow(arm, q, target, steps=400, dt=0.1, **options):
    """Repeat the step; return the end and the largest joint step."""
    largest = 0.0
    for _ in range(steps):
        step = solve_ik(arm, q, target, dt, **options)
        if step.position_error < 1e-7 and np.abs(step.dq).max() < 1e-6:
            break
        largest = max(largest, float(np.abs(step.dq).max()))
        q = q + step.dq
    return q, largest


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("method", ["dls", "pinv", "transpose"])
def test_every_method_reaches_a_target_nearby(name, method):
    arm = ARMS[name]
    rng = np.random.default_rng(3)
    goal = away_from_borders(arm, rng)
    target = arm.forward_kinematics(goal)[:3, 3]
    q = np.clip(goal + rng.uniform(-0.1, 0.1, arm.size), arm.lower, arm.upper)
    q, _ = follow(arm, q, target, 2000, method=method)
    np.testing.assert_allclose(arm.forward_kinematics(q)[:3, 3], target, atol=1e-5)


@pytest.mark.parametrize("name", ["planar_2r", "omx", "wx200", "wx250s", "ur5", "panda"])
@pytest.mark.parametrize("side", [1, -1])
def test_nearly_straight_and_asked_inward_no_joint_leaps_and_the_target_is_reached(name, side):
    arm = ARMS[name]
    elbow = arm.elbow
    q = np.where(np.isfinite(arm.lower + arm.upper), 0.5 * (arm.lower + arm.upper), 0.0)
    q[elbow.index] = elbow.straight + side * 0.005
    if not arm.lower[elbow.index] + 0.5 < q[elbow.index] < arm.upper[elbow.index] - 0.5:
        pytest.skip("no room on this side")
    origin = arm.joint_axes(q)[1, :3]
    tip = arm.forward_kinematics(q)[:3, 3]
    target = origin + 0.95 * (tip - origin)
    q, largest = follow(arm, q, target, 1000)
    assert largest <= 0.05 + 1e-12
    np.testing.assert_allclose(arm.forward_kinematics(q)[:3, 3], target, atol=1e-5)
    assert side * elbow.angle(q) > 0.0


@settings(max_examples=examples(60), deadline=None)
@given(arm_texts(), st.integers(0, 10**6), st.sampled_from(["dls", "pinv", "transpose"]))
def test_no_step_leaves_the_limits_the_speed_or_the_side_whatever_is_asked(text, seed, method):
    arm = arm_of(text)
    rng = np.random.default_rng(seed)
    q = arm.random_configurations(1, rng)[0]
    target = np.eye(4)
    for _ in range(5):
        target[:3, 3] = rng.normal(0.0, 10.0 ** rng.uniform(-2, 1), 3)
        dt = float(rng.uniform(0.001, 0.1))
        step = solve_ik(arm, q, target, dt, method=method)
        assert np.isfinite(step.dq).all()
        assert np.all(np.abs(step.dq) <= arm.velocity * dt * (1 + 1e-12) + 1e-15)
        if method == "dls":
            assert np.abs(step.dq).max() <= 0.05 * (1 + 1e-12)
        after = q + step.dq
        assert np.all(after >= arm.lower - 1e-12)
        assert np.all(after <= arm.upper + 1e-12)
        if arm.elbow is not None:
            assert arm.elbow.angle(q) * arm.elbow.angle(after) >= 0.0
        q = np.clip(after, arm.lower, arm.upper)


@settings(max_examples=examples(40), deadline=None)
@given(st.sampled_from(list(ARMS)), st.integers(0, 10**6))
@example("scara", 6139)  # where both levels would end at the bound by themselves
def test_outside_a_limit_a_joint_only_moves_inward(name, seed):
    arm = ARMS[name]
    rng = np.random.default_rng(seed)
    q = away_from_borders(arm, rng)
    joint = int(rng.integers(arm.size))
    beyond = q - 0.1 * np.minimum(q - arm.lower, 1.0)
    box = Box(arm.lower, np.where(np.arange(arm.size) == joint, beyond, arm.upper))
    target = np.eye(4)
    target[:3, 3] = rng.normal(0.0, 1.0, 3)
    step = solve_ik(arm, q, target, limits=box, keep_side=False)
    assert step.dq[joint] < 0.0
    assert arm.joint_names[joint] in step.limited_by


def test_position_is_never_traded_for_orientation():
    for name in ("omx", "wx200"):
        arm = ARMS[name]
        rng = np.random.default_rng(8)
        q = away_from_borders(arm, rng)
        target = arm.forward_kinematics(q)
        turn = np.array([[np.cos(0.2), -np.sin(0.2), 0], [np.sin(0.2), np.cos(0.2), 0], [0, 0, 1]])
        target[:3, :3] = turn @ target[:3, :3]
        q, _ = follow(arm, q, target, 300)
        np.testing.assert_allclose(arm.forward_kinematics(q)[:3, 3], target[:3, 3], atol=1e-6)


def test_a_stopped_joint_leaves_its_part_to_the_others():
    arm = ARMS["panda"]
    rng = np.random.default_rng(2)
    q = away_from_borders(arm, rng)
    target = arm.forward_kinematics(q)[:3, 3] + np.array([0.0, 0.0, 0.003])
    box = Box(np.where(np.arange(7) == 1, q, arm.lower), np.where(np.arange(7) == 1, q, arm.upper))
    q, _ = follow(arm, q, target, 50, limits=box)
    np.testing.assert_allclose(arm.forward_kinematics(q)[:3, 3], target, atol=1e-6)


def test_an_axis_without_weight_is_free():
    arm = ARMS["wx250s"]
    rng = np.random.default_rng(5)
    goal = away_from_borders(arm, rng)
    target = arm.forward_kinematics(goal)
    turn = np.diag([-1.0, -1.0, 1.0])
    target[:3, :3] = target[:3, :3] @ turn
    q, _ = follow(arm, goal, target, 1000, rows="pose", orientation_weights=(1, 1, 0))
    reached = arm.forward_kinematics(q)
    np.testing.assert_allclose(reached[:3, 3], target[:3, 3], atol=1e-5)
    np.testing.assert_allclose(reached[:3, 2], target[:3, 2], atol=1e-4)


@pytest.mark.parametrize("wish", ["elbow_high", "elbow_low", "centre", "rest"])
def test_spare_freedom_follows_the_posture_and_the_tool_stays(wish):
    arm = ARMS["panda"]
    rng = np.random.default_rng(4)
    q = away_from_borders(arm, rng)
    q[:3] = 0.3, 1.0, 0.5
    target = arm.forward_kinematics(q)
    rest = 0.5 * (arm.lower + arm.upper)
    posture = rest + 0.1 if wish == "rest" else wish

    def liking(q):
        if wish.startswith("elbow"):
            height = arm.joint_axes(q)[arm.elbow.index, 2]
            return height if wish == "elbow_high" else -height
        return -np.linalg.norm(q - (posture if wish == "rest" else rest))

    end, _ = follow(arm, q, target, 300, posture=posture, keep_side=False)
    np.testing.assert_allclose(arm.forward_kinematics(end), target, atol=1e-4)
    assert liking(end) > liking(q) + 1e-3


def test_rates_shorten_the_step_and_keep_its_direction():
    arm = ARMS["ur5"]
    rng = np.random.default_rng(6)
    q = away_from_borders(arm, rng)
    target = arm.forward_kinematics(q)
    target[:3, 3] += 0.02
    free = solve_ik(arm, q, target, dt=1.0)
    slow = solve_ik(arm, q, target, dt=0.001)
    assert slow.scale < free.scale
    np.testing.assert_allclose(slow.dq / slow.scale, free.dq / free.scale, atol=1e-12)
    assert len(slow.limited_by) == 1


def test_damping_can_be_set_to_a_number_or_a_profile():
    arm = ARMS["wx250s"]
    q = away_from_borders(arm, np.random.default_rng(1))
    target = arm.forward_kinematics(q)
    target[0, 3] += 1e-4
    assert solve_ik(arm, q, target, damping=0.2).damping == 0.2
    assert solve_ik(arm, q, target, damping=Damping(0.3, 100.0)).damping > 0.29


def test_task_rows_are_zero_at_the_target_and_have_the_size_of_the_rows():
    arm = ARMS["wx200"]
    q = away_from_borders(arm, np.random.default_rng(1))
    target = arm.forward_kinematics(q)
    for rows, size in (("position", 3), ("position_then_orientation", 6), ("pose", 6)):
        task = FrameTask.of(arm, rows)
        np.testing.assert_allclose(task.error(q, target), np.zeros(size), atol=1e-12)
        assert task.jacobian(q).shape == (size, 5)


def test_bad_input_is_named():
    arm = ARMS["omx"]
    q, target = np.zeros(4), np.eye(4)
    with pytest.raises(SizeError, match="joint1, joint2, joint3, joint4"):
        solve_ik(arm, q[:3], target)
    with pytest.raises(TargetError, match="entry"):
        solve_ik(arm, q, np.full((4, 4), np.nan))
    with pytest.raises(TargetError, match="rotation"):
        solve_ik(arm, q, np.diag([2.0, 1, 1, 1]))
    with pytest.raises(TargetError, match="shape"):
        solve_ik(arm, q, np.zeros(6))
    with pytest.raises(TargetError, match="point has no orientation"):
        solve_ik(arm, q, np.zeros(3), rows="pose")
    with pytest.raises(TargetError, match="not finite"):
        solve_ik(arm, np.full(4, np.inf), target)
    with pytest.raises(UnknownNameError, match="did you mean 'transpose'"):
        solve_ik(arm, q, target, method="transposed")
    with pytest.raises(UnknownNameError, match="elbow_high"):
        solve_ik(arm, q, target, posture="high")
    with pytest.raises(ConfigurationError, match="dq_step_max"):
        solve_ik(arm, q, target, dq_step_max=0.0)
    with pytest.raises(ConfigurationError, match="orientation weights"):
        solve_ik(arm, q, target, orientation_weights=(1, -1, 0))
    with pytest.raises(SizeError, match="limits"):
        solve_ik(arm, q, target, limits=Box(np.zeros(3), np.ones(3)))


def test_the_damping_follows_from_the_turning_joints_whatever_a_slide_s_speed_is():
    def slide(speed):
        return arm_of(
            urdf(
                [
                    JointText("turn", velocity=2.0),
                    JointText("lift", "prismatic", axis=(0, 0, 1), velocity=speed),
                    JointText("bend", xyz=(0.3, 0, 0), velocity=4.0),
                    fixed_joint((0.2, 0, 0)),
                ]
            )
        )

    assert Damping.from_speeds(slide(0.01)) == Damping.from_speeds(slide(1.0))
    assert Damping.from_speeds(slide(0.01)).ceiling == pytest.approx(0.5 / (16.0 * 2.0))


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled without numba")
def test_read_only_and_other_arrays_compile_nothing_anew():
    arm = arm_of(FIXED_ARMS["wx200"])
    q, target = np.zeros(5), arm.forward_kinematics(np.full(5, 0.1))
    asks = (lambda q, target: solve_ik(arm, q, target), lambda q, target: search(arm, target, q))
    for ask in asks:
        ask(q, target.copy())
    kernels = (differential_step, advance)
    before = [len(kernel.signatures) for kernel in kernels]
    q.flags.writeable = target.flags.writeable = False
    for ask in asks:
        ask(q, target)
        ask(q.tolist(), np.asfortranarray(target))
        ask(q.astype(np.float32), target[:, :])
    assert [len(kernel.signatures) for kernel in kernels] == before
