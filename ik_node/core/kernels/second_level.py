"""Level 2 of a search: the orientation under a held position, or a posture under the tool."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels import search_data as data
from ik_node.core.kernels.curvature import add_position_curvature, add_rotation_hessian
from ik_node.core.kernels.descent import Place, copy, squared
from ik_node.core.kernels.jit import njit
from ik_node.core.kernels.normal_equations import normal_equations
from ik_node.core.kernels.posture import posture_height, posture_step

Array = NDArray[np.float64]


class Second(NamedTuple):
    """What level 2 wants."""

    posture: int
    """NONE of `posture`: the orientation; else one of its kinds."""
    elbow: int
    """Index in q of the elbow joint."""
    heavy: float
    """[m] that one radian of the posture counts as."""
    home: Array
    """(n,) of the posture REST [rad]."""


@njit
def level_two(want: Second, at: Place, q: Array) -> float:
    """Return what level 2 lowers, m^2."""
    if want.posture == 0:
        return 0.5 * squared(at.b, 3, 6)
    height = posture_height(want.posture, want.elbow, at.chain, at.joints, q, want.home)
    return want.heavy * want.heavy * height


@njit
def level_two_model(
    want: Second,
    held: bool,
    at: Place,
    q: Array,
    hold: Array,
    model: Array,
    H: Array,
    g: Array,
) -> None:
    """Write the gradient of level 2, a safe Hessian H, and the exact one of its Lagrangian."""
    n = q.shape[0]
    if want.posture == 0:
        normal_equations(at.A[3:], at.b[3:], H, g)
    else:
        square = want.heavy * want.heavy
        posture_step(want.posture, want.elbow, at.chain, at.joints, q, want.home, 1e9, g)
        for i in range(n):
            g[i] *= -square
            for j in range(n):
                H[i, j] = square if i == j else 0.0
    exact = want.posture == 0 and at.even > 0.0
    for i in range(n):
        for j in range(n):
            model[i, j] = 0.0 if exact else H[i, j]
    if exact:
        add_rotation_hessian(at.chain, at.joints, at.e, at.even * at.even, model)
    if held:
        add_position_curvature(at.chain, at.joints, at.T, hold, model)


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
    copy(before, q)
    state[data.RADIUS] = 0.25 * min(state[data.RADIUS], state[data.SHIFT])
