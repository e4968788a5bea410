"""The pose error and the weighted rows that the solvers work on."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import inlined, njit

Array = NDArray[np.float64]
Row = tuple[float, float, float]
Rotation = tuple[Row, Row, Row]

POSITION = 0
POSE = 1
POSITION_THEN_ORIENTATION = 2

NOT_FINITE = 1
NOT_A_ROTATION = 2
BAD_CONFIGURATION = 3


@njit
def _quaternion(R: Rotation) -> tuple[float, float, float, float]:
    """Return a multiple of a rotation matrix's quaternion (w, x, y, z), by its largest component.

    Source: Shepperd, Quaternion from rotation matrix, 1978.
    """
    (r00, r01, r02), (r10, r11, r12), (r20, r21, r22) = R
    w, x, y, z = r00 + r11 + r22 + 1.0, r21 - r12, r02 - r20, r10 - r01
    if w >= 1.0:
        return w, x, y, z
    if r00 >= r11 and r00 >= r22:
        return x, 1.0 + r00 - r11 - r22, r10 + r01, r20 + r02
    if r11 >= r22:
        return y, r10 + r01, 1.0 - r00 + r11 - r22, r21 + r12
    return z, r20 + r02, r21 + r12, 1.0 - r00 - r11 + r22


@njit
def _row(T: Array, i: int) -> Row:
    """Return row i of a pose's (or rotation's) rotation."""
    return T[i, 0], T[i, 1], T[i, 2]


@njit
def _turned(target: Array, T: Array, i: int) -> Row:
    """Return row i of R_d R' for two poses."""
    x, y, z = _row(target, i)
    return (
        x * T[0, 0] + y * T[0, 1] + z * T[0, 2],
        x * T[1, 0] + y * T[1, 1] + z * T[1, 2],
        x * T[2, 0] + y * T[2, 1] + z * T[2, 2],
    )


@njit
def unit_quaternion(T: Array) -> tuple[float, float, float, float]:
    """Return the quaternion (w, x, y, z) of a pose's rotation; which of the two is left open."""
    w, x, y, z = _quaternion((_row(T, 0), _row(T, 1), _row(T, 2)))
    size = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    return size * w, size * x, size * y, size * z


@njit
def _log(R: Rotation) -> Row:
    """Rotation vector of a rotation matrix.

    Nothing is divided by a small number, so it is exact and finite from 0 to pi.
    """
    w, x, y, z = _quaternion(R)
    s = math.sqrt(x * x + y * y + z * z)
    if s == 0.0:
        return 0.0, 0.0, 0.0
    angle = 2.0 * math.atan2(s, w)
    if angle > math.pi:
        angle -= 2.0 * math.pi
    factor = angle / s
    return factor * x, factor * y, factor * z


@njit
def rotation_log(R: Array, w: Array) -> None:
    """Write the rotation vector [rad] of R (3, 3) into w (3,)."""
    w[0], w[1], w[2] = _log((_row(R, 0), _row(R, 1), _row(R, 2)))


@inlined
def pose_fault(target: Array) -> int:
    """Return 0 for a pose (4, 4), NOT_FINITE, or NOT_A_ROTATION (off by more than 1e-3)."""
    for i in range(3):
        for j in range(4):
            if not math.isfinite(target[i, j]):
                return NOT_FINITE
    for i in range(3):
        for j in range(3):
            if abs(target[i, j]) > 1.001:
                return NOT_A_ROTATION
    for i in range(3):
        for j in range(i + 1):
            product = 0.0
            for k in range(3):
                product += target[i, k] * target[j, k]
            if abs(product - (1.0 if i == j else 0.0)) > 1e-3:
                return NOT_A_ROTATION
    determinant = (
        target[0, 0] * (target[1, 1] * target[2, 2] - target[1, 2] * target[2, 1])
        - target[0, 1] * (target[1, 0] * target[2, 2] - target[1, 2] * target[2, 0])
        + target[0, 2] * (target[1, 0] * target[2, 1] - target[1, 1] * target[2, 0])
    )
    return 0 if determinant > 0.0 else NOT_A_ROTATION


@njit
def position_error(T: Array, target: Array, e: Array) -> None:
    """Write e[:3] = p_d - p in base axes [m] for poses T, target (4, 4)."""
    e[0] = target[0, 3] - T[0, 3]
    e[1] = target[1, 3] - T[1, 3]
    e[2] = target[2, 3] - T[2, 3]


@njit
def rotation_error(T: Array, target: Array, e: Array) -> None:
    """Write e[3:] = log(R_d R') in base axes [rad] for poses T, target (4, 4)."""
    e[3], e[4], e[5] = _log((_turned(target, T, 0), _turned(target, T, 1), _turned(target, T, 2)))


@njit
def pose_error(T: Array, target: Array, e: Array) -> None:
    """Write e (6,) = [p_d - p; log(R_d R')] in base axes [m, rad] for poses T, target (4, 4)."""
    position_error(T, target, e)
    rotation_error(T, target, e)


@inlined
def weigh_rotation(
    T: Array, J: Array, e: Array, w0: float, w1: float, w2: float, A: Array, b: Array
) -> None:
    """Write the rotation rows, weighted by axis in the tool frame.

    With unequal weights the rows hold the exact derivative of the rotation vector in tool axes: a
    large rotation about an axis that does not count must not disturb the others.

    Args:
        T: (4, 4) tool in base.
        J: (6, n) LOCAL_WORLD_ALIGNED.
        e: (6,) pose error, base axes.
        w0: weight of the tool's x axis, a length, so that rows compare with metres.
        w1: of its y axis.
        w2: of its z axis.
        A: (3, n) out.
        b: (3,) out, m.
    """
    if w0 == w1 and w1 == w2:
        for i in range(3):
            b[i] = w0 * e[3 + i]
            for j in range(J.shape[1]):
                A[i, j] = w0 * J[3 + i, j]
        return
    square = e[3] * e[3] + e[4] * e[4] + e[5] * e[5]
    bend = 1.0 / 12.0
    if square > 1e-6:
        half = 0.5 * math.sqrt(square)
        bend = (1.0 - half / math.tan(half)) / square
    for i in range(3):
        w = w0 if i == 0 else (w1 if i == 1 else w2)
        ux, uy, uz = w * T[0, i], w * T[1, i], w * T[2, i]
        along = ux * e[3] + uy * e[4] + uz * e[5]
        b[i] = along
        along *= bend
        keep = 1.0 - bend * square
        x = keep * ux + along * e[3] + 0.5 * (e[4] * uz - e[5] * uy)
        y = keep * uy + along * e[4] + 0.5 * (e[5] * ux - e[3] * uz)
        z = keep * uz + along * e[5] + 0.5 * (e[3] * uy - e[4] * ux)
        for j in range(J.shape[1]):
            A[i, j] = x * J[3, j] + y * J[4, j] + z * J[5, j]
