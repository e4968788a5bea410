"""The smallest singular value that counts, and the damping that follows from it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import njit

Array = NDArray[np.float64]


@njit
def smaller_gram(A: Array, i: int, j: int) -> float:
    """Return entry (i, j) of the smaller Gram matrix of A (m, n): A A' or A' A."""
    m, n = A.shape
    total = 0.0
    if m < n:
        for k in range(n):
            total += A[i, k] * A[j, k]
    else:
        for k in range(m):
            total += A[k, i] * A[k, j]
    return total


@njit
def smallest_singular(A: Array, rank: int, work: Array) -> float:
    """Return the `rank`-th largest singular value of A (m, n), the last one that is not always 0.

    By cyclic Jacobi rotations on the smaller Gram matrix. `work` is (>= 6, >= 6) scratch.

    Source: Golub and Van Loan, Matrix Computations, 8.5.
    """
    m, n = A.shape
    size = min(m, n)
    if rank < 1 or size == 0:
        return 0.0
    scale = 0.0
    for i in range(size):
        for j in range(i + 1):
            work[i, j] = smaller_gram(A, i, j)
            work[j, i] = work[i, j]
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
    return math.sqrt(value)


@njit
def variable_damping(sigma: float, ceiling: float, threshold: float) -> float:
    """Return lam: 0 where sigma >= threshold, rising to `ceiling` at sigma = 0.

    Source: Nakamura and Hanafusa, 1986, with the profile of Chiaverini et al., 1994.
    """
    if sigma >= threshold:
        return 0.0
    ratio = sigma / threshold
    return ceiling * math.sqrt(1.0 - ratio * ratio)
