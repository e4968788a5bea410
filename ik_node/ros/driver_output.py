"""What the driver publishes: `joint_states`, `driver_status`, `/diagnostics`."""

from __future__ import annotations

from collections.abc import Iterator

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node
from sensor_msgs.msg import JointState

from ik_node.datatypes import Severity
from ik_node.dynamixel.report import BusHealth, DriverReport, ServoHealth
from ik_node.dynamixel.servo import Stage
from ik_node.ros import qos
from ik_node.ros.connections import Connections, Topic
from ik_node.ros.diagnostics import Diagnostics, diagnostic
from ik_node.ros.driver_status import RELAXED
from ik_node.ros.log_line import log

STATUS_PERIOD = 0.2
"""Seconds after which an unchanged `driver_status` is repeated."""

OUTPUTS = (
    Topic("joint_states", "sensor_msgs/msg/JointState", qos.JOINT_STATES_OUT),
    Topic("driver_status", "diagnostic_msgs/msg/DiagnosticStatus", qos.LATCHED),
)


class DriverOutput:
    """Publishes the driver's reports."""

    def __init__(self, node: Node, command_type: str) -> None:
        self._node = node
        self._states = node.create_publisher(JointState, "joint_states", qos.JOINT_STATES_OUT)
        self._status = node.create_publisher(DiagnosticStatus, "driver_status", qos.LATCHED)
        self._diagnostics = Diagnostics(node)
        self._connections = Connections(
            node, (_command(command_type),), OUTPUTS, node.get_logger().warning
        )
        self._message = JointState()
        self._said: tuple[object, ...] = ()
        self._said_at = 0.0
        self._last: DriverReport | None = None

    def report(self, report: DriverReport) -> None:
        """Log the events; send one cycle's readings, and the status when it is new or due.

        The log comes first: it can still be written when nothing can be sent any more.
        """
        self._last = report
        for event in report.events:
            log(self._node, event.severity, event.sentence)
        self._publish_states(report)
        says = (report.severity, report.message)
        if says != self._said or report.now - self._said_at >= STATUS_PERIOD:
            self._said, self._said_at = says, report.now
            self._publish_status(report.severity, report.message, _values(report))

    def inactive(self, lifecycle_state: str) -> None:
        """Say that the bus is not in use."""
        self._last = None
        self._said = ()
        self._publish_status(*_inactive(lifecycle_state), {"state": lifecycle_state})

    def publish_diagnostics(self, lifecycle_state: str) -> None:
        """Send `/diagnostics`: driver, bus and every servo."""
        name, report = self._node.get_name(), self._last
        if report is None:
            severity, sentence = _inactive(lifecycle_state)
            statuses = [diagnostic(name, severity, sentence, {"state": lifecycle_state})]
        else:
            statuses = [
                diagnostic(
                    name, report.severity, report.message, {**_values(report), **recent(report)}
                ),
                bus_status(name, report.bus),
                *_servos(name, report),
            ]
        self._diagnostics.publish([*statuses, self._wiring()])

    def _wiring(self) -> DiagnosticStatus:
        wrong = self._connections.look()
        return diagnostic(
            f"{self._node.get_name()}: connections",
            Severity.WARN if wrong else Severity.OK,
            "; ".join(wrong) or "all connected",
            {},
        )

    def _publish_states(self, report: DriverReport) -> None:
        """Send the joints read in this cycle; a joint without a fresh reading is left out."""
        if not report.readings:
            return
        message = self._message
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.name = [reading.name for reading in report.readings]
        message.position = [reading.position for reading in report.readings]
        message.velocity = [reading.velocity for reading in report.readings]
        message.effort = [reading.effort for reading in report.readings]
        self._states.publish(message)

    def _publish_status(self, severity: Severity, sentence: str, values: dict[str, object]) -> None:
        self._status.publish(diagnostic(self._node.get_name(), severity, sentence, values))


def _command(message_type: str) -> Topic:
    return Topic(
        "joint_command",
        message_type,
        qos.COMMAND_IN,
        two_publishers="so the arm is torn between them; keep one",
    )


def _inactive(lifecycle_state: str) -> tuple[Severity, str]:
    return Severity.WARN, f"the driver is {lifecycle_state}: the bus is not in use"


def _values(report: DriverReport) -> dict[str, object]:
    return {
        "state": report.state.value,
        RELAXED: any(servo.stage == Stage.RELAXED.value for servo in report.servos),
        "joints": [reading.name for reading in report.readings],
        "gripping": report.gripping,
    }


def bus_status(name: str, bus: BusHealth) -> DiagnosticStatus:
    """Say how the wire is: a bad one before a slow adapter."""
    trouble = bus.trouble or bus.latency_warning
    return diagnostic(
        f"{name}: bus",
        Severity.WARN if trouble else Severity.OK,
        trouble or f"{bus.port} at {bus.baud} bit/s",
        {
            "cycle_p50_ms": bus.cycle_p50 * 1e3,
            "cycle_p99_ms": bus.cycle_p99 * 1e3,
            "error_rate": bus.error_rate,
            **bus.counters,
            "latency_timer_ms": "none" if bus.latency_timer is None else bus.latency_timer * 1e3,
            "fast_sync_read": bus.fast_sync_read,
        },
        hardware_id=bus.port,
    )


def recent(report: DriverReport) -> dict[str, object]:
    """Warnings and errors of the last minute: this comes once a second, they when they come."""
    told = (f"{report.now - event.time:.0f} s ago: {event.sentence}" for event in report.recent)
    return {"recent": "; ".join(told)}


def _servos(name: str, report: DriverReport) -> Iterator[DiagnosticStatus]:
    for servo in report.servos:
        yield diagnostic(
            f"{name}: {servo.joint}",
            servo.severity,
            servo_sentence(servo),
            {
                "stage": servo.stage,
                "torque": servo.torque,
                "voltage": servo.voltage,
                "temperature": servo.temperature,
                "current": servo.current,
                "load": servo.load,
                "errors": servo.errors,
                "retries": servo.retries,
                "implausible": servo.implausible,
                "age": servo.age,
                "firmware": servo.firmware,
            },
            hardware_id=f"{servo.model} id {servo.id}",
        )


def servo_sentence(servo: ServoHealth) -> str:
    """Stage, reason, and the errors of which the reason does not speak."""
    unsaid = (error for error in servo.errors if error not in servo.reason)
    words = [servo.stage, servo.reason, ", ".join(unsaid)]
    return ": ".join(word for word in words if word)
