"""RViz itself, on a virtual display: a mouse drags its marker, and the emulated servos move."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from client import Client
from launched import START, Launched, latest_positions
from PIL import Image
from processes import wait_until

JOINTS = ("joint1", "joint2", "joint3", "joint4")
SIZE = (1280, 860)
VIEW = (370, 70)
"""Left and upper edge of the 3D view."""
PULL, STEPS = (50, 25), 6
"""Pixels by which the arrow is pulled, along itself, and in how many moves."""
MOVED = 0.05
"""Joint motion [rad] that droop and noise do not make."""
PICTURES = os.environ.get("IK_NODE_PICTURES", "")
"""Folder for the pictures; empty: a temporary one."""


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    """A virtual display."""
    for program in ("Xvfb", "import", "xdotool"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed: apt install xvfb imagemagick xdotool")
    reader, writer = os.pipe()
    screen = f"{SIZE[0]}x{SIZE[1]}x24"
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", screen, "-nolisten", "tcp"],
        pass_fds=[writer],
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    with os.fdopen(reader) as answer:
        yield f":{answer.readline().strip()}"
    server.terminate()
    server.wait(20)


class Screen:
    """Looks at a display and moves its mouse."""

    def __init__(self, display: str, folder: Path) -> None:
        self._env = {**os.environ, "DISPLAY": display}
        self._folder = folder

    def picture(self, name: str) -> np.ndarray:
        """(height, width, 3) of the whole display, also kept as NAME.png."""
        file = self._folder / f"{name}.png"
        subprocess.run(
            ["import", "-window", "root", str(file)], env=self._env, check=True, timeout=30
        )
        return np.asarray(Image.open(file).convert("RGB"), dtype=int)

    def move(self, x: int, y: int) -> None:
        """Put the mouse there, in steps: RViz looks under it to see what it would take."""
        self._mouse("mousemove", "--sync", str(x - 2), str(y))
        self._mouse("mousemove", "--sync", str(x), str(y))

    def drag(self, start: tuple[int, int], pull: tuple[int, int]) -> None:
        """Take what is under the mouse at `start` and pull it by so many pixels."""
        self.move(*start)
        self.picture("rviz_hover")
        self._mouse("mousedown", "1")
        for step in range(1, STEPS + 1):
            x, y = (round(pull[i] * step / STEPS) + start[i] for i in (0, 1))
            self.move(x, y)
        self._mouse("mouseup", "1")

    def _mouse(self, *command: str) -> None:
        subprocess.run(["xdotool", *command], env=self._env, check=True, timeout=30)


def forward_arrow(picture: np.ndarray) -> tuple[int, int] | None:
    """Middle of the head of the marker's arrow along x, None while it is not there."""
    view = picture[VIEW[1] :, VIEW[0] :]
    r, g, b = view[..., 0], view[..., 1], view[..., 2]
    rows, columns = np.nonzero((r > 90) & (g < 60) & (b < 60))
    if len(rows) < 200:
        return None
    head = columns > columns.max() - 30
    return (int(np.median(columns[head])) + VIEW[0], int(np.median(rows[head])) + VIEW[1])


@pytest.fixture(scope="module")
def desk(
    ros2: dict[str, str], ros: None, needs: Callable[..., None], display: str
) -> Iterator[tuple[Screen, Client]]:
    """An emulated OpenMANIPULATOR-X with RViz on the virtual display, and a client."""
    needs("robot_state_publisher", "rviz2", "interactive_markers")
    folder = Path(PICTURES or tempfile.mkdtemp(prefix="ik_node_rviz_"))
    folder.mkdir(parents=True, exist_ok=True)
    launched = Launched(
        "arm.launch.py",
        ["arm:=open_manipulator_x", "hardware:=emulated", "rviz:=true"],
        {**ros2, "DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1", "QT_QPA_PLATFORM": "xcb"},
    )
    client = Client()
    try:
        client.until(lambda: client.statuses and client.states, 2 * START)
        client.until_matched()
        client.until(lambda: "HOLDING" in client.codes(), START)
        yield Screen(display, folder), client
    finally:
        client.close()
        launched.stop()
    assert "Traceback" not in launched.output, launched.output
    assert not re.search(r"rviz2.*\[(ERROR|FATAL)\]", launched.output), launched.output


def test_the_arm_and_the_marker_are_seen_and_a_drag_moves_the_servos(
    desk: tuple[Screen, Client],
) -> None:
    screen, client = desk
    seen: list[tuple[int, int]] = []

    def shown() -> bool:
        place = forward_arrow(screen.picture("rviz"))
        seen.append(place) if place else seen.clear()
        return len(seen) > 2 and seen[-1] == seen[-2]

    wait_until(shown, 2 * START, lambda: "the marker is not seen in RViz")
    before = latest_positions(client, JOINTS)

    def moved() -> bool:
        """Drag; a slow RViz has not yet looked under the mouse and turns the view instead."""
        place = forward_arrow(screen.picture("rviz"))
        if place is not None:
            screen.drag(place, PULL)
        client.spin_messages(client.states, 100)
        return max(np.abs(np.subtract(latest_positions(client, JOINTS), before))) > MOVED

    wait_until(moved, 2 * START, lambda: "the mouse did not move the arm")
    client.until(lambda: {"REACHED", "UNREACHABLE"} & set(client.codes()), START)
    screen.picture("rviz_dragged")
