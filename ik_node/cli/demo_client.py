"""What any ROS client of `ik_node` does: publish a target, read the status and the joint states."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from numpy.typing import NDArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState

from ik_node import stop_signals
from ik_node.cli.demo_targets import DemoTarget
from ik_node.core import JointGroup
from ik_node.errors import IkNodeError
from ik_node.ros import qos
from ik_node.ros.conversions import pose_message

Array = NDArray[np.float64]

STILL = 0.02
"""Joint speed under which a joint is at rest; a servo's own unit is 0.024 rad/s [rad/s or m/s]."""
REST = 0.3
"""Seconds for which everything has to stay still."""
FINAL = {"REACHED", "UNREACHABLE", "OTHER_BRANCH", "BLOCKED"}
UNDERWAY = {"TRACKING", "DETOUR", "RECONFIGURING", "FAULT", "LAGGING", "STALE_STATE"}


class DemoError(IkNodeError):
    """The demo cannot go on; says what is missing."""


@dataclass(frozen=True)
class Outcome:
    """What became of one target: where the tool is (3,) [m], how far from it [m], how long [s]."""

    target: DemoTarget
    reached: Array
    error: float
    seconds: float
    code: str
    sentence: str
    codes: frozenset[str]
    settled: bool

    def good(self, tolerance: float) -> bool:
        """Whether a reachable target was reached and an unreachable one was said to be so."""
        if not self.settled:
            return False
        if self.target.reachable:
            return self.error <= tolerance and "REACHED" in self.codes
        return "UNREACHABLE" in self.codes


class DemoClient:
    """One node of its own; `close()` ends it."""

    def __init__(self, arm: JointGroup, check: Callable[[], None]) -> None:
        """Args: the arm; `check` raises when a process has died."""
        self._arm = arm
        self._check = check
        self._positions: dict[str, float] = {}
        self._moved = 0.0
        self._status: dict[str, str] = {}
        self._sentence = ""
        self._context = rclpy.Context()
        rclpy.init(args=[], context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self._node = rclpy.create_node("ik_demo", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._target = self._node.create_publisher(PoseStamped, "ik_node/target_pose", qos.TARGET)
        self._node.create_subscription(
            JointState, "joint_states", self._on_joint_state, qos.JOINT_STATES_IN
        )
        self._node.create_subscription(
            DiagnosticStatus, "ik_node/status", self._on_status, qos.LATCHED
        )

    def somebody_else(self, seconds: float = 1.0) -> str:
        """Name of a node that feeds these topics already, or ''."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._spin_once()
            for topic in ("ik_node/status", "joint_states"):
                full = self._node.resolve_topic_name(topic)
                for info in self._node.get_publishers_info_by_topic(full):
                    return f"{info.node_namespace.rstrip('/')}/{info.node_name}"
        return ""

    def wait_until_ready(self, seconds: float) -> Array:
        """Wait for a complete joint state and a node that listens and has seen it too.

        Returns: the measured configuration (n,).

        Raises:
            DemoError: one of them does not come.
        """

        def ready() -> bool:
            return (
                set(self._arm.joint_names) <= set(self._positions)
                and self._target.get_subscription_count() > 0
                and self._status.get("code", "WAITING_FOR_STATE") != "WAITING_FOR_STATE"
            )

        if self._spin(ready, seconds):
            return self._configuration()
        missing = sorted(set(self._arm.joint_names) - set(self._positions))
        if missing:
            problem = f"no joint state of {', '.join(missing)} within {seconds:g} s"
        else:
            problem = f"ik_node is not ready after {seconds:g} s"
        raise DemoError(f"{problem}; its status: {self._sentence or 'none'}")

    def drive(
        self, target: DemoTarget, seconds: float, progress: Callable[[float, str], None]
    ) -> Outcome:
        """Publish a target and wait until the arm rests; `progress` gets distance [m] and code.

        While the driver reports a fault nothing counts as settled.
        """
        start = time.monotonic()
        message = PoseStamped()
        message.header.frame_id = self._arm.base
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.pose = pose_message(target.pose)
        stamp = message.header.stamp.sec + message.header.stamp.nanosec * 1e-9
        self._moved = start
        self._target.publish(message)

        def arrived() -> bool:
            progress(self._error(target), self._status.get("code", ""))
            return (
                float(self._status.get("stamp", "0")) > stamp + REST
                and bool(self._codes() & FINAL)
                and not self._codes() & UNDERWAY
                and ("REACHED" not in self._codes() or self._status["settled"] == "true")
                and time.monotonic() - self._moved > REST
            )

        settled = self._spin(arrived, seconds)
        return Outcome(
            target,
            self._pose()[:3, 3],
            self._error(target),
            time.monotonic() - start,
            self._status.get("code", "no status"),
            self._sentence,
            frozenset(self._codes()),
            settled,
        )

    def close(self) -> None:
        """End the node."""
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.try_shutdown()

    def _spin(self, done: Callable[[], bool], seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not done():
            if time.monotonic() > deadline:
                return False
            self._check()
            self._spin_once()
        return True

    def _spin_once(self) -> None:
        with stop_signals.held():
            self._executor.spin_once(timeout_sec=0.05)

    def _codes(self) -> set[str]:
        return set(self._status.get("codes", "").split(", "))

    def _configuration(self) -> Array:
        return np.array([self._positions[name] for name in self._arm.joint_names])

    def _pose(self) -> Array:
        return self._arm.forward_kinematics(self._configuration())

    def _error(self, target: DemoTarget) -> float:
        return float(np.linalg.norm(self._pose()[:3, 3] - target.pose[:3, 3]))

    def _on_joint_state(self, message: JointState) -> None:
        self._positions.update(zip(message.name, message.position, strict=False))
        speeds = dict(zip(message.name, message.velocity, strict=False))
        if any(abs(speeds.get(name, 0.0)) > STILL for name in self._arm.joint_names):
            self._moved = time.monotonic()

    def _on_status(self, message: DiagnosticStatus) -> None:
        self._status = {pair.key: pair.value for pair in message.values}
        self._sentence = message.message
