"""Where the camera stands, and the grid behind or below the arm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ik_node.viewer import palette
from ik_node.viewer.shown_arm import ShownArm

Array = NDArray[np.float64]

FIELD_OF_VIEW = 0.7
"""Of the picture's height [rad]."""
WIDE = 1.1
"""Width over height from which on the arm's whole reach fits into the picture."""
UPRIGHT = 0.75
"""Width over height of a phone's window, where the panel is a sheet over the lower part."""
FIT = 2.3
"""Of the reach, what has to fit into the picture."""
SHEET = 0.6
"""Share of the height that the sheet takes."""


@dataclass(frozen=True, eq=False)
class View:
    """A camera, z up: where it stands and what it looks at, (3,) m in the base frame.

    `size` is what has to fit into the picture, both ways [m].
    """

    position: Array
    look_at: Array
    size: float

    def fitted(self, aspect: float) -> View:
        """The same view for a picture of this width over height.

        A narrow one is taken from further away; on a phone the arm stands above the sheet.
        """
        aspect = max(aspect, 0.2)
        line = self.position - self.look_at
        if aspect >= UPRIGHT:
            return View(self.look_at + max(1.0, WIDE / aspect) * line, self.look_at, self.size)
        height = self.size * max(1.0 / (1.0 - SHEET), 1.0 / aspect)
        line *= height / (2.0 * math.tan(0.5 * FIELD_OF_VIEW)) / np.linalg.norm(line)
        up = np.array([0.0, 0.0, 1.0])
        up -= line * (line @ up) / (line @ line)
        look_at = self.look_at - 0.5 * SHEET * height * up / np.linalg.norm(up)
        return View(look_at + line, look_at, self.size)


def view_of(shown: ShownArm, q: Array) -> View:
    """A planar arm is seen from where its joints turn counter-clockwise, others from the side."""
    reach = shown.arm.reach
    shoulder = shown.arm.joint_axes(q)[0]
    if shown.planar:
        away = reach * (3.4 * shoulder[3:] + [0.0, 0.0, 0.35])
        return View(shoulder[:3] + away, shoulder[:3], FIT * reach)
    middle = shoulder[:3] + reach * np.array([0.15, 0.0, 0.2])
    return View(middle + reach * np.array([1.1, -2.4, 1.1]), middle, FIT * reach)


class Stage:
    """Camera and grid; every browser that comes gets the view that fits its window."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._view: View | None = None
        server.on_client_connect(self._welcome)

    def set(self, shown: ShownArm, q: Array) -> None:
        """Set them for an arm at q (n,); browsers that look already keep their view."""
        first = self._view is None
        self._view = view_of(shown, q)
        camera = self._server.initial_camera
        camera.fov = FIELD_OF_VIEW
        camera.look_at = self._view.look_at
        camera.position = self._view.position
        for client in self._server.get_clients().values() if first else ():
            self._welcome(client)
        self._add_grid(shown, q)

    def _welcome(self, client: Any) -> None:
        if self._view is None:
            return
        view = self._view.fitted(client.camera.aspect)
        client.camera.fov = FIELD_OF_VIEW
        client.camera.position = view.position
        client.camera.look_at = view.look_at  # afterwards: a new position takes it along

    def _add_grid(self, shown: ShownArm, q: Array) -> None:
        reach = shown.arm.reach
        shoulder = shown.arm.joint_axes(q)[0]
        origin, normal = shoulder[:3], shoulder[3:]
        if shown.planar:
            place = origin - 0.14 * reach * normal
            plane = ("yz", "xz", "xy")[int(np.argmax(np.abs(normal)))]
        else:
            place, plane = np.array([origin[0], origin[1], 0.0]), "xy"
        self._server.scene.add_grid(
            "/grid",
            width=4.0 * reach,
            height=4.0 * reach,
            plane=plane,
            cell_size=0.05,
            section_size=0.1,
            cell_color=palette.GRID,
            section_color=palette.SECTION,
            fade_distance=8.0 * reach,
            shadow_opacity=0.1,
            position=place,
        )
