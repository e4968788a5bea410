"""The exact minimiser of a small strictly convex quadratic inside a box.

Block principal pivoting: guess which variables rest on a bound, solve for the others, exchange all
that contradict the guess; when that stops making progress, exchange one at a time (Murty), which
is finite. Warm-started by the last active set.

Source: Judice and Pires, A block principal pivoting algorithm for large-scale strictly monotone
linear complementarity problems, 1994; Murty, Note on a Bard-type scheme, 1974.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import inlined, njit

Array = NDArray[np.float64]
Flags = NDArray[np.int8]

MAX_PIVOTS = 200
MAX_SWEEPS = 200
PATIENCE = 3
RELATIVE_PIVOT = 1e-14
ROUNDING = 4e-15


@njit
def solve_box_qp(
    H: Array, g: Array, lower: Array, upper: Array, x: Array, active: Flags, work: Array
) -> int:
    """Minimise 1/2 x'Hx + g'x over lower <= x <= upper.

    Args:
        H: (n, n) symmetric, positive definite (a semidefinite one is regularised by 1e-14 of its
            trace).
        g: (n,).
        lower: (n,), may hold -inf.
        upper: (n,), may hold inf; where it is not above `lower` the variable is fixed at `lower`.
        x: (n,) out, always inside the box.
        active: (n,) in and out: -1 on the lower bound, 1 on the upper, 0 free. Any start is right.
        work: (n + 2, n) scratch.

    Returns:
        The number of pivots; -1 when the minimiser was not found (input that is not finite), and
        then x is the point of the box nearest 0.
    """
    n = x.shape[0]
    factor = work[:n]
    scale = 0.0
    size = 0.0
    finite = True
    for i in range(n):
        scale += H[i, i]
        finite = finite and math.isfinite(g[i]) and math.isfinite(H[i, i])
        size = max(size, abs(g[i]))
        if active[i] < 0 and lower[i] == -math.inf:
            active[i] = 0
        if active[i] > 0 and upper[i] == math.inf:
            active[i] = 0
        if not upper[i] > lower[i]:
            active[i] = -1
    if not finite or scale <= 0.0:
        _rest(lower, upper, x)
        return -1
    fewest = n + 1
    patience = PATIENCE
    for pivot in range(1, MAX_PIVOTS + 1):
        _solve_free(
            H, g, lower, upper, x, active, factor, work[n], work[n + 1], RELATIVE_PIVOT * scale
        )
        wrong = 0
        last = -1
        largest = size
        for i in range(n):
            if active[i] == 0:
                slack = ROUNDING * (1.0 + abs(x[i]))
                work[n + 1, i] = 0.0
                if x[i] < lower[i] - slack:
                    work[n + 1, i] = -1.0
                elif x[i] > upper[i] + slack:
                    work[n + 1, i] = 1.0
                if work[n + 1, i] != 0.0:
                    wrong += 1
                    last = i
            elif upper[i] > lower[i]:
                gradient = g[i]
                for j in range(n):
                    gradient += H[i, j] * x[j]
                    largest = max(largest, abs(H[i, j] * x[j]))
                work[n + 1, i] = active[i]
                if gradient * active[i] > ROUNDING * largest:
                    work[n + 1, i] = 0.0
                    wrong += 1
                    last = i
            else:
                work[n + 1, i] = active[i]
        if wrong == 0:
            for i in range(n):
                x[i] = min(max(x[i], lower[i]), max(upper[i], lower[i]))
            return pivot
        if not math.isfinite(x[last]):
            _rest(lower, upper, x)
            return -1
        if wrong < fewest:
            fewest = wrong
            patience = PATIENCE
        elif patience > 0:
            patience -= 1
        else:
            patience = -1
        for i in range(n):
            if patience >= 0 or i == last:
                active[i] = np.int8(work[n + 1, i])
    return _descend(H, g, lower, upper, x, active)


@inlined
def _solve_free(
    H: Array,
    g: Array,
    lower: Array,
    upper: Array,
    x: Array,
    active: Flags,
    factor: Array,
    y: Array,
    work_row: Array,
    tiny: float,
) -> None:
    """Put the active variables on their bounds and solve H x = -g for the free ones (L D L')."""
    n = x.shape[0]
    for i in range(n):
        if active[i] < 0:
            x[i] = lower[i]
        elif active[i] > 0:
            x[i] = upper[i]
    for i in range(n):
        if active[i] != 0:
            factor[i, i] = 0.0
            for j in range(i):
                factor[i, j] = 0.0
            y[i] = 0.0
            continue
        total = -g[i]
        for j in range(n):
            if active[j] != 0:
                total -= H[i, j] * x[j]
        pivot = H[i, i]
        for j in range(i):
            entry = H[i, j]
            for k in range(j):
                entry -= work_row[k] * factor[j, k]
            work_row[j] = entry
            factor[i, j] = entry * factor[j, j]
            pivot -= entry * factor[i, j]
            total -= factor[i, j] * y[j]
        factor[i, i] = 1.0 / max(pivot, tiny)
        y[i] = total
    for i in range(n - 1, -1, -1):
        if active[i] != 0:
            continue
        total = y[i] * factor[i, i]
        for k in range(i + 1, n):
            if active[k] == 0:
                total -= factor[k, i] * x[k]
        x[i] = total


@njit
def _rest(lower: Array, upper: Array, x: Array) -> None:
    for i in range(x.shape[0]):
        x[i] = max(min(0.0, upper[i]), lower[i])
        if not math.isfinite(x[i]):
            x[i] = 0.0


@njit
def _descend(H: Array, g: Array, lower: Array, upper: Array, x: Array, active: Flags) -> int:
    """Coordinate descent from x, where rounding lets the pivots go round in a circle.

    The pivots then differ by rounding only, so x is all but there; each sweep is downhill.
    """
    n = x.shape[0]
    for i in range(n):
        x[i] = min(max(x[i], lower[i]), max(upper[i], lower[i]))
    for sweep in range(MAX_SWEEPS):
        moved = 0.0
        for i in range(n):
            gradient = g[i]
            for j in range(n):
                gradient += H[i, j] * x[j]
            new = x[i] - gradient / H[i, i] if H[i, i] > 0.0 else x[i]
            new = min(max(new, lower[i]), max(upper[i], lower[i]))
            active[i] = np.int8(1 if new >= upper[i] else (-1 if new <= lower[i] else 0))
            moved = max(moved, abs(new - x[i]))
            x[i] = new
        if moved < 1e-15:
            return MAX_PIVOTS + sweep
    return MAX_PIVOTS + MAX_SWEEPS
