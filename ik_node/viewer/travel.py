"""How far the joints travel for each centimetre of the tool: what singularities cost."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Sample = tuple[float, Array, Array]

WINDOW = 0.4
"""Seconds over which the motion is taken."""
MOVED = 0.002
"""Metres that the tool has to move in the window for the ratio to mean something."""
TURNED = math.radians(0.5)
"""Joint travel under which the arm rests."""
MOST = 200.0
"""Degrees a centimetre: more is shown as this."""


class Travel:
    """Joint travel against tool travel over the last moments."""

    def __init__(self) -> None:
        self._samples: deque[Sample] = deque()

    def add(self, now: float, q: Array, tool: Array) -> float | None:
        """Take a sample and say how far the joints went per centimetre of the tool.

        Args:
            now: seconds.
            q: (n,) measured rad (m).
            tool: (3,) its place, m.

        Returns:
            Degrees a centimetre, the joints' travel added up and at most 200; None while the arm
            rests.
        """
        samples = self._samples
        samples.append((now, q, tool))
        while samples[0][0] < now - WINDOW:
            samples.popleft()
        joints = sum(float(np.abs(b[1] - a[1]).sum()) for a, b in _pairs(samples))
        moved = sum(float(np.linalg.norm(b[2] - a[2])) for a, b in _pairs(samples))
        if joints < TURNED and moved < MOVED:
            return None
        if moved < MOVED:
            return MOST if joints > 10.0 * TURNED else None
        return min(MOST, math.degrees(joints) / (100.0 * moved))


def _pairs(samples: deque[Sample]) -> Iterator[tuple[Sample, Sample]]:
    return pairwise(samples)
