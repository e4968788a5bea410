"""The robot that is shown: model, arm, elbow, shapes, and its joints' names in messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ik_node.core import JointGroup, RobotModel
from ik_node.core.branch import branch_signs
from ik_node.core.elbow import Elbow, find_elbow
from ik_node.errors import ConfigurationError, UnknownNameError
from ik_node.ros.joint_names import JointNames
from ik_node.ros.marker_axes import MarkerAxes
from ik_node.viewer.visuals import Visuals, read_visuals

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ShownArm:
    """All that hangs on the robot description.

    Attributes:
        model: the whole robot.
        arm: the joints from base to tip.
        elbow: that tells its branches apart, None without one.
        visuals: the shapes of its links.
        names: translates joint names.
        axes: the directions in which the tool can be dragged.
    """

    model: RobotModel
    arm: JointGroup
    elbow: Elbow | None
    visuals: Visuals
    names: JointNames
    axes: MarkerAxes

    @classmethod
    def build(cls, urdf: str, parameters: Mapping[str, Any]) -> ShownArm:
        """Make everything for a robot description and `ik_node`'s parameters.

        Raises:
            IkNodeError: they do not fit each other.
        """
        model = RobotModel.from_urdf(urdf)
        base = parameters["base_frame"] or model.root
        if not parameters["tip_frame"]:
            raise ConfigurationError(
                "parameter tip_frame", "is empty", "give ik_viewer ik_node's parameter file"
            )
        arm = model.joint_group(
            _link(model, base, parameters["prefix"]),
            _link(model, parameters["tip_frame"], parameters["prefix"]),
        )
        straight = parameters["elbow.straight"]
        return cls(
            model,
            arm,
            find_elbow(arm, parameters["elbow.joint"] or None, straight[0] if straight else None),
            read_visuals(urdf),
            JointNames(model.joints, parameters["prefix"]),
            MarkerAxes(arm, turns=parameters["rows"] != "position"),
        )

    @property
    def branches(self) -> tuple[str, ...]:
        """Names of the branches on which the joint limits leave room; empty without an elbow."""
        if self.elbow is None:
            return ()
        return tuple(self.elbow.label(sign) for sign in branch_signs(self.arm, self.elbow))

    @cached_property
    def wire_names(self) -> tuple[str, ...]:
        """The arm's joints in messages."""
        return tuple(self.names.wire(name) for name in self.arm.joint_names)

    @cached_property
    def driven_links(self) -> tuple[str, ...]:
        """The links that the arm's joints move, parents before children."""
        moving = set(self.arm.moving_names)
        return tuple(
            link
            for link in self.model.links
            if any(joint.name in moving for joint in self.model.ancestors(link))
        )

    @cached_property
    def planar(self) -> bool:
        """Whether the tool moves in one plane only."""
        return len(self.axes.translations) == 2


def _link(model: RobotModel, name: str, prefix: str) -> str:
    for candidate in (name, prefix + name):
        if candidate in model.links:
            return candidate
    raise UnknownNameError("link", name, model.links)
