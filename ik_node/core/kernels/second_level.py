"""Level 2 of a search: the orientation under a held position, or a posture under the tool."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels import search_data as data
from ik_node.core.kernels.curvature import add_position_curvature, add_rotation_hessian
from ik_node.core.kernels.descent import normal_equations, squared
from ik_node.core.kernels.jit import njit
from ik_node.core.kernels.posture import posture_height, posture_step

Array = NDArray[np.float64]


@njit
def level_two(
    posture: int,
    elbow: int,
    heavy: float,
    chain: Array,
    joints: Array,
    q: Array,
    limits: Array,
    b: Array,
) -> float:
    """Return what level 2 lowers, m^2."""
    if posture == 0:
        return 0.5 * squared(b, 3, 6)
    return heavy * heavy * posture_height(posture, elbow, chain, joints, q, limits[2])


@njit
def level_two_model(
    posture: int,
    elbow: int,
    heavy: float,
    even: float,
    held: bool,
    chain: Array,
    joints: Array,
    T: Array,
    e: Array,
    A: Array,
    b: Array,
    q: Array,
    limits: Array,
    hold: Array,
    model: Array,
    H: Array,
    g: Array,
) -> None:
    """Write the gradient of level 2, a safe Hessian H, and the exact one of its Lagrangian."""
    n = q.shape[0]
    if posture == 0:
        normal_equations(A, b, 3, 6, H, g)
    else:
        posture_step(posture, elbow, chain, joints, q, limits[2], 1e9, g)
        for i in range(n):
            g[i] *= -heavy * heavy
            for j in range(n):
                H[i, j] = heavy * heavy if i == j else 0.0
    exact = posture == 0 and even > 0.0
    for i in range(n):
        for j in range(n):
            model[i, j] = 0.0 if exact else H[i, j]
    if exact:
        add_rotation_hessian(chain, joints, e, even * even, model)
    if held:
        add_position_curvature(chain, joints, T, hold, model)


@njit
def push_back(
    A: Array, m: int, G: Array, dq: Array, weight: float, hold: Array, pull: Array
) -> None:
    """Push dq back onto level 1's null space: the next round of the method of multipliers."""
    n = dq.shape[0]
    for i in range(m):
        for j in range(n):
            hold[i] -= weight * A[i, j] * dq[j]
    for i in range(n):
        for j in range(n):
            pull[i] += weight * G[i, j] * dq[j]


@njit
def judge_step(gain: float, heavy: float, q: Array, before: Array, state: Array) -> None:
    """Keep the step if level 2 gained, level 1 being restored; else go back and step shorter."""
    state[data.PHASE] = float(data.REFINE)
    if gain > 0.0:
        state[data.RADIUS] = min(2.0 * state[data.RADIUS], data.REFINE_RADIUS)
        if gain < 1e-12 * heavy * heavy:
            state[data.RADIUS] = 0.0
        return
    for i in range(q.shape[0]):
        q[i] = before[i]
    state[data.RADIUS] = 0.25 * min(state[data.RADIUS], state[data.SHIFT])
