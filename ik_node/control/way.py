"""Which way to a goal: the tool's straight line, or all joints together where that is stuck."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ik_node.control.goal import Goal
from ik_node.control.sweep import lowest_on_the_way

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]

WINDOW = 0.8
"""s, over which progress is judged."""
PROGRESS = 0.25
"""Part of what the tool speed allows that has to be made good in a window."""
TURN_SHARE = 0.1
"""m that one radian of orientation counts as."""
SAME_POSTURE = 0.5
"""rad, by which a joint-space goal may change and still be the same way."""
ARRIVED = 1e-6
"""rad (m), from the goal."""
THERE = 1e-7
"""m, from which the line leads no nearer."""
STILL = 1e-9
"""rad/s (m/s), under which the joints do not move."""
NOTABLE = 0.1
"""rad (m), from which a joint-space move is worth the name of a detour."""
ANOTHER_PLACE = 0.005
"""m, by which a goal has moved when the line is worth another try."""


class Way:
    """Chooses between the straight line and the joint-space way, and keeps to its choice.

    Attributes:
        by_joints: the joint-space way is taken.
        stuck: the line makes no progress.
        is_detour: the joint-space way is taken and is long enough to be said.
        blocked: why the joint-space way that is needed is not taken; empty when it is not needed.
        exhausted: it is blocked, and the line leads no nearer either.
    """

    def __init__(
        self, arm: JointGroup, tool_speed: float, detour: bool, floor_height: float | None
    ) -> None:
        self._arm = arm
        self._speed = tool_speed
        self._detour = detour
        self._floor = floor_height
        self._start: float | None = None
        self.reset()

    def reset(self) -> None:
        """Forget the choice."""
        self.by_joints = False
        self.is_detour = False
        self.stuck = False
        self.blocked = ""
        self.exhausted = False
        self._posture: Array | None = None
        self._place: Array | None = None
        self._given_up_at: Array = np.zeros(3)
        self._restart_window()

    def take(self, goal: Goal, q: Array, is_jump: bool) -> None:
        """Choose the way to a new goal from the command q (n,)."""
        if is_jump:
            self.reset()
        elif self.by_joints and self._posture is not None and not goal.by_joints:
            changed = float(np.abs(goal.posture - self._posture).max())
            if changed > SAME_POSTURE:
                self.reset()
        if self._place is not None:
            self._credit += float(np.linalg.norm(goal.pose[:3, 3] - self._place))
        self._place = goal.pose[:3, 3]
        self._posture = goal.posture
        if self.exhausted and np.linalg.norm(self._place - self._given_up_at) > ANOTHER_PLACE:
            self.exhausted = False
            self._restart_window()
        if goal.by_joints or self.by_joints or self.blocked:
            self._go_by_joints(goal, q)

    def watch(self, distance: float, angle: float, speed: float, dt: float) -> None:
        """Judge the progress along the line: `distance` [m] and `angle` [rad] are left.

        `speed` is the joints' largest. A tool that is there and rests while the joints are not in
        the goal's posture is stuck too: the goal was to be met in another way.
        """
        merit = distance + TURN_SHARE * angle
        if self._start is None:
            self._start = merit
        self._time += dt
        if merit < THERE and speed < STILL:
            self.stuck = True
            self._restart_window()
        elif self._time >= WINDOW:
            start = self._start + self._credit
            self.stuck = start - merit < PROGRESS * min(self._speed * WINDOW, start)
            self._restart_window()

    def give_up_the_line(self, goal: Goal, q: Array) -> None:
        """Take the joint-space way from q (n,), if it is allowed and free."""
        self.stuck = False
        self._go_by_joints(goal, q)
        self.exhausted = bool(self.blocked)
        self._given_up_at = goal.pose[:3, 3]

    def arrived(self) -> None:
        """Go straight again from here on."""
        self.by_joints = False
        self.is_detour = False
        self.blocked = ""
        self._restart_window()

    def _restart_window(self) -> None:
        self._time = 0.0
        self._credit = 0.0
        self._start = None

    def _go_by_joints(self, goal: Goal, q: Array) -> None:
        travel = np.abs(goal.posture - q)
        far = float(travel.max())
        self.blocked = ""
        if far < NOTABLE:
            self.by_joints, self.is_detour = True, False
            return
        joint = self._arm.joint_names[int(travel.argmax())]
        if not self._detour:
            self.by_joints = self.is_detour = False
            self.blocked = (
                f"the straight line does not lead there; moving the joints would (joint {joint} "
                f"by {far:.2f} rad), but detour is off"
            )
            return
        if self._floor is not None:
            low = lowest_on_the_way(self._arm, q, goal.posture)
            if low.height < self._floor:
                self.by_joints = self.is_detour = False
                self.blocked = (
                    f"the joint-space way there leads the {low.part} down to {low.height:.3f} m, "
                    f"below floor_height {self._floor:.3f} m"
                )
                return
        self.by_joints = True
        self.is_detour = True
