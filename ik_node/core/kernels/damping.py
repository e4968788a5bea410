"""The smallest singular value that counts, and the damping that follows from it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import njit

Array = NDArray[np.float64]


_NOTHING = 1e-60
"""Squared singular values of which all are smaller are 0: their inverses would overflow."""

_ROUNDING = 1e-32
"""Relative to the largest, what is left of a pivot that should be 0."""


@njit
def smallest_singular(A: Array, rank: int, work: Array) -> float:
    """Return the `rank`-th largest singular value of A (m, n), the last one that is not always 0.

    `work` is (12, >= 6) scratch.
    """
    size = min(A.shape[0], A.shape[1])
    if rank < 1 or size == 0:
        return 0.0
    _smaller_gram(A, work)
    return _smallest_of_gram(size, rank, work)


@njit
def damping_of(A: Array, rank: int, ceiling: float, threshold: float, work: Array) -> float:
    """Return the damping that A (m, n) needs, see `variable_damping`; `work` as above.

    Away from singularities a factorisation tells at once that it needs none.
    """
    size = min(A.shape[0], A.shape[1])
    _smaller_gram(A, work)
    if rank == size and _factorise(size, threshold * threshold, 0.0, work):
        return 0.0
    return variable_damping(_smallest_of_gram(size, rank, work), ceiling, threshold)


@njit
def _smallest_of_gram(size: int, rank: int, work: Array) -> float:
    value = _least_eigenvalue(size, work) if rank == size else _eigenvalue(size, rank, work)
    return math.sqrt(value)


@njit
def _smaller_gram(A: Array, work: Array) -> None:
    """Write the smaller Gram matrix of A (m, n), A A' or A' A."""
    m, n = A.shape
    for i in range(min(m, n)):
        for j in range(i + 1):
            total = 0.0
            if m < n:
                for k in range(n):
                    total += A[i, k] * A[j, k]
            else:
                for k in range(m):
                    total += A[k, i] * A[k, j]
            work[i, j] = total
            work[j, i] = total


@njit
def _factorise(size: int, shift: float, least: float, work: Array) -> bool:
    """Factorise the matrix less `shift` times the identity; tell whether its pivots exceed `least`.

    The factor is written below the matrix, with the inverse of its diagonal.
    """
    factor = work[6:]
    for i in range(size):
        for j in range(i + 1):
            total = work[i, j]
            if i == j:
                total -= shift
            for k in range(j):
                total -= factor[i, k] * factor[j, k]
            if i > j:
                factor[i, j] = total * factor[j, j]
            elif total > least:
                factor[i, i] = 1.0 / math.sqrt(total)
            else:
                return False
    return True


@njit
def _least_eigenvalue(size: int, work: Array) -> float:
    """Return the least eigenvalue of the positive semidefinite matrix in `work`.

    By Laguerre's iteration from 0: it comes from below, the quicker the further the next one is,
    and ends where rounding lets it step over.

    Source: Parlett, The symmetric eigenvalue problem, 1980, 4.
    """
    factor = work[6:]
    scale = 0.0
    for i in range(size):
        scale += work[i, i]
    if scale < _NOTHING:
        return 0.0
    value = 0.0
    while _factorise(size, value, _ROUNDING * scale, work):
        # The factor's inverse, transposed, above its diagonal; then the inverse of the matrix.
        for j in range(size):
            for i in range(j + 1, size):
                total = factor[i, j] * factor[j, j]
                for k in range(j + 1, i):
                    total += factor[i, k] * factor[j, k]
                factor[j, i] = -total * factor[i, i]
        trace, square = 0.0, 0.0
        for i in range(size):
            for j in range(i + 1):
                entry = 0.0
                for k in range(i, size):
                    entry += factor[i, k] * factor[j, k]
                square += entry * entry if i == j else 2.0 * entry * entry
                if i == j:
                    trace += entry
        spread = max((size - 1) * (size * square - trace * trace), 0.0)
        step = size / (trace + math.sqrt(spread))
        value += step
        if step <= 1e-9 * value + 1e-16 * scale:
            break
    return value


@njit
def _eigenvalue(size: int, rank: int, work: Array) -> float:
    """Return the `rank`-th largest eigenvalue of the matrix in `work`, by cyclic Jacobi rotations.

    Source: Golub and Van Loan, Matrix Computations, 8.5.
    """
    scale = 0.0
    for i in range(size):
        scale += work[i, i]
    if not scale > 0.0:
        return 0.0
    for _ in range(12):
        off = 0.0
        for p in range(size):
            for q in range(p):
                off += work[p, q] * work[p, q]
        if off <= 1e-26 * scale * scale:
            break
        for p in range(size - 1):
            for q in range(p + 1, size):
                if abs(work[p, q]) <= 1e-30 * scale:
                    continue
                theta = 0.5 * (work[q, q] - work[p, p]) / work[p, q]
                sign = 1.0 if theta >= 0.0 else -1.0
                t = sign / (abs(theta) + math.sqrt(theta * theta + 1.0))
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                for k in range(size):
                    a, b = work[p, k], work[q, k]
                    work[p, k], work[q, k] = c * a - s * b, s * a + c * b
                for k in range(size):
                    a, b = work[k, p], work[k, q]
                    work[k, p], work[k, q] = c * a - s * b, s * a + c * b
    for _ in range(min(rank, size) - 1):
        best = 0
        for k in range(size):
            if work[k, k] > work[best, best]:
                best = k
        work[best, best] = -1.0
    value = 0.0
    for k in range(size):
        value = max(value, work[k, k])
    return value


@njit
def variable_damping(sigma: float, ceiling: float, threshold: float) -> float:
    """Return lam: 0 where sigma >= threshold, rising to `ceiling` at sigma = 0.

    Source: Nakamura and Hanafusa, 1986, with the profile of Chiaverini et al., 1994.
    """
    if sigma >= threshold:
        return 0.0
    ratio = sigma / threshold
    return ceiling * math.sqrt(1.0 - ratio * ratio)
