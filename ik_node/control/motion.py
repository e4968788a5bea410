"""The motion: position and velocity of every joint, moved one tick at a time by the kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ik_node.control.config import TrackerConfig
from ik_node.control.trail import Trail
from ik_node.control.watchdog import Interval
from ik_node.core.damping import Damping
from ik_node.core.kernels import tick, tick_data
from ik_node.core.kernels.kinematics import forward_kinematics
from ik_node.core.kernels.task import POSE, POSITION
from ik_node.core.limits import Box
from ik_node.core.manipulability import scale_of
from ik_node.core.rows import resolve_rows
from ik_node.core.tasks import FrameTask

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]

BRAKING = 0.7
"""Part of the acceleration that braking on the line may use."""
CAPTURE = 0.02
"""rad (m), from the goal within which all joints land together."""
STRAIGHTEN = 0.3
"""Part of the offset from the straight line that is taken back each tick."""
POSTURE_WEIGHT = 0.05
"""Of the posture against the orientation, in characteristic lengths."""
DAMPED_SHARE = 0.05
"""Of the arm's best smallest singular value: the largest damping."""
LANDED = 1e-6
"""rad (m), distance from the goal's posture at which the command has arrived."""
SIMULATED_STEP = 0.02
MOST_SIMULATED = 3000

_NOWHERE = np.eye(4)
_NO_TWIST = np.zeros(6)


