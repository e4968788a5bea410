"""What the driver is told: `joint_command` and `~/gripper` as goals by joint name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from trajectory_msgs.msg import JointTrajectory

from ik_node.dynamixel.config import BusConfig
from ik_node.errors import ConfigurationError
from ik_node.ros import qos
from ik_node.ros.joint_command import JOINT_TRAJECTORY, TYPES
from ik_node.ros.polled_subscription import PolledSubscription

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
    """Reads the commands when the bus wants them, as goals (rad or m by joint)."""

    def __init__(self, node: Node, interface: str, complain: Callable[[str, str], None]) -> None:
        """Subscribe; `complain(key, sentence)` tells what is wrong with a command."""
        self._complain = complain
        self._gripper: str | None = None
        self._goals: dict[str, float] = {}
        self._read = self._read_trajectory if interface == JOINT_TRAJECTORY else self._read_state
        self._commands = PolledSubscription(node, TYPES[interface], "joint_command", qos.COMMAND_IN)
        self._openings = PolledSubscription(node, Float64, "~/gripper", qos.COMMAND)

    def use_gripper(self, joint: str | None) -> None:
        """Move this joint on `~/gripper`."""
        self._gripper = joint

    def take(self) -> Goals:
        """Return the goals that have come since the last call, the newest of each joint."""
        self._goals = {}
        for message in self._commands.take():
            self._read(message)
        for message in self._openings.take():
            self._read_opening(message)
        return self._goals

    def _read_state(self, message: JointState) -> None:
        self._take(message.name, message.position)

    def _read_trajectory(self, message: JointTrajectory) -> None:
        """Take the last point: the servos' own speed limits make the way."""
        if message.points:
            self._take(message.joint_names, message.points[-1].positions)

    def _read_opening(self, message: Float64) -> None:
        if self._gripper is None:
            self._complain(
                "gripper",
                "~/gripper has no joint to move; set gripper_joint, or metres_per_radian in "
                "servos.yaml",
            )
        else:
            self._goals[self._gripper] = message.data

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
        self._goals.update(zip(names, positions, strict=True))
