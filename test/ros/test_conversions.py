from __future__ import annotations

import math

import numpy as np
import pytest
from geometry_msgs.msg import Point, Pose, Quaternion, Twist, Vector3
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from ik_node.errors import TargetError
from ik_node.ros.conversions import (
    point_array,
    pose_matrix,
    pose_message,
    quaternion_message,
    rotation_matrix,
    twist_array,
)

component = st.floats(-1.0, 1.0)
quaternions = st.tuples(component, component, component, component).filter(
    lambda q: sum(c * c for c in q) > 1e-4
)


@given(quaternions, st.floats(1e-3, 1e3))
def test_quaternions_of_any_length_are_rotations(q, scale):
    x, y, z, w = (scale * c for c in q)
    R = rotation_matrix(Quaternion(x=x, y=y, z=z, w=w))
    np.testing.assert_allclose(R, Rotation.from_quat(q).as_matrix(), atol=1e-12)


@given(quaternions, st.tuples(component, component, component))
def test_a_pose_survives_the_round_trip(q, position):
    T = np.eye(4)
    T[:3, :3] = Rotation.from_quat(q).as_matrix()
    T[:3, 3] = position
    np.testing.assert_allclose(pose_matrix(pose_message(T)), T, atol=1e-12)


@given(quaternions)
def test_sent_quaternions_have_length_one_and_w_not_negative(q):
    sent = quaternion_message(Rotation.from_quat(q).as_matrix())
    assert math.isclose(sent.x**2 + sent.y**2 + sent.z**2 + sent.w**2, 1.0, rel_tol=1e-12)
    assert sent.w >= 0.0


def test_a_zero_quaternion_is_refused():
    with pytest.raises(TargetError, match="zero"):
        pose_matrix(Pose(orientation=Quaternion(w=0.0)))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused(bad):
    with pytest.raises(TargetError, match="finite"):
        point_array(Point(y=bad))
    with pytest.raises(TargetError, match="finite"):
        rotation_matrix(Quaternion(x=bad))
    with pytest.raises(TargetError, match="finite"):
        twist_array(Twist(angular=Vector3(z=bad)))


def test_a_twist_is_linear_then_angular():
    twist = Twist(linear=Vector3(x=1.0, y=2.0, z=3.0), angular=Vector3(x=4.0, y=5.0, z=6.0))
    np.testing.assert_array_equal(twist_array(twist), [1, 2, 3, 4, 5, 6])
