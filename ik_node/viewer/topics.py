"""The viewer's end of the ROS interface: what it hears of the arm and what it asks of `ik_node`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped
from numpy.typing import NDArray
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

from ik_node.errors import IkNodeError
from ik_node.ros import qos
from ik_node.ros.conversions import point_array, point_message, pose_matrix, pose_message
from ik_node.ros.elbow_service import elbow_service
from ik_node.ros.joint_states import JointStates
from ik_node.viewer.heard import Heard

Array = NDArray[np.float64]

LONGEST_SEARCH = 5.0
"""s, for which a service is looked for before it counts as missing."""


class Topics:
    """Publishers, subscriptions and clients, all relative to the node's namespace.

    Attributes:
        joint_states: the measured joints.
        heard: the status last heard.
    """

    def __init__(
        self,
        node: Any,
        joint_states: JointStates,
        on_target: Callable[[str, Array], None],
        say: Callable[[str], None],
    ) -> None:
        """Subscribe.

        Args:
            node: the node.
            joint_states: collects the measured joints.
            on_target: told of anybody's targets: frame, and pose (4, 4) or point (3,).
            say: told the answers of services.
        """
        self._node = node
        self._on_target = on_target
        self._say = say
        self._clients: dict[str, Any] = {}
        self.joint_states = joint_states
        self.heard = Heard()
        self._pose = node.create_publisher(PoseStamped, "ik_node/target_pose", qos.TARGET)
        self._point = node.create_publisher(PointStamped, "ik_node/target_point", qos.TARGET)
        self._description: Any = None
        node.create_subscription(DiagnosticStatus, "ik_node/status", self._on_status, qos.LATCHED)
        node.create_subscription(PoseStamped, "ik_node/target_pose", self._on_pose, qos.TARGET)
        node.create_subscription(PointStamped, "ik_node/target_point", self._on_point, qos.TARGET)

    def send_target(self, frame: str, pose: Array, with_orientation: bool) -> None:
        """Publish a target (4, 4) in `frame`, as a pose or as its point only."""
        message = PoseStamped() if with_orientation else PointStamped()
        message.header.frame_id = frame
        if with_orientation:
            message.pose = pose_message(pose)
            self._pose.publish(message)
        else:
            message.point = point_message(pose[:3, 3])
            self._point.publish(message)

    def send_description(self, urdf: str) -> None:
        """Publish another robot description; `ik_node` takes it up while it holds."""
        if self._description is None:
            self._description = self._node.create_publisher(
                String, "robot_description", qos.LATCHED
            )
        self._description.publish(String(data=urdf))

    def look_for_services(self, branches: Sequence[str]) -> None:
        """Begin to discover what may be asked of an arm with these branches: it takes a while."""
        self._client(Trigger, "hold")
        self._client(SetBool, "enable")
        for branch in branches:
            self._client(Trigger, elbow_service(branch))

    def flip(self, branch: str) -> None:
        """Ask for an elbow branch by its name."""
        self._call(Trigger, elbow_service(branch), Trigger.Request())

    def hold(self) -> None:
        """Ask the arm to stop here."""
        self._call(Trigger, "hold", Trigger.Request())

    def enable(self, on: bool) -> None:
        """Let commands out, or pause them."""
        self._call(SetBool, "enable", SetBool.Request(data=on))

    def _client(self, kind: Any, name: str) -> Any:
        if name not in self._clients:
            self._clients[name] = self._node.create_client(kind, f"ik_node/{name}")
        return self._clients[name]

    def _call(self, kind: Any, name: str, request: Any) -> None:
        client = self._client(kind, name)
        if not client.wait_for_service(timeout_sec=LONGEST_SEARCH):
            self._say(f"there is no service {client.srv_name}: is ik_node running?")
            return
        future = client.call_async(request)
        future.add_done_callback(lambda done: self._say(done.result().message))

    def _on_status(self, message: DiagnosticStatus) -> None:
        self.heard = Heard(
            int(message.level[0]),
            message.message.partition(": ")[2],
            {value.key: value.value for value in message.values},
        )

    def _on_pose(self, message: PoseStamped) -> None:
        self._pass_on(message.header.frame_id, lambda: pose_matrix(message.pose))

    def _on_point(self, message: PointStamped) -> None:
        self._pass_on(message.header.frame_id, lambda: point_array(message.point))

    def _pass_on(self, frame: str, target: Callable[[], Array]) -> None:
        try:
            self._on_target(frame, target())
        except IkNodeError:
            return  # ik_node says in its status what is wrong with it
