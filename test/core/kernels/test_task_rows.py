"""The pose error and its weighted rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation
from strategies import FIXED_ARMS, arm_of, examples

from ik_node.core.kernels import task
from ik_node.core.kernels.curvature import add_position_curvature, add_rotation_hessian

VECTORS = arrays(float, 3, elements=st.floats(-4.0, 4.0))


def pose(rotation_vector, position=(0.0, 0.0, 0.0)):
    T = np.eye(4)
    T[:3, :3] = Rotation.from_rotvec(rotation_vector).as_matrix()
    T[:3, 3] = position
    return T


def error(T, target):
    e = np.empty(6)
    task.pose_error(T, target, e)
    return e


@settings(max_examples=examples(200), deadline=None)
@given(VECTORS, VECTORS)
def test_orientation_error_turns_the_tool_onto_the_target(first, second):
    T, target = pose(first), pose(second)
    e = error(T, target)[3:]
    assert np.linalg.norm(e) <= np.pi + 1e-9
    np.testing.assert_allclose(
        Rotation.from_rotvec(e).as_matrix() @ T[:3, :3], target[:3, :3], atol=1e-9
    )


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1), (-1, 2, 0.5)])
@pytest.mark.parametrize("gap", [0.0, 1e-16, 1e-12, 1e-9, 1e-7, 1e-3])
def test_orientation_error_is_exact_at_nothing_and_near_half_a_turn(axis, gap):
    axis = np.array(axis) / np.linalg.norm(axis)
    small = error(np.eye(4), pose(axis * gap))[3:]
    np.testing.assert_allclose(small, axis * gap, rtol=1e-6, atol=1e-16)
    large = error(np.eye(4), pose(axis * (np.pi - gap)))[3:]
    assert np.linalg.norm(large) == pytest.approx(np.pi - gap, abs=1e-9)
    assert abs(large @ axis) == pytest.approx(np.pi - gap, abs=1e-9)


def test_what_is_not_a_pose_is_told_from_a_pose():
    assert task.pose_fault(pose((0.3, 2.0, -1.0), (1, 2, 3))) == 0
    broken = np.eye(4)
    broken[1, 3] = np.nan
    assert task.pose_fault(broken) == task.NOT_FINITE
    assert task.pose_fault(np.diag([1.0, 1.0, -1.0, 1.0])) == task.NOT_A_ROTATION
    assert task.pose_fault(2.0 * np.eye(4)) == task.NOT_A_ROTATION


@pytest.mark.parametrize("name", FIXED_ARMS)
@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0), (1.0, 1.0, 0.0), (0.2, 1.0, 3.0)])
def test_gradient_of_the_weighted_error_matches_finite_differences(name, weights):
    arm = arm_of(FIXED_ARMS[name])
    rng = np.random.default_rng(4)

    def rows(q, target):
        T, J = arm.forward_kinematics(q), arm.jacobian(q)
        e = error(T, target)
        A, b = np.vstack([J[:3], J[3:]]), e.copy()
        task.weigh_rotation(T, J, e, *weights, A[3:], b[3:])
        return A, b

    for _ in range(3):
        q = arm.random_configurations(1, rng)[0]
        target = pose(rng.standard_normal(3), rng.standard_normal(3) * 0.2)
        A, b = rows(q, target)
        for i in range(arm.size):
            step = np.zeros(arm.size)
            step[i] = 1e-6
            after, before = rows(q + step, target)[1], rows(q - step, target)[1]
            slope = (after @ after - before @ before) / 4e-6
            assert slope == pytest.approx(-A[:, i] @ b, abs=1e-6)


@pytest.mark.parametrize("name", FIXED_ARMS)
def test_second_derivatives_match_finite_differences_of_the_gradient(name):
    arm = arm_of(FIXED_ARMS[name])
    rng = np.random.default_rng(5)
    chain = np.array(arm.chain)
    weight = 0.3

    def gradient(q, target):
        T, J = arm.forward_kinematics(q), arm.jacobian(q)
        e = error(T, target)
        return -J[:3].T @ e[:3] - weight * J[3:].T @ e[3:]

    for _ in range(3):
        q = arm.random_configurations(1, rng)[0]
        target = pose(rng.standard_normal(3), rng.standard_normal(3) * 0.2)
        T, J, joints = arm.forward_kinematics(q), arm.jacobian(q), arm.joint_axes(q)
        e = error(T, target)
        H = J[:3].T @ J[:3]
        add_position_curvature(chain, joints, T, e, H)
        add_rotation_hessian(chain, joints, e, weight, H)
        numeric = np.empty_like(H)
        for i in range(arm.size):
            step = np.zeros(arm.size)
            step[i] = 1e-6
            numeric[i] = (gradient(q + step, target) - gradient(q - step, target)) / 2e-6
        np.testing.assert_allclose(H, numeric, atol=1e-7)
