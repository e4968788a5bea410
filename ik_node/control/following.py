"""How the measured arm follows the command: lag slows the command, a moved arm re-seeds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ik_node.control.config import TrackerConfig
from ik_node.core.kernels import observe
from ik_node.core.kernels.kinematics import INDEX, PRISMATIC

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]

BEHIND = 0.75
"""Part of the tolerated lag from which the arm counts as lagging."""
RECOVERED = 0.5
CONFIRMATIONS = 2
"""Readings that have to agree before a sudden jump is believed."""


class Following:
    """Compares the measured joints with the command.

    An arm that stays behind slows the command down and at last stops it, so that nothing winds
    up. An arm that somebody else moved (it leaves a command that stands still, or is suddenly
    elsewhere) asks for a new start from where it is.

    Attributes:
        pace: in [0, 1], part of the speeds that the command may use.
        lagging: whether the arm is so far behind that the command waits for it.
        worst: place in q of the joint that is furthest behind.
        gap: rad or m, of that joint.
        differs: whether command and arm are further apart than droop.
        was_moved: whether somebody else moved the arm.
    """

    def __init__(self, arm: JointGroup, speed: Array, config: TrackerConfig) -> None:
        n = arm.size
        unit = np.ones(n)
        for row in arm.chain[:-1]:
            if row[PRISMATIC] != 0.0:
                unit[int(row[INDEX])] = arm.characteristic_length
        lag = config.lag_tolerance * unit + config.lag_time * speed
        self._scales = np.array([lag, config.resync_tolerance * unit, speed])
        self._memory = np.empty((2, n))
        self._numbers = np.zeros(observe.COMPARED)
        self.reset(np.zeros(n))

    def reset(self, measured: Array) -> None:
        """Start anew from a reading that is believed."""
        self._memory[0] = measured
        self._memory[1] = np.inf
        self._jumps = 0
        self.pace = 1.0
        self.lagging = False
        self.worst = 0
        self.gap = 0.0
        self.differs = False
        self.was_moved = False

    def take_over(self, other: Following) -> None:
        """Go on from what another one of this arm has seen."""
        self._memory[:] = other._memory
        self._jumps = other._jumps
        self.pace, self.lagging = other.pace, other.lagging
        self.worst, self.gap, self.differs = other.worst, other.gap, other.differs

    def compare(self, command: Array, measured: Array, at_rest: bool, passed: float) -> None:
        """Judge this tick's reading; `passed` is the time since the last one [s]."""
        numbers = self._numbers
        observe.compare(command, measured, passed, at_rest, self._scales, self._memory, numbers)
        share, worst, self.gap, differs, jumped, left = numbers.tolist()
        self.worst = int(worst)
        self.differs = differs > 0.0
        self._jumps = self._jumps + 1 if jumped > 0.0 else 0
        sudden = self._jumps >= CONFIRMATIONS
        if sudden:
            self._memory[0] = measured
            self._jumps = 0
        self.was_moved = self._jumps == 0 and ((sudden and self.differs) or left > 0.0)
        self.pace = min(1.0, max(0.0, 2.0 - 2.0 * share))
        self.lagging = share > (RECOVERED if self.lagging else BEHIND)
