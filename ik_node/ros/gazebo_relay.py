"""The node `gazebo_relay`: stands where the driver stands, with Gazebo's joints as the servos.

It takes `joint_command` and `~/gripper` like the driver and gives each joint's position to the
topic that ros_gz_bridge carries to Gazebo. Joint states come through the bridge itself.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.publisher import Publisher
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, String

from ik_node.core import RobotModel
from ik_node.core.elements import JointKind
from ik_node.datatypes import Severity
from ik_node.errors import IkNodeError
from ik_node.ros import qos
from ik_node.ros.complaints import Complaints
from ik_node.ros.diagnostics import diagnostic
from ik_node.ros.executable import run
from ik_node.ros.gazebo_model import ros_topic, servo_joints, servo_positions
from ik_node.ros.usage import Usage

STATUS_PERIOD = 0.5

USAGE = Usage(
    "Stands where the driver stands, with Gazebo's joints as the servos: passes joint_command and "
    "~/gripper on, one topic a joint.",
    "ros2 launch ik_node gazebo.launch.py arm:=planar_2r",
    "docs/launch.md",
)


class GazeboRelay(Node):
    """Passes positions on, joint by joint."""

    def __init__(self, **node_arguments: Any) -> None:
        """Make the node; the joints come from `robot_description`."""
        super().__init__("gazebo_relay", **node_arguments)
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._complain = Complaints(self.get_logger().warning, self._now)
        self._model: RobotModel | None = None
        self._outputs: dict[str, Publisher] = {}
        self._states_seen = False
        self._last_stamp = 0
        self._status = self.create_publisher(DiagnosticStatus, "driver_status", qos.LATCHED)
        self.create_subscription(String, "robot_description", self._on_description, qos.LATCHED)
        self.create_subscription(JointState, "joint_command", self._on_command, qos.COMMAND_IN)
        self.create_subscription(Float64, "~/gripper", self._on_gripper, qos.COMMAND)
        self.create_subscription(
            JointState, "joint_states", self._on_joint_states, qos.JOINT_STATES_IN
        )
        self.create_timer(STATUS_PERIOD, self._publish_status, clock=self._steady)

    def close(self) -> None:
        """Nothing to put away: Gazebo's servos hold their last position."""

    def _now(self) -> float:
        return self._steady.now().nanoseconds * 1e-9

    def _on_description(self, message: String) -> None:
        try:
            self._model = RobotModel.from_urdf(message.data)
        except IkNodeError as error:
            self.get_logger().error(str(error))
            return
        for publisher in self._outputs.values():
            self.destroy_publisher(publisher)
        self._outputs = {
            joint: self.create_publisher(Float64, ros_topic(joint), qos.COMMAND)
            for joint in servo_joints(self._model)
        }
        self.get_logger().info(f"relaying positions of {', '.join(self._outputs)}")

    def _on_command(self, message: JointState) -> None:
        self._relay(dict(zip(message.name, message.position, strict=False)))

    def _on_gripper(self, message: Float64) -> None:
        fingers = self._fingers()
        if not fingers:
            self._complain("gripper", "this arm has no gripper: no prismatic joint moves freely")
            return
        self._relay(dict.fromkeys(fingers, message.data))

    def _fingers(self) -> list[str]:
        if self._model is None:
            return []
        return [
            joint.name
            for joint in servo_joints(self._model).values()
            if joint.kind is JointKind.PRISMATIC and joint.mimic is None
        ]

    def _relay(self, command: Mapping[str, float]) -> None:
        if self._model is None:
            self._complain("model", "a command came before the robot description; it is dropped")
            return
        unknown = [name for name in command if name not in self._outputs]
        if unknown:
            known = ", ".join(self._outputs)
            self._complain("unknown", f"no joint {', '.join(unknown)} in Gazebo; there are {known}")
        for joint, position in servo_positions(self._model, command).items():
            if math.isfinite(position):
                self._outputs[joint].publish(Float64(data=position))
            else:
                self._complain(joint, f"the command for {joint} is not a number; it is dropped")

    def _on_joint_states(self, message: JointState) -> None:
        self._states_seen = True
        stamp = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
        if stamp < self._last_stamp and self._model is not None:
            # The world was reset: what was under way was for the old one.
            self._relay(dict(zip(message.name, message.position, strict=False)))
        self._last_stamp = stamp

    def _publish_status(self) -> None:
        problem = self._problem()
        self._status.publish(
            diagnostic(
                self.get_name(),
                Severity.WARN if problem else Severity.OK,
                problem or "Gazebo holds the arm",
                {},
                hardware_id="gazebo",
            )
        )

    def _problem(self) -> str:
        if self._model is None:
            return "no robot description yet"
        if not self._states_seen:
            return "no joint states from Gazebo yet: is the arm spawned and the bridge running?"
        return ""


def main() -> int:
    """Run the node until it is told to stop."""
    return run("gazebo_relay", GazeboRelay, USAGE)


if __name__ == "__main__":
    sys.exit(main())
