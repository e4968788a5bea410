"""`/diagnostics` of `ik_node`, once a second: tracker, loop, manipulability, connections."""

from __future__ import annotations

from rclpy.node import Node

from ik_node.datatypes import Severity
from ik_node.ros import qos
from ik_node.ros.connections import Connections
from ik_node.ros.diagnostics import Diagnostics, diagnostic
from ik_node.ros.loop import Loop

INPUTS = (
    ("joint_states", qos.JOINT_STATES_IN),
    ("driver_status", qos.DRIVER_STATUS_IN),
    ("robot_description", qos.LATCHED),
    ("~/target_pose", qos.TARGET),
    ("~/target_point", qos.TARGET),
    ("~/target_twist", qos.TWIST),
)
OUTPUTS = (
    ("joint_command", qos.COMMAND),
    ("~/status", qos.LATCHED),
    ("~/manipulability", qos.STREAM),
)
GRACE = 2
"""Seconds in which the others may still be starting."""


class Health:
    """Looks at the node as a whole and says what it finds."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._diagnostics = Diagnostics(node)
        self._connections = Connections(node, node.get_logger().warning)
        self._rounds = 0

    def publish(self, loop: Loop, near_singularity: bool) -> None:
        """Send the diagnostics and log what is new."""
        self._rounds += 1
        name = self._node.get_name()
        hardware = loop.robot.arm.model.name if loop.robot else ""
        report = loop.report
        wiring: tuple[str, ...] = ()
        if self._rounds > GRACE:
            wiring = self._connections.look(INPUTS, OUTPUTS, "joint_states", "joint_command")
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
