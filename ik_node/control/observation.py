"""The numbers behind the status: where the command and the measured tool stand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ik_node.control.config import TrackerConfig
from ik_node.control.goal import Goal
from ik_node.control.motion import LANDED, Motion
from ik_node.core.kernels import observe
from ik_node.core.manipulability import Manipulability, scale_of
from ik_node.core.rows import Rows
from ik_node.core.singularity import Singularity
from ik_node.datatypes import quick

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]

AT_LIMIT = 1e-6
"""rad (m), distance from a limit at which a joint stands at it."""
CLEARED = 1.3
"""By how much manipulability has to exceed the warning before it is withdrawn."""
NAMED_AGAIN = 0.1
"""s, after which a near singularity is named anew."""


class Observation:
    """What one tick left behind; `look` writes it anew.

    Attributes:
        speed: rad/s or m/s, of the fastest joint of the command.
        at_rest: the command stands still.
        landed: the command is in the goal's posture.
        distance: m, from the command to the target.
        angle: rad, likewise; 0 without an orientation.
        tool: (4, 4) of the command.
        settled: the measured tool is at the goal and the command rests there.
        hanging: m, from the measured tool to the goal where the command rests; 0 when settled.
        manipulability: of the command.
        near: the singularity that the arm is near to, None away from all.
    """

    def __init__(self, arm: JointGroup, rows: Rows, config: TrackerConfig) -> None:
        n, k = arm.size, len(arm.chain) - 1
        self._arm = arm
        self._chain = np.array(arm.chain)
        self._config = config
        self._scale = scale_of(arm, rows)
        margin = config.limit_margin + AT_LIMIT
        self._limits = np.array([arm.lower + margin, arm.upper - margin])
        self._memory = np.zeros(28 + 12 * n + 6 * k)
        self._numbers = np.zeros(observe.NUMBERS)
        self._flags = np.zeros(n, dtype=np.int8)
        self._nothing = np.full(n, np.nan)
        self._nowhere = np.eye(4)
        self._named = -math.inf
        self.near: Singularity | None = None
        self.speed = 0.0
        self.at_rest = True
        self.landed = False
        self.settled = False
        self.hanging = 0.0
        self.distance = 0.0
        self.angle = 0.0
        self.tool = np.eye(4)
        self.manipulability: Manipulability | None = None

    def look(self, motion: Motion, measured: Array | None, goal: Goal | None, now: float) -> None:
        """Observe the command after a tick."""
        numbers = self._numbers
        self.tool = np.empty((4, 4))
        observe.observe(
            self._chain,
            motion.sent,
            motion.sent_v,
            self._nothing if measured is None else measured,
            self._nowhere if goal is None else goal.pose,
            self._nothing if goal is None else goal.posture,
            self._nowhere if goal is None else goal.asked,
            motion.limits,
            self._limits,
            self._scale.rows,
            self._scale.rank,
            self._scale.length,
            self.tool,
            self._memory,
            numbers,
            self._flags,
        )
        to_posture, distance, angle, yoshikawa, least, most, away, turned, at, held, speed = (
            numbers.tolist()
        )
        self.speed = speed
        self.at_rest = speed == 0.0
        self.landed = goal is not None and to_posture < LANDED
        self.distance = distance
        self.angle = 0.0 if goal is None or goal.point else angle
        self._at_limit = at > 0.0
        self._held = held > 0.0
        self.settled = (
            self.landed
            and self.at_rest
            and away < self._config.position_tolerance
            and goal is not None
            and (goal.point or turned < self._config.orientation_tolerance)
        )
        rests = self.landed and self.at_rest and measured is not None
        self.hanging = away if rests and not self.settled else 0.0
        best = self._scale.best
        relative = min(1.0, yoshikawa / best) if best > 0.0 else 0.0
        self._name(relative, motion.sent, now)
        condition = most / least if least > 0.0 else math.inf
        known = (yoshikawa, least, condition, relative, self.near)
        self.manipulability = quick(Manipulability, known)

    def at_limit(self) -> tuple[tuple[str, bool], ...]:
        """Return the joints at one of their limits, each with whether it is the upper one."""
        if not self._at_limit:
            return ()
        lower, upper = observe.BIT_AT_LOWER, observe.BIT_AT_UPPER
        return tuple(
            (name, bool(flag & upper))
            for name, flag in zip(self._arm.joint_names, self._flags.tolist(), strict=True)
            if flag & (lower | upper)
        )

    def held(self) -> tuple[str, ...]:
        """Return the joints that a wall or their speed limit holds."""
        if not self._held:
            return ()
        return tuple(
            name
            for name, flag in zip(self._arm.joint_names, self._flags.tolist(), strict=True)
            if flag & observe.BIT_HELD
        )

    def _name(self, relative: float, q: Array, now: float) -> None:
        warn = self._config.manipulability_warn
        if relative >= warn * (1.0 if self.near is None else CLEARED):
            self.near = None
        elif self.near is None or not 0.0 <= now - self._named < NAMED_AGAIN:
            scale = self._scale
            self.near = scale.causes.find(self._arm, q.copy(), scale.length, scale.rank)
            self._named = now
