"""The tool's trace: the newest piece in full colour, the oldest fading out."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ik_node.viewer import palette

Array = NDArray[np.float64]

LENGTH = 240
STEP = 0.002
"""Metres between two points."""
_NAME = "/trace"


class Trace:
    """A line through where the tool was."""

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self._points: deque[Array] = deque(maxlen=LENGTH)
        self._line: Any = None

    def add(self, tool: Array) -> bool:
        """Append the tool's place (3,) [m]; tell whether it has moved enough to show."""
        if self._points and float(np.linalg.norm(tool - self._points[-1])) < STEP:
            return False
        self._points.append(tool)
        return True

    def show(self) -> None:
        """Send the line."""
        if len(self._points) < 2:
            return
        points = np.array(self._points)
        fade = np.linspace(0.3, 1.0, len(points))[:, None]
        colours = np.rint(255 - fade * (255 - np.array(palette.TRACE))).astype(np.uint8)
        segments = np.stack([points[:-1], points[1:]], axis=1)
        shades = np.stack([colours[:-1], colours[1:]], axis=1)
        self._line = self._scene.add_line_segments(
            _NAME, segments, shades, thickness=4.0, thickness_units="screen"
        )

    def clear(self) -> None:
        """Forget it."""
        self._points.clear()
        if self._line is not None:
            self._line.remove()
            self._line = None
