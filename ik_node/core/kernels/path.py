"""What the straight joint-space line between two configurations sweeps."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import njit
from ik_node.core.kernels.kinematics import forward_kinematics

Array = NDArray[np.float64]

LEAST_DESCENT = 1e-6
"""m."""


@njit
def sweep_line(
    chain: Array,
    start: Array,
    end: Array,
    steps: int,
    q: Array,
    T: Array,
    J: Array,
    joints: Array,
    heights: Array,
    out: Array,
) -> None:
    """Look at `steps` + 1 configurations from `start` (n,) to `end` (n,).

    Args:
        chain: packed chain, see `kinematics`.
        start: (n,).
        end: (n,).
        steps: at least 1.
        q: (n,) scratch.
        T: (4, 4) scratch.
        J: (6, n) scratch.
        joints: (k, 6) scratch.
        heights: (k + 1,) scratch.
        out: (3,) out: the lowest height that a joint or the tip comes down to [m], which row of
            the chain it is (-1 the tip), and the length of the tip's path [m]. What is never
            lower than at the start does not count: a low base or a way up is no descent.
    """
    out[0], out[1], out[2] = math.inf, -1.0, 0.0
    x, y, z = 0.0, 0.0, 0.0
    for step in range(steps + 1):
        share = step / steps
        for i in range(q.shape[0]):
            q[i] = start[i] + share * (end[i] - start[i])
        forward_kinematics(chain, q, T, J, joints)
        k = joints.shape[0]
        if step == 0:
            for i in range(k):
                heights[i] = joints[i, 2] - LEAST_DESCENT
            heights[k] = T[2, 3] - LEAST_DESCENT
        else:
            a, b, c = T[0, 3] - x, T[1, 3] - y, T[2, 3] - z
            out[2] += math.sqrt(a * a + b * b + c * c)
            for i in range(k):
                if joints[i, 2] < min(out[0], heights[i]):
                    out[0], out[1] = joints[i, 2], float(i)
            if T[2, 3] < min(out[0], heights[k]):
                out[0], out[1] = T[2, 3], -1.0
        x, y, z = T[0, 3], T[1, 3], T[2, 3]