class Motion:
    """The joints of one arm as planned and as sent; every move keeps every limit.

    Attributes:
        q: (n,) plan, rad or m. Read it, do not write it.
        v: (n,) its velocity.
        sent: (n,) what is sent: q itself, or with a jerk limit what trails it.
        sent_v: (n,) its velocity.
        walls: (2, n) position bounds of the whole command.
        limits: (4, n) lower wall, upper wall, speed, acceleration of the motion: `walls` less what
            is reserved for what is added to the motion.
        heading: (n,) posture that the last move goes towards; q itself where there is none.
        report: what came of the last move, see `kernels.tick_data`.
    """

    def __init__(self, arm: JointGroup, config: TrackerConfig) -> None:
        n = arm.size
        k = len(arm.chain) - 1
        self._longest_step = config.longest_step
        self._meant: tuple[Box, Array] | None = None
        self._room = Box(arm.lower, arm.upper)
        self.q = np.zeros(n)
        self.v = np.zeros(n)
        self.heading = self.q
        self.report = np.zeros(tick_data.REPORT_SIZE)
        speed = np.where(np.isfinite(arm.velocity), arm.velocity, config.default_velocity)
        speed = speed * config.velocity_scale
        self.walls = np.array([arm.lower, arm.upper])
        self.limits = np.array([arm.lower, arm.upper, speed, speed / config.acceleration_time])
        jerk = config.jerk_limit
        self._trail = Trail(arm, self.limits[3], jerk) if jerk > 0.0 else None
        follower = self._trail or self
        self.sent, self.sent_v = follower.q, follower.v
        self._reserved = np.zeros((2, n))
        self._chain = np.array(arm.chain)
        self._for_pose = _settings(arm, config, point=False)
        self._for_point = _settings(arm, config, point=True)
        self._line = np.eye(4)
        self._memory = np.zeros(tick_data.memory_size(n, k))
        self._active = np.zeros(n, dtype=np.int8)

    @property
    def at_rest(self) -> bool:
        """Whether what is sent stands still."""
        return not self.sent_v.any()

    @property
    def trailing(self) -> bool:
        """Whether what is sent is on its way yet to where the plan rests."""
        return self._trail is not None and not self.v.any() and not self.at_rest

    def seed(self, q: Array, v: Array | None) -> None:
        """Start from the measured joints; a velocity out of the limits is not taken over."""
        self.q[:] = q
        self.v[:] = 0.0
        if v is not None:
            lower, upper, speed, _ = self.limits
            outward = ((q >= upper) & (v > 0.0)) | ((q <= lower) & (v < 0.0))
            usable = np.isfinite(v) & ~outward
            self.v[usable] = np.clip(v[usable], -speed[usable], speed[usable])
        self._start_trail()
        self.new_line()

    def take_over(self, other: Motion, shift: Array, faster: Array) -> None:
        """Go on from another motion of this arm, whatever the limits are now.

        Where it is moving, its walls and its acceleration stay as far as it needs them to brake.

        Args:
            other: the motion.
            shift: (n,) rad or m, from where it is.
            faster: (n,) rad/s or m/s, than it is.
        """
        if not other.at_rest or faster.any():
            self._meant = Box(*self.walls.copy()), self.limits[3].copy()
            self._room = Box(*other.walls.copy())
            self.limits[3] = np.maximum(self.limits[3], other.limits[3])
            self._put_walls(self._room)
        trail, before = self._trail, other._trail
        exact = not shift.any() and not faster.any()
        if trail is not None and before is not None and trail.window == before.window and exact:
            self.q[:], self.v[:] = other.q, other.v
            trail.take_over(before)
        else:
            self.q[:], self.v[:] = other.sent + shift, other.sent_v + faster
            self._start_trail()
        self.new_line()

    def leave_room_to_brake(self) -> None:
        """Put walls that are too near for the joints to stop back to where they can."""
        if self._meant is None:
            return
        stop = _stop(self.q, self.v, self.limits[3], 0.0)
        low, high = stop - self._reserved
        lower = np.minimum(self.walls[0], np.maximum(low, self._room.lower))
        upper = np.maximum(self.walls[1], np.minimum(high, self._room.upper))
        self._put_walls(Box(lower, upper))

    def narrow(self, box: Box) -> None:
        """Take the position bounds of `box` from now on."""
        if self._meant is not None:
            self._meant = box, self._meant[1]
        self._put_walls(box)

    def _put_walls(self, box: Box) -> None:
        self.walls[0] = box.lower
        self.walls[1] = box.upper
        self.limits[:2] = self.walls + self._reserved

    def _use_what_is_meant(self) -> None:
        """Take the walls and the acceleration that are meant once the joints can keep them."""
        if self._meant is None:
            return
        box, acceleration = self._meant
        for q, v in ((self.q, self.v), (self.sent, self.sent_v)):
            low, high = _stop(q, v, acceleration, self._longest_step) - self._reserved
            if ((v < 0.0) & (low < box.lower)).any() or ((v > 0.0) & (high > box.upper)).any():
                return
        self._meant = None
        self.limits[3] = acceleration
        self._put_walls(box)

    def reserve(self, below: Array, above: Array) -> None:
        """Leave room at the walls for what is added to the motion: down and up to these (n,)."""
        self._reserved[0] = below
        self._reserved[1] = -above
        self.limits[:2] = self.walls + self._reserved

    def new_line(self) -> None:
        """Let the straight line, or the twist, start where the tool is planned to be now."""
        self._line[:] = self.tool_pose()

    def tool_pose(self) -> Array:
        """Return the planned pose (4, 4) of the tip."""
        n, k = self.q.size, len(self._chain) - 1
        T = np.empty((4, 4))
        forward_kinematics(self._chain, self.q, T, np.empty((6, n)), np.empty((k, 6)))
        return T

    def to_pose(self, goal: Array, posture: Array, point: bool, dt: float, pace: float) -> None:
        """Go straight towards the reachable pose `goal` (4, 4), which `posture` (n,) reaches."""
        settings = self._for_point if point else self._for_pose
        self._move(tick.TO_POSE, dt, pace, goal, posture, _NO_TWIST, settings)

    def with_twist(self, twist: Array, dt: float, pace: float) -> None:
        """Move the tool with `twist` (6,) [m/s, rad/s] in base axes."""
        self._move(tick.WITH_TWIST, dt, pace, _NOWHERE, self.q, twist, self._for_pose)

    def along_joints(self, posture: Array, dt: float, pace: float) -> None:
        """Go along the straight joint-space line to `posture` (n,)."""
        self._move(tick.ALONG_JOINTS, dt, pace, _NOWHERE, posture, _NO_TWIST, self._for_pose)

    def stop(self, dt: float) -> None:
        """Slow down to a standstill."""
        self._move(tick.STOP, dt, 1.0, _NOWHERE, self.q, _NO_TWIST, self._for_pose)

    def freeze(self) -> None:
        """Stand still at once: the arm is not following any more."""
        self.q[:] = self.sent
        self.v[:] = 0.0
        self._start_trail()

    def send(self, interval: Interval) -> None:
        """Let what is sent follow the plan of this tick, and account for time without motion."""
        self._use_what_is_meant()
        if self._trail is not None:
            self._trail.follow(self.q, interval.moving, self.limits)
        if interval.moving < interval.passed:
            share = interval.moving / interval.passed
            self.v *= share
            if self._trail is not None:
                self.sent_v *= share

    def time_along_joints(self, posture: Array) -> float:
        """Return how long it takes from here along the joints to `posture` (n,) [s]; none moves."""
        q, v, limits, heading = self.q, self.v, self.limits, self.heading
        self.q, self.v, self.limits = q.copy(), v.copy(), limits.copy()
        self.limits[0], self.limits[1] = -np.inf, np.inf
        steps = 0
        while steps < MOST_SIMULATED and np.abs(posture - self.q).max() > LANDED:
            self.along_joints(posture, SIMULATED_STEP, 1.0)
            steps += 1
        self.q, self.v, self.limits, self.heading = q, v, limits, heading
        return steps * SIMULATED_STEP + (self._trail.window if self._trail else 0.0)

    def _start_trail(self) -> None:
        if self._trail is not None:
            self._trail.start(self.q, self.v, self.limits)

    def _move(
        self,
        way: int,
        dt: float,
        pace: float,
        goal: Array,
        posture: Array,
        twist: Array,
        settings: Array,
    ) -> None:
        self.heading = posture
        tick.move(
            way,
            self._chain,
            self.q,
            self.v,
            dt,
            pace,
            goal,
            posture,
            twist,
            self.limits,
            settings,
            self._line,
            self.report,
            self._memory,
            self._active,
        )


