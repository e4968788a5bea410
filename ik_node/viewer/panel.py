"""The panel beside the picture: status, buttons, joints, plot, sliders, faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ik_node.core import manipulability
from ik_node.viewer.buttons import Buttons
from ik_node.viewer.heard import Heard
from ik_node.viewer.joint_panel import JointPanel
from ik_node.viewer.shown_arm import ShownArm
from ik_node.viewer.status_panel import StatusPanel
from ik_node.viewer.topics import Topics
from ik_node.viewer.travel import Travel
from ik_node.viewer.travel_plot import TravelPlot

Array = NDArray[np.float64]


class ArmPanel:
    """What of the panel belongs to one arm; made anew with another robot description."""

    def __init__(
        self,
        gui: Any,
        shown: ShownArm,
        topics: Topics,
        rows: str,
        home: Callable[[], None],
        hold: Callable[[], None],
    ) -> None:
        self._shown = shown
        self._rows = rows
        self._travel = Travel()
        self._last: tuple[float, Array] | None = None
        self._folder = gui.add_folder(shown.model.name, order=1.0)
        topics.look_for_services(shown.branches)
        with self._folder:
            Buttons(gui, shown.branches, topics.flip, hold, home, topics.enable)
            self._joints = JointPanel(gui, shown.arm)
            self._plot = TravelPlot(gui)

    def update(self, now: float, q: Array, speeds: Array | None) -> None:
        """Show the measured joints q (n,) and their speeds (n,), None where nobody says them."""
        self._joints.show(q, self._differences(now, q) if speeds is None else speeds)
        tool = self._shown.arm.forward_kinematics(q)[:3, 3]
        self._plot.add(now, self._travel.add(now, q, tool))
        self._plot.show(now)

    def _differences(self, now: float, q: Array) -> Array:
        before, last = self._last or (now - 1.0, q)
        self._last = (now, q)
        return np.asarray((q - last) / max(now - before, 1e-3))

    def show_status(self, status: StatusPanel, heard: Heard, q: Array, note: str) -> None:
        """Show the status with the tool's place and manipulability at q (n,)."""
        arm = self._shown.arm
        tool = arm.forward_kinematics(q)[:3, 3]
        status.show(heard, tool, manipulability(arm, q, self._rows), note)

    def remove(self) -> None:
        """Take it out of the panel."""
        self._folder.remove()
