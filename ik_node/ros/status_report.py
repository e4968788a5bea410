"""`~/status`: one code, a sentence and the numbers behind it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from ik_node.control import Status, StatusCode
from ik_node.core import Manipulability
from ik_node.datatypes import Severity
from ik_node.ros import qos
from ik_node.ros.diagnostics import diagnostic
from ik_node.ros.log_line import log

NONE = float("nan")
LOG_PAUSE = {Severity.OK: 5.0, Severity.WARN: 1.0, Severity.ERROR: 0.0}
"""Seconds after a log line in which a new code of this severity is not logged yet."""

PAUSE = 0.1
"""Seconds after a message in which a change that is no warning is not told yet."""


@dataclass(frozen=True)
class Report:
    """What is said about one tick."""

    status: Status
    branch: str = "none"
    manipulability: Manipulability | None = None

    def message(self, node: Node) -> DiagnosticStatus:
        """Return it as a message, stamped with the node's clock."""
        status, manipulability = self.status, self.manipulability
        return diagnostic(
            node.get_name(),
            status.severity,
            f"{status.code.value}: {status.sentence}",
            {
                "code": status.code.value,
                "codes": [code.value for code in status.codes],
                "stamp": f"{node.get_clock().now().nanoseconds * 1e-9:.9f}",
                "branch": self.branch,
                "distance": status.distance,
                "joint": status.joint,
                "relative_manipulability": manipulability.relative if manipulability else NONE,
                "sigma_min": manipulability.sigma_min if manipulability else NONE,
                "settled": status.settled,
                "limited_by": status.limited_by,
            },
            hardware_id=node.get_fully_qualified_name(),
        )


class StatusOutput:
    """Publishes the report whenever it says something else, and again at `refresh`.

    The log gets the code that stands, not every one that a stream of targets passes through.
    """

    def __init__(self, node: Node, clock: Callable[[], float]) -> None:
        """Args: the node, and the seconds by which the log is paced."""
        self._node = node
        self._clock = clock
        self._publisher = node.create_publisher(DiagnosticStatus, "~/status", qos.LATCHED)
        self._said: tuple[object, ...] = ()
        self._said_at = -math.inf
        self._logged: StatusCode | None = None
        self._logged_at = -math.inf

    def update(self, report: Report) -> None:
        """Publish if the codes, the branch, the joints or `settled` have changed; log new codes.

        A change that is no warning waits `PAUSE` from the last one: the command of an arm that
        follows a stream of targets reaches every one of them.
        """
        status = report.status
        says = (status.codes, report.branch, status.joint, status.settled)
        if says != self._said:
            now = self._clock()
            if status.severity > Severity.OK or now - self._said_at >= PAUSE:
                self._said, self._said_at = says, now
                self.refresh(report)
        if status.code != self._logged:
            self._log(status)

    def refresh(self, report: Report) -> None:
        """Publish, changed or not."""
        self._publisher.publish(report.message(self._node))

    def _log(self, status: Status) -> None:
        now = self._clock()
        if now - self._logged_at < LOG_PAUSE[status.severity]:
            return
        self._logged, self._logged_at = status.code, now
        log(self._node, status.severity, f"{status.code.value}: {status.sentence}")
