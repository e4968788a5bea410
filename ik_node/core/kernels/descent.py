"""Where a descent stands, and the quadratic models whose minimisers in the box are its steps.

Where Gauss-Newton slows down, Newton with the exact second derivatives settles in a few steps
whether there is anything to be reached. Level 2 is Newton's method on the set that level 1 leaves
free, with the curvature of level 1 under its multipliers in the model.

Source: Nocedal and Wright, Numerical Optimization, 4 and 18.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels import search_data as data
from ik_node.core.kernels.curvature import (
    add_position_curvature,
    add_rotation_hessian,
    is_positive_definite,
)
from ik_node.core.kernels.jit import inlined, njit
from ik_node.core.kernels.kinematics import forward_kinematics
from ik_node.core.kernels.normal_equations import normal_equations
from ik_node.core.kernels.task import POSITION, position_error, rotation_error, weigh_rotation

Array = NDArray[np.float64]

STIFF = 1e7


class Place(NamedTuple):
    """What is known where a descent stands."""

    chain: Array
    """(k + 1, 16)."""
    joints: Array
    """(k, 6) from `forward_kinematics`."""
    T: Array
    """(4, 4) tool pose."""
    J: Array
    """(6, n) Jacobian."""
    e: Array
    """(6,) pose error, base axes."""
    A: Array
    """(6, n) weighted rows."""
    b: Array
    """(6,) what is left in each of them [m]."""
    rows: int
    """POSITION, POSE or POSITION_THEN_ORIENTATION."""
    weights: Array
    """(3,) of a rotation about the tool's own axes [m]."""
    even: float
    """Weight [m] of a rotation about any axis; 0 where the tool's axes weigh unequally."""


@njit
def copy(source: Array, to: Array) -> None:
    """Write the numbers of `source` to the beginning of `to`."""
    for i in range(source.shape[0]):
        to[i] = source[i]


@njit
def squared(b: Array, start: int, stop: int) -> float:
    """Return |b[start:stop]|^2."""
    total = 0.0
    for i in range(start, stop):
        total += b[i] * b[i]
    return total


@inlined
def look(at: Place, q: Array, target: Array) -> None:
    """Write what is known at q (n,) with a target (4, 4); of a mere position, no rotation."""
    forward_kinematics(at.chain, q, at.T, at.J, at.joints)
    position_error(at.T, target, at.e)
    for i in range(3):
        at.b[i] = at.e[i]
        for j in range(q.shape[0]):
            at.A[i, j] = at.J[i, j]
    if at.rows != POSITION:
        rotation_error(at.T, target, at.e)
        w = at.weights
        weigh_rotation(at.T, at.J, at.e, w[0], w[1], w[2], at.A[3:], at.b[3:])


@njit
def reached(b: Array, m: int, setting: Array) -> bool:
    """Tell whether the first m rows are within tolerance."""
    close = setting[data.POSITION_TOLERANCE]
    turned = setting[data.ORIENTATION_TOLERANCE] * setting[data.LENGTH]
    return squared(b, 0, 3) <= close * close and (m == 3 or squared(b, 3, 6) <= turned * turned)


@njit
def exact_model(at: Place, m: int, H: Array, g: Array) -> None:
    """Write the gradient g and the second derivative H of 1/2 |b[:m]|^2.

    Where the tool's axes weigh unequally the rotation rows stay Gauss-Newton.
    """
    exact = m > 3 and at.even > 0.0
    normal_equations(at.A[: 3 if exact else m], at.b, H, g)
    add_position_curvature(at.chain, at.joints, at.T, at.e, H)
    if exact:
        for j in range(g.shape[0]):
            for k in range(3, 6):
                g[j] -= at.A[k, j] * at.b[k]
        add_rotation_hessian(at.chain, at.joints, at.e, at.even * at.even, H)


