"""`driver_status`: what the driver says about itself holds the arm when it is an error."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from ik_node.ros import qos
from ik_node.ros.polled_subscription import PolledSubscription

RELAXED = "relaxed"
"""Key of the value that says that torque is off because somebody asked for it."""


class DriverStatus:
    """The driver's latest word.

    Attributes:
        fault: the driver's sentence while its level is ERROR, else None.
        relaxed: whether that is because somebody asked for torque off, to move the arm by hand.
    """

    def __init__(self, node: Node) -> None:
        self.fault: str | None = None
        self.relaxed = False
        self._subscription = PolledSubscription(
            node, DiagnosticStatus, "driver_status", qos.DRIVER_STATUS_IN
        )

    def update(self) -> None:
        """Take the newest word, if one has come."""
        for message in self._subscription.take():
            wrong = message.level == DiagnosticStatus.ERROR
            self.fault = (message.message or f"{message.name} reports an error") if wrong else None
            self.relaxed = any(v.key == RELAXED and v.value == "true" for v in message.values)
