"""A robot in the scene: one frame a link, its shapes below it; only what moves is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ik_node.core import RobotModel, se3
from ik_node.core.model import joint_motion, joint_value
from ik_node.viewer.pose import place
from ik_node.viewer.visuals import Shape, Visual

Array = NDArray[np.float64]
Colour = tuple[int, int, int]


class LinkTree:
    """Draws a model's links as shapes; `move` puts them where the joints say."""

    def __init__(
        self,
        scene: Any,
        name: str,
        model: RobotModel,
        shapes: Mapping[str, Sequence[Visual]],
        *,
        tint: Colour | None = None,
        opacity: float | None = None,
        size: float = 1.0,
    ) -> None:
        """Add the links.

        Args:
            scene: viser's scene.
            name: of the tree's top node.
            model: the robot.
            shapes: of the links to draw.
            tint: one colour for all, None for their own.
            opacity: 0 to 1, None for solid.
            size: of the shapes; a little under 1 hides those that coincide with another tree's.
        """
        self._model = model
        self.top = scene.add_frame(name, show_axes=False)
        paths = {model.root: name}
        self._joints: dict[str, Any] = {}
        for joint in model.joints.values():
            paths[joint.child] = f"{paths[joint.parent]}/{joint.child}"
            frame = scene.add_frame(paths[joint.child], show_axes=False)
            place(frame, joint.origin)
            if joint.moves:
                self._joints[joint.name] = frame
        for link, visuals in shapes.items():
            for i, visual in enumerate(visuals):
                node = f"{paths[link]}/shape{i}"
                _add(scene, node, visual, tint or visual.colour, opacity, size)

    def move(self, positions: Mapping[str, float]) -> None:
        """Place every moving link; joints without a position stand at 0 or their nearest limit.

        Args:
            positions: by the description's joint name, rad or m.
        """
        for name, frame in self._joints.items():
            joint = self._model.joints[name]
            source = joint.mimic.joint if joint.mimic else name
            rest = min(max(0.0, joint.lower), joint.upper)
            value = joint_value(joint, positions[source]) if source in positions else rest
            place(frame, joint.origin @ joint_motion(joint, value))

    def stand(self, T_base_root: Array) -> None:
        """Place the root link at a pose (4, 4) in the scene."""
        place(self.top, T_base_root)

    def remove(self) -> None:
        """Take the whole robot out of the scene."""
        self.top.remove()


def _add(
    scene: Any, name: str, visual: Visual, colour: Colour, opacity: float | None, size: float
) -> None:
    origin = visual.origin
    common = {
        "color": colour,
        "opacity": opacity,
        "scale": size,
        "cast_shadow": opacity is None,
        "receive_shadow": opacity is None,
    }
    if visual.shape is Shape.BOX:
        node = scene.add_box(name, dimensions=visual.size, **common)
    elif visual.shape is Shape.CYLINDER:
        radius, length = visual.size
        node = scene.add_cylinder(name, radius=radius, height=length, **common)
    else:
        node = scene.add_icosphere(name, radius=visual.size[0], **common)
    place(node, se3.pose(origin[:3, :3], origin[:3, 3]))
