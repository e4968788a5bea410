"""ik_node, ik_viewer and an arm that follows, all running while the test looks at the browser."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from client import planar_tool
from follower import Follower
from geometry_msgs.msg import PointStamped, PoseStamped
from processes import TIMEOUT, Process, ros_arguments, wait_until
from std_msgs.msg import String

from ik_node.core.xacro_file import load_description
from ik_node.dynamixel.emulator.control import send

START = 90.0
"""Seconds until everything runs, kernels compiled."""


class LiveArm:
    """The processes and the arm; a thread of its own keeps the joint states coming.

    The emulated bus is there for its control socket only: the arm does at once what it is told.

    Attributes:
        url: of the view.
        targets: places (x, y, z) that came on ~/target_point and ~/target_pose.
        poses: the messages on ~/target_pose.
        descriptions: robot descriptions that were published.
    """

    def __init__(self, folder: object, start: dict[str, float], **viewer: object) -> None:
        self._exits = ExitStack()
        urdf = f"{folder}/arm.urdf.xacro"
        robot: dict[str, object] = {"urdf_file": urdf}
        own = f"{folder}/ik_node.yaml"
        self._node = self._exits.enter_context(Process("ik_node", *ros_arguments(own, **robot)))
        self._link = Path(self._exits.enter_context(TemporaryDirectory())) / "servos"
        bus = Process(
            "emulated_dynamixel", "--config", f"{folder}/servos.yaml", "--link", str(self._link)
        )
        self._bus = self._exits.enter_context(bus)
        self._bus.wait_for_line("ready")
        viewer["emulator_link"] = self._link
        self._viewer = self._exits.enter_context(
            Process("ik_viewer", *ros_arguments(own, **robot, **viewer))
        )
        self.urdf = load_description(urdf)
        self.arm = Follower(start)
        self.targets: list[tuple[float, float, float]] = []
        self.poses: list[PoseStamped] = []
        self.descriptions: list[str] = []
        self.arm.create_subscription(
            PointStamped, "ik_node/target_point", lambda m: self._target(m.point), 10
        )
        self.arm.create_subscription(PoseStamped, "ik_node/target_pose", self._on_pose, 10)
        self.arm.create_subscription(
            String, "robot_description", lambda m: self.descriptions.append(m.data), 10
        )
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._spin)
        self._thread.start()
        self.url = self._viewer.wait_for_line("the view is at", timeout=START).split()[-1]
        self.until(lambda: self.arm.statuses and self.arm.code() == "HOLDING", START)

    def close(self) -> None:
        """End everything and see that it ended well."""
        self._ended.set()
        self._thread.join()
        self.arm.close()
        processes = (self._viewer, self._node, self._bus)
        codes = [process.stop() for process in processes]
        self._exits.close()
        output = "".join(process.output for process in processes)
        assert codes == [0, 0, 0] and "Traceback" not in output, f"{codes}: {output}"

    @contextmanager
    def busy(self, seconds: float) -> Iterator[None]:
        """Let ik_node do nothing meanwhile, and so long after."""
        self._node.send(signal.SIGSTOP)
        try:
            yield
            time.sleep(seconds)
        finally:
            self._node.send(signal.SIGCONT)

    def until(self, condition: Callable[[], object], timeout: float = TIMEOUT) -> None:
        """Return as soon as `condition` holds."""
        wait_until(
            lambda: bool(condition()),
            timeout,
            lambda: f"it did not happen; last status: {self.arm.status_line()}",
        )

    def until_code(self, *codes: str) -> None:
        """Wait until one of these is among the codes of a status that is yet to come."""
        before = len(self.arm.statuses)
        self.until(lambda: len(self.arm.statuses) > before and set(codes) & set(self.arm.codes()))

    def until_target_at(self, x: float, y: float, z: float, near: float) -> None:
        """Until the target that the view sent last is there [m]."""
        self.until(lambda: self.targets and math.dist(self.targets[-1], (x, y, z)) < near)

    def until_tool_at(self, x: float, z: float, near: float, l1: float = 0.3) -> None:
        """Wait until the tool of the planar arm is there."""
        self.until(lambda: math.dist(self.tool(l1), (x, 0.0, z)) < near)

    def tool(self, l1: float = 0.3, l2: float = 0.25) -> tuple[float, float, float]:
        """Where the tool of the planar arm is."""
        return planar_tool(l1, l2, *(self.arm.positions[j] for j in ("joint1", "joint2")))

    def faults(self) -> list[tuple[str, str | None]]:
        """The faults that hold on the emulated bus: kind and servo."""
        return [(f["kind"], f["servo"]) for f in send(self._link, {"do": "status"})["faults"]]

    @property
    def branch(self) -> str:
        """The committed branch."""
        return self.arm.value("branch")

    def _on_pose(self, message: PoseStamped) -> None:
        self.poses.append(message)
        self._target(message.pose.position)

    def _target(self, place: object) -> None:
        self.targets.append((place.x, place.y, place.z))

    def _spin(self) -> None:
        self.arm.until(self._ended.is_set, math.inf)
