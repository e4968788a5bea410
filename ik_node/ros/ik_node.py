"""The node `ik_node`: a target in, joint commands out (DESIGN 9)."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.executors import Executor
from rclpy.node import Node

from ik_node.control import TrackerOutput
from ik_node.errors import IkNodeError
from ik_node.ros.complaints import Complaints
from ik_node.ros.driver_status import DriverStatus
from ik_node.ros.executable import run
from ik_node.ros.health import Health
from ik_node.ros.ik_node_parameters import TABLE, TRACKER, check, tracker_config
from ik_node.ros.ik_services import Services
from ik_node.ros.joint_command import JointCommand, type_name
from ik_node.ros.joint_states import JointStates
from ik_node.ros.lean_node import LeanNode
from ik_node.ros.loop import Loop
from ik_node.ros.markers import Markers
from ik_node.ros.node_parameters import NodeParameters, overrides_of
from ik_node.ros.paced_spin import spin_paced
from ik_node.ros.robot import Robot, build_robot
from ik_node.ros.robot_description import DescriptionTopic, given_description
from ik_node.ros.run_recorder import RunRecorder
from ik_node.ros.slow_notice import said_when_slow
from ik_node.ros.status_report import StatusOutput
from ik_node.ros.targets import Targets
from ik_node.ros.tf_frames import TfFrames
from ik_node.ros.tick_clock import TickClock
from ik_node.ros.tick_output import TickOutput
from ik_node.ros.usage import Usage

COMPILING = "compiling the kernels, which takes a minute, once on a machine"
STATUS_PERIOD = 0.1
HEALTH_PERIOD = 1.0

USAGE = Usage(
    "Brings the tool to the poses on ~/target_pose, ~/target_point and ~/target_twist: takes "
    "joint_states, sends joint_command, and says on ~/status what it does and why.",
    "ik_node --ros-args --params-file config/planar_2r/ik_node.yaml \\\n"
    "    -p urdf_file:=config/planar_2r/arm.urdf.xacro",
    "docs/ik_node.md",
    TABLE,
)


class IkNode(LeanNode, Node):
    """Wires inputs, loop and outputs together."""

    def __init__(self, **node_arguments: Any) -> None:
        """Make the node.

        Raises:
            IkNodeError: parameters, or the robot description that they give, cannot be used.
        """
        super().__init__("ik_node", **node_arguments)
        self.parameters = NodeParameters(self, TABLE, overrides_of(self), check)
        self._make_inputs()
        self._make_outputs()
        self._loop = Loop(
            self._tick_clock, self._joint_states, self._targets, self._driver_status, self._publish
        )
        self.parameters.check_also(self._fit_the_arm)
        self._arm_services = Services(self, self._loop, self.parameters)
        self.parameters.when_changed(self._on_parameters)
        given = given_description(self.parameters.values())
        if given:
            self._use(given)
        else:
            topic = self.resolve_topic_name("robot_description")
            self._loop.wait(
                f"no robot description has come on {topic}; publish it, or set urdf_file"
            )
        DescriptionTopic(self, given, self._on_description)
        self._start_timer()

    def spin(self, executor: Executor) -> None:
        """Spin as `executor.spin()` does, at half the cost: the executor does not time ticks."""
        self.destroy_timer(self._ticker)
        spin_paced(executor, self._tick, self._period)

    def close(self) -> None:
        """Nothing needs an end: the driver holds the arm where the last command left it."""

    def _make_inputs(self) -> None:
        self._tick_clock = TickClock(self.get_clock())
        complain = Complaints(self.get_logger().warning, time.monotonic)
        self._joint_states = JointStates(self, self._tick_clock.now, complain)
        self._driver_status = DriverStatus(self)
        self._tf = TfFrames(self)
        self._targets = Targets(self, self._frames, self._tick_clock.now, complain)

    def _make_outputs(self) -> None:
        interface = self.parameters["command_interface"]
        self._output = TickOutput(self, JointCommand(self, interface))
        self._status = StatusOutput(self, time.monotonic)
        self._markers = Markers(self)
        self._recorder = RunRecorder(
            self, self.parameters["recording.seconds"], self.parameters["recording.folder"]
        )
        self._health = Health(
            self, self._joint_states, type_name(interface), self.parameters["rate_hz"]
        )

    def _start_timer(self) -> None:
        """Run on the machine's steady clock: setting the wall clock must not stop the loop."""
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._period = 1.0 / self.parameters["rate_hz"]
        self._ticker = self.create_timer(self._period, self._tick, clock=steady)
        self._ticks = 0

    def _tick(self) -> None:
        self._loop.tick()
        self._recorder.note(self._loop)
        self._status.update(self._loop.report)
        self._ticks += 1
        if self._ticks % max(1, round(STATUS_PERIOD / self._period)) == 0:
            self._refresh()
        if self._ticks % max(1, round(HEALTH_PERIOD / self._period)) == 0:
            self._health.publish(self._loop, self._output.alarm.on)

    def _publish(self, robot: Robot, output: TrackerOutput) -> None:
        self._output.publish(robot, output, self.parameters["manipulability.warn"])

    def _refresh(self) -> None:
        self._tf.update()
        self._status.refresh(self._loop.report)
        if self._loop.robot and self._loop.output:
            self._markers.publish(self._loop.robot, self._loop.output)

    def _frames(self) -> Any:
        return self._loop.robot.frames if self._loop.robot else None

    def _use(self, urdf: str) -> None:
        with said_when_slow(self.get_logger().info, COMPILING):
            robot = build_robot(urdf, self.parameters.values(), self._joint_states, self._tf)
        self._targets.forget()
        self._loop.start(robot)
        self._recorder.start(robot)
        self._arm_services.offer(robot)
        self.get_logger().info(
            f"{len(robot.names)} joints from '{robot.arm.base}' to '{robot.arm.tip}': "
            f"{', '.join(robot.names)}"
        )

    def _on_description(self, urdf: str) -> None:
        try:
            self._use(urdf)
        except IkNodeError as error:
            self.get_logger().error(f"the robot description that came is not used: {error}")
            if self._loop.robot is None:
                self._loop.wait(f"the robot description cannot be used: {error}")

    def _fit_the_arm(self, values: Mapping[str, Any]) -> None:
        self._loop.check(tracker_config(values))

    def _on_parameters(self, values: Mapping[str, Any], changed: frozenset[str]) -> None:
        if self._loop.robot and changed & {parameter.name for parameter in TRACKER}:
            self._loop.retune(tracker_config(values))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node."""
    return run("ik_node", IkNode, USAGE, arguments, IkNode.spin)


if __name__ == "__main__":
    sys.exit(main())