@njit
def convexify(H: Array, shift: float, factor: Array) -> float:
    """Add the least of a few multiples of the identity that makes H convex; return it, inf if none.

    `shift` is tried first.
    """
    n = H.shape[0]
    size = 0.0
    for i in range(n):
        size += abs(H[i, i])
    while not is_positive_definite(H, shift, factor):
        shift = max(2.0 * shift, 1e-3 * size + 1e-12)
        if not shift < 1e12:
            return math.inf
    for i in range(n):
        H[i, i] += shift
    return shift


@njit
def convex_model(
    held: bool, least: float, at: Place, m: int, H: Array, g: Array, factor: Array
) -> None:
    """Write a convex model of 1/2 |b[:m]|^2: Gauss-Newton's where it is `held` at 0, else exact.

    `least` of its trace is added to its diagonal at least.
    """
    if held:
        normal_equations(at.A[:m], at.b, H, g)
    else:
        exact_model(at, m, H, g)
    size = 0.0
    for i in range(g.shape[0]):
        size += abs(H[i, i])
    if least > 0.0 or not held:
        convexify(H, least * size, factor)


@njit
def newton_model(
    at: Place,
    m: int,
    cost: float,
    q: Array,
    before: Array,
    G: Array,
    H: Array,
    g: Array,
    factor: Array,
    state: Array,
) -> None:
    """Take the last step or take it back, and write a convex model of 1/2 |b[:m]|^2 there.

    `before`, G and g keep the last point that was taken; H is G made convex, by more where the last
    step did not gain what its model had promised.
    """
    n = g.shape[0]
    gained = 1.0
    if cost >= state[data.COST]:
        gained = -1.0
        copy(before, q)
    else:
        if state[data.COST] < math.inf:
            gained = (state[data.COST] - cost) / state[data.PREDICTED]
        state[data.COST] = cost
        copy(q, before)
        exact_model(at, m, G, g)
    size = 0.0
    for i in range(n):
        size += abs(G[i, i])
        for j in range(n):
            H[i, j] = G[i, j]
    if gained > 0.75:
        state[data.SHIFT] *= 0.1
    elif gained < 0.0:
        state[data.SHIFT] = max(4.0 * state[data.SHIFT], 1e-3 * size)
    elif gained < 0.25:
        state[data.SHIFT] = max(2.0 * state[data.SHIFT], 1e-4 * size)
    state[data.SHIFT] = convexify(H, state[data.SHIFT], factor)


@njit
def stiffen(H: Array, model: Array, G: Array, factor: Array) -> float:
    """Add the weight that holds level 1 (its Hessian is G) to the model of level 2; return it.

    `model` is the exact second derivative, taken where it is convex along the set, else H. Returns
    0 where there is nothing to hold or to lower.
    """
    n = H.shape[0]
    stiffness = 0.0
    size = 0.0
    for i in range(n):
        stiffness += abs(G[i, i])
        size += abs(H[i, i])
    if size == 0.0 or stiffness == 0.0:
        return 0.0
    weight = STIFF * size / stiffness
    for i in range(n):
        for j in range(n):
            model[i, j] += weight * G[i, j]
            H[i, j] += weight * G[i, j]
        H[i, i] += 1e-6 * size
    if is_positive_definite(model, 0.0, factor):
        for i in range(n):
            for j in range(n):
                H[i, j] = model[i, j]
    return weight


@njit
def predicted_gain(H: Array, g: Array, dq: Array) -> float:
    """Return by how much the model 1/2 dq'H dq + g'dq falls."""
    gain = 0.0
    for i in range(g.shape[0]):
        slope = g[i]
        for j in range(g.shape[0]):
            slope += 0.5 * H[i, j] * dq[j]
        gain -= slope * dq[i]
    return gain


@njit
def longest(dq: Array) -> float:
    """Return the largest |dq_i|."""
    most = 0.0
    for i in range(dq.shape[0]):
        most = max(most, abs(dq[i]))
    return most
