"""Which ways an arm can move its tool: the axes that a marker offers to drag."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ik_node.core import JointGroup

Array = NDArray[np.float64]

_SAMPLES = 64
_ZERO = 0.02
"""Share of the largest singular value under which a direction counts as none."""


@dataclass(frozen=True, eq=False)
class MarkerAxes:
    """The drag axes of one arm; `turns` is False where only positions are controlled."""

    arm: JointGroup
    turns: bool = True

    @cached_property
    def translations(self) -> Array:
        """(k, 3) unit directions in base axes along which the tool can be moved."""
        moves = np.hstack([self.arm.jacobian(q)[:3] for q in self._samples])
        return _basis(moves, _rank(moves))

    def rotations(self, q: Array) -> Array:
        """(m, 3) unit axes in the tool frame that the tool can turn about where it stands, at q."""
        if not self._turn_count:
            return np.empty((0, 3))
        return _basis(self._turns(q), self._turn_count)

    @cached_property
    def _turn_count(self) -> int:
        if not self.turns:
            return 0
        return int(np.median([_rank(self._turns(q)) for q in self._samples]))

    def _turns(self, q: Array) -> Array:
        """Turning (3, n) in the tool frame by the joint motions that keep the tool's place."""
        J = self.arm.jacobian(q)
        _, sigma, V = np.linalg.svd(J[:3])
        rank = int((sigma > _ZERO * sigma[0]).sum())
        standing = V[rank:].T
        return self.arm.forward_kinematics(q)[:3, :3].T @ J[3:] @ standing @ standing.T

    @cached_property
    def _samples(self) -> Array:
        return self.arm.random_configurations(_SAMPLES, np.random.default_rng(0))


def _rank(directions: Array) -> int:
    sigma = np.linalg.svd(directions, compute_uv=False)
    return int((sigma > max(_ZERO * sigma[0], 1e-9)).sum())


def _basis(directions: Array, count: int) -> Array:
    """(count, 3) orthonormal axes that span `directions`, coordinate axes where it holds them."""
    U = np.linalg.svd(directions)[0][:, :count]
    project = U @ U.T
    axes: list[Array] = []
    for start in sorted(np.eye(3), key=lambda axis: -round(float(axis @ project @ axis), 6)):
        rest = project @ start - sum((axis * (axis @ start) for axis in axes), np.zeros(3))
        if len(axes) < count and np.linalg.norm(rest) > 0.1:
            axes.append(rest / np.linalg.norm(rest))
    return np.array(axes).reshape(len(axes), 3)
