"""A slow outer integral that lifts the command by what the servos hang below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ik_node.control.config import TrackerConfig
from ik_node.control.motion import Motion

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]

RATE_SHARE = 0.02
"""Part of the joints' speed that the offset may change with."""


class Droop:
    """The offset that is added to the command; it changes only while the command rests.

    Attributes:
        offset: (n,) rad or m, within +-`droop_limit`.
    """

    def __init__(self, arm: JointGroup, config: TrackerConfig) -> None:
        self._gain = config.droop_gain
        self._limit = config.droop_limit
        self.offset = np.zeros(arm.size)

    def reset(self) -> None:
        """Start from no offset."""
        self.offset = np.zeros_like(self.offset)

    def update(self, motion: Motion, measured: Array | None, dt: float) -> None:
        """Integrate over one tick."""
        if self._gain == 0.0 or measured is None or not motion.at_rest:
            return
        lower, upper, speed, _ = motion.limits
        most = RATE_SHARE * speed * dt
        wanted = self.offset + self._gain * (motion.q - measured) * dt
        wanted = np.clip(wanted, -self._limit, self._limit)
        wanted = np.clip(wanted, np.minimum(lower - motion.q, 0.0), None)
        wanted = np.clip(wanted, None, np.maximum(upper - motion.q, 0.0))
        self.offset = self.offset + np.clip(wanted - self.offset, -most, most)
