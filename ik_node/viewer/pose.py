"""Poses to the scene and back: viser's quaternions are (w, x, y, z)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ik_node.core import se3

Array = NDArray[np.float64]

_DIGITS = 6
"""Rounding that keeps noise under a micrometre from being sent."""


def place(node: Any, T: Array) -> None:
    """Put a scene node at a pose (4, 4) in its parent; nothing is sent where it stands already."""
    x, y, z, w = se3.quaternion_from_rotation(T[:3, :3])
    wxyz = np.round((w, x, y, z), _DIGITS)
    position = np.round(T[:3, 3], _DIGITS)
    if not np.array_equal(node.wxyz, wxyz):
        node.wxyz = wxyz
    if not np.array_equal(node.position, position):
        node.position = position


def pose_of(node: Any) -> Array:
    """Pose (4, 4) of a scene node in its parent."""
    w, x, y, z = node.wxyz
    return se3.pose(se3.rotation_from_quaternion((x, y, z, w)), node.position)
