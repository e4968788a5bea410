"""The command: position and velocity of every joint, moved one tick at a time by the kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ik_node.control.config import TrackerConfig
from ik_node.core.damping import Damping
from ik_node.core.kernels import tick
from ik_node.core.kernels.tick_data import Limits, Manner, Task, make_scratch
from ik_node.core.limits import Box
from ik_node.core.tasks import FrameTask

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]

BRAKING = 0.7
CAPTURE = 0.02
STRAIGHTEN = 0.3
POSTURE_WEIGHT = 0.05
MOST_STEPS = 3000


class Motion:
    """The commanded joints of one arm and what moves them; every move keeps every limit.

    Attributes:
        q: (n,) command, rad or m. Read it, do not write it.
        v: (n,) its velocity.
        report: see `kernels.tick`.
    """

    def __init__(self, arm: JointGroup, config: TrackerConfig) -> None:
        n = arm.size
        self.q = np.zeros(n)
        self.v = np.zeros(n)
        self.report = np.zeros(tick.REPORT_SIZE)
        self.tool = np.eye(4)
        self._chain = arm.chain
        known = np.where(np.isfinite(arm.velocity), arm.velocity, config.default_velocity)
        speed = np.ascontiguousarray(known * config.velocity_scale)
        walls = np.array([arm.lower, arm.upper])
        self.limits = Limits(walls, speed, speed / config.acceleration_time)
        self.pose_task = _task(arm, config, point=False)
        self.point_task = _task(arm, config, point=True)
        self._manner = Manner(config.tool_speed, config.tool_turn, BRAKING, CAPTURE, STRAIGHTEN)
        self._scratch = make_scratch(n, len(arm.chain) - 1)
        self._line_start = np.zeros(3)
        self._twist_frame = np.eye(4)

    @property
    def at_rest(self) -> bool:
        """Whether no joint moves."""
        return not self.v.any()

    def seed(self, q: Array, v: Array | None) -> None:
        """Start from the measured joints; a velocity out of the limits is not taken over."""
        self.q[:] = q
        self.v[:] = 0.0
        if v is not None:
            speed, walls = self.limits.speed, self.limits.walls
            outward = ((q >= walls[1]) & (v > 0.0)) | ((q <= walls[0]) & (v < 0.0))
            usable = np.isfinite(v) & ~outward
            self.v[usable] = np.clip(v[usable], -speed[usable], speed[usable])
        self.new_line()

    def stretch(self, share: float) -> None:
        """Account for time that passed without motion: the tick's motion took 1 / share longer."""
        if share < 1.0:
            self.v *= share

    def narrow(self, box: Box) -> None:
        """Take the position bounds of `box` from now on."""
        self.limits.walls[0] = box.lower
        self.limits.walls[1] = box.upper

    def new_line(self) -> None:
        """Let the straight line, or the twist, start where the tool is commanded to be now."""
        self.tool_pose()
        self._line_start[:] = self.tool[:3, 3]
        self._twist_frame[:] = self.tool

    def tool_pose(self) -> Array:
        """Return the commanded pose (4, 4) of the tip, valid until the next call."""
        s = self._scratch
        tick.forward_kinematics(self._chain, self.q, self.tool, s.J, s.joints)
        return self.tool

    def to_pose(self, goal: Array, posture: Array, point: bool, dt: float, pace: float) -> None:
        """Go straight towards the reachable pose `goal` (4, 4), which `posture` (n,) reaches."""
        tick.pose_tick(
            self._chain,
            self.q,
            self.v,
            dt,
            goal,
            posture,
            self.limits,
            self.point_task if point else self.pose_task,
            self._manner,
            pace,
            self._line_start,
            self.report,
            self._scratch,
        )

    def with_twist(self, twist: Array, dt: float, pace: float) -> None:
        """Move the tool with `twist` (6,) [m/s, rad/s] in base axes."""
        tick.twist_tick(
            self._chain,
            self.q,
            self.v,
            dt,
            twist,
            self.limits,
            self.pose_task,
            self._manner,
            pace,
            self._twist_frame,
            self.report,
            self._scratch,
        )

    def along_joints(self, posture: Array, dt: float, pace: float) -> None:
        """Go along the straight joint-space line to `posture` (n,)."""
        tick.joint_tick(
            self._chain,
            self.q,
            self.v,
            dt,
            posture,
            self.limits,
            self._manner,
            pace,
            self.report,
            self._scratch,
        )

    def time_along_joints(self, posture: Array) -> float:
        """Return how long `along_joints` to `posture` (n,) takes from here [s]; nothing moves."""
        q, v, report = self.q.copy(), self.v.copy(), np.zeros(tick.REPORT_SIZE)
        limits = self.limits._replace(
            walls=np.array([np.full(q.size, -np.inf), np.full(q.size, np.inf)])
        )
        dt, steps = 0.02, 0
        while steps < MOST_STEPS and np.abs(posture - q).max() > 1e-6:
            tick.joint_tick(
                self._chain, q, v, dt, posture, limits, self._manner, 1.0, report, self._scratch
            )
            steps += 1
        return steps * dt

    def stop(self, dt: float) -> None:
        """Slow down to a standstill."""
        tick.stop_tick(self.q, self.v, dt, self.limits, self.report, self._scratch)


def _task(arm: JointGroup, config: TrackerConfig, point: bool) -> Task:
    frame = FrameTask.of(
        arm, "position" if point else config.rows, config.orientation_weights, point
    )
    damping = Damping.from_speeds(arm, config.tool_speed)
    if config.damping is not None:
        damping = Damping(config.damping, max(2.0 * config.damping, 1e-9))
    return Task(
        frame.code,
        frame.rank(),
        np.array(frame.weights),
        POSTURE_WEIGHT * arm.characteristic_length,
        damping.ceiling,
        damping.threshold,
    )
