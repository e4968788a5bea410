"""Going to the goal of the newest target: plan it, choose the way, move, notice when stuck."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ik_node.control.config import TrackerConfig
from ik_node.control.goal import Goal, GoalPlanner
from ik_node.control.motion import Motion
from ik_node.control.observation import Observation
from ik_node.control.request import Request
from ik_node.control.way import Way
from ik_node.core.kernels import tick_data
from ik_node.core.limits import Box

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]


class Pursuit:
    """Moves the plan towards goals.

    Attributes:
        way: the straight line or the joint-space way, and why.
    """

    def __init__(
        self, arm: JointGroup, config: TrackerConfig, motion: Motion, seen: Observation
    ) -> None:
        self.way = Way(arm, config.tool_speed, config.detour, config.floor_height)
        self._planner = GoalPlanner(arm, config)
        self._motion = motion
        self._seen = seen

    @property
    def goal(self) -> Goal | None:
        """Where the arm is going; None without a goal."""
        return self._planner.goal

    def drop(self) -> None:
        """Forget the goal."""
        self._planner.forget()
        self.way.reset()

    def use_boxes(self, box: Box, other: Box | None) -> None:
        """Take the limits of the committed branch, and of the other one to ask it."""
        self._planner.use_boxes(box, other)
        self.way.reset()

    def aim(self, request: Request, now: float) -> None:
        """Take a new target."""
        seed = self._motion.q if self._planner.is_jump(request) else self._seed
        self._planner.aim(request, seed, now, self._seen.near is not None)

    @property
    def _seed(self) -> Array:
        """Where a target that only moved on is sought from: the goal of a joint move."""
        goal = self._planner.goal
        return goal.posture if self.way.by_joints and goal is not None else self._motion.q

    def go(self, now: float, dt: float, pace: float) -> None:
        """Do one tick."""
        self._planner.think(self._seed, now)
        goal = self._planner.goal
        if goal is None:
            self._motion.stop(dt)
            return
        if self._planner.changed:
            self._motion.new_line()
            self.way.take(goal, self._motion.q, self._planner.jumped)
        if self.way.exhausted:
            self._motion.stop(dt)
        elif self.way.by_joints:
            self._motion.along_joints(goal.posture, dt, pace)
            if self._seen.landed and not self._planner.changed:
                self.way.arrived()
        else:
            self._motion.to_pose(goal.pose, goal.posture, goal.point, dt, pace)
            if self._seen.landed:
                self.way.arrived()
            elif pace > 0.0 and not self._motion.trailing:
                self._notice_a_stall(goal, pace * dt)

    def _notice_a_stall(self, goal: Goal, dt: float) -> None:
        """Take another way where the line is stuck, unless the target can be met from here.

        `dt` [s] counts by the pace: an arm that is waited for has more time to make progress.
        """
        report = self._motion.report
        if not self.way.stuck:
            left, turn = float(report[tick_data.DISTANCE]), float(report[tick_data.ANGLE])
            self.way.watch(left, turn, self._seen.speed, dt)
            if self.way.stuck:
                self._planner.reconsider(self._motion.q)
        elif not self._planner.thinking:
            self.way.give_up_the_line(goal, self._motion.q)
