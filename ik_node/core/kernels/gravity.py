"""Gravity load of a tree of links.

The tree is one array (k, 24): a row for each joint, parents first. Columns:

    0:12   rotation, row-major, and translation [m] of the joint's origin in its parent
    12:15  unit axis in the joint's frame
    15:19  as the last ones of a chain, see `kinematics.py`; a fixed joint has multiplier, offset 0
    19     row of the parent joint, -1 at the root
    20     mass [kg] of the child link
    21:24  its centre of mass in the link [m]
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import njit

Array = NDArray[np.float64]

PRISMATIC = 15
INDEX = 16
MULTIPLIER = 17
OFFSET = 18
PARENT = 19
MASS = 20
COM = 21
COLUMNS = 24
SCRATCH = 22  # rotation 9, translation 3, origin 3, axis 3, carried mass and moment 4


@njit
def gravity_load(
    tree: Array, q: Array, gravity: Array, links: Array, turns: Array, load: Array
) -> None:
    """Write the torque or force (n,) that holds each joint, the gradient of potential energy.

    Args:
        tree: (k, 24), see the module's text.
        q: (n,) rad or m.
        gravity: (3,) in the root frame [m/s^2].
        links: (k, 22) scratch.
        turns: (6, 3) scratch.
        load: (n,) out [N m or N].
    """
    k = tree.shape[0]
    R = turns[:3]
    B = turns[3:]
    for i in range(k):
        c = tree[i]
        w = links[i]
        parent = int(c[19])
        for a in range(3):
            for b in range(3):
                R[a, b] = (1.0 if a == b else 0.0) if parent < 0 else links[parent, 3 * a + b]
        for a in range(3):
            start = 0.0 if parent < 0 else links[parent, 9 + a]
            w[9 + a] = start + R[a, 0] * c[9] + R[a, 1] * c[10] + R[a, 2] * c[11]
            w[12 + a] = w[9 + a]
        for a in range(3):
            for b in range(3):
                B[a, b] = R[a, 0] * c[b] + R[a, 1] * c[3 + b] + R[a, 2] * c[6 + b]
        value = c[17] * q[int(c[16])] + c[18]
        for a in range(3):
            w[15 + a] = B[a, 0] * c[12] + B[a, 1] * c[13] + B[a, 2] * c[14]
        if c[15] != 0.0:
            for a in range(3):
                w[9 + a] += w[15 + a] * value
                for b in range(3):
                    w[3 * a + b] = B[a, b]
        else:
            s = math.sin(value)
            t = 1.0 - math.cos(value)
            x, y, z = c[12], c[13], c[14]
            for a in range(3):
                u0, u1, u2 = B[a, 0], B[a, 1], B[a, 2]
                along = t * (u0 * x + u1 * y + u2 * z)
                w[3 * a] = (1.0 - t) * u0 + s * (u1 * z - u2 * y) + along * x
                w[3 * a + 1] = (1.0 - t) * u1 + s * (u2 * x - u0 * z) + along * y
                w[3 * a + 2] = (1.0 - t) * u2 + s * (u0 * y - u1 * x) + along * z
        mass = c[20]
        w[18] = mass
        for a in range(3):
            r = w[3 * a] * c[21] + w[3 * a + 1] * c[22] + w[3 * a + 2] * c[23]
            w[19 + a] = mass * (w[9 + a] + r)
    load[:] = 0.0
    for i in range(k - 1, -1, -1):
        c = tree[i]
        w = links[i]
        parent = int(c[19])
        if parent >= 0:
            for a in range(18, 22):
                links[parent, a] += w[a]
        if c[17] == 0.0:
            continue
        mass = w[18]
        if c[15] != 0.0:
            force = mass * (gravity[0] * w[15] + gravity[1] * w[16] + gravity[2] * w[17])
        else:
            x, y, z = w[19] - mass * w[12], w[20] - mass * w[13], w[21] - mass * w[14]
            force = (
                gravity[0] * (w[16] * z - w[17] * y)
                + gravity[1] * (w[17] * x - w[15] * z)
                + gravity[2] * (w[15] * y - w[16] * x)
            )
        load[int(c[16])] -= c[17] * force
