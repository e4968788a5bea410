"""A window with the view in it: where points of space are on the glass, a hand, a camera."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from processes import TIMEOUT, wait_until

from ik_node.core import RobotModel
from ik_node.viewer.gizmo import RING_SIZE, SIZE, right_handed
from ik_node.viewer.shown_arm import ShownArm
from ik_node.viewer.stage import FIELD_OF_VIEW, view_of

PICTURES = "IK_NODE_PICTURES"
"""Name of the variable that says in which folder pictures are kept."""
DRAWN = 20_000
"""Bytes."""
SETTLE = 4000.0
"""Milliseconds before a picture that is kept, so that what is computed beside it is there."""
ARROW = 0.7
"""Place on an arrow, as a share of its length."""
RING = 0.65
"""Radius of a ring as a share of its size (drei)."""
HANDLE = 1.7 / 7.0
"""Place of the square handle along both its axes, as a share of the handles' size (drei)."""


DESK = (1280, 800) if PICTURES in os.environ else (1000, 520)
"""Pixels of a desktop window: as few as the buttons allow, rendering is in software."""
PHONE = (390, 844)


class Window:
    """One page of so many pixels."""

    def __init__(self, chromium: object, url: str, size: tuple[int, int] = DESK) -> None:
        width, height = size
        self.page = chromium.new_page(viewport={"width": width, "height": height})
        self.page.set_default_timeout(TIMEOUT * 1e3)
        self.page.goto(f"{url}?fixedDpr=1")
        self.wait_for_text("manipulability")
        self.page.locator("canvas").first.wait_for()
        # viser's remark on rendering in software would stand in the pictures.
        self.page.add_style_tag(content=".mantine-Notifications-root { display: none }")

    def close(self) -> None:
        self.page.close()

    def wait_for_text(self, text: str) -> None:
        self.page.get_by_text(text, exact=False).first.wait_for()

    def has_text(self, text: str) -> bool:
        return self.page.get_by_text(text, exact=False).count() > 0

    def press(self, name: str) -> None:
        """Press the button of this name."""
        self.page.get_by_role("button", name=name, exact=True).click()

    def keep(self, name: str) -> Path | None:
        """Take a picture, kept where the variable says."""
        if PICTURES in os.environ:
            self.page.wait_for_timeout(SETTLE)
        data = self.page.screenshot()
        assert len(data) > DRAWN
        if PICTURES not in os.environ:
            return None
        folder = Path(os.environ[PICTURES])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.png").write_bytes(data)
        return folder / f"{name}.png"

    def aim(self, urdf: str, base: str, tip: str) -> None:
        """Learn where the camera stands for an arm; the view places it by the same rule."""
        parameters = {
            "base_frame": base,
            "tip_frame": tip,
            "prefix": "",
            "rows": "auto",
            "elbow.joint": "",
            "elbow.straight": [],
        }
        shown = ShownArm.build(urdf, parameters)
        assert isinstance(shown.model, RobotModel)
        box = self.page.locator("canvas").first.bounding_box()
        aspect = box["width"] / box["height"]
        self._view = view_of(shown, np.zeros(shown.arm.size)).fitted(aspect)
        self._shown = shown
        self._handle = HANDLE * SIZE * shown.arm.reach * shown.axes.translations[:2].sum(axis=0)
        self._box = box
        wait_until(self._is_drawn, otherwise=lambda: "nothing is drawn")

    def _is_drawn(self) -> bool:
        """Whether the picture is more than an empty page, which is nearly nothing as a PNG."""
        return len(self.page.screenshot(clip=self._box)) > DRAWN

    def pixel(self, point: Sequence[float]) -> tuple[float, float]:
        """Where a point of space is on the glass."""
        position, look_at = self._view.position, self._view.look_at
        forward = (look_at - position) / np.linalg.norm(look_at - position)
        right = np.cross(forward, [0.0, 0.0, 1.0])
        right /= np.linalg.norm(right)
        up = np.cross(right, forward)
        away = np.asarray(point) - position
        height = 2.0 * np.tan(0.5 * FIELD_OF_VIEW) * (away @ forward)
        scale = self._box["height"] / height
        return (
            self._box["x"] + 0.5 * self._box["width"] + scale * float(away @ right),
            self._box["y"] + 0.5 * self._box["height"] - scale * float(away @ up),
        )

    def turn(self, pose: np.ndarray, q: np.ndarray, angle: float) -> None:
        """Take the first ring of the target at a pose (4, 4), q (n,), and turn it."""
        axis = pose[:3, :3] @ self._shown.axes.rotations(q)[0]
        frame = np.roll(right_handed(axis[None]), 2, 1)
        radius = RING * RING_SIZE * self._shown.arm.reach
        angles = np.pi / 4 + np.linspace(0.0, angle, 4)
        arc = radius * (
            np.outer(np.cos(angles), frame[:, 0]) + np.outer(np.sin(angles), frame[:, 1])
        )
        self._pull([self.pixel(pose[:3, 3] + point) for point in arc], steps=1)

    def push(self, place: Sequence[float], axis: Sequence[float], distance: float) -> None:
        """Take the arrow along an axis of the target at a place, and pull it so far [m]."""
        grip = np.asarray(place) + ARROW * SIZE * self._shown.arm.reach * np.asarray(axis)
        ends = [grip + way * distance * np.asarray(axis) for way in (0.0, 1.0)]
        self._pull([self.pixel(end) for end in ends], steps=3)

    def drag(self, *places: Sequence[float], steps: int = 3) -> None:
        """Take the square handle of the target at the first place, through all the others."""
        self._pull([self.pixel(np.asarray(place) + self._handle) for place in places], steps)

    def _pull(self, pixels: list[tuple[float, float]], steps: int) -> None:
        mouse = self.page.mouse
        mouse.move(*pixels[0])
        mouse.move(pixels[0][0] + 1.0, pixels[0][1])
        mouse.down()
        for x, y in pixels[1:]:
            mouse.move(x, y, steps=steps)
        mouse.up()
