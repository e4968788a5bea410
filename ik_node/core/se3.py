"""Poses as 4x4 arrays and rotations as 3x3: building, inverting, logarithm, exponential."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik_node.core.kernels.task import rotation_log
from ik_node.errors import TargetError

Array = NDArray[np.float64]


def frozen(array: ArrayLike) -> Array:
    """A read-only C-contiguous float64 copy."""
    copy = np.array(array, dtype=np.float64, order="C")
    copy.flags.writeable = False
    return copy


def pose(rotation: ArrayLike, translation: ArrayLike) -> Array:
    """(4, 4) pose of a (3, 3) rotation and a (3,) translation [m]."""
    T = np.eye(4)
    T[:3, :3] = rotation
    T[:3, 3] = translation
    return T


def inverse(T: Array) -> Array:
    """T_b_a of T_a_b."""
    R = T[:3, :3]
    return pose(R.T, -R.T @ T[:3, 3])


def rotation_from_rpy(rpy: ArrayLike) -> Array:
    """Rotation of URDF's fixed-axis roll, pitch, yaw [rad]: Rz(yaw) Ry(pitch) Rx(roll)."""
    roll, pitch, yaw = np.asarray(rpy, dtype=float)
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def exp(rotation_vector: ArrayLike) -> Array:
    """Rotation (3, 3) about a rotation vector (3,) [rad] (Rodrigues)."""
    w = np.asarray(rotation_vector, dtype=float)
    angle = float(np.linalg.norm(w))
    K = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
    if angle < 1e-4:
        a, b = 1.0 - angle**2 / 6.0, 0.5 - angle**2 / 24.0
    else:
        a, b = math.sin(angle) / angle, 2.0 * (math.sin(angle / 2.0) / angle) ** 2
    R: Array = np.eye(3) + a * K + b * (K @ K)
    return R


def log(R: Array) -> Array:
    """Rotation vector (3,) [rad] of a rotation (3, 3), of length 0 to pi."""
    w = np.empty(3)
    rotation_log(np.array(R, dtype=float), w)
    return w


def rotation_from_quaternion(xyzw: ArrayLike) -> Array:
    """Rotation (3, 3) of a quaternion (x, y, z, w) of any length but zero.

    Raises:
        TargetError: the quaternion is zero or not finite.
    """
    q = np.asarray(xyzw, dtype=float)
    if not np.isfinite(q).all():
        raise TargetError("its quaternion has a number that is not finite; give finite numbers")
    largest = float(np.abs(q).max())
    if largest < 1e-9:
        raise TargetError("its quaternion is zero; give x, y, z, w of a rotation")
    q = q / largest
    x, y, z, w = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion_from_rotation(R: Array) -> Array:
    """Unit quaternion (x, y, z, w), w >= 0, of a rotation (3, 3).

    Source: Shepperd, Quaternion from rotation matrix, 1978 (the largest of four roots is taken).
    """
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    squares = np.array([R[0, 0], R[1, 1], R[2, 2], trace])
    i = int(np.argmax(squares))
    q = np.empty(4)
    if i == 3:
        q[:] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], 1.0 + trace
    else:
        j, k = (i + 1) % 3, (i + 2) % 3
        q[i] = 1.0 + 2.0 * R[i, i] - trace
        q[j] = R[j, i] + R[i, j]
        q[k] = R[k, i] + R[i, k]
        q[3] = R[k, j] - R[j, k]
    q /= np.linalg.norm(q)
    return -q if q[3] < 0.0 else q


def distance(a: Array, b: Array) -> float:
    """Return how far apart two poses are [m]."""
    return float(np.linalg.norm(a[:3, 3] - b[:3, 3]))


def angle(a: Array, b: Array) -> float:
    """Return by how much two poses are turned against each other [rad], in [0, pi]."""
    cosine = 0.5 * (float(np.sum(a[:3, :3] * b[:3, :3])) - 1.0)
    return float(np.arccos(min(1.0, max(-1.0, cosine))))
