"""`/diagnostics` of `ik_node`, once a second: tracker, loop, manipulability, connections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rclpy.node import Node

from ik_node.datatypes import Severity
from ik_node.ros import qos
from ik_node.ros.connections import Connections, Topic
from ik_node.ros.diagnostics import Diagnostics, diagnostic
from ik_node.ros.joint_states import JointStates
from ik_node.ros.loop import Loop
from ik_node.ros.status_report import Report


def inputs(joint_states: JointStates) -> tuple[Topic, ...]:
    """Return the topics that the node listens to."""
    return (
        Topic(
            "joint_states",
            "sensor_msgs/msg/JointState",
            qos.JOINT_STATES_IN,
            two_publishers="so the arm's state may jump between them; keep one",
            share=joint_states.come_in_parts,
        ),
        Topic("driver_status", "diagnostic_msgs/msg/DiagnosticStatus", qos.DRIVER_STATUS_IN),
        Topic("robot_description", "std_msgs/msg/String", qos.LATCHED),
        Topic("~/target_pose", "geometry_msgs/msg/PoseStamped", qos.TARGET),
        Topic("~/target_point", "geometry_msgs/msg/PointStamped", qos.TARGET),
        Topic("~/target_twist", "geometry_msgs/msg/TwistStamped", qos.TWIST),
    )


def outputs(command_type: str) -> tuple[Topic, ...]:
    """Return the topics that the node publishes, `joint_command` with this type."""
    return (
        Topic(
            "joint_command",
            command_type,
            qos.COMMAND,
            no_listener="so the arm will not move; start the driver or the controller, or remap "
            "this topic to the one that it takes commands from",
        ),
        Topic("~/status", "diagnostic_msgs/msg/DiagnosticStatus", qos.LATCHED),
        Topic("~/manipulability", "std_msgs/msg/Float64", qos.STREAM),
    )


GRACE = 2
"""Seconds in which the others may still be starting."""

Finding = tuple[Severity, str, Mapping[str, Any]]


SLOW = 0.8
"""Part of the wanted rate under which the loop is called slow."""


class Health:
    """Looks at the node as a whole and says what it finds."""

    def __init__(
        self, node: Node, joint_states: JointStates, command_type: str, rate_hz: float
    ) -> None:
        self._node = node
        self._rate = rate_hz
        self._diagnostics = Diagnostics(node)
        self._connections = Connections(
            node, inputs(joint_states), outputs(command_type), node.get_logger().warning
        )
        self._rounds = 0

    def publish(self, loop: Loop, near_singularity: bool) -> None:
        """Send the diagnostics and log what is new."""
        self._rounds += 1
        robot = loop.robot.arm.model.name if loop.robot else ""
        self._diagnostics.publish(
            diagnostic(f"{self._node.get_name()}: {part}", severity, sentence, values, robot)
            for part, (severity, sentence, values) in {
                "tracker": _tracker(loop.report),
                "manipulability": _manipulability(loop.report, near_singularity),
                "connections": self._wiring(),
                "loop": self._timing(loop),
            }.items()
        )

    def _wiring(self) -> Finding:
        sentences = self._connections.look() if self._rounds > GRACE else ()
        if sentences:
            return Severity.WARN, "; ".join(sentences), {}
        return Severity.OK, "all connected", {}

    def _timing(self, loop: Loop) -> Finding:
        values = loop.timing.values()
        rate = values.get("rate_hz", self._rate)
        if rate < SLOW * self._rate:
            sentence = f"the loop runs at {rate:.0f} Hz for {self._rate:g}; lower rate_hz"
            return Severity.WARN, sentence, values
        return Severity.OK, "running", values


def _tracker(report: Report) -> Finding:
    status = report.status
    values = {"codes": [code.value for code in status.codes], "branch": report.branch}
    return status.severity, f"{status.code.value}: {status.sentence}", values


def _manipulability(report: Report, near_singularity: bool) -> Finding:
    found = report.manipulability
    if found is None:
        return Severity.OK, "not known yet", {}
    values = {"relative_manipulability": found.relative, "sigma_min": found.sigma_min}
    if not near_singularity:
        return Severity.OK, "well conditioned", values
    named = found.singularity.sentence if found.singularity else "near a singularity"
    return Severity.WARN, named, values
