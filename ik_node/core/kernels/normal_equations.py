"""The normal equations of a few weighted rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import inlined

Array = NDArray[np.float64]


@inlined
def normal_equations(A: Array, b: Array, H: Array, g: Array) -> None:
    """Write H = A'A (n, n) and g = -A'b (n,) of A (m, n): positions, rotations: m is 0, 3 or 6.

    Three rows at once: that is what a compiler makes fast.
    """
    n = g.shape[0]
    for i in range(n):
        g[i] = 0.0
        for j in range(i + 1):
            H[i, j] = 0.0
    for k in range(0, A.shape[0], 3):
        for i in range(n):
            x, y, z = A[k, i], A[k + 1, i], A[k + 2, i]
            g[i] -= x * b[k] + y * b[k + 1] + z * b[k + 2]
            for j in range(i + 1):
                H[i, j] += x * A[k, j] + y * A[k + 1, j] + z * A[k + 2, j]
    for i in range(n):
        for j in range(i):
            H[j, i] = H[i, j]
