"""The node `ik_viewer`: the arm in a browser, a target to drag, buttons, numbers in words."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from ik_node.core import se3
from ik_node.errors import IkNodeError
from ik_node.ros.complaints import Complaints
from ik_node.ros.executable import run
from ik_node.ros.joint_states import JointStates
from ik_node.ros.lean_node import LeanNode
from ik_node.ros.node_parameters import NodeParameters, overrides_of
from ik_node.ros.robot_description import DescriptionTopic, given_description, xacro_arguments
from ik_node.ros.usage import Usage
from ik_node.viewer.address import free_address
from ik_node.viewer.fault_switches import FaultSwitches, emulated_servos
from ik_node.viewer.latest import Latest
from ik_node.viewer.link_lengths import LinkLengths
from ik_node.viewer.panel import ArmPanel
from ik_node.viewer.parameters import TABLE, own_overrides
from ik_node.viewer.picture import Picture
from ik_node.viewer.server import open_server, quiet
from ik_node.viewer.shown_arm import ShownArm
from ik_node.viewer.stage import Stage
from ik_node.viewer.status_panel import StatusPanel
from ik_node.viewer.topics import Topics

Array = NDArray[np.float64]

PERIOD = 1.0 / 15.0
FAULTS_PERIOD = 1.0
NOTE_TIME = 6.0
"""Seconds that an answer stands in the panel."""

USAGE = Usage(
    "Shows the arm in a browser, with a target to drag: prints the address when it is ready.",
    "ik_viewer --ros-args --params-file config/planar_2r/ik_node.yaml \\\n"
    "    -p urdf_file:=config/planar_2r/arm.urdf.xacro",
    "docs/viewer.md",
    TABLE,
)


class IkViewer(LeanNode, Node):  # type: ignore[misc]  # rclpy has no types
    """Wires topics, picture and panel together."""

    def __init__(self, **node_arguments: Any) -> None:
        """Make the node and open the view.

        Raises:
            IkNodeError: parameters or a robot description that cannot be used, or no viser.
        """
        super().__init__("ik_viewer", **node_arguments)
        self._parameters = NodeParameters(self, TABLE, own_overrides(overrides_of(self)))
        self._note, self._note_until = "", 0.0
        self._shown: ShownArm | None = None
        self._picture: Picture | None = None
        self._panel: ArmPanel | None = None
        self._home: Array | None = None
        address = free_address(self._parameters["host"], self._parameters["port"])
        if address.remark:
            self.get_logger().warning(address.remark)
        given = given_description(self._parameters.values())
        if given:
            self._use(given)
        link = self._parameters["emulator_link"]
        servos = emulated_servos(link) if link else ()
        complain = Complaints(self.get_logger().warning, time.monotonic)
        states = JointStates(self, time.monotonic, complain)
        self._topics = Topics(self, states, self._on_target, self._say)
        self._server = open_server(address, self.resolve_topic_name("ik_node").strip("/"))
        self._stage = Stage(self._server)
        self._server.on_client_disconnect(self._release)
        self._workers = tuple(Latest[Any](name, self._worker_failed) for name in ("ghost", "reach"))
        self._status = StatusPanel(self._server.gui)
        self._lengths = self._make_lengths()
        self._faults = self._make_faults(link, servos) if link else None
        DescriptionTopic(self, given, self._on_description)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(PERIOD, self._update, clock=steady)
        if self._faults is not None:
            self.create_timer(FAULTS_PERIOD, self._faults.refresh, clock=steady)
        self.get_logger().info(f"the view is at {address.url}")

    def close(self) -> None:
        """Close the view."""
        if self._lengths is not None:
            self._lengths.close()
        if self._picture is not None:
            self._picture.remove()
        for worker in self._workers:
            worker.close()
        with quiet():
            self._server.stop()

    # What comes in

    def _on_description(self, urdf: str) -> None:
        try:
            self._use(urdf)
        except IkNodeError as error:
            self.get_logger().error(f"the robot description that came is not shown: {error}")

    def _use(self, urdf: str) -> None:
        shown = ShownArm.build(urdf, self._parameters.values())
        if shown.visuals.left_out:
            self.get_logger().info(
                f"the meshes of {', '.join(shown.visuals.left_out)} are not drawn; "
                "add a <visual> with a box, cylinder or sphere to see those links"
            )
        self._shown = shown
        for part in (self._picture, self._panel):
            if part is not None:
                part.remove()
        self._picture = self._panel = None

    def _on_target(self, frame: str, target: Array) -> None:
        """Let the handles follow targets that others send, and our own that come back."""
        if self._picture is None or self._shown is None:
            return
        gizmo = self._picture.gizmo
        pose: Array = target
        if target.shape == (3,):
            pose = gizmo.pose.copy()
            pose[:3, 3] = target
        arm = self._shown.arm
        if frame not in ("", arm.base):
            if frame not in self._shown.model.links:
                return
            known = {**dict.fromkeys(self._shown.model.joints, 0.0), **self._positions()}
            base = self._shown.model.frame_pose(arm.base, known)
            pose = se3.inverse(base) @ self._shown.model.frame_pose(frame, known) @ pose
        gizmo.put(pose)

    def _positions(self) -> dict[str, float]:
        assert self._shown is not None
        return self._shown.names.of_model(self._topics.joint_states.positions())

    def _release(self, _: Any) -> None:
        if self._picture is not None:
            self._picture.gizmo.release()

    # What is shown

    def _update(self) -> None:
        if self._shown is None:
            self._say("no robot description has come; set urdf_file, or publish it")
            self._status.show(self._topics.heard, None, None, self._note)
            return
        self._topics.joint_states.update()
        measured = self._topics.joint_states.measured(self._shown.wire_names)
        note = self._note if time.monotonic() < self._note_until else ""
        if measured.positions is None:
            missing = f"waiting for joint_states of {', '.join(measured.missing)}"
            self._status.show(self._topics.heard, None, None, note or missing)
            return
        q = measured.positions
        if self._picture is None or self._panel is None:
            self._draw(q)
        elif not self._server.get_clients():
            return
        assert self._picture is not None and self._panel is not None
        with self._server.atomic():
            self._picture.update(q, self._positions(), self._topics.heard)
            self._panel.update(time.monotonic(), q, measured.velocities)
            self._panel.show_status(self._status, self._topics.heard, q, note)

    def _draw(self, q: Array) -> None:
        assert self._shown is not None
        T = self._shown.arm.forward_kinematics(q)
        if self._home is None:
            self._home = T
        self._stage.set(self._shown, q)
        self._picture = Picture(
            self._server, self._shown, q, (self._workers[0], self._workers[1]), self._send
        )
        self._panel = ArmPanel(
            self._server.gui,
            self._shown,
            self._topics,
            self._parameters["rows"],
            self._go_home,
            self._hold,
        )

    def _make_lengths(self) -> LinkLengths | None:
        arguments = xacro_arguments(self._parameters["xacro_args"])
        file = self._parameters["urdf_file"]
        with self._server.gui.add_folder("link lengths", order=2.0) as folder:
            lengths = LinkLengths(
                self._server.gui, file, arguments, self._topics.send_description, self._say
            )
        if not lengths.present:
            folder.remove()
            return None
        return lengths

    def _make_faults(self, link: str, servos: Sequence[str]) -> FaultSwitches:
        gui = self._server.gui
        with gui.add_folder("faults on the emulated bus", order=3.0, expand_by_default=False):
            return FaultSwitches(gui, link, servos, self._say)

    # What goes out

    def _send(self, pose: Array) -> None:
        assert self._shown is not None and self._picture is not None
        self._topics.send_target(self._shown.arm.base, pose, self._picture.gizmo.turns)

    def _go_home(self) -> None:
        if self._home is not None and self._picture is not None:
            self._picture.gizmo.put(self._home)
            self._send(self._home)

    def _hold(self) -> None:
        self._topics.hold()
        assert self._shown is not None
        measured = self._topics.joint_states.measured(self._shown.wire_names)
        if measured.positions is not None and self._picture is not None:
            self._picture.gizmo.put(self._shown.arm.forward_kinematics(measured.positions))

    def _say(self, sentence: str) -> None:
        self._note, self._note_until = sentence, time.monotonic() + NOTE_TIME

    def _worker_failed(self, error: Exception) -> None:
        self.get_logger().error(f"a part of the picture is missing: {error}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node."""
    return run("ik_viewer", IkViewer, USAGE, arguments)


if __name__ == "__main__":
    sys.exit(main())
