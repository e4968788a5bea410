"""The parts of a robot description: links, joints, mimics."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class JointKind(str, Enum):
    """The joint types that the kinematics know."""

    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    FIXED = "fixed"


@dataclass(frozen=True)
class Mimic:
    """This joint's value is multiplier * value of `joint` + offset."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid body: mass [kg] and centre of mass (3,) in the link frame [m]."""

    name: str
    mass: float
    com: Array


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint from link `parent` to link `child`.

    Attributes:
        origin: (4, 4) pose of the joint in the parent link.
        axis: (3,) unit axis in the joint frame.
        lower, upper: position limits, rad or m; -inf and inf for continuous joints.
        velocity: rad/s or m/s, 0 where the description gives none.
        effort: N m or N, 0 where the description gives none.
        mimic: None, or the independent joint that drives this one.
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    origin: Array
    axis: Array
    lower: float
    upper: float
    velocity: float
    effort: float
    mimic: Mimic | None

    @property
    def moves(self) -> bool:
        """Whether the joint is not fixed."""
        return self.kind is not JointKind.FIXED
