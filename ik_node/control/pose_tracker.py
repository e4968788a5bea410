"""One tick from a target pose to a joint command.

    target -> request -> goal on the committed branch -> way -> step in the box -> command

`step` reads in that order. Each part is a file of its own; this one only connects them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik_node.control.branch_keeper import BranchKeeper
from ik_node.control.commitment import Commitment
from ik_node.control.config import TrackerConfig
from ik_node.control.droop import Droop
from ik_node.control.following import Following
from ik_node.control.measured import joint_values
from ik_node.control.motion import Motion
from ik_node.control.observation import Observation
from ik_node.control.output import TrackerOutput, without_command
from ik_node.control.pursuit import Pursuit
from ik_node.control.reconfigure import Reconfiguration, Wish
from ik_node.control.report import Reporter, Situation, waiting
from ik_node.control.request import Request, RequestKind, Requests, Target
from ik_node.control.watchdog import NO_TIME, Watchdog
from ik_node.core.kernels import tick_data
from ik_node.core.rows import Rows, resolve_rows
from ik_node.datatypes import quick

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]


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
        self._rows = rows = resolve_rows(arm, self.config.rows)
        self._watchdog = Watchdog(
            self.config.longest_step, self.config.state_timeout, self.config.target_timeout
        )
        self._requests = Requests(point_only=rows is Rows.POSITION)
        self._commitment = Commitment(arm, self.config)
        self._motion = Motion(arm, self.config)
        self._keeper = BranchKeeper(arm, self.config, self._commitment, self._motion)
        self._following = Following(arm, self._motion.limits[2], self.config)
        self._droop = Droop(arm, self.config, self._motion.limits)
        self._seen = Observation(arm, rows, self.config)
        self._pursuit = Pursuit(arm, self.config, self._motion, self._seen)
        way = self._pursuit.way
        self._reporter = Reporter(
            arm, self.config, self._commitment, self._following, way, self._seen, self._droop
        )
        self._started = False
        self._interrupted = False
        self._enabled = True
        self._fault: str | None = None

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
        self._keeper.stop()

    def fault(self, sentence: str | None) -> None:
        """Hold for a fault of the driver, said in a sentence; None when it is over."""
        self._fault = sentence

    def go_on_from(self, other: PoseTracker) -> None:
        """Take the place of another tracker of this arm, in the middle of whatever it does.

        Raises:
            ConfigurationError: this one has no room on the branch that the other is on or goes to.
        """
        self._enabled, self._fault = other._enabled, other._fault
        self._started, self._interrupted = other._started, other._interrupted
        if self._started:
            self._requests.take_over(other._requests)
            self._droop.take_over(other._droop, self._motion, other._motion)
            self._following.take_over(other._following)
            self._commitment.take_over(other._commitment, other._motion.sent)
            self._use_branch()
            self._keeper.take_over(other._keeper)
            self._motion.leave_room_to_brake()

    def request_branch(self, label: str, dry_run: bool = False) -> Reconfiguration:
        """Change to the branch named `label`, if the way there is free, or say why not.

        Raises:
            UnknownNameError: the arm has no such branch.
        """
        if not self._started or not self._moves:
            return Reconfiguration(False, f"not changed to '{label}': the arm is not being moved")
        answer = self._keeper.plan(label, self._wish())
        if answer.posture is not None and not dry_run:
            self._drop_goal()
            self._keeper.begin(answer)
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
        measured = joint_values(self.arm, q_measured)
        unseen = measured is None
        stale = range(self.arm.size) if unseen else self._watchdog.stale_joints(state_stamps, now)
        fresh = measured if not stale else None
        if not self._started and fresh is None:
            self._requests.read(target, now)
            status = waiting(tuple(missing or self.arm.names(stale)), self._fault)
            return without_command(self.arm.size, status, self._commitment.label)
        before = self._command()
        if fresh is not None and self._must_reseed(before, fresh, interval.passed):
            self._seed(fresh, joint_values(self.arm, qd_measured))
            before, interval = fresh.copy(), NO_TIME
        request = self._requests.read(target, now)
        if self._requests.is_new:
            self._take(request, now)
        if interval.moving > 0.0:
            self._move(request, bool(stale), now, interval.moving)
            self._motion.send(interval)
            if self._fault is None:
                seen = fresh if self._enabled else None
                self._droop.update(self._motion, seen, interval.moving)
        return self._output(request, before, fresh, stale, now)

    def _output(
        self, request: Request, before: Array, fresh: Array | None, stale: Sequence[int], now: float
    ) -> TrackerOutput:
        goal = self._pursuit.goal
        self._seen.look(self._motion, fresh, goal, now)
        situation = (
            self._fault,
            not self._enabled,
            self.arm.names(stale) if stale else (),
            request,
            request.is_stale_twist(self._watchdog, now),
            self._keeper.across,
            self._keeper.change,
            goal,
            goal is None and self._motion.report[tick_data.WALLED] > 0.0,
        )
        command = self._command()
        at_rest = self._seen.at_rest and self._droop.at_rest
        silent = self._fault is not None or (not self._enabled and at_rest)
        self._started = self._started or not silent
        output = (
            None if silent else command,
            command - before,
            self._reporter.report(quick(Situation, situation)),
            self._commitment.label,
            self._seen.manipulability,
            None if goal is None else goal.pose,
            self._seen.tool,
        )
        return quick(TrackerOutput, output)

    def _must_reseed(self, command: Array, measured: Array, passed: float) -> bool:
        """Tell whether to start anew from the measured joints."""
        if not self._started:
            return True
        self._following.compare(command, measured, self._seen.at_rest, passed)
        if not self._moves:
            return False
        interrupted, self._interrupted = self._interrupted, False
        return self._following.was_moved or (interrupted and self._following.differs)

    @property
    def _moves(self) -> bool:
        return self._enabled and self._fault is None

    def _command(self) -> Array:
        return self._motion.sent + self._droop.offset

    def _seed(self, measured: Array, velocity: Array | None) -> None:
        """Start from the measured joints, and go on with the change that was under way."""
        change = self._keeper.change
        self._droop.reset(self._motion)
        self._commitment.start(measured)
        self._motion.narrow(self._keeper.box(measured, change))
        self._motion.seed(measured, velocity if self._moves else None)
        self._following.reset(measured)
        self._use_branch()
        self._keeper.resume(change)

    def _use_branch(self) -> None:
        """Let limits and searches be those of the committed branch, and take the target anew."""
        self._pursuit.use_boxes(*self._keeper.use_branch())
        self._requests.renew()

    def _drop_goal(self) -> None:
        self._pursuit.drop()
        self._keeper.forget()

    def _take(self, request: Request, now: float) -> None:
        """Begin with a new request; it replaces whatever was asked before."""
        if self._keeper.busy:
            self._requests.renew()
        elif request.is_goal and self._commitment.undecided:
            self._keeper.ask_first(request)
        elif request.is_goal:
            self._pursuit.aim(request, now)
        else:
            self._drop_goal()
            if request.kind is RequestKind.TWIST and self._commitment.undecided:
                self._commitment.commit_here(self._motion.q)
                self._pursuit.use_boxes(*self._keeper.use_branch())
            self._motion.new_line()

    def _move(self, request: Request, stale: bool, now: float, dt: float) -> None:
        """Move the plan for one tick, or slow it down."""
        pace = self._following.pace
        stale_twist = request.is_stale_twist(self._watchdog, now)
        twist = request.kind is RequestKind.TWIST and not stale_twist
        held = stale or not self._moves
        self._interrupted = self._interrupted or held
        if self._fault is not None:
            self._motion.freeze()
            self._droop.freeze()
        elif held and not self._keeper.stopping:
            self._motion.stop(dt)
        elif self._keeper.change is not None:
            if self._keeper.go(dt, pace):
                self._use_branch()
        elif self._keeper.across or not (request.is_goal or twist):
            self._motion.stop(dt)
        elif twist:
            self._motion.with_twist(request.twist, dt, pace)
        elif self._commitment.undecided:
            if self._keeper.decide(dt):
                self._use_branch()
        else:
            self._pursuit.go(now, dt, pace)

    def _wish(self) -> Wish:
        request = self._requests.current
        goal = self._pursuit.goal
        if request.is_goal:
            point = request.kind is RequestKind.POINT
            missed = goal.distance if goal is not None and not goal.reached else 0.0
            if self._keeper.busy:  # nothing is known of this branch, so the other may be as far
                missed = math.inf
            return Wish(request.pose, Rows.POSITION if point else self._rows, missed, True)
        return Wish(self._motion.tool_pose(), self._rows, 0.0, False)
