"""From a step of the tool to a step of the joints: two levels, variable damping, in a box."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.damping import damping_of
from ik_node.core.kernels.jit import njit
from ik_node.core.kernels.levels import solve_levels
from ik_node.core.kernels.task import POSE, POSITION, weigh_rotation
from ik_node.core.kernels.tick_data import Task

Array = NDArray[np.float64]
Flags = NDArray[np.int8]

LEAST_DAMPING = 1e-6
"""[m/rad] keeps the joints that a redundant level 1 does not need still."""


@njit
def joint_direction(
    T: Array,
    J: Array,
    tool_step: Array,
    rest: Array,
    task: Task,
    lower: Array,
    upper: Array,
    d: Array,
    A: Array,
    b: Array,
    eigen: Array,
    work: Array,
    active: Flags,
) -> None:
    """Write the joint step d (n,) that makes `tool_step` where the tool is at T.

    Args:
        T: (4, 4) of the tip in the base.
        J: (6, n) LOCAL_WORLD_ALIGNED.
        tool_step: (6,) [m, rad] in base axes.
        rest: (n,) the step that the posture would like.
        task: rows, weights and damping.
        lower: (n,) box of the step.
        upper: (n,) box of the step.
        d: (n,) out.
        A: (6, n) scratch.
        b: (6,) scratch.
        eigen: (12, 6) scratch.
        work: (3 n + 6, n) scratch.
        active: (n,) warm set, in and out.
    """
    n = d.shape[0]
    for k in range(3):
        b[k] = tool_step[k]
        for j in range(n):
            A[k, j] = J[k, j]
    count = 3
    if task.rows != POSITION:
        count = 6
        x, y, z = task.weights[0], task.weights[1], task.weights[2]
        weigh_rotation(T, J, tool_step, x, y, z, A[3:], b[3:])
    first = 6 if task.rows == POSE else 3
    damping = damping_of(A[:first], task.rank, task.ceiling, task.threshold, eigen)
    solve_levels(
        A[:first],
        b[:first],
        max(damping, LEAST_DAMPING),
        A[first:count],
        b[first:count],
        task.posture,
        rest,
        lower,
        upper,
        d,
        active,
        work,
    )
