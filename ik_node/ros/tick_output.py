"""What a tick sends: the command, the manipulability, the pose, the status."""

from __future__ import annotations

from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from std_msgs.msg import Float64

from ik_node.control import TrackerOutput
from ik_node.core import Manipulability
from ik_node.ros import qos
from ik_node.ros.conversions import pose_message
from ik_node.ros.joint_command import JointCommand
from ik_node.ros.manipulability_alarm import ManipulabilityAlarm
from ik_node.ros.robot import Robot


class TickOutput:
    """Publishes a tick's results; messages are reused, and made only where somebody listens."""

    def __init__(self, node: Node, command: JointCommand) -> None:
        self._node = node
        self._command = command
        self._manipulability = node.create_publisher(Float64, "~/manipulability", qos.STREAM)
        self._pose = node.create_publisher(PoseStamped, "~/commanded_pose", qos.STREAM)
        self._number = Float64()
        self._stamped = PoseStamped()
        self.alarm = ManipulabilityAlarm()

    def publish(self, robot: Robot, output: TrackerOutput, warn_level: float) -> None:
        """Send what the tick gave; no command while waiting, paused or in fault."""
        if output.q_command is not None:
            self._command.publish(robot.form, output.q_command)
            if output.tool_pose is not None and self._pose.get_subscription_count():
                self._publish_pose(robot, output)
        if output.manipulability is not None:
            if self._manipulability.get_subscription_count():
                self._number.data = float(output.manipulability.yoshikawa)
                self._manipulability.publish(self._number)
            self._warn(output.manipulability, warn_level)

    def _publish_pose(self, robot: Robot, output: TrackerOutput) -> None:
        self._stamped.header.stamp = self._node.get_clock().now().to_msg()
        self._stamped.header.frame_id = robot.arm.base
        self._stamped.pose = pose_message(output.tool_pose)
        self._pose.publish(self._stamped)

    def _warn(self, manipulability: Manipulability, level: float) -> None:
        if self.alarm.update(manipulability.relative, level):
            near = manipulability.singularity
            self._node.get_logger().warning(
                f"relative manipulability {manipulability.relative:.3f} is under {level:g}"
                + (f": {near.sentence}" if near else "")
            )
