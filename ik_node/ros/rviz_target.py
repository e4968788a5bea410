"""The node `rviz_target`: drag the target in RViz, flip the elbow, hold, go home.

The marker offers only the axes that the arm can move along and turn about. It goes with the tool
until it is first used, then stays where it is put; with "Follow the arm" it goes on following. Its
clock is never the simulated one: with a paused /clock the marker server would refuse every drag.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from numpy.typing import NDArray
from rclpy.client import Client
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import String
from std_srvs.srv import Trigger
from visualization_msgs.msg import InteractiveMarkerFeedback as Feedback

from ik_node.core import RobotModel
from ik_node.datatypes import Severity
from ik_node.errors import IkNodeError
from ik_node.ros import qos
from ik_node.ros.complaints import Complaints
from ik_node.ros.conversions import pose_matrix, pose_message
from ik_node.ros.elbow_service import OTHER, elbow_service
from ik_node.ros.executable import run
from ik_node.ros.joint_names import JointNames
from ik_node.ros.joint_states import JointStates
from ik_node.ros.marker_axes import MarkerAxes
from ik_node.ros.plane_goal import with_plane_goal
from ik_node.ros.target_marker import NAME, target_marker
from ik_node.ros.usage import Usage

try:
    from interactive_markers import InteractiveMarkerServer, MenuHandler
except ImportError:
    InteractiveMarkerServer = None

Array = NDArray[np.float64]

PERIOD = 0.1
NOTE_TIME = 5.0
"""Seconds that an answer to a menu entry stands above the marker."""

_DEFAULTS = {
    "base_frame": "",
    "tip_frame": "",
    "prefix": "",
    "rows": "auto",
    "robot_description": "",
    "follow": False,
    "scale": 0.0,
}

USAGE = Usage(
    "A marker for RViz that sends ik_node the pose it is dragged to, on axes that the arm can do.",
    "ros2 launch ik_node arm.launch.py arm:=planar_2r rviz:=true",
    "docs/launch.md",
)


class RvizTarget(Node):
    """Serves the marker and turns drags into target poses."""

    def __init__(self, **node_arguments: Any) -> None:
        """Make the node; it takes ik_node's parameter file."""
        own_clock = [Parameter("use_sim_time", value=False)]
        super().__init__("rviz_target", parameter_overrides=own_clock, **node_arguments)
        for name, default in _DEFAULTS.items():
            self.declare_parameter(name, default)
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._complain = Complaints(self.get_logger().warning, self._now)
        self._joint_states = JointStates(self, self._now, self._complain)
        self._axes: MarkerAxes | None = None
        self._names: tuple[str, ...] = ()
        self._home: Array | None = None
        self._dragging = self._used = False
        self._follow = bool(self._value("follow"))
        self._branch = self._sentence = self._shown = ""
        self._note, self._note_until = "", 0.0
        self._server = InteractiveMarkerServer(self, "rviz_target")
        self._menu = self._make_menu()
        self._target = self.create_publisher(PoseStamped, "ik_node/target_pose", qos.TARGET)
        self._triggers: dict[str, Client] = {}
        self._client("hold")
        self.create_subscription(String, "robot_description", self._on_description, qos.LATCHED)
        self.create_subscription(DiagnosticStatus, "ik_node/status", self._on_status, qos.LATCHED)
        self.create_subscription(PoseStamped, "~/goal_2d", self._on_plane_goal, qos.TARGET)
        if self._value("robot_description"):
            self._use(self._value("robot_description"))
        self.create_timer(PERIOD, self._tick, clock=self._steady)

    def close(self) -> None:
        """Take the marker away."""
        self._server.shutdown()

    def _value(self, name: str) -> Any:
        return self.get_parameter(name).value

    def _now(self) -> float:
        return self._steady.now().nanoseconds * 1e-9

    # The arm

    def _on_description(self, message: String) -> None:
        try:
            self._use(message.data)
        except IkNodeError as error:
            self.get_logger().error(str(error))

    def _use(self, urdf: str) -> None:
        model = RobotModel.from_urdf(urdf)
        prefix = self._value("prefix")
        base, tip = (
            name if name in model.links else prefix + name
            for name in (self._value("base_frame") or model.root, self._value("tip_frame"))
        )
        arm = model.joint_group(base, tip)
        self._axes = MarkerAxes(arm, turns=self._value("rows") != "position")
        wire = JointNames(model.joints, prefix)
        self._names = tuple(wire.wire(name) for name in arm.joint_names)
        self._server.clear()
        self._server.applyChanges()
        self._home = None

    def _measured(self) -> Array | None:
        self._joint_states.update()
        return self._joint_states.measured(self._names).positions

    def _tool_pose(self) -> Array | None:
        q = self._measured()
        return None if q is None or self._axes is None else self._axes.arm.forward_kinematics(q)

    # The marker

    def _tick(self) -> None:
        pose = self._tool_pose()
        if pose is None or self._dragging:
            return
        if self._home is None:
            self._home = pose
            self._place(pose)
            self.get_logger().info("the marker stands at the tool: drag it, right-click for more")
        elif self._follow or not self._used:
            self._server.setPose(NAME, pose_message(pose))
            self._server.applyChanges()
        if self._words() != self._shown:
            self._place()

    def _words(self) -> str:
        return self._note if self._now() < self._note_until else self._sentence

    def _place(self, pose: Array | None = None) -> None:
        """Insert the marker at `pose`, by default where it is, with what the arm can do now."""
        q = self._measured()
        if self._axes is None or q is None:
            return
        present = self._server.get(NAME)
        arm = self._axes.arm
        self._shown = self._words()
        self._server.insert(
            target_marker(
                arm.base,
                present.pose if pose is None and present else pose,
                self._value("scale") or 0.4 * arm.reach,
                self._axes.translations,
                self._axes.rotations(q),
                self._shown,
            ),
            feedback_callback=self._on_feedback,
        )
        self._menu.apply(self._server, NAME)
        self._server.applyChanges()

    def _on_feedback(self, feedback: Feedback) -> None:
        if feedback.event_type == Feedback.MOUSE_DOWN:
            self._dragging = self._used = True
        elif feedback.event_type == Feedback.POSE_UPDATE:
            target = PoseStamped(pose=feedback.pose)
            target.header.frame_id = feedback.header.frame_id
            self._target.publish(target)
        elif feedback.event_type == Feedback.MOUSE_UP:
            self._dragging = False
            self._place()

    def _send(self, pose: Array) -> None:
        self._used = True
        target = PoseStamped(pose=pose_message(pose))
        target.header.frame_id = self._axes.arm.base
        self._target.publish(target)
        self._place(pose)

    def _on_plane_goal(self, message: PoseStamped) -> None:
        present = self._server.get(NAME)
        if present is None or self._axes is None:
            self._complain("2d", "the 2D goal is dropped: there are no joint states yet")
            return
        if message.header.frame_id not in ("", self._axes.arm.base):
            self._say(
                f"a 2D goal must come in {self._axes.arm.base}, not {message.header.frame_id}; "
                "set RViz's fixed frame to it"
            )
            return
        try:
            self._send(with_plane_goal(pose_matrix(present.pose), pose_matrix(message.pose)))
        except IkNodeError as error:
            self._say(str(error))

    # The menu

    def _make_menu(self) -> MenuHandler:
        menu = MenuHandler()
        menu.insert("Flip the elbow", callback=lambda _: self._flip())
        menu.insert("Hold here", callback=lambda _: self._hold())
        menu.insert("Home (where it started)", callback=lambda _: self._go_home())
        entry = menu.insert("Follow the arm", callback=lambda _: self._toggle_follow(entry))
        menu.setCheckState(entry, MenuHandler.CHECKED if self._follow else MenuHandler.UNCHECKED)
        return menu

    def _flip(self) -> None:
        if self._branch not in OTHER:
            self._say("this arm has no elbow to flip")
            return
        self._call(elbow_service(OTHER[self._branch]))

    def _hold(self) -> None:
        self._call("hold")
        pose = self._tool_pose()
        if pose is not None:
            self._place(pose)

    def _go_home(self) -> None:
        if self._home is not None:
            self._send(self._home)

    def _toggle_follow(self, entry: int) -> None:
        self._follow = not self._follow
        self._menu.setCheckState(
            entry, MenuHandler.CHECKED if self._follow else MenuHandler.UNCHECKED
        )
        self._menu.reApply(self._server)
        self._server.applyChanges()

    def _client(self, service: str) -> Client:
        if service not in self._triggers:
            self._triggers[service] = self.create_client(Trigger, f"ik_node/{service}")
        return self._triggers[service]

    def _call(self, service: str) -> None:
        client = self._client(service)
        if not client.service_is_ready():
            self._say(f"there is no service {client.srv_name}: is ik_node running?")
            return
        client.call_async(Trigger.Request()).add_done_callback(
            lambda future: self._say(future.result().message)
        )

    def _say(self, sentence: str) -> None:
        self.get_logger().info(sentence)
        self._note, self._note_until = sentence, self._now() + NOTE_TIME

    def _on_status(self, status: DiagnosticStatus) -> None:
        values = {value.key: value.value for value in status.values}
        self._branch = values.get("branch", "")
        if self._branch in OTHER:
            self._client(elbow_service(OTHER[self._branch]))
        calm = status.level[0] == Severity.OK
        self._sentence = "" if calm else status.message.partition(": ")[2]


def main() -> int:
    """Run the node until it is told to stop."""
    if InteractiveMarkerServer is None:
        print(
            "[rviz_target] interactive_markers is not installed; "
            "install it with 'apt install ros-$ROS_DISTRO-interactive-markers'",
            file=sys.stderr,
        )
        return 1
    return run("rviz_target", RvizTarget, USAGE)


if __name__ == "__main__":
    sys.exit(main())
