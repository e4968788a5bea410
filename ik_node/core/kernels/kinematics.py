"""Forward kinematics and the geometric Jacobian, two halves of one loop.

A serial chain is one array `chain` of shape (k + 1, 19): a row for each moving joint from base to
tip (mimic joints included; fixed joints are folded into the next row's origin), and a last row
whose origin is the tip. Columns:

    0:9    rotation of the joint's origin in its parent, row-major
    9:12   translation of the joint's origin in its parent [m]
    12:15  unit axis in the joint frame
    15     0 revolute, 1 prismatic
    16     index in q of the joint that moves it
    17:19  multiplier and offset: joint value = multiplier * q[index] + offset (mimic; else 1, 0)
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import njit

Array = NDArray[np.float64]

ORIGIN_ROTATION = 0
ORIGIN_TRANSLATION = 9
AXIS = 12
PRISMATIC = 15
INDEX = 16
MULTIPLIER = 17
OFFSET = 18
COLUMNS = 19


@njit
def forward_kinematics(chain: Array, q: Array, T: Array, J: Array, joints: Array) -> None:
    """Write the tip pose, its Jacobian and every joint's axis for configuration `q` (n,).

    Args:
        chain: (k + 1, 19) packed chain, see the module's text.
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
        a00 = r00 * c[0] + r01 * c[3] + r02 * c[6]
        a01 = r00 * c[1] + r01 * c[4] + r02 * c[7]
        a02 = r00 * c[2] + r01 * c[5] + r02 * c[8]
        a10 = r10 * c[0] + r11 * c[3] + r12 * c[6]
        a11 = r10 * c[1] + r11 * c[4] + r12 * c[7]
        a12 = r10 * c[2] + r11 * c[5] + r12 * c[8]
        a20 = r20 * c[0] + r21 * c[3] + r22 * c[6]
        a21 = r20 * c[1] + r21 * c[4] + r22 * c[7]
        a22 = r20 * c[2] + r21 * c[5] + r22 * c[8]
        r00, r01, r02 = a00, a01, a02
        r10, r11, r12 = a10, a11, a12
        r20, r21, r22 = a20, a21, a22
        if i == k:
            break
        x, y, z = c[12], c[13], c[14]
        wx = r00 * x + r01 * y + r02 * z
        wy = r10 * x + r11 * y + r12 * z
        wz = r20 * x + r21 * y + r22 * z
        joints[i, 0] = px
        joints[i, 1] = py
        joints[i, 2] = pz
        joints[i, 3] = wx
        joints[i, 4] = wy
        joints[i, 5] = wz
        value = c[17] * q[int(c[16])] + c[18]
        if c[15] != 0.0:
            px += wx * value
            py += wy * value
            pz += wz * value
        else:
            s = math.sin(value)
            co = math.cos(value)
            t = 1.0 - co
            b00, b01, b02 = co + t * x * x, t * x * y - s * z, t * x * z + s * y
            b10, b11, b12 = t * x * y + s * z, co + t * y * y, t * y * z - s * x
            b20, b21, b22 = t * x * z - s * y, t * y * z + s * x, co + t * z * z
            a00 = r00 * b00 + r01 * b10 + r02 * b20
            a01 = r00 * b01 + r01 * b11 + r02 * b21
            a02 = r00 * b02 + r01 * b12 + r02 * b22
            a10 = r10 * b00 + r11 * b10 + r12 * b20
            a11 = r10 * b01 + r11 * b11 + r12 * b21
            a12 = r10 * b02 + r11 * b12 + r12 * b22
            a20 = r20 * b00 + r21 * b10 + r22 * b20
            a21 = r20 * b01 + r21 * b11 + r22 * b21
            a22 = r20 * b02 + r21 * b12 + r22 * b22
            r00, r01, r02 = a00, a01, a02
            r10, r11, r12 = a10, a11, a12
            r20, r21, r22 = a20, a21, a22
    T[0, 0], T[0, 1], T[0, 2], T[0, 3] = r00, r01, r02, px
    T[1, 0], T[1, 1], T[1, 2], T[1, 3] = r10, r11, r12, py
    T[2, 0], T[2, 1], T[2, 2], T[2, 3] = r20, r21, r22, pz
    T[3, 0], T[3, 1], T[3, 2], T[3, 3] = 0.0, 0.0, 0.0, 1.0
    J[:, :] = 0.0
    for i in range(k):
        j = int(chain[i, 16])
        m = chain[i, 17]
        wx, wy, wz = joints[i, 3], joints[i, 4], joints[i, 5]
        if chain[i, 15] != 0.0:
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
