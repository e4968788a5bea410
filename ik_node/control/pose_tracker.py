"""One tick from a target pose to a joint command.

    target -> request -> goal on the committed branch -> way -> step in the box -> command

`step` reads in that order. Each part is a file of its own; this one only connects them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik_node.control import reconfigure
from ik_node.control.commitment import Commitment
from ik_node.control.config import TrackerConfig
from ik_node.control.droop import Droop
from ik_node.control.first_branch import FirstBranch
from ik_node.control.following import Following
from ik_node.control.goal import Goal, GoalPlanner
from ik_node.control.motion import LANDED, Motion
from ik_node.control.observation import Observation
from ik_node.control.reconfigure import Reconfiguration, Wish
from ik_node.control.report import Reporter, Situation, waiting
from ik_node.control.request import Request, RequestKind, Requests, Target
from ik_node.control.status import Status
from ik_node.control.watchdog import NO_TIME, Watchdog
from ik_node.control.way import Way
from ik_node.core.kernels import tick_data
from ik_node.core.limits import Box
from ik_node.core.manipulability import Manipulability
from ik_node.core.rows import Rows, resolve_rows
from ik_node.errors import SizeError

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TrackerOutput:
    """What one tick brought.

    Attributes:
        q_command: (n,) rad or m; None when nothing may be sent (waiting, paused, fault).
        dq: (n,) change of the command in this tick.
        status: what is true now.
        branch: label of the committed branch, `none` without an elbow, `undecided` before.
        manipulability: of the commanded configuration; None before the first joint state.
        goal_pose: (4, 4) where the tool is going in the base frame; None without a goal.
        tool_pose: (4, 4) where the tool is commanded to be; None before the first joint state.
    """

    q_command: Array | None
    dq: Array
    status: Status
    branch: str
    manipulability: Manipulability | None
    goal_pose: Array | None
    tool_pose: Array | None


class PoseTracker:
    """Follows pose, point and twist targets with one arm; call `step` once a control period."""

    def __init__(self, arm: JointGroup, config: TrackerConfig | None = None) -> None:
        """Prepare; nothing moves before the first complete joint state.

        Raises:
            ConfigurationError: the configuration does not fit the arm.
            UnknownNameError: it names a branch, joint or choice that does not exist.
        """
        self.arm = arm
        self.config = config or TrackerConfig()
        rows = resolve_rows(arm, self.config.rows)
        self._rows = rows
        self._watchdog = Watchdog(
            self.config.longest_step, self.config.state_timeout, self.config.target_timeout
        )
        self._requests = Requests(point_only=rows is Rows.POSITION)
        self._commitment = Commitment(arm, self.config)
        self._first_branch = FirstBranch(arm, self._commitment, self.config)
        self._planner = GoalPlanner(arm, self.config)
        self._way = Way(arm, self.config.tool_speed, self.config.detour, self.config.floor_height)
        self._motion = Motion(arm, self.config)
        self._following = Following(arm, self._motion.limits[2], self.config)
        self._droop = Droop(arm, self.config, self._motion.limits)
        self._seen = Observation(arm, rows, self.config)
        self._reporter = Reporter(
            arm, self.config, self._commitment, self._following, self._way, self._seen
        )
        self._started = False
        self._interrupted = False
        self._enabled = True
        self._fault: str | None = None
        self._change: Reconfiguration | None = None
        self._across = False

    @property
    def branch(self) -> str:
        """Label of the committed branch."""
        return self._commitment.label

    @property
    def branches(self) -> tuple[str, ...]:
        """Labels that `request_branch` knows; empty for an arm without an elbow."""
        elbow = self._commitment.elbow
        return () if elbow is None else (elbow.label_plus, elbow.label_minus)

    def enable(self, on: bool) -> None:
        """Resume, or pause: the arm slows down and then nothing is sent."""
        self._enabled = on

    def hold(self) -> None:
        """Stop here and drop the target, until another one comes."""
        self._requests.drop()
        self._drop_goal()
        self._stop_change()

    def fault(self, sentence: str | None) -> None:
        """Hold for a fault of the driver, said in a sentence; None when it is over."""
        self._fault = sentence

    def request_branch(self, label: str, dry_run: bool = False) -> Reconfiguration:
        """Change to the branch named `label`, if the way there is free, or say why not.

        Raises:
            UnknownNameError: the arm has no such branch.
        """
        elbow = self._commitment.elbow
        if elbow is None:
            return Reconfiguration(False, "this arm has no elbow, so it has no other branch")
        sign = elbow.sign_from_label(label)
        if not self._started or not self._enabled or self._fault is not None:
            return Reconfiguration(False, f"not changed to '{label}': the arm is not being moved")
        if not self._change and self._commitment.sign == sign and not self._across:
            return Reconfiguration(True, f"already on branch '{label}'", sign=sign)
        box = self._commitment.box_of(sign, self._motion.q)
        if box is None:
            joint = elbow.index
            return Reconfiguration(
                False,
                f"not changed to '{label}': joint {elbow.joint} is limited to "
                f"{self.arm.lower[joint]:.3f} .. {self.arm.upper[joint]:.3f} rad, which leaves no "
                "room on that branch",
            )
        answer = reconfigure.plan(
            self.arm, self._motion, self._wish(), sign, label, box, self.config
        )
        if answer.accepted and not dry_run:
            self._begin_change(answer)
        return answer

    def step(
        self,
        q_measured: ArrayLike | None,
        target: Target,
        now: float,
        dt: float,
        *,
        qd_measured: ArrayLike | None = None,
        state_stamps: Sequence[float] | None = None,
        missing: Sequence[str] = (),
    ) -> TrackerOutput:
        """Do one tick.

        Args:
            q_measured: (n,) rad or m as last measured; None while a joint is missing.
            target: (4, 4) pose of the tip in the base, (3,) point, `TwistTarget`, or None to
                hold. Handing in the same object again is the same request, whatever its age.
            now: s, on any steady clock.
            dt: s, since the last tick, as measured; a strange one moves nothing.
            qd_measured: (n,) rad/s or m/s, if known.
            state_stamps: (n,) s, when each joint was received, on the clock of `now`.
            missing: names of the joints that have not been seen, for the sentence.

        Raises:
            SizeError: joint values of another number than the arm has.
        """
        interval = self._watchdog.interval(dt)
        measured = self._read(q_measured)
        stale = self._stale_joints(state_stamps, measured, now)
        fresh = measured if not stale else None
        if not self._started and fresh is None:
            self._requests.read(target, now)
            return self._waiting(missing or self.arm.names(stale))
        before = self._command()
        if fresh is not None and self._must_reseed(before, fresh, interval.passed):
            self._seed(fresh, self._read(qd_measured))
            before, interval = fresh.copy(), NO_TIME
        request = self._requests.read(target, now)
        if self._requests.is_new:
            self._take(request, now)
        if interval.moving > 0.0:
            self._move(request, bool(stale), now, interval.moving)
            self._motion.stretch(interval.moving / interval.passed)
            self._droop.update(self._motion, fresh, interval.moving)
        return self._output(request, before, fresh, stale, now)

    def _command(self) -> Array:
        return self._motion.q + self._droop.offset

    def _waiting(self, missing: Sequence[str]) -> TrackerOutput:
        return TrackerOutput(
            None,
            np.zeros(self.arm.size),
            waiting(tuple(missing), self._fault),
            self._commitment.label,
            None,
            None,
            None,
        )

    def _output(
        self, request: Request, before: Array, fresh: Array | None, stale: Sequence[int], now: float
    ) -> TrackerOutput:
        goal = self._planner.goal
        self._seen.look(self._motion, fresh, goal, now)
        situation = Situation(
            (),
            self._fault,
            not self._enabled,
            self.arm.names(stale) if stale else (),
            request,
            self._twist_is_stale(request, now),
            self._across,
            self._change,
            goal,
            self._motion.report[tick_data.WALLED] > 0.0,
        )
        command = self._command()
        silent = self._fault is not None or (not self._enabled and self._seen.at_rest)
        return TrackerOutput(
            None if silent else command,
            command - before,
            self._reporter.report(situation),
            self._commitment.label,
            self._seen.manipulability,
            None if goal is None else goal.pose,
            self._seen.tool,
        )

    def _read(self, values: ArrayLike | None) -> Array | None:
        if values is None:
            return None
        array = np.array(values, dtype=np.float64)
        if array.shape != (self.arm.size,):
            raise SizeError(
                "joint values",
                f"({self.arm.size},) for {', '.join(self.arm.joint_names)}",
                str(array.shape),
            )
        return array if np.isfinite(array).all() else None

    def _stale_joints(
        self, stamps: Sequence[float] | None, measured: Array | None, now: float
    ) -> Sequence[int]:
        if measured is None:
            return range(self.arm.size)
        if stamps is None:
            return ()
        return self._watchdog.stale_joints(stamps, now)

    def _must_reseed(self, command: Array, measured: Array, passed: float) -> bool:
        """Tell whether to start anew from the measured joints."""
        if not self._started:
            return True
        self._following.compare(command, measured, self._seen.at_rest, passed)
        if not self._enabled or self._fault is not None:
            return False
        interrupted, self._interrupted = self._interrupted, False
        return self._following.was_moved or (interrupted and self._following.differs)

    def _seed(self, measured: Array, velocity: Array | None) -> None:
        self._change = None
        self._droop.reset()
        self._commitment.start(measured)
        self._motion.narrow(self._commitment.box(measured))
        self._motion.seed(measured, velocity)
        self._following.reset(measured)
        self._started = True
        self._use_branch()

    def _use_branch(self) -> None:
        """Let limits and searches be those of the committed branch, and look for the goal anew."""
        q = self._motion.q
        box = self._commitment.box(q)
        self._motion.narrow(box)
        self._planner.use_boxes(box, self._commitment.box_of(-self._commitment.sign, q))
        self._across = self._commitment.is_across(q)
        self._drop_goal()
        self._requests.renew()

    def _drop_goal(self) -> None:
        self._planner.forget()
        self._way.reset()
        self._first_branch.forget()

    def _take(self, request: Request, now: float) -> None:
        """Begin with a new request; it replaces whatever was asked before."""
        if self._change is not None or self._across:
            self._requests.renew()
            return
        if not request.is_goal:
            self._drop_goal()
            self._motion.new_line()
            if request.kind is RequestKind.TWIST and self._commitment.undecided:
                self._commitment.commit_here(self._motion.q)
                self._motion.narrow(self._commitment.box(self._motion.q))
        elif self._commitment.undecided:
            self._first_branch.begin(request, self._motion.q)
        else:
            latched = self._way.by_joints and not self._planner.is_jump(request)
            goal = self._planner.goal
            seed = goal.posture if latched and goal is not None else self._motion.q
            self._planner.aim(request, seed, now, self._seen.near is not None)

    def _move(self, request: Request, stale: bool, now: float, dt: float) -> None:
        """Move the command for one tick, or slow it down."""
        if self._fault is not None:
            self._interrupted = True
            self._motion.freeze()
        elif stale or not self._enabled:
            self._interrupted = True
            self._motion.stop(dt)
        elif self._change is not None:
            self._go_across(self._change, dt)
        elif self._across or request.kind in (RequestKind.HOLD, RequestKind.INVALID):
            self._motion.stop(dt)
        elif request.kind is RequestKind.TWIST:
            if self._twist_is_stale(request, now):
                self._motion.stop(dt)
            else:
                self._motion.with_twist(request.twist, dt, self._following.pace)
        elif self._commitment.undecided:
            self._decide_branch(dt)
        else:
            self._go_to_goal(now, dt)

    def _go_to_goal(self, now: float, dt: float) -> None:
        self._planner.think(self._motion.q, now)
        goal = self._planner.goal
        if goal is None:
            self._motion.stop(dt)
            return
        if self._planner.changed:
            self._motion.new_line()
            self._way.take(goal, self._motion.q, self._planner.jumped)
        pace = self._following.pace
        if self._way.blocked:
            self._motion.stop(dt)
        elif self._way.by_joints:
            self._motion.along_joints(goal.posture, dt, pace)
            if self._seen.landed and not self._planner.changed:
                self._way.arrived()
        else:
            self._motion.to_pose(goal.pose, goal.posture, goal.point, dt, pace)
            self._notice_a_stall(goal, dt)

    def _notice_a_stall(self, goal: Goal, dt: float) -> None:
        """Take another way where the line is stuck, unless the target can be met from here."""
        report = self._motion.report
        if self._way.stuck:
            if not self._planner.thinking:
                self._way.give_up_the_line(goal, self._motion.q)
        elif self._following.pace == 1.0 and not self._seen.landed:
            self._way.watch(report[tick_data.DISTANCE], report[tick_data.ANGLE], dt)
            if self._way.stuck:
                self._planner.reconsider(self._motion.q)

    def _decide_branch(self, dt: float) -> None:
        """Let the first target decide the branch; `auto` may have to change over."""
        self._motion.stop(dt)
        if not self._first_branch.think():
            return
        choice = self._first_branch.choice
        elbow = self._commitment.elbow
        if elbow is None or choice is None:
            self._commitment.commit_here(self._motion.q)
            self._use_branch()
            return
        self._commitment.commit(choice.sign)
        if self._commitment.is_across(self._motion.q):
            self._begin_change(choice)
        else:
            self._use_branch()

    def _begin_change(self, change: Reconfiguration) -> None:
        self._drop_goal()
        self._change = change
        self._motion.narrow(Box(self.arm.lower, self.arm.upper))

    def _go_across(self, change: Reconfiguration, dt: float) -> None:
        if change.posture is None:
            self._motion.stop(dt)
            if self._motion.at_rest:
                self._change = None
                self._commitment.commit_here(self._motion.q)
                self._use_branch()
            return
        self._motion.along_joints(change.posture, dt, self._following.pace)
        if np.abs(change.posture - self._motion.q).max() < LANDED:
            self._change = None
            self._commitment.commit(change.sign)
            self._use_branch()

    def _stop_change(self) -> None:
        """End a change where it is: slow down first, then commit to the side that this is."""
        if self._change is not None:
            self._change = Reconfiguration(False, "stopped on the way to another branch")

    def _twist_is_stale(self, request: Request, now: float) -> bool:
        return request.kind is RequestKind.TWIST and self._watchdog.twist_is_stale(
            request.received, now
        )

    def _wish(self) -> Wish:
        request = self._requests.current
        goal = self._planner.goal
        if request.is_goal:
            point = request.kind is RequestKind.POINT
            missed = goal.distance if goal is not None and not goal.reached else 0.0
            return Wish(request.pose, Rows.POSITION if point else self._rows, missed, True)
        return Wish(self._motion.tool_pose(), self._rows, 0.0, False)
