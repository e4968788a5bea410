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

SHARE = 0.05
"""Part of the joints' speed and acceleration that the offset may use; the motion gets the rest."""


class Droop:
    """The offset that is added to the motion; it grows only while the motion rests.

    The motion leaves room for it at every wall, so that the sum brakes in time as well.

    Attributes:
        offset: (n,) rad or m, within +-`droop_limit`.
    """

    def __init__(self, arm: JointGroup, config: TrackerConfig, limits: Array) -> None:
        """Take a share of the rates in `limits` (4, n), see `Motion`, if droop is to be removed."""
        self._gain = config.droop_gain
        self._limit = config.droop_limit
        self._speed = SHARE * limits[2]
        self._acceleration = SHARE * limits[3]
        if self._gain > 0.0:
            limits[2:] *= 1.0 - SHARE
        self._rate = np.zeros(arm.size)
        self.offset = np.zeros(arm.size)

    def reset(self, motion: Motion) -> None:
        """Start from no offset."""
        self.offset = np.zeros_like(self.offset)
        self._rate[:] = 0.0
        motion.reserve(self.offset, self.offset)

    def update(self, motion: Motion, measured: Array | None, dt: float) -> None:
        """Integrate over one tick, never out of the position bounds with the command."""
        if self._gain == 0.0:
            return
        wanted = np.zeros_like(self._rate)
        if measured is not None and motion.at_rest:
            wanted = self._gain * (motion.q - measured)
        low = np.maximum(-self._limit, np.minimum(motion.walls[0] - motion.q, 0.0))
        high = np.minimum(self._limit, np.maximum(motion.walls[1] - motion.q, 0.0))
        room = np.where(wanted > 0.0, high - self.offset, self.offset - low)
        stopping = np.sqrt(np.maximum(room, 0.0) * self._acceleration)
        most = np.minimum(self._speed, stopping)
        wanted = np.clip(wanted, -most, most)
        change = self._acceleration * dt
        self._rate = np.clip(wanted, self._rate - change, self._rate + change)
        self.offset = np.clip(self.offset + self._rate * dt, low, high)
        coasting = self._rate * np.abs(self._rate) / (2.0 * self._acceleration)
        most = self.offset + coasting + self._rate * dt
        motion.reserve(
            np.maximum(0.0, np.maximum(-self.offset, -most)),
            np.maximum(0.0, np.maximum(self.offset, most)),
        )
