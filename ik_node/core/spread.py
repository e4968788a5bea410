"""Configurations spread evenly over a box."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.limits import Box

Array = NDArray[np.float64]


def spread(box: Box, count: int, rng_seed: int) -> Array:
    """Return (n, count) configurations spread evenly over the box, unlimited joints over a turn.

    Source: Roberts, The unreasonable effectiveness of quasirandom sequences, 2018.
    """
    n = box.size
    lower = np.where(np.isfinite(box.lower), box.lower, np.minimum(-math.pi, box.upper))
    upper = np.where(np.isfinite(box.upper), box.upper, np.maximum(math.pi, box.lower))
    root = 2.0
    for _ in range(40):
        root = (1.0 + root) ** (1.0 / (n + 1.0))
    steps = (1.0 / root) ** np.arange(1, n + 1)
    shift = np.random.default_rng(rng_seed).random(n)
    fractions = (shift[:, None] + steps[:, None] * np.arange(1, count + 1)) % 1.0
    return np.ascontiguousarray(lower[:, None] + fractions * (upper - lower)[:, None])
