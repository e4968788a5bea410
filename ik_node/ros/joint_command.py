"""`joint_command`, in the form that the robot's controller takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from builtin_interfaces.msg import Duration
from numpy.typing import NDArray
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ik_node.errors import ConfigurationError, UnknownNameError
from ik_node.ros import qos

Array = NDArray[np.float64]

JOINT_STATE = "joint_state"
JOINT_TRAJECTORY = "joint_trajectory"
POSITION_ARRAY = "position_array"
TYPES = {
    JOINT_STATE: JointState,
    JOINT_TRAJECTORY: JointTrajectory,
    POSITION_ARRAY: Float64MultiArray,
}
INTERFACES = tuple(TYPES)


def type_name(interface: str) -> str:
    """Return the message type of an interface as the graph writes it."""
    kind = TYPES[interface]
    return f"{kind.__module__.split('.')[0]}/msg/{kind.__name__}"


class Form(Protocol):
    """Turns positions (n,) into one message, which is reused from tick to tick."""

    def message(self, positions: Array, node: Node) -> object:
        """Return the message for these positions."""


class JointStateForm:
    """sensor_msgs/JointState with positions only, stamped."""

    def __init__(self, names: Sequence[str]) -> None:
        self._message = JointState(name=list(names))

    def message(self, positions: Array, node: Node) -> JointState:
        """Return the message for positions (n,)."""
        self._message.header.stamp = node.get_clock().now().to_msg()
        self._message.position = positions.tolist()
        return self._message


class JointTrajectoryForm:
    """trajectory_msgs/JointTrajectory: stamp 0 (start now), one point without velocities.

    The trajectory controller of ros2_controllers refuses a last velocity that is not zero.
    """

    def __init__(self, names: Sequence[str], time_from_start: float) -> None:
        nanoseconds = round(time_from_start * 1e9)
        self._point = JointTrajectoryPoint(
            time_from_start=Duration(
                sec=nanoseconds // 1_000_000_000, nanosec=nanoseconds % 1_000_000_000
            )
        )
        self._message = JointTrajectory(joint_names=list(names), points=[self._point])

    def message(self, positions: Array, node: Node) -> JointTrajectory:
        """Return the message for positions (n,)."""
        self._point.positions = positions.tolist()
        return self._message


class PositionArrayForm:
    """std_msgs/Float64MultiArray in the controller's own joint order."""

    def __init__(self, names: Sequence[str], order: Sequence[str]) -> None:
        self._order = [list(names).index(name) for name in order]
        self._message = Float64MultiArray()

    def message(self, positions: Array, node: Node) -> Float64MultiArray:
        """Return the message for positions (n,)."""
        self._message.data = positions[self._order].tolist()
        return self._message


def command_form(
    interface: str, names: Sequence[str], order: Sequence[str], time_from_start: float
) -> Form:
    """Return the form for parameter `command_interface`.

    Args:
        interface: one of INTERFACES.
        names: the arm's joints as published.
        order: parameter `command_joints`; empty means the arm's own order.
        time_from_start: seconds, for JOINT_TRAJECTORY.

    Raises:
        UnknownNameError, ConfigurationError: `order` is not a permutation of `names`.
    """
    for name in order:
        if name not in names:
            raise UnknownNameError("joint in parameter command_joints", name, names)
    left_out = [name for name in names if order and name not in order]
    if left_out or len(order) > len(names):
        raise ConfigurationError(
            "parameter command_joints",
            f"lacks {', '.join(left_out)}" if left_out else "names a joint twice",
            f"name each of {', '.join(names)} once, in the controller's order",
        )
    ordered = list(order) or list(names)
    if interface == JOINT_TRAJECTORY:
        return JointTrajectoryForm(names, time_from_start)
    if interface == POSITION_ARRAY:
        return PositionArrayForm(names, ordered)
    return JointStateForm(names)


class JointCommand:
    """Publishes the commanded positions on `joint_command`."""

    def __init__(self, node: Node, interface: str) -> None:
        self._node = node
        self._publisher = node.create_publisher(TYPES[interface], "joint_command", qos.COMMAND)

    def publish(self, form: Form, positions: Array) -> None:
        """Send positions (n,) in rad (m) in this form, which must be of the interface."""
        self._publisher.publish(form.message(positions, self._node))
