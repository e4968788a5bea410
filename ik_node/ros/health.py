"""`/diagnostics` of `ik_node`, once a second: tracker, loop, manipulability, connections."""

from __future__ import annotations

from rclpy.node import Node

from ik_node.datatypes import Severity
from ik_node.ros import qos
from ik_node.ros.connections import Connections, Topic
from ik_node.ros.diagnostics import Diagnostics, diagnostic
from ik_node.ros.loop import Loop

INPUTS = (
    Topic(
        "joint_states",
        "sensor_msgs/msg/JointState",
        qos.JOINT_STATES_IN,
        two_publishers="so the arm's state may jump between them; keep one",
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


class Health:
    """Looks at the node as a whole and says what it finds."""

    def __init__(self, node: Node, command_type: str) -> None:
        self._node = node
        self._diagnostics = Diagnostics(node)
        self._connections = Connections(
            node, INPUTS, outputs(command_type), node.get_logger().warning
        )
        self._rounds = 0

    def publish(self, loop: Loop, near_singularity: bool) -> None:
        """Send the diagnostics and log what is new."""
        self._rounds += 1
        name = self._node.get_name()
        hardware = loop.robot.arm.model.name if loop.robot else ""
        report = loop.report
        wiring: tuple[str, ...] = ()
        if self._rounds > GRACE:
            wiring = self._connections.look()
        relative = report.manipulability.relative if report.manipulability else float("nan")
        self._diagnostics.publish(
            [
                diagnostic(
                    f"{name}: tracker",
                    report.status.severity,
                    f"{report.status.code.value}: {report.status.sentence}",
                    {"codes": [c.value for c in report.status.codes], "branch": report.branch},
                    hardware,
                ),
                diagnostic(
                    f"{name}: manipulability",
                    Severity.WARN if near_singularity else Severity.OK,
                    "near a singularity" if near_singularity else "well conditioned",
                    {"relative_manipulability": relative},
                    hardware,
                ),
                diagnostic(
                    f"{name}: connections",
                    Severity.WARN if wiring else Severity.OK,
                    "; ".join(wiring) or "all connected",
                    {},
                    hardware,
                ),
                diagnostic(f"{name}: loop", Severity.OK, "running", loop.timing.values(), hardware),
            ]
        )
