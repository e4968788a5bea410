"""Two priority levels in one box: the second never changes what the first achieves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.box_qp import solve_box_qp
from ik_node.core.kernels.jit import njit
from ik_node.core.kernels.normal_equations import normal_equations

Array = NDArray[np.float64]
Flags = NDArray[np.int8]

WEIGHT = 1e9
ROUNDS = 6
HELD = 1e-13
ALLOWED = 1e-9


@njit
def solve_levels(
    A1: Array,
    b1: Array,
    lam1: float,
    A2: Array,
    b2: Array,
    lam2: float,
    rest: Array,
    lower: Array,
    upper: Array,
    dq: Array,
    active: Flags,
    work: Array,
) -> int:
    """Minimise |A2 dq - b2|^2 + lam2^2 |dq - rest|^2 among what level 1 leaves free.

    Level 1 is dq1 = argmin |A1 dq - b1|^2 + lam1^2 |dq|^2 over lower <= dq <= upper; level 2 keeps
    A1 dq = A1 dq1 and the same box. Rows come weighted. The equality is held by the method of
    multipliers on the same box minimiser, and what rounding leaves over 1e-9 is scaled away.

    Args:
        A1: (m1, n), m1 is 3 or 6.
        b1: (m1,).
        A2: (m2, n), m2 is 0, 3 or 6.
        b2: (m2,).
        lam1: damping of level 1, > 0 where A1 has less than full column rank.
        lam2: weight of the posture; with m2 = 0 and lam2 = 0 level 1 is all.
        rest: (n,) the step that the posture would like.
        lower: (n,).
        upper: (n,).
        dq: (n,) out.
        active: (n,) warm active set of level 1, in and out.
        work: (3 n + 6, n) scratch.

    Returns:
        Pivots spent; -1 when level 1 was not solved (dq is then the box's point nearest 0).

    Source: Van Loan, On the method of weighting for equality-constrained least-squares problems,
    1985; Bertsekas, Constrained Optimization and Lagrange Multiplier Methods, 1982.
    """
    n = dq.shape[0]
    m1 = A1.shape[0]
    m2 = A2.shape[0]
    gram = work[:n]
    H = work[n : 2 * n]
    qp = work[2 * n : 3 * n + 2]
    g = work[3 * n + 2]
    first = work[3 * n + 3]
    pull = work[3 * n + 4]
    normal_equations(A1, b1, gram, g)
    trace1 = 0.0
    for i in range(n):
        for j in range(n):
            H[i, j] = gram[i, j]
        trace1 += gram[i, i]
        H[i, i] += lam1 * lam1
    pivots = solve_box_qp(H, g, lower, upper, dq, active, qp)
    if pivots < 0 or (m2 == 0 and lam2 == 0.0):
        return pivots
    normal_equations(A2, b2, H, pull)
    trace2 = 0.0
    for i in range(n):
        first[i] = dq[i]
        H[i, i] += lam2 * lam2
        trace2 += H[i, i]
        pull[i] -= lam2 * lam2 * rest[i]
    if trace2 <= 0.0:
        return pivots
    weight = WEIGHT * trace2 / trace1 if trace1 > 0.0 else 0.0
    floor = 1e-12 * trace2
    for i in range(n):
        for j in range(n):
            H[i, j] += weight * gram[i, j]
            pull[i] -= weight * gram[i, j] * first[j]
        H[i, i] += floor
    broken = 0.0
    for _ in range(ROUNDS):
        spent = solve_box_qp(H, pull, lower, upper, dq, active, qp)
        if spent < 0:
            for i in range(n):
                dq[i] = first[i]
            return pivots
        pivots += spent
        broken = 0.0
        for k in range(m1):
            left = 0.0
            for j in range(n):
                left += A1[k, j] * (first[j] - dq[j])
            broken = max(broken, abs(left))
        if broken < HELD:
            break
        for i in range(n):
            for j in range(n):
                pull[i] -= weight * gram[i, j] * (first[j] - dq[j])
    if broken > ALLOWED:
        keep = ALLOWED / broken
        for i in range(n):
            dq[i] = first[i] + keep * (dq[i] - first[i])
    return pivots
