"""The loop: measured joints and the newest target in, command and status out."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from ik_node.control import (
    Condition,
    PoseTracker,
    Status,
    StatusCode,
    TrackerConfig,
    TrackerOutput,
)
from ik_node.control.status import by_seriousness
from ik_node.core import Manipulability
from ik_node.ros.driver_status import DriverStatus
from ik_node.ros.joint_states import JointStates, Measured
from ik_node.ros.loop_timing import LoopTiming
from ik_node.ros.robot import Robot
from ik_node.ros.status_report import Report
from ik_node.ros.targets import Targets
from ik_node.ros.tick_clock import TickClock


class Loop:
    """Runs the tracker of the present robot once a tick.

    Attributes:
        robot: the robot, None while there is no usable description.
        output: what the tracker last gave, None before the first tick.
        report: what is said about it.
        measured: the arm's joints as the last tick found them, None before the first.
        now: s, when that was, by the tick clock.
        timing: how punctual the loop is.
    """

    def __init__(
        self,
        clock: TickClock,
        joint_states: JointStates,
        targets: Targets,
        driver: DriverStatus,
        publish: Callable[[Robot, TrackerOutput], None],
    ) -> None:
        self.robot: Robot | None = None
        self.output: TrackerOutput | None = None
        self.timing = LoopTiming()
        self._clock = clock
        self._joint_states = joint_states
        self._targets = targets
        self._driver = driver
        self._publish = publish
        self._enabled = True
        self._resets = 0
        self.measured: Measured | None = None
        self.now = clock.now()
        self.wait("no robot description has come")

    def tick(self) -> None:
        """Take the newest inputs, run the tracker, send what it gives."""
        started = time.perf_counter()
        now = self._clock.now()
        dt, self.now = now - self.now, now
        self._joint_states.update()
        self._driver.update()
        if self._clock.resets > self._resets or self._driver.relaxed:
            self.hold()  # what was asked for was for the old world, or before hands moved the arm
        self._resets = self._clock.resets
        self._targets.update()
        if self.robot is None or dt <= 0.0:
            self._stand_still()
            return
        measured = self.measured = self._joint_states.measured(self.robot.names)
        self.robot.tracker.fault(self._driver.fault)
        self.output = self.robot.tracker.step(
            measured.positions,
            self._targets.current,
            now,
            dt,
            qd_measured=measured.velocities,
            state_stamps=measured.stamps,
            missing=measured.missing,
        )
        self.report = self._reported(
            self.output.status, self.output.branch, self.output.manipulability
        )
        self._publish(self.robot, self.output)
        self.timing.note(dt, time.perf_counter() - started)

    def start(self, robot: Robot) -> None:
        """Run this robot from now on; it holds until the next target."""
        robot.tracker.enable(self._enabled)
        self.robot = robot
        self.output = None
        self.measured = None

    def retune(self, config: TrackerConfig) -> None:
        """Go on with another configuration, from where the command is and as fast as it is."""
        if self.robot is None:
            return
        self.robot = replace(self.robot, tracker=self._tuned(self.robot, config))

    def check(self, config: TrackerConfig) -> None:
        """Raise a ConfigurationError for a configuration with which the arm cannot go on."""
        if self.robot is not None:
            self._tuned(self.robot, config)

    @staticmethod
    def _tuned(robot: Robot, config: TrackerConfig) -> PoseTracker:
        tracker = PoseTracker(robot.arm, config)
        tracker.go_on_from(robot.tracker)
        return tracker

    def hold(self) -> None:
        """Stop here and drop the target."""
        self._targets.forget()
        if self.robot:
            self.robot.tracker.hold()

    @property
    def relaxed(self) -> bool:
        """Whether the driver switched torque off because somebody asked for it."""
        return self._driver.relaxed

    def enable(self, on: bool) -> None:
        """Resume or pause; a robot that comes later is paused too."""
        self._enabled = on
        if self.robot:
            self.robot.tracker.enable(on)

    def wait(self, sentence: str) -> None:
        """Say why there is nothing to run."""
        self._waiting_for = sentence
        self.report = self._reported(Status((Condition(StatusCode.WAITING_FOR_STATE, sentence),)))

    def _stand_still(self) -> None:
        if self.robot is None:
            self.wait(self._waiting_for)
        elif self._clock.waits_for_clock:
            self.wait("use_sim_time is on but no /clock has come; start the simulation")

    def _reported(
        self, status: Status, branch: str = "none", manipulability: Manipulability | None = None
    ) -> Report:
        if self._targets.refusal:
            refused = Condition(StatusCode.INVALID_TARGET, self._targets.refusal)
            status = status._replace(conditions=by_seriousness([*status.conditions, refused]))
        return Report(status, branch, manipulability)
