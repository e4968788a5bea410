"""A ROS client of `ik_node` as any user would write it: rclpy and standard messages only."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped, TwistStamped
from processes import TIMEOUT, wait_until
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy, qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from std_srvs.srv import SetBool, Trigger

ASK_AGAIN = 3.0

LATCHED = QoSProfile(
    depth=1,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
    reliability=ReliabilityPolicy.RELIABLE,
)


class Client(Node):
    """Publishes targets and joint states, and keeps what the nodes say."""

    def __init__(self, name: str = "client", namespace: str = "", ik_node: str = "ik_node") -> None:
        super().__init__(name, namespace=namespace)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self)
        self.ik_node = ik_node
        self.statuses: list[DiagnosticStatus] = []
        self.commands: list = []
        self.manipulability: list[float] = []
        self.states: list[JointState] = []
        self.diagnostics: dict[str, DiagnosticStatus] = {}
        self.pose_out = self.create_publisher(PoseStamped, f"{ik_node}/target_pose", 1)
        self.point_out = self.create_publisher(PointStamped, f"{ik_node}/target_point", 1)
        self.twist_out = self.create_publisher(TwistStamped, f"{ik_node}/target_twist", 1)
        self.create_subscription(
            DiagnosticStatus, f"{ik_node}/status", self.statuses.append, LATCHED
        )
        self.create_subscription(
            Float64,
            f"{ik_node}/manipulability",
            lambda message: self.manipulability.append(message.data),
            10,
        )
        self.joints: dict[str, float] = {}
        self.create_subscription(
            JointState, "joint_states", self._on_states, qos_profile_sensor_data
        )
        self.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, 10)

    def _on_states(self, message: JointState) -> None:
        """Merge: a message leaves out a joint that was not read in time."""
        self.states.append(message)
        self.joints.update(zip(message.name, message.position, strict=False))

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        self.diagnostics.update({status.name: status for status in message.status})

    def close(self) -> None:
        self._executor.remove_node(self)
        self._executor.shutdown()
        self.destroy_node()

    def until(self, condition: Callable[[], object], timeout: float = TIMEOUT) -> None:
        """Spin until `condition` holds."""
        wait_until(
            lambda: bool(condition()),
            timeout,
            lambda: f"it did not happen; last status: {self.status_line()}",
            lambda: self._executor.spin_once(timeout_sec=0.02),
        )

    def until_holding(self, timeout: float = TIMEOUT) -> None:
        """Spin until the arm is seen and held."""
        self.until(lambda: self.statuses and self.states and "HOLDING" in self.codes(), timeout)

    def spin_messages(self, messages: list, count: int) -> list:
        """Spin until `count` more messages have come, and return those."""
        before = len(messages)
        self.until(lambda: len(messages) >= before + count)
        return messages[before:]

    def until_joints_rest(self, count: int = 5) -> None:
        """Spin until the measured joints are the same in `count` messages."""

        def at_rest() -> bool:
            before = dict(self.joints)
            return all(
                before.get(name) == position
                for state in self.spin_messages(self.states, count)
                for name, position in zip(state.name, state.position, strict=True)
            )

        self.until(at_rest)

    # What the node says.

    def status_line(self) -> str:
        return self.statuses[-1].message if self.statuses else "none"

    def value(self, key: str) -> str:
        return {v.key: v.value for v in self.statuses[-1].values}[key] if self.statuses else ""

    def code(self) -> str:
        return self.value("code")

    def codes(self) -> list[str]:
        return self.value("codes").split(", ")

    def until_code(self, code: str, timeout: float = TIMEOUT) -> DiagnosticStatus:
        """Spin until a status with this code among its codes comes, and return it."""
        before = len(self.statuses)
        self.until(lambda: len(self.statuses) > before and code in self.codes(), timeout)
        return self.statuses[-1]

    # What the node is asked.

    def until_matched(self) -> None:
        """Spin until the node hears and is heard."""
        outs = (self.pose_out, self.point_out, self.twist_out)
        self.until(lambda: all(p.get_subscription_count() for p in outs) and self.statuses)

    def send_pose(
        self,
        position: Sequence[float],
        quaternion: Sequence[float] = (0.0, 0.0, 0.0, 1.0),
        frame: str = "",
    ) -> None:
        message = PoseStamped()
        message.header.frame_id = frame
        p, o = message.pose.position, message.pose.orientation
        p.x, p.y, p.z = map(float, position)
        o.x, o.y, o.z, o.w = map(float, quaternion)
        self.pose_out.publish(message)

    def send_point(self, position: Sequence[float], frame: str = "") -> None:
        message = PointStamped()
        message.header.frame_id = frame
        message.point.x, message.point.y, message.point.z = map(float, position)
        self.point_out.publish(message)

    def send_twist(
        self,
        linear: Sequence[float],
        angular: Sequence[float] = (0.0, 0.0, 0.0),
        frame: str = "",
    ) -> None:
        message = TwistStamped()
        message.header.frame_id = frame
        v, w = message.twist.linear, message.twist.angular
        v.x, v.y, v.z = map(float, linear)
        w.x, w.y, w.z = map(float, angular)
        self.twist_out.publish(message)

    def trigger(self, service: str) -> Trigger.Response:
        return self._call(Trigger, f"{self.ik_node}/{service}", Trigger.Request())

    def enable(self, on: bool) -> SetBool.Response:
        return self._call(SetBool, f"{self.ik_node}/enable", SetBool.Request(data=on))

    def _call(self, kind: type, name: str, request: object) -> object:
        client = self.create_client(kind, name)
        self.until(client.service_is_ready)
        futures = []

        def answered() -> bool:
            # The server may see the request before it has seen where to send the answer.
            if not futures or time.monotonic() - asked > ASK_AGAIN:
                ask()
            return any(future.done() for future in futures)

        def ask() -> None:
            nonlocal asked
            asked = time.monotonic()
            futures.append(client.call_async(request))

        asked = 0.0
        self.until(answered)
        self.destroy_client(client)
        return next(future for future in futures if future.done()).result()


def planar_tool(l1: float, l2: float, q1: float, q2: float) -> tuple[float, float, float]:
    """Tool of a two-link arm in the x-z plane, counter-clockwise seen with x right and z up."""
    return (
        l1 * math.cos(q1) + l2 * math.cos(q1 + q2),
        0.0,
        l1 * math.sin(q1) + l2 * math.sin(q1 + q2),
    )
