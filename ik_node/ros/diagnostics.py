"""diagnostic_msgs from severities, sentences and values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from ik_node.datatypes import Severity
from ik_node.ros import qos


def diagnostic(
    name: str,
    severity: Severity,
    sentence: str,
    values: Mapping[str, object],
    hardware_id: str = "",
) -> DiagnosticStatus:
    """Return one status; numbers are written short, lists with commas."""
    return DiagnosticStatus(
        level=bytes([severity]),
        name=name,
        message=sentence,
        hardware_id=hardware_id,
        values=[KeyValue(key=key, value=text(value)) for key, value in values.items()],
    )


def text(value: object) -> str:
    """Return a value as it stands in a KeyValue."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(text(item) for item in value)
    return str(value)


class Diagnostics:
    """Publishes `/diagnostics`."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", qos.DIAGNOSTICS)

    def publish(self, statuses: Iterable[DiagnosticStatus]) -> None:
        """Send the statuses, stamped now."""
        message = DiagnosticArray(status=list(statuses))
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)
