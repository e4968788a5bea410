"""What the driver is told: `joint_command` and `~/gripper` to goals by joint name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from trajectory_msgs.msg import JointTrajectory

from ik_node.dynamixel.config import BusConfig
from ik_node.errors import ConfigurationError
from ik_node.ros import qos
from ik_node.ros.joint_command import JOINT_TRAJECTORY

Goals = Mapping[str, float]


def gripper_joint(config: BusConfig, name: str) -> str | None:
    """Return the joint that `~/gripper` moves, None without one.

    Args:
        config: the bus.
        name: parameter `gripper_joint`, without the prefix or with it; empty: the only linear one.

    Raises:
        UnknownNameError: no such joint.
        ConfigurationError: none is named and several are linear.
    """
    if name:
        full = name if name in config.joints else config.prefix + name
        return config.servo(full).joint
    linear = [s.joint for s in config.servos if s.linear and not s.shadow_of]
    if len(linear) > 1:
        raise ConfigurationError(
            "parameter gripper_joint",
            f"is empty, but {' and '.join(linear)} are linear",
            "name the one that ~/gripper moves",
        )
    return linear[0] if linear else None


class DriverCommands:
    """Subscribes the commands and hands goals (rad or m by joint) on."""

    def __init__(
        self,
        node: Node,
        interface: str,
        command: Callable[[Goals], None],
        complain: Callable[[str, str], None],
    ) -> None:
        self._command = command
        self._complain = complain
        self._gripper: str | None = None
        if interface == JOINT_TRAJECTORY:
            node.create_subscription(
                JointTrajectory, "joint_command", self._on_trajectory, qos.COMMAND
            )
        else:
            node.create_subscription(JointState, "joint_command", self._on_state, qos.COMMAND)
        node.create_subscription(Float64, "~/gripper", self._on_gripper, qos.COMMAND)

    def use_gripper(self, joint: str | None) -> None:
        """Move this joint on `~/gripper`."""
        self._gripper = joint

    def _on_state(self, message: JointState) -> None:
        self._take(message.name, message.position)

    def _on_trajectory(self, message: JointTrajectory) -> None:
        """Take the last point: the servos' own speed limits make the way."""
        if message.points:
            self._take(message.joint_names, message.points[-1].positions)

    def _on_gripper(self, message: Float64) -> None:
        if self._gripper is None:
            self._complain(
                "gripper",
                "~/gripper has no joint to move; set gripper_joint, or metres_per_radian in "
                "servos.yaml",
            )
            return
        self._command({self._gripper: message.data})

    def _take(self, names: Sequence[str], positions: Sequence[float]) -> None:
        if len(names) != len(positions):
            self._complain(
                "lengths",
                f"joint_command holds {len(names)} names but {len(positions)} positions, so it is "
                "ignored; send one position a name",
            )
            return
        if len(set(names)) != len(names):
            self._complain(
                "twice",
                "joint_command holds a joint twice, so it is ignored; name every joint once",
            )
            return
        self._command(dict(zip(names, positions, strict=True)))
