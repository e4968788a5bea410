"""What is sent where the jerk is limited: the command trails the plan as its average in time.

The plan keeps walls, speeds and accelerations by itself, so its average over a window T does, with
a jerk of at most 2A / T. One window serves all joints, so the path hardly changes its shape; the
command comes half a window later and rests one window after the plan.

At a steady rate the average is sent as it is. Where the ticks differ in length, its steps could
exceed the acceleration as it is measured tick by tick; then the limits of the tick win and the
next step goes to the average again: limits hold at every tick, jerk at a steady rate.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ik_node.control.watchdog import SHORTEST_STEP
from ik_node.core.kernels.trail import begin_trail, follow_plan
from ik_node.errors import ConfigurationError

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]

LONGEST = 1.0
"""s, a command that trails its plan by more is none to work with."""


class Trail:
    """A command of n joints and the path of the plan that it follows.

    Attributes:
        q: (n,) command, rad or m.
        v: (n,) its velocity.
        window: s, how long the command takes to come where the plan rests.
    """

    def __init__(self, arm: JointGroup, acceleration: Array, jerk_limit: float) -> None:
        """Prepare for a plan that keeps `acceleration` (n,).

        Raises:
            ConfigurationError: the limit is so low that the command would come far too late.
        """
        fastest = int(acceleration.argmax())
        self.window = 2.0 * float(acceleration[fastest]) / jerk_limit
        if self.window > LONGEST:
            least = 2.0 * float(acceleration[fastest]) / LONGEST
            raise ConfigurationError(
                "jerk_limit",
                f"is {jerk_limit:g}, so low that joint {arm.joint_names[fastest]} would come "
                f"{self.window:.1f} s late",
                f"give at least {math.ceil(least)}, 0 for no limit, or a longer acceleration_time",
            )
        self.q = np.zeros(arm.size)
        self.v = np.zeros(arm.size)
        points = math.ceil(self.window / SHORTEST_STEP) + 3
        self._path = np.zeros((points, arm.size))
        self._spans = np.full(points, self.window)
        self._newest = 1
        self._work = np.zeros((3, arm.size))

    def start(self, plan: Array, velocity: Array, limits: Array) -> None:
        """Start where the plan (n,) is, as fast as it is, and put the plan ahead of that.

        `limits` (4, n) are those of the plan; a velocity that could not brake in time is reduced.
        """
        self.q[:] = plan
        begin_trail(plan, velocity, self.window, limits, self._path, self._spans)
        self.v[:] = velocity
        self._newest = 1

    def take_over(self, other: Trail) -> None:
        """Go on from the command and the path of another trail with the same window."""
        self.q[:], self.v[:] = other.q, other.v
        self._path, self._spans = other._path.copy(), other._spans.copy()
        self._newest = other._newest

    def follow(self, plan: Array, dt: float, limits: Array) -> None:
        """Follow the plan (n,) of a tick of `dt` seconds."""
        self._newest = follow_plan(
            plan,
            self.q,
            self.v,
            dt,
            self.window,
            limits,
            self._path,
            self._spans,
            self._newest,
            self._work,
        )
