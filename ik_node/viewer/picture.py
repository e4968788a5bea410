"""All that is drawn of one arm: robot, ghost, reach, target, trace, ellipsoid, remark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ik_node.core import se3
from ik_node.viewer import palette
from ik_node.viewer.ellipsoid import Ellipsoid
from ik_node.viewer.ghost import Ghost
from ik_node.viewer.gizmo import Gizmo
from ik_node.viewer.heard import Heard
from ik_node.viewer.latest import Latest
from ik_node.viewer.link_tree import LinkTree
from ik_node.viewer.reach import Reach
from ik_node.viewer.shown_arm import ShownArm
from ik_node.viewer.trace import Trace

Array = NDArray[np.float64]

GAP = 0.002
"""Metres between tool and target from which on a line shows the way."""
QUIET_CODES = frozenset(("", "HOLDING", "REACHED", "TRACKING"))


class Picture:
    """Made when the arm and its joints are known; made anew with another robot description."""

    def __init__(
        self,
        server: Any,
        shown: ShownArm,
        q: Array,
        workers: tuple[Latest[Any], Latest[Any]],
        moved: Callable[[Array], None],
    ) -> None:
        """Draw.

        Args:
            server: viser's.
            shown: the arm.
            q: (n,) its measured joints.
            workers: threads for the ghost and for the reachable region.
            moved: told where the target is dragged to, see `Gizmo`.
        """
        scene = server.scene
        self._scene = scene
        self._shown = shown
        self._tree = LinkTree(scene, "/robot", shown.model, shown.visuals.shapes)
        self._ghost = Ghost(scene, shown, workers[0])
        self._reach = Reach(scene, shown, q, workers[1])
        self._ellipsoid = Ellipsoid(scene)
        self._trace = Trace(scene)
        self.gizmo = Gizmo(scene, shown, q, moved)
        self._way: Any = None
        self._label: Any = None
        self._said: tuple[str, tuple[float, ...]] = ("", ())

    def update(self, q: Array, positions: Mapping[str, float], heard: Heard) -> None:
        """Show the measured joints: the arm's q (n,), and all by the description's name."""
        shown = self._shown
        T_base_root = se3.inverse(_root_to_base(shown, positions))
        self._tree.stand(T_base_root)
        self._tree.move(positions)
        self._ghost.update(q, dict(positions), T_base_root)
        target = self.gizmo.pose[:3, 3]
        self._reach.update(target)
        tool = shown.arm.forward_kinematics(q)[:3, 3]
        if self._trace.add(tool):
            self._trace.show()
        self.gizmo.refresh(q)
        self._ellipsoid.show(shown.arm, q, tool)
        self._show_way(tool, target)
        self._show_remark(target, heard)

    def clear_trace(self) -> None:
        """Begin the trace anew."""
        self._trace.clear()

    def remove(self) -> None:
        """Take everything out of the scene."""
        for part in (self._tree, self._ghost, self._reach, self._ellipsoid, self.gizmo):
            part.remove()
        self._trace.clear()
        for node in filter(None, (self._way, self._label)):
            node.remove()

    def _show_way(self, tool: Array, target: Array) -> None:
        apart = float(np.linalg.norm(target - tool)) > GAP
        if apart:
            points = np.round(np.array([[tool, target]]), 4)
            if self._way is None or not np.array_equal(self._way.points, points.astype(np.float32)):
                self._way = self._scene.add_line_segments(
                    "/way", points, palette.TARGET, thickness=1.5, thickness_units="screen"
                )
            self._way.visible = True
        elif self._way is not None:
            self._way.visible = False

    def _show_remark(self, target: Array, heard: Heard) -> None:
        """Say beside the target what keeps the tool from it."""
        text = "" if heard.code in QUIET_CODES else heard.code.replace("_", " ").lower()
        distance = heard.number("distance")
        if text and distance > GAP:
            text += f", {distance * 1e3:.0f} mm left"
        said = (text, tuple(np.round(target, 3).tolist()))
        if said == self._said:
            return
        self._said = said
        if self._label is not None:
            self._label.remove()
            self._label = None
        if text:
            self._label = self._scene.add_label(
                "/remark", text, position=target, anchor="bottom-center"
            )


def _root_to_base(shown: ShownArm, positions: Mapping[str, float]) -> Array:
    known = dict.fromkeys(shown.model.joints, 0.0)
    return shown.model.frame_pose(shown.arm.base, {**known, **positions})
