"""One stand-alone step towards a target: transpose, pseudoinverse or damped least squares."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.damping import smallest_singular, variable_damping
from ik_node.core.kernels.jit import njit
from ik_node.core.kernels.kinematics import forward_kinematics
from ik_node.core.kernels.levels import solve_levels
from ik_node.core.kernels.posture import posture_step
from ik_node.core.kernels.task import (
    BAD_CONFIGURATION,
    POSE,
    POSITION,
    pose_error,
    pose_fault,
    weigh_rotation,
)

Array = NDArray[np.float64]
Flags = NDArray[np.int8]

DLS = 0
PINV = 1
TRANSPOSE = 2

# setting: what does not change from one call to the next
ROWS, METHOD, WEIGHT_X, WEIGHT_Y, WEIGHT_Z = 0, 1, 2, 3, 4
DAMPING, DAMPING_MAX, THRESHOLD, RANK = 5, 6, 7, 8
STEP_MAX, POSTURE, POSTURE_WEIGHT = 9, 10, 11
ELBOW, STRAIGHT, MARGIN = 12, 13, 14
SETTINGS = 15

# report: what comes out after the n entries of dq
SCALE, SLOWEST, LAM, SIGMA, POSITION_ERROR, ORIENTATION_ERROR, FAULT = 0, 1, 2, 3, 4, 5, 6
REPORT = 7

AT_BOUND = 1e-12
"""rad or m, within which a step ends at a bound."""


@njit
def differential_step(
    chain: Array,
    q: Array,
    target: Array,
    limits: Array,
    setting: Array,
    dt: float,
    flat: Array,
    square: Array,
    active: Flags,
    out: Array,
) -> None:
    """Compute one step from `q` towards `target`, inside the limits.

    Args:
        chain: (k + 1, 16).
        q: (n,).
        target: (4, 4).
        limits: (4, n): lower, upper [rad], velocity [rad/s], home of the posture [rad].
        setting: (SETTINGS,).
        dt: s, scales the velocity limits.
        flat: (100 + 12 n + 6 k,) scratch.
        square: (3 n + 9, n) scratch.
        active: (n,) out, -1 or 1 where a bound holds the joint.
        out: (n + REPORT,) out: dq, then the report.
    """
    n = q.shape[0]
    k = chain.shape[0] - 1
    T = flat[:16].reshape(4, 4)
    J = flat[16 : 16 + 6 * n].reshape(6, n)
    A = flat[16 + 6 * n : 16 + 12 * n].reshape(6, n)
    joints = flat[16 + 12 * n : 16 + 12 * n + 6 * k].reshape(k, 6)
    e = flat[16 + 12 * n + 6 * k : 22 + 12 * n + 6 * k]
    b = flat[22 + 12 * n + 6 * k : 28 + 12 * n + 6 * k]
    gram = flat[28 + 12 * n + 6 * k : 100 + 12 * n + 6 * k].reshape(12, 6)
    work = square[: 3 * n + 6]
    lower = square[3 * n + 6]
    upper = square[3 * n + 7]
    rest = square[3 * n + 8]
    dq = out[:n]
    report = out[n:]

    report[FAULT] = float(pose_fault(target))
    for j in range(n):
        if not math.isfinite(q[j]):
            report[FAULT] = float(BAD_CONFIGURATION)
    if report[FAULT] != 0.0:
        return
    forward_kinematics(chain, q, T, J, joints)
    pose_error(T, target, e)
    rows = int(setting[ROWS])
    for i in range(3):
        b[i] = e[i]
        for j in range(n):
            A[i, j] = J[i, j]
    if rows != POSITION:
        weigh_rotation(
            T, J, e, setting[WEIGHT_X], setting[WEIGHT_Y], setting[WEIGHT_Z], A[3:], b[3:]
        )
    m1 = 6 if rows == POSE else 3
    m = 3 if rows == POSITION else 6
    report[POSITION_ERROR] = math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
    report[ORIENTATION_ERROR] = math.sqrt(e[3] * e[3] + e[4] * e[4] + e[5] * e[5])
    for j in range(n):
        lower[j] = limits[0, j] - q[j]
        upper[j] = limits[1, j] - q[j]
        active[j] = 0
    if setting[ELBOW] >= 0.0 and setting[MARGIN] >= 0.0:
        _keep_side(q, int(setting[ELBOW]), setting[STRAIGHT], setting[MARGIN], lower, upper)
    norm1 = 0.0
    for i in range(m1):
        norm1 += b[i] * b[i]
    norm1 = math.sqrt(norm1)
    norm2 = 0.0
    for i in range(m1, m):
        norm2 += b[i] * b[i]
    norm2 = math.sqrt(norm2)
    report[SIGMA] = smallest_singular(A[:m1], int(setting[RANK]), gram)
    step_max = setting[STEP_MAX]
    lam1 = setting[DAMPING]
    method = int(setting[METHOD])
    if method == TRANSPOSE:
        lam1 = 0.0
        _transpose_step(A[:m], b[:m], lower, upper, dq, active)
    else:
        lam2 = 0.0
        if method == PINV:
            scale = 0.0
            for i in range(m1):
                for j in range(n):
                    scale += A[i, j] * A[i, j]
            lam1 = 1e-7 * math.sqrt(scale) + 1e-12
            lam2 = lam1 if m > m1 else 0.0
        else:
            if lam1 < 0.0:
                lam1 = variable_damping(report[SIGMA], setting[DAMPING_MAX], setting[THRESHOLD])
            lam1 = max(lam1, norm1 / (2.0 * step_max), 1e-9)
            lam2 = max(setting[POSTURE_WEIGHT], norm2 / (2.0 * step_max))
        posture_step(
            int(setting[POSTURE]), int(setting[ELBOW]), chain, joints, q, limits[3], step_max, rest
        )
        solve_levels(
            A[:m1], b[:m1], lam1, A[m1:m], b[m1:m], lam2, rest, lower, upper, dq, active, work
        )
    for j in range(n):  # two levels may end at a bound that neither of them presses against
        if dq[j] != 0.0 and not lower[j] + AT_BOUND < dq[j] < upper[j] - AT_BOUND:
            active[j] = np.int8(1 if dq[j] > 0.5 * (lower[j] + upper[j]) else -1)
    report[LAM] = lam1
    scale = 1.0
    slowest = -1.0
    for j in range(n):
        size = abs(dq[j])
        cap = limits[2, j] * dt
        if method == DLS and step_max < cap:
            cap = step_max
        if size * scale > cap:
            scale = cap / size
            slowest = float(j)
    for j in range(n):
        dq[j] *= scale
        if limits[0, j] <= q[j] <= limits[1, j]:
            dq[j] = min(max(dq[j], lower[j]), upper[j])
    report[SCALE] = scale
    report[SLOWEST] = slowest


@njit
def _keep_side(
    q: Array, elbow: int, straight: float, margin: float, lower: Array, upper: Array
) -> None:
    """Narrow the elbow's step so that it stays on its side of straight; exactly straight is free.

    An elbow that is already inside the margin is not pushed out of it, it may only not go deeper.
    """
    bend = q[elbow] - straight
    bend -= 2.0 * math.pi * math.floor((bend + math.pi) / (2.0 * math.pi))
    if bend > 0.0:
        lower[elbow] = max(lower[elbow], min(margin - bend, 0.0))
        upper[elbow] = min(upper[elbow], max(math.pi - margin - bend, 0.0))
    elif bend < 0.0:
        upper[elbow] = min(upper[elbow], max(-margin - bend, 0.0))
        lower[elbow] = max(lower[elbow], min(margin - math.pi - bend, 0.0))


@njit
def _transpose_step(
    A: Array, b: Array, lower: Array, upper: Array, dq: Array, active: Flags
) -> None:
    """Write the gradient step A'b with the length that minimises |A dq - b|, joints at a bound out.

    Source: Buss, Introduction to inverse kinematics with Jacobian transpose, pseudoinverse and
    damped least squares methods, 2004.
    """
    m, n = A.shape
    for j in range(n):
        total = 0.0
        for i in range(m):
            total += A[i, j] * b[i]
        blocked = (total < 0.0 and lower[j] >= 0.0) or (total > 0.0 and upper[j] <= 0.0)
        dq[j] = 0.0 if blocked else total
    along = 0.0
    square = 0.0
    for i in range(m):
        moved = 0.0
        for j in range(n):
            moved += A[i, j] * dq[j]
        along += moved * b[i]
        square += moved * moved
    length = along / square if square > 0.0 else 0.0
    for j in range(n):
        wanted = length * dq[j]
        dq[j] = min(max(wanted, min(lower[j], upper[j])), max(lower[j], upper[j]))
        active[j] = np.int8(1 if wanted > upper[j] else (-1 if wanted < lower[j] else 0))
