"""What a search finds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Solution(NamedTuple):
    """What a search has found.

    Attributes:
        q: (n,) rad (m), inside the limits.
        converged: level 1 is within tolerance by forward kinematics.
        reason: what is not as asked, in words; empty when nothing is.
        position_error: m.
        orientation_error: rad, of the whole rotation, whatever the rows.
        branch: the elbow's branch at q, `none` without an elbow.
        travel: largest joint move from the seed, rad (m).
        iterations: spent in all.
        local: found by the descent from the seed itself, not by a restart.
    """

    q: Array
    converged: bool
    reason: str
    position_error: float
    orientation_error: float
    branch: str
    travel: float
    iterations: int
    local: bool
