"""The target to drag: arrows and planes along the axes that the arm can move, rings to turn it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ik_node.core import se3
from ik_node.viewer import palette
from ik_node.viewer.pose import place, pose_of
from ik_node.viewer.shown_arm import ShownArm

Array = NDArray[np.float64]

SIZE = 0.30
RING_SIZE = 0.20
_BALL = 0.022
"""Shares of the arm's reach."""


@dataclass
class _Handle:
    """One control and the rotation (3, 3) from its axes to those of the base, or of the target."""

    control: Any
    frame: Array
    turning: bool


class Gizmo:
    """The handles; whatever is dragged, all of them go along and `moved(pose)` is called at once.

    It is called on viser's thread, at most 20 times a second, and once more at the end of a drag.
    """

    def __init__(
        self, scene: Any, shown: ShownArm, q: Array, moved: Callable[[Array], None]
    ) -> None:
        """Add the handles at the tool's pose for q (n,)."""
        self._moved = moved
        self._shown = shown
        self.dragging = False
        self._pose = shown.arm.forward_kinematics(q)
        reach = shown.arm.reach
        self._ball = scene.add_icosphere(
            "/target", radius=_BALL * reach, color=palette.TARGET, cast_shadow=False
        )
        self._handles: list[_Handle] = []
        self._add_translations(scene, SIZE * reach)
        self._add_rotations(scene, RING_SIZE * reach, q)
        self.put(self._pose)

    @property
    def pose(self) -> Array:
        """Where the target is (4, 4), base frame."""
        return self._pose

    @property
    def turns(self) -> bool:
        """Whether the target can be turned too."""
        return len(self._handles) > 1

    def put(self, pose: Array) -> None:
        """Place the target (4, 4), unless somebody holds it."""
        if self.dragging:
            return
        self._pose = np.array(pose)
        self._align(None)

    def release(self) -> None:
        """Nobody holds it any more: a browser has gone."""
        self.dragging = False

    def refresh(self, q: Array) -> None:
        """Point the rings along the axes that the arm can turn about at q (n,)."""
        axes = self._shown.axes.rotations(q)
        rings = [handle for handle in self._handles if handle.turning]
        if self.dragging or len(axes) == 3 or len(axes) != len(rings):
            return
        for ring, axis in zip(rings, axes, strict=True):
            ring.frame = _ring_frame(axis)
        self._align(None)

    def remove(self) -> None:
        """Take the handles out of the scene."""
        for handle in self._handles:
            handle.control.remove()
        self._ball.remove()

    def _add_translations(self, scene: Any, size: float) -> None:
        axes = self._shown.axes.translations
        frame = right_handed(axes)
        control = scene.add_transform_controls(
            "/target_move",
            scale=size,
            active_axes=tuple(i < len(axes) for i in range(3)),
            disable_rotations=True,
            depth_test=False,
            opacity=0.9,
        )
        self._keep(control, frame, turning=False)

    def _add_rotations(self, scene: Any, size: float, q: Array) -> None:
        axes = self._shown.axes.rotations(q)
        for i in range(len(axes)) if len(axes) < 3 else range(1):
            frame = np.eye(3) if len(axes) == 3 else _ring_frame(axes[i])
            control = scene.add_transform_controls(
                f"/target_turn{i}",
                scale=size,
                active_axes=(True, True, len(axes) == 3),
                disable_axes=True,
                disable_sliders=True,
                depth_test=False,
                opacity=0.9,
            )
            self._keep(control, frame, turning=True)

    def _keep(self, control: Any, frame: Array, turning: bool) -> None:
        handle = _Handle(control, frame, turning)
        self._handles.append(handle)

        # A coroutine runs at once on viser's own thread, in the order of the drag.
        async def on_update(event: Any) -> None:
            self.dragging = event.phase != "end"
            if event.phase != "start":
                self._follow(handle)
                self._moved(self._pose)

        control.on_update(on_update)

    def _follow(self, handle: _Handle) -> None:
        dragged = pose_of(handle.control)
        pose = self._pose.copy()
        if handle.turning:
            pose[:3, :3] = dragged[:3, :3] @ handle.frame.T
        else:
            pose[:3, 3] = dragged[:3, 3]
        self._pose = pose
        self._align(handle)

    def _align(self, dragged: _Handle | None) -> None:
        """Put every handle where the target is, but the one in the user's hand."""
        for handle in self._handles:
            if handle is not dragged:
                rotation = self._pose[:3, :3] @ handle.frame if handle.turning else handle.frame
                place(handle.control, se3.pose(rotation, self._pose[:3, 3]))
        place(self._ball, se3.pose(np.eye(3), self._pose[:3, 3]))


def _ring_frame(axis: Array) -> Array:
    """Rotation (3, 3) whose third column is `axis`: a ring turns about it, the others active."""
    return np.roll(right_handed(axis[None]), 2, axis=1)


def right_handed(axes: Array) -> Array:
    """Rotation (3, 3) whose first columns are `axes` (k, 3), orthonormal."""
    columns = list(axes)
    for start in np.eye(3):
        rest = start - sum((axis * (axis @ start) for axis in columns), np.zeros(3))
        if len(columns) < 3 and np.linalg.norm(rest) > 0.1:
            columns.append(rest / np.linalg.norm(rest))
    R: Array = np.array(columns).T
    if np.linalg.det(R) < 0.0:
        R[:, 2] *= -1.0
    return R
