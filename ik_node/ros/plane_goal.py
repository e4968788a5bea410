"""RViz's 2D Goal: a place on the floor and a heading, for a tool that stands in space."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core import se3

Array = NDArray[np.float64]


def heading(T: Array) -> float:
    """Angle [rad] about z from x to the pose's x axis; where that is upright, to its z axis."""
    axis = T[:3, 0] if math.hypot(T[0, 0], T[1, 0]) > 0.1 else T[:3, 2]
    return math.atan2(axis[1], axis[0])


def with_plane_goal(T: Array, goal: Array) -> Array:
    """Move a pose to a 2D goal: x, y and the heading come from the goal, height and tilt stay.

    Args:
        T: (4, 4) the present pose.
        goal: (4, 4) in the same frame; its z and tilt say nothing.
    """
    turn = se3.exp(np.array([0.0, 0.0, heading(goal) - heading(T)]))
    return se3.pose(turn @ T[:3, :3], np.array([goal[0, 3], goal[1, 3], T[2, 3]]))
