"""Messages to arrays and back; quaternions (x, y, z, w) exist only here."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import Point, Pose, Quaternion, Twist
from numpy.typing import NDArray

from ik_node.core.se3 import quaternion_from_rotation, rotation_from_quaternion
from ik_node.errors import TargetError

Array = NDArray[np.float64]


def point_array(point: Point) -> Array:
    """Return a point or vector message as (3,).

    Raises:
        TargetError: a component is NaN or infinite.
    """
    values = np.array([point.x, point.y, point.z])
    if not np.isfinite(values).all():
        raise TargetError(f"position {_listed(values)} is not finite; send numbers in metres")
    return values


def rotation_matrix(quaternion: Quaternion) -> Array:
    """Return a quaternion message of any length but zero as a rotation matrix (3, 3).

    Raises:
        TargetError: NaN, infinite, or all zero.
    """
    return rotation_from_quaternion((quaternion.x, quaternion.y, quaternion.z, quaternion.w))


def pose_matrix(pose: Pose) -> Array:
    """Return a pose message as (4, 4).

    Raises:
        TargetError: a component is not finite, or the quaternion is all zero.
    """
    T = np.eye(4)
    T[:3, :3] = rotation_matrix(pose.orientation)
    T[:3, 3] = point_array(pose.position)
    return T


def twist_array(twist: Twist) -> Array:
    """Return a twist message as (6,): [v; w] in m/s and rad/s.

    Raises:
        TargetError: a component is not finite.
    """
    linear, angular = twist.linear, twist.angular
    values = np.array([linear.x, linear.y, linear.z, angular.x, angular.y, angular.z])
    if not np.isfinite(values).all():
        raise TargetError(f"twist {_listed(values)} is not finite; send m/s and rad/s")
    return values


def quaternion_message(R: Array) -> Quaternion:
    """Return a rotation matrix (3, 3) as a unit quaternion message with w >= 0."""
    x, y, z, w = quaternion_from_rotation(R).tolist()
    return Quaternion(x=x, y=y, z=z, w=w)


def point_message(position: Array) -> Point:
    """Return (3,) as a point message."""
    return Point(x=float(position[0]), y=float(position[1]), z=float(position[2]))


def pose_message(T: Array) -> Pose:
    """Return (4, 4) as a pose message."""
    return Pose(position=point_message(T[:3, 3]), orientation=quaternion_message(T[:3, :3]))


def _listed(values: Array) -> str:
    return "(" + ", ".join(f"{value:g}" for value in values) + ")"
