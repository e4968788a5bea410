"""The target to drag: arrows and planes along the axes that the arm can move, rings to turn it."""

from __future__ import annotations

from collections.abc import Callable
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
        # Each control with the rotation from its axes to those that it is placed by.
        self._controls: list[tuple[Any, Array, bool]] = []
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
        return len(self._controls) > 1

    def put(self, pose: Array) -> None:
        """Place the target (4, 4), unless somebody holds it."""
        if self.dragging:
            return
        self._pose = np.array(pose)
        self._align(None)

    def remove(self) -> None:
        """Take the handles out of the scene."""
        for control, _, _ in self._controls:
            control.remove()
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
            # A ring turns about the third axis where the other two are active.
            frame = np.eye(3) if len(axes) == 3 else np.roll(right_handed(axes[i : i + 1]), 2, 1)
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
        self._controls.append((control, frame, turning))

        # A coroutine runs at once on viser's own thread, in the order of the drag.
        async def on_update(event: Any) -> None:
            self.dragging = event.phase != "end"
            self._follow(control, frame, turning)
            self._moved(self._pose)

        control.on_update(on_update)

    def _follow(self, control: Any, frame: Array, turning: bool) -> None:
        dragged = pose_of(control)
        pose = self._pose.copy()
        if turning:
            pose[:3, :3] = dragged[:3, :3] @ frame.T
        else:
            pose[:3, 3] = dragged[:3, 3]
        self._pose = pose
        self._align(control)

    def _align(self, dragged: Any) -> None:
        """Put every handle where the target is, but the one in the user's hand."""
        for control, frame, turning in self._controls:
            if control is not dragged:
                rotation = self._pose[:3, :3] @ frame if turning else frame
                place(control, se3.pose(rotation, self._pose[:3, 3]))
        place(self._ball, se3.pose(np.eye(3), self._pose[:3, 3]))


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
