"""How the measured arm follows the command: lag slows the command, a moved arm re-seeds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ik_node.control.config import TrackerConfig
from ik_node.core.kernels.kinematics import INDEX, PRISMATIC

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]

BEHIND = 0.75
RECOVERED = 0.5
CONFIRMATIONS = 2


class Following:
    """Compares the measured joints with the command.

    An arm that stays behind slows the command down and at last stops it, so that nothing winds
    up. An arm that somebody else moved (it leaves a command that stands still, or is suddenly
    elsewhere) asks for a new start from where it is.

    Attributes:
        pace: in [0, 1], part of the speeds that the command may use.
        lagging: whether the arm is so far behind that the command waits for it.
        worst: index of the joint with the largest gap in its own tolerance.
        gap: rad or m, of that joint.
    """

    @classmethod
    def of(cls, arm: JointGroup, speed: Array, config: TrackerConfig) -> Following:
        """Take the tolerances of a configuration; a prismatic joint's radian is a length."""
        unit = np.ones(arm.size)
        for row in arm.chain[:-1]:
            if row[PRISMATIC] != 0.0:
                unit[int(row[INDEX])] = arm.characteristic_length
        return cls(unit, speed, config.lag_tolerance, config.lag_time, config.resync_tolerance)

    def __init__(
        self, unit: Array, speed: Array, lag_tolerance: float, lag_time: float, resync: float
    ) -> None:
        """Set the tolerances.

        Args:
            unit: (n,) 1 for rotations, a length [m] for prismatic joints.
            speed: (n,) velocity limits.
            lag_tolerance: rad. lag_time: s. resync: rad; see `TrackerConfig`.
        """
        self._lag = lag_tolerance * unit + lag_time * speed
        self._resync = resync * unit
        self._speed = speed
        self.reset()

    def reset(self) -> None:
        """Start anew; call after every re-seed."""
        self.pace = 1.0
        self.lagging = False
        self.worst = 0
        self.gap = 0.0
        self._smallest: Array | None = None
        self._last: Array | None = None
        self._suspect: Array | None = None
        self._confirmations = 0

    def differs(self, command: Array, measured: Array) -> bool:
        """Tell whether a pause or a gap in the feedback moved the arm by more than droop."""
        return bool((np.abs(measured - command) > self._resync).any())

    def moved_by_others(
        self, command: Array, measured: Array, at_rest: bool, passed: float
    ) -> bool:
        """Tell whether the arm was moved; a single wild reading is not believed."""
        gap = np.abs(measured - command)
        last = measured if self._last is None else self._last
        self._last = measured.copy()
        reference = last if self._suspect is None else self._suspect
        jump = np.abs(measured - reference) > 2.0 * self._speed * passed + self._resync
        if jump.any():
            self._suspect, self._confirmations = reference, self._confirmations + 1
            return self._confirmations >= CONFIRMATIONS and self.differs(command, measured)
        self._suspect, self._confirmations = None, 0
        if not at_rest:
            self._smallest = None
            return False
        self._smallest = gap if self._smallest is None else np.minimum(self._smallest, gap)
        return bool((gap > self._smallest + self._resync).any())

    def judge(self, command: Array, measured: Array) -> None:
        """Update `pace`, `lagging`, `worst` and `gap`."""
        gap = np.abs(measured - command)
        share = gap / self._lag
        self.worst = int(share.argmax())
        self.gap = float(gap[self.worst])
        most = float(share[self.worst])
        self.pace = min(1.0, max(0.0, 2.0 - 2.0 * most))
        self.lagging = most > (RECOVERED if self.lagging else BEHIND)
