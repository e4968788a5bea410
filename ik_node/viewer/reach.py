"""The shaded region that the tool can reach, in the plane where the target is."""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik_node.core import se3
from ik_node.core.kernels import kinematics
from ik_node.core.section import Plane
from ik_node.viewer import palette
from ik_node.viewer.latest import Latest
from ik_node.viewer.pose import place
from ik_node.viewer.section import Region, reachable_region
from ik_node.viewer.shown_arm import ShownArm

Array = NDArray[np.float64]

STEP = math.radians(10.0)
"""Of the plane's turning about the first axis, for the cache."""
KEPT = 40
BEHIND = 0.01
"""Share of the reach by which a planar arm's region stands back, so that it hides no trace."""
NEAR_AXIS = 0.02
"""Metres: a target nearer to the first axis chooses no plane."""


class _Answer(NamedTuple):
    owner: Any
    key: int
    region: Region | None


class Reach:
    """The annulus of a planar arm; else its section in the plane of the first axis and the target.

    Computed beside the picture and kept; while another section is computed the last one is shown,
    turned to where the target is.
    """

    def __init__(self, scene: Any, shown: ShownArm, q: Array, worker: Latest[_Answer]) -> None:
        self._scene = scene
        self._shown = shown
        self._worker = worker
        self._alive = True
        self._regions: OrderedDict[int, Region] = OrderedDict()
        self._asked: int | None = None
        self._drawn: int | None = None
        self._frame = scene.add_frame("/reach", show_axes=False)
        tool = shown.arm.forward_kinematics(q)[:3, 3]
        axes = shown.arm.joint_axes(q)
        self._origin, self._axis = axes[0, :3], axes[0, 3:]
        if shown.arm.chain[0, kinematics.PRISMATIC]:
            self._axis = np.array([0.0, 0.0, 1.0])
        self._flat: Plane | None = None
        self._behind = np.zeros(3)
        if shown.planar:
            u, v = shown.axes.translations
            normal = np.cross(u, v)
            beside = normal * (normal @ (tool - self._origin))
            self._flat = Plane(self._origin + beside, u, v)
            self._behind = BEHIND * shown.arm.reach * self._axis
        self._angle = 0.0

    def update(self, target: Array) -> None:
        """Show the region for a target (3,)."""
        if len(self._shown.axes.translations) < 2:
            return
        self._angle = self._turned(target)
        key = round(self._angle / STEP)
        answer = self._worker.take()
        if answer is not None and answer.owner is self and answer.region is not None:
            self._regions[answer.key] = answer.region
            while len(self._regions) > KEPT:
                self._regions.popitem(last=False)
        if key not in self._regions and self._asked != key:
            self._asked = key
            plane, turning = self._plane(key * STEP), self._flat is None
            self._worker.ask(lambda: _Answer(self, key, self._compute(plane, turning)))
        if key in self._regions and key != self._drawn:
            self._draw(key)
        plane = self._plane(self._angle)
        R = np.stack([plane.across, plane.along, np.cross(plane.across, plane.along)], axis=1)
        place(self._frame, se3.pose(R, plane.origin - self._behind))

    def remove(self) -> None:
        """Take it out of the scene and stop what is being computed."""
        self._alive = False
        self._frame.remove()

    def _compute(self, plane: Plane, turning: bool) -> Region | None:
        return reachable_region(self._shown.arm, plane, turning, lambda: self._alive)

    def _turned(self, target: Array) -> float:
        """Angle of the target about the first axis; 0 for a planar arm."""
        if self._flat is not None:
            return 0.0
        x, y = self._directions()
        away = target - self._origin
        if math.hypot(float(away @ x), float(away @ y)) < NEAR_AXIS:
            return self._angle
        return math.atan2(float(away @ y), float(away @ x))

    def _directions(self) -> tuple[Array, Array]:
        start = np.eye(3)[int(np.argmin(np.abs(self._axis)))]
        x = start - self._axis * (start @ self._axis)
        x /= np.linalg.norm(x)
        return x, np.cross(self._axis, x)

    def _plane(self, angle: float) -> Plane:
        if self._flat is not None:
            return self._flat
        x, y = self._directions()
        return Plane(self._origin, math.cos(angle) * x + math.sin(angle) * y, self._axis)

    def _draw(self, key: int) -> None:
        region = self._regions[key]
        self._drawn = key
        points = np.hstack([region.vertices, np.zeros((len(region.vertices), 1))])
        self._scene.add_mesh_simple(
            "/reach/area",
            points,
            region.faces,
            color=palette.REACH,
            opacity=0.16,
            side="double",
            cast_shadow=False,
            receive_shadow=False,
        )
        self._scene.add_line_segments(
            "/reach/rim", points[region.rim], palette.REACH, thickness=2.0, thickness_units="screen"
        )
