"""RViz itself, on a virtual display: a drag by the mouse moves the emulated servos."""

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
from geometry_msgs.msg import PoseStamped
from launched import START, Launched, latest_positions
from PIL import Image
from processes import wait_until

JOINTS = ("joint1", "joint2", "joint3", "joint4")
SIZE = (1280, 860)
PICTURES = os.environ.get("IK_NODE_PICTURES", "")
"""Folder for the pictures; empty: a temporary one."""


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    """A virtual display."""
    for program in ("Xvfb", "xdotool", "import"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed: apt install xvfb xdotool imagemagick")
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

    def mouse(self, *words: str) -> None:
        subprocess.run(["xdotool", *words], env=self._env, check=True, timeout=30)

    def hover(self, place: tuple[int, int], before: np.ndarray) -> None:
        """Move there and wait until RViz lights up what is under the mouse."""
        x, y = place

        def lit() -> bool:
            self.mouse("mousemove", str(x + 1), str(y), "mousemove", str(x), str(y))
            around = np.s_[y - 12 : y + 13, x + 14 : x + 17]
            return bool(np.abs(self.picture("hover")[around] - before[around]).max() > 10)

        wait_until(lit, START, lambda: "RViz does not light up the marker under the mouse")

    def drag(self, start: tuple[int, int], by: tuple[int, int]) -> None:
        """Press, move in small steps as a hand does, and let go."""
        x, y = start
        self.mouse("mousedown", "1")
        for i in range(1, 11):
            self.mouse("mousemove", "--sync", str(x + by[0] * i // 10), str(y + by[1] * i // 10))
        self.mouse("mouseup", "1")


def ball(picture: np.ndarray) -> tuple[int, int] | None:
    """Middle of the marker's calm green ball on the picture, None while it is not there.

    Arrows and rings have pure colours; the ball's green has more blue than red.
    """
    r, g, b = picture[..., 0], picture[..., 1], picture[..., 2]
    rows, columns = np.nonzero((g > b + 15) & (b > r + 8) & (g < 220))
    return (int(np.median(columns)), int(np.median(rows))) if len(rows) > 60 else None


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
    pictures: list[np.ndarray] = []

    def shown() -> bool:
        pictures[:] = [screen.picture("rviz")]
        place = ball(pictures[0])
        seen.append(place) if place else seen.clear()
        return len(seen) > 2 and seen[-1] == seen[-2]

    wait_until(shown, 2 * START, lambda: "the marker is not seen in RViz")
    place = seen[-1]
    before = latest_positions(client, JOINTS)
    targets: list[PoseStamped] = []
    client.create_subscription(PoseStamped, "ik_node/target_pose", targets.append, 1)
    screen.hover(place, pictures[0])
    screen.drag(place, (-20, -110))
    client.until(lambda: targets, START)
    client.until(
        lambda: max(np.abs(np.subtract(latest_positions(client, JOINTS), before))) > 0.1, START
    )
    client.until(lambda: client.value("settled") == "true", START)
    moved = ball(screen.picture("rviz_dragged"))
    assert moved is not None
    assert moved[1] < place[1] - 60
