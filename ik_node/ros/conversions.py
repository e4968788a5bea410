"""Messages to arrays and back; quaternions (x, y, z, w) exist only here."""

from __future__ import annotations

import math

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, Quaternion, Twist
from numpy.typing import NDArray

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
    values = np.array([quaternion.x, quaternion.y, quaternion.z, quaternion.w])
    if not np.isfinite(values).all():
        raise TargetError(f"quaternion {_listed(values)} is not finite; send x, y, z, w")
    largest = np.abs(values).max()
    if largest < 1e-9:
        raise TargetError(
            "the quaternion is all zero; send w: 1 for no rotation, or use the topic "
            "target_point for a position only"
        )
    values = values / largest
    x, y, z, w = values / math.sqrt(values @ values)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


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
    """Return a rotation matrix (3, 3) as a unit quaternion message with w >= 0.

    The largest of the four squared components is taken first, so that no division is by a small
    number (Shepperd, 1978).
    """
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    squares = (R[0, 0], R[1, 1], R[2, 2], trace)
    largest = max(range(4), key=lambda i: squares[i])
    q = [0.0, 0.0, 0.0, 0.0]
    if largest == 3:
        q[3] = 1.0 + trace
        q[0], q[1], q[2] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    else:
        i, j, k = largest, (largest + 1) % 3, (largest + 2) % 3
        q[i] = 1.0 + R[i, i] - R[j, j] - R[k, k]
        q[j], q[k], q[3] = R[j, i] + R[i, j], R[k, i] + R[i, k], R[k, j] - R[j, k]
    scale = math.copysign(1.0 / math.sqrt(sum(c * c for c in q)), q[3])
    x, y, z, w = (float(c * scale) for c in q)
    return Quaternion(x=x, y=y, z=z, w=w)


def point_message(position: Array) -> Point:
    """Return (3,) as a point message."""
    return Point(x=float(position[0]), y=float(position[1]), z=float(position[2]))


def pose_message(T: Array) -> Pose:
    """Return (4, 4) as a pose message."""
    return Pose(position=point_message(T[:3, 3]), orientation=quaternion_message(T[:3, :3]))


def seconds(stamp: Time) -> float:
    """Return a stamp in seconds."""
    return float(stamp.sec) + 1e-9 * stamp.nanosec


def _listed(values: Array) -> str:
    return "(" + ", ".join(f"{value:g}" for value in values) + ")"
