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

    The motion leaves room for it at every wall, so that the sum brakes in time as well. Where the
    motion is to end closer to a wall than that, the offset shrinks in time.

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

    def take_over(self, other: Droop, motion: Motion, before: Motion) -> None:
        """Let a motion go on from another one and its offset, and keep what may be kept of that."""
        most = self._limit if self._gain > 0.0 else 0.0
        offset = np.clip(other.offset, -most, most)
        rate = np.where(offset == other.offset, other._rate, 0.0)
        motion.take_over(before, other.offset - offset, other._rate - rate)
        self.offset, self._rate = offset, rate
        motion.reserve(np.maximum(0.0, -offset), np.maximum(0.0, offset))

    @property
    def at_rest(self) -> bool:
        """Whether the offset stands still."""
        return not self._rate.any()

    def freeze(self) -> None:
        """Stand still at once: nothing is sent."""
        self._rate[:] = 0.0

    @property
    def exhausted(self) -> tuple[int, ...]:
        """Places of the joints that hang by more than may be added."""
        if self._gain == 0.0:
            return ()
        return tuple(np.flatnonzero(np.abs(self.offset) >= self._limit).tolist())

    def update(self, motion: Motion, measured: Array | None, dt: float) -> None:
        """Integrate over one tick, and give way where the motion needs the room to arrive."""
        if self._gain == 0.0:
            return
        wanted = np.zeros_like(self._rate)
        if measured is not None and motion.at_rest:
            wanted = self._gain * (motion.sent - measured)
        low, high = self._bounds(
            motion, np.minimum(motion.sent, motion.heading), np.maximum(motion.sent, motion.heading)
        )
        fastest = self._approach(high - self.offset)
        slowest = -self._approach(self.offset - low)
        wanted = np.clip(wanted, np.minimum(slowest, fastest), np.maximum(slowest, fastest))
        wanted = np.where(self.offset > high, fastest, np.where(self.offset < low, slowest, wanted))
        change = self._acceleration * dt
        self._rate = np.clip(wanted, self._rate - change, self._rate + change)
        low, high = self._bounds(motion, motion.sent, motion.sent)
        # What is outside already, because a wall came nearer, comes in at the rate.
        low, high = np.minimum(low, self.offset), np.maximum(high, self.offset)
        self.offset = np.clip(self.offset + self._rate * dt, low, high)
        coasting = self._rate * np.abs(self._rate) / (2.0 * self._acceleration)
        most = self.offset + coasting + self._rate * dt
        motion.reserve(
            np.maximum(0.0, np.maximum(-self.offset, -most)),
            np.maximum(0.0, np.maximum(self.offset, most)),
        )

    def _bounds(self, motion: Motion, lowest: Array, highest: Array) -> tuple[Array, Array]:
        """What may be added to a motion between these (n,) without leaving the walls."""
        low = np.maximum(-self._limit, np.minimum(motion.walls[0] - lowest, 0.0))
        high = np.minimum(self._limit, np.maximum(motion.walls[1] - highest, 0.0))
        return low, high

    def _approach(self, room: Array) -> Array:
        """Rate at which to close a distance (n,) of either sign, so that it ends at rest."""
        rate = np.minimum(self._speed, np.sqrt(np.abs(room) * self._acceleration))
        closed: Array = np.copysign(rate, room)
        return closed