def _stop(q: Array, v: Array, acceleration: Array, pause: float) -> Array:
    """Return where joints (n,) stop that brake after a pause [s]."""
    return q + v * (pause + np.abs(v) / (2.0 * acceleration))


def _settings(arm: JointGroup, config: TrackerConfig, point: bool) -> Array:
    rows = "position" if point else config.rows
    task = FrameTask.of(arm, rows, config.orientation_weights, point)
    settings = np.zeros(tick_data.SETTINGS)
    rank = task.rank()
    spare = rank < arm.size
    settings[tick_data.ROWS] = task.code if spare or task.code == POSE else POSITION
    settings[tick_data.RANK] = rank
    settings[tick_data.WEIGHTS : tick_data.WEIGHTS + 3] = task.weights
    settings[tick_data.POSTURE] = POSTURE_WEIGHT * arm.characteristic_length if spare else 0.0
    ceiling = _damping(arm, config) if config.damping is None else config.damping
    settings[tick_data.CEILING] = ceiling
    settings[tick_data.THRESHOLD] = 2.0 * ceiling
    settings[tick_data.TOOL_SPEED] = config.tool_speed
    settings[tick_data.TOOL_TURN] = config.tool_turn
    settings[tick_data.BRAKING] = BRAKING
    settings[tick_data.CAPTURE] = CAPTURE
    settings[tick_data.STRAIGHTEN] = STRAIGHTEN
    return settings


def _damping(arm: JointGroup, config: TrackerConfig) -> float:
    """Return the ceiling that the speeds ask for, but none that is felt away from singularities."""
    best = scale_of(arm, resolve_rows(arm, config.rows)).best_sigma
    return min(Damping.from_speeds(arm, config.tool_speed).ceiling, DAMPED_SHARE * best)
