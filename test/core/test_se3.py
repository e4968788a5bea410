from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from ik_node.core import se3
from ik_node.errors import TargetError

unit = st.integers(0, 2**31).map(lambda seed: _unit(np.random.default_rng(seed).normal(size=3)))
angles = st.one_of(
    st.floats(0.0, math.pi),
    st.floats(-16.0, 0.0).map(lambda x: 10.0**x),
    st.floats(-16.0, 0.0).map(lambda x: math.pi - 10.0**x),
    st.sampled_from([0.0, math.pi]),
)


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


@settings(deadline=None, max_examples=200)
@given(unit, angles)
def test_the_logarithm_undoes_the_exponential(axis: np.ndarray, angle: float) -> None:
    R = se3.exp(angle * axis)
    w = se3.log(R)
    assert np.isfinite(w).all()
    assert np.linalg.norm(w) == pytest.approx(angle, abs=1e-9)
    assert se3.exp(w) == pytest.approx(R, abs=1e-9)


@pytest.mark.parametrize("axis", [*np.eye(3), [1, 1, 0], [0, -1, 1], [1, 2, 3]])
@pytest.mark.parametrize("short", [0.0, 1e-12, 1e-8, 1e-4])
def test_the_logarithm_is_exact_near_half_a_turn(axis: list[float], short: float) -> None:
    vector = (math.pi - short) * _unit(np.array(axis, dtype=float))
    R = Rotation.from_rotvec(vector).as_matrix()
    w = se3.log(R)
    difference = min(np.abs(w - vector).max(), np.abs(w + vector).max() if short < 1e-7 else 9.0)
    assert difference < 1e-7


@settings(deadline=None, max_examples=100)
@given(st.tuples(*[st.floats(-10.0, 10.0)] * 3))
def test_roll_pitch_yaw_is_the_fixed_axis_convention(rpy: tuple[float, float, float]) -> None:
    expected = Rotation.from_euler("xyz", rpy).as_matrix()
    assert se3.rotation_from_rpy(rpy) == pytest.approx(expected, abs=1e-12)


@settings(deadline=None, max_examples=200)
@given(unit, angles, st.floats(1e-6, 1e6))
def test_quaternions_of_any_length_and_back(axis: np.ndarray, angle: float, scale: float) -> None:
    q = Rotation.from_rotvec(angle * axis).as_quat()
    R = se3.rotation_from_quaternion(scale * q)
    assert pytest.approx(np.eye(3), abs=1e-12) == R @ R.T
    assert pytest.approx(Rotation.from_quat(q).as_matrix(), abs=1e-12) == R
    back = se3.quaternion_from_rotation(R)
    assert back[3] >= 0.0
    assert np.linalg.norm(back) == pytest.approx(1.0)
    assert abs(back @ q) == pytest.approx(1.0)


@pytest.mark.parametrize("q", [[0, 0, 0, 0], [0, 0, 0, 1e-300]])
def test_a_zero_quaternion_is_refused(q: list[float]) -> None:
    with pytest.raises(TargetError, match="quaternion is zero; give"):
        se3.rotation_from_quaternion(q)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_quaternion_that_is_not_finite_is_refused(bad: float) -> None:
    with pytest.raises(TargetError, match="not finite"):
        se3.rotation_from_quaternion([0, 0, bad, 1])


def test_a_huge_quaternion_does_not_overflow() -> None:
    assert se3.rotation_from_quaternion([0, 0, 0, 1e300]) == pytest.approx(np.eye(3))


def test_the_inverse_undoes_a_pose() -> None:
    T = se3.pose(se3.exp([0.3, -1.0, 2.0]), [1, 2, 3])
    assert se3.inverse(T) @ T == pytest.approx(np.eye(4))
