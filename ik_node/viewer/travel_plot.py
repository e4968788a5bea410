"""The live plot of joint travel per centimetre of the tool."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ik_node.viewer import palette

SECONDS = 20.0
REST = 0.1
"""Seconds before a motion up to which the arm rested."""
_LENGTH = 400


class TravelPlot:
    """Scrolls while the arm moves and stands while it rests."""

    def __init__(self, gui: Any) -> None:
        self._times: deque[float] = deque(maxlen=_LENGTH)
        self._values: deque[float] = deque(maxlen=_LENGTH)
        self._plot = gui.add_uplot(
            (np.array([-SECONDS, 0.0]), np.array([0.0, 0.0])),
            (
                {"label": "s"},
                {
                    "label": "°/cm",
                    "stroke": palette.css(palette.TRACE),
                    "width": 2,
                    "fill": "rgba(226,62,87,.12)",
                    "points": {"show": False},
                },
            ),
            title="joint travel per cm of the tool [°/cm]",
            scales={"x": {"time": False, "range": (-SECONDS, 0.0)}, "y": {"range": (0.0, 30.0)}},
            axes=({"size": 26}, {"size": 42}),
            legend={"show": False},
            height=150,
            padding=(10, 14, 0, 0),
        )

    def add(self, now: float, value: float | None) -> None:
        """Append a sample [degrees a centimetre]; None: the arm rests."""
        if value is None and (not self._values or self._values[-1] == 0.0):
            return
        if self._values and self._values[-1] == 0.0 and self._times[-1] < now - REST:
            self._times.append(now - REST)
            self._values.append(0.0)
        self._times.append(now)
        self._values.append(value or 0.0)

    def show(self, now: float) -> None:
        """Send the last seconds, unless nothing has come since."""
        if not self._times or self._times[-1] < now - 0.5:
            return
        times, values = np.array(self._times) - now, np.array(self._values)
        recent = times > -SECONDS
        times, values = times[recent], values[recent]
        self._plot.data = (np.append(times, 0.0), np.append(values, values[-1]))
        top = next((t for t in (10.0, 30.0, 100.0) if values.max() < 0.95 * t), 200.0)
        scales = {**self._plot.scales, "y": {"range": (0.0, top)}}
        if scales != self._plot.scales:
            self._plot.scales = scales
