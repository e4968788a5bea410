"""The manipulability ellipsoid at the tool: how fast it can go each way at one joint speed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ik_node.core import JointGroup, se3
from ik_node.viewer import palette
from ik_node.viewer.pose import place

Array = NDArray[np.float64]

SCALE = 0.22
"""Metres drawn for a metre a second at one radian a second."""
THIN = 0.003
"""Half an axis that has vanished is drawn with this [m]."""


class Ellipsoid:
    """A see-through ball whose half axes are the singular values of the translation rows."""

    def __init__(self, scene: Any) -> None:
        self._ball = scene.add_icosphere(
            "/ellipsoid",
            radius=1.0,
            color=palette.ELLIPSOID,
            opacity=0.28,
            cast_shadow=False,
            receive_shadow=False,
        )

    def show(self, arm: JointGroup, q: Array, tool: Array) -> None:
        """Draw it for q (n,), at `tool` (3,)."""
        U, sigma, _ = np.linalg.svd(arm.jacobian(q)[:3])
        U[:, 2] *= np.sign(np.linalg.det(U))
        sizes = np.full(3, THIN)
        sizes[: len(sigma)] = np.maximum(SCALE * sigma, THIN)
        scale = tuple(round(float(size), 4) for size in sizes)
        if self._ball.scale != scale:
            self._ball.scale = scale
        place(self._ball, se3.pose(U, tool))

    def remove(self) -> None:
        """Take it out of the scene."""
        self._ball.remove()
