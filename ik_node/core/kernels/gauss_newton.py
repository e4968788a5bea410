"""Gauss-Newton's descent in the box: quick where the target can be reached, given up where not."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels import search_data as data
from ik_node.core.kernels.box_qp import solve_box_qp
from ik_node.core.kernels.descent import Place, look, reached, squared
from ik_node.core.kernels.jit import inlined
from ik_node.core.kernels.normal_equations import normal_equations
from ik_node.core.kernels.search_data import Pieces

Array = NDArray[np.float64]

REACHED, SLOW, UNDER_WAY = 0, 1, 2

PROPORTION = 0.05
SLOWER, PATIENCE = 0.6, 2
"""Part of the cost that a step has to leave at most, and how often it may leave more."""


@inlined
def gauss_newton(target: Array, at: Place, m: int, budget: int, s: Pieces) -> tuple[int, int]:
    """Descend from q on the first `m` rows, as far as `budget` iterations lead.

    Damping is in proportion to the error. Source: Sugihara, Solvability-unconcerned inverse
    kinematics by the Levenberg-Marquardt method, 2011.

    Returns:
        REACHED, SLOW or UNDER_WAY; and the iterations spent.
    """
    state, setting, box, q = s.state, s.setting, s.box, s.q
    for spent in range(1, budget + 1):
        look(at, q, target)
        if reached(at.b, m, setting):
            return REACHED, spent
        cost = squared(at.b, 0, m)
        if cost > SLOWER * state[data.COST]:
            state[data.SLOWED] += 1.0
            if state[data.SLOWED] >= PATIENCE:
                return SLOW, spent
        else:
            state[data.SLOWED] = 0.0
            state[data.COST] = cost
        damped_model(at.A, at.b, m, setting[data.STRIDE], s.H, s.gradient)
        for i in range(q.shape[0]):
            s.lower[i] = box[0, i] - q[i]
            s.upper[i] = box[1, i] - q[i]
        solve_box_qp(s.H, s.gradient, s.lower, s.upper, s.dq, s.active, s.qp)
        for i in range(q.shape[0]):
            q[i] = min(max(q[i] + s.dq[i], box[0, i]), box[1, i])
    return UNDER_WAY, budget


@inlined
def damped_model(A: Array, b: Array, m: int, stride: float, H: Array, g: Array) -> None:
    """Write Gauss-Newton's model of 1/2 |b[:m]|^2 with damping in proportion to the error.

    `stride` [m] is the longest position error that is worked on at once; b is shortened to it.
    """
    far = squared(b, 0, 3)
    if far > stride * stride:
        shorter = stride / math.sqrt(far)
        for i in range(3):
            b[i] *= shorter
    normal_equations(A[:m], b, H, g)
    damping = PROPORTION * squared(b, 0, m) + 1e-14
    for i in range(g.shape[0]):
        H[i, i] += damping
