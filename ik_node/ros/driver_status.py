"""`driver_status`: what the driver says about itself holds the arm when it is an error."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from ik_node.ros import qos


class DriverStatus:
    """The driver's latest word.

    Attributes:
        fault: the driver's sentence while its level is ERROR, else None.
    """

    def __init__(self, node: Node) -> None:
        self.fault: str | None = None
        node.create_subscription(
            DiagnosticStatus, "driver_status", self._receive, qos.DRIVER_STATUS_IN
        )

    def _receive(self, message: DiagnosticStatus) -> None:
        wrong = message.level == DiagnosticStatus.ERROR
        self.fault = (message.message or f"{message.name} reports an error") if wrong else None
