"""Writes the last seconds of control to a file: at every fault of the driver, and when asked to."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from rclpy.node import Node
from std_srvs.srv import Trigger

from ik_node.control import StatusCode
from ik_node.control.recording import Recorder
from ik_node.ros.loop import Loop
from ik_node.ros.robot import Robot


class RunRecorder:
    """Notes every tick of the present robot; files are written beside the loop, not in it."""

    def __init__(self, node: Node, seconds: float, folder: str) -> None:
        self._node = node
        self._seconds = seconds
        self._folder = _folder(folder)
        self._recorder: Recorder | None = None
        self._moved = False
        self._in_fault = False
        self._written = -float("inf")
        node.create_service(Trigger, "~/save_recording", self._save)

    def start(self, robot: Robot) -> None:
        """Begin anew with this robot."""
        self._recorder = Recorder(robot.arm, self._seconds) if self._seconds > 0.0 else None
        self._moved = False

    def note(self, loop: Loop) -> None:
        """Keep what the loop just did; write it where a fault begins."""
        if self._recorder is None or loop.output is None or loop.measured is None:
            return
        self._recorder.note(loop.now, loop.measured.positions, loop.output, loop.report.status)
        self._moved = self._moved or bool(loop.output.dq.any())
        fault = StatusCode.FAULT in loop.report.status.codes and not loop.relaxed
        begins = fault and not self._in_fault and self._moved
        # Faults that come and go tell one story, and must not fill the disk.
        if begins and loop.now - self._written > self._seconds:
            self._written = loop.now
            path = self._path("fault")
            self._node.get_logger().error(
                f"the driver reports a fault; the last {self._seconds:g} s are in {path}, "
                f"look at them with 'ik_arm plot {path}'"
            )
            threading.Thread(target=self._write, args=(self._recorder, path)).start()
        self._in_fault = fault

    def _save(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        if self._recorder is None or len(self._recorder) == 0:
            response.message = (
                "there is nothing to save: recording.seconds is 0, or no robot description has come"
            )
            return response
        path = self._path("asked")
        error = self._write(self._recorder, path)
        response.success = error is None
        response.message = error or f"saved; look at it with 'ik_arm plot {path}'"
        return response

    def _path(self, why: str) -> Path:
        stamp = time.strftime("%Y-%m-%d_%H-%M-%S")
        name = self._node.get_fully_qualified_name().strip("/").replace("/", "-")
        return self._folder / f"{name}_{stamp}_{why}.npz"

    def _write(self, recorder: Recorder, path: Path) -> str | None:
        """Write the file; say what went wrong."""
        recording = recorder.recording()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            recording.save(path)
        except OSError as error:
            sentence = (
                f"the recording cannot be written to {path}: {error.strerror}; "
                "set the parameter recording.folder"
            )
            self._node.get_logger().error(sentence)
            return sentence
        return None


def _folder(given: str) -> Path:
    if given:
        return Path(given).expanduser()
    home = os.environ.get("ROS_HOME")
    return (Path(home) if home else Path.home() / ".ros") / "ik_node"
