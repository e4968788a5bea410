"""Second derivatives of the pose error: what turns Gauss-Newton into Newton.

At a target that cannot be reached the error does not vanish, and the part of the second derivative
that Gauss-Newton leaves out is all that says how far to go: a straightened arm has none other.

Source: with a_i the axis of joint i and c_j the position column of joint j, i not after j,
d2p / dq_i dq_j = a_i x c_j; the rotation part is the second derivative of the squared angle on
SO(3) along the chain.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import njit
from ik_node.core.kernels.kinematics import INDEX, MULTIPLIER, PRISMATIC

Array = NDArray[np.float64]


@njit
def add_position_curvature(chain: Array, joints: Array, T: Array, e: Array, H: Array) -> None:
    """Subtract e . d2p / dq dq from H (n, n).

    Args:
        chain: (k + 1, 16).
        joints: (k, 6) from `forward_kinematics`.
        T: (4, 4) tool pose.
        e: (>= 3,) the position error, base axes.
        H: (n, n) in and out, symmetric.
    """
    for j in range(joints.shape[0]):
        wx, wy, wz = joints[j, 3], joints[j, 4], joints[j, 5]
        if chain[j, PRISMATIC] != 0.0:
            cx, cy, cz = wx, wy, wz
        else:
            dx, dy, dz = T[0, 3] - joints[j, 0], T[1, 3] - joints[j, 1], T[2, 3] - joints[j, 2]
            cx, cy, cz = wy * dz - wz * dy, wz * dx - wx * dz, wx * dy - wy * dx
        # e . (a x c) = a . (c x e)
        ux, uy, uz = cy * e[2] - cz * e[1], cz * e[0] - cx * e[2], cx * e[1] - cy * e[0]
        b = int(chain[j, INDEX])
        for i in range(j + 1):
            if chain[i, PRISMATIC] != 0.0:
                continue
            entry = joints[i, 3] * ux + joints[i, 4] * uy + joints[i, 5] * uz
            entry *= chain[i, MULTIPLIER] * chain[j, MULTIPLIER]
            a = int(chain[i, INDEX])
            H[a, b] -= entry
            if i != j:
                H[b, a] -= entry


@njit
def add_rotation_hessian(chain: Array, joints: Array, e: Array, weight: float, H: Array) -> None:
    """Add `weight` times the second derivative of 1/2 |e[3:6]|^2 to H (n, n).

    Args:
        chain: (k + 1, 16).
        joints: (k, 6) from `forward_kinematics`.
        e: (6,) the pose error, base axes.
        weight: m^2, the square of what one radian counts.
        H: (n, n) in and out, symmetric.
    """
    x, y, z = e[3], e[4], e[5]
    square = x * x + y * y + z * z
    if square < 1e-6:
        along = 1.0 / 12.0
        across = 1.0 - square / 12.0
    else:
        half = 0.5 * math.sqrt(square)
        across = half / math.tan(half)
        along = (1.0 - across) / square
    for j in range(joints.shape[0]):
        if chain[j, PRISMATIC] != 0.0:
            continue
        ax, ay, az = joints[j, 3], joints[j, 4], joints[j, 5]
        turn = along * (x * ax + y * ay + z * az)
        ux, uy, uz = y * az - z * ay, z * ax - x * az, x * ay - y * ax
        b = int(chain[j, INDEX])
        for i in range(j + 1):
            if chain[i, PRISMATIC] != 0.0:
                continue
            bx, by, bz = joints[i, 3], joints[i, 4], joints[i, 5]
            entry = across * (bx * ax + by * ay + bz * az) + turn * (x * bx + y * by + z * bz)
            if i != j:
                entry += 0.5 * (bx * ux + by * uy + bz * uz)
            entry *= weight * chain[i, MULTIPLIER] * chain[j, MULTIPLIER]
            a = int(chain[i, INDEX])
            H[a, b] += entry
            if i != j:
                H[b, a] += entry


@njit
def is_positive_definite(H: Array, shift: float, factor: Array) -> bool:
    """Tell whether H + shift I (n, n) is safely positive definite; `factor` (n, n) is scratch."""
    n = H.shape[0]
    for i in range(n):
        for j in range(i):
            entry = H[i, j]
            for k in range(j):
                entry -= factor[i, k] * factor[j, k]
            factor[i, j] = entry / factor[j, j]
        entry = H[i, i] + shift
        floor = 1e-11 * (abs(H[i, i]) + shift)
        for k in range(i):
            entry -= factor[i, k] * factor[i, k]
        if not entry > floor:
            return False
        factor[i, i] = math.sqrt(entry)
    return True
