"""Forward kinematics and the geometric Jacobian, two halves of one loop.

A serial chain is one array `chain` of shape (k + 1, 16): a row for each moving joint from base to
tip (mimic joints included; fixed joints are folded into the next row's origin), and a last row
whose origin is the tip. Every joint moves about, or along, the z axis of its own frame. Columns:

    0:9    rotation of the joint's origin in its parent, row-major
    9:12   translation of the joint's origin in its parent [m]
    12     0 revolute, 1 prismatic
    13     index in q of the joint that moves it
    14:16  multiplier and offset: joint value = multiplier * q[index] + offset (mimic; else 1, 0)
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import inlined

Array = NDArray[np.float64]

ORIGIN_ROTATION = 0
ORIGIN_TRANSLATION = 9
PRISMATIC = 12
INDEX = 13
MULTIPLIER = 14
OFFSET = 15
COLUMNS = 16


@inlined
def forward_kinematics(chain: Array, q: Array, T: Array, J: Array, joints: Array) -> None:
    """Write the tip pose, its Jacobian and every joint's axis for configuration `q` (n,).

    Args:
        chain: (k + 1, 16) packed chain, see the module's text.
        q: (n,) rad or m.
        T: (4, 4) out, pose of the tip in the base.
        J: (6, n) out, LOCAL_WORLD_ALIGNED at the tip, rows [v; w].
        joints: (k, 6) out, each moving joint's origin and unit axis in the base frame.

    Source: Siciliano et al., Robotics: Modelling, Planning and Control, 3.1.
    """
    k = chain.shape[0] - 1
    r00, r01, r02 = 1.0, 0.0, 0.0
    r10, r11, r12 = 0.0, 1.0, 0.0
    r20, r21, r22 = 0.0, 0.0, 1.0
    px, py, pz = 0.0, 0.0, 0.0
    for i in range(k + 1):
        c = chain[i]
        px += r00 * c[9] + r01 * c[10] + r02 * c[11]
        py += r10 * c[9] + r11 * c[10] + r12 * c[11]
        pz += r20 * c[9] + r21 * c[10] + r22 * c[11]
        x0 = r00 * c[0] + r01 * c[3] + r02 * c[6]
        x1 = r10 * c[0] + r11 * c[3] + r12 * c[6]
        x2 = r20 * c[0] + r21 * c[3] + r22 * c[6]
        y0 = r00 * c[1] + r01 * c[4] + r02 * c[7]
        y1 = r10 * c[1] + r11 * c[4] + r12 * c[7]
        y2 = r20 * c[1] + r21 * c[4] + r22 * c[7]
        r02 = r00 * c[2] + r01 * c[5] + r02 * c[8]
        r12 = r10 * c[2] + r11 * c[5] + r12 * c[8]
        r22 = r20 * c[2] + r21 * c[5] + r22 * c[8]
        sine, cosine = 0.0, 1.0
        if i < k:
            joints[i, 0], joints[i, 1], joints[i, 2] = px, py, pz
            joints[i, 3], joints[i, 4], joints[i, 5] = r02, r12, r22
            value = c[MULTIPLIER] * q[int(c[INDEX])] + c[OFFSET]
            if c[PRISMATIC] != 0.0:
                px += r02 * value
                py += r12 * value
                pz += r22 * value
            else:
                sine, cosine = math.sin(value), math.cos(value)
        r00, r01 = cosine * x0 + sine * y0, cosine * y0 - sine * x0
        r10, r11 = cosine * x1 + sine * y1, cosine * y1 - sine * x1
        r20, r21 = cosine * x2 + sine * y2, cosine * y2 - sine * x2
    T[0, 0], T[0, 1], T[0, 2], T[0, 3] = r00, r01, r02, px
    T[1, 0], T[1, 1], T[1, 2], T[1, 3] = r10, r11, r12, py
    T[2, 0], T[2, 1], T[2, 2], T[2, 3] = r20, r21, r22, pz
    T[3, 0], T[3, 1], T[3, 2], T[3, 3] = 0.0, 0.0, 0.0, 1.0
    J[:, :] = 0.0
    for i in range(k):
        j = int(chain[i, INDEX])
        m = chain[i, MULTIPLIER]
        wx, wy, wz = joints[i, 3], joints[i, 4], joints[i, 5]
        if chain[i, PRISMATIC] != 0.0:
            J[0, j] += m * wx
            J[1, j] += m * wy
            J[2, j] += m * wz
        else:
            dx, dy, dz = px - joints[i, 0], py - joints[i, 1], pz - joints[i, 2]
            J[0, j] += m * (wy * dz - wz * dy)
            J[1, j] += m * (wz * dx - wx * dz)
            J[2, j] += m * (wx * dy - wy * dx)
            J[3, j] += m * wx
            J[4, j] += m * wy
            J[5, j] += m * wz
