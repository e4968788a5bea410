"""Manipulability on the rows that are controlled, comparable from arm to arm."""

from __future__ import annotations

import math
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from ik_node.core.elements import Array
from ik_node.core.joint_group import JointGroup
from ik_node.core.kernels import kinematics
from ik_node.core.kernels import manipulability as kernel
from ik_node.core.rows import Rows, resolve_rows
from ik_node.core.singularity import CauseFinder, Singularity
from ik_node.errors import SizeError

NEAR = 0.1
_SAMPLES = 256
_CLIMBS = 3
_STARTS = 8
_RANK_TOLERANCE = 1e-6


class Manipulability(NamedTuple):
    """How well the tool can be moved from one configuration.

    Attributes:
        yoshikawa: product of the singular values that the arm has in general, m^r.
        sigma_min: the smallest of them, m/rad.
        condition: the largest over the smallest; inf at a singularity.
        relative: yoshikawa over the largest found in the workspace, 0 to 1.
        singularity: what the arm is near to, None if it is near to nothing.
    """

    yoshikawa: float
    sigma_min: float
    condition: float
    relative: float
    singularity: Singularity | None


class _Values(NamedTuple):
    yoshikawa: float
    sigma_min: float
    sigma_max: float


def manipulability(
    arm: JointGroup, q: ArrayLike, rows: str | Rows = "auto", near: float = NEAR
) -> Manipulability:
    """Manipulability at q (n,).

    Rotation rows count times the arm's characteristic length. The number of singular values is
    the rank at seeded configurations, so that an arm with fewer joints than rows, or a planar one,
    does not have 0 everywhere. Where position comes first, its rows alone count.

    Args:
        arm: the arm.
        q: (n,) rad or m.
        rows: "pose", "position", "position_then_orientation" or "auto".
        near: a singularity is near where the smallest singular value is under this share of the
            largest that it has in the workspace.

    Raises:
        SizeError: q has another length.
        UnknownNameError: no such rows.

    Source: Yoshikawa, Manipulability of robotic mechanisms, 1985.
    """
    scale = scale_of(arm, rows)
    q = _checked(arm, q)
    values = scale.measure(q)
    lost = values.sigma_min <= near * scale.best_sigma
    return Manipulability(
        values.yoshikawa,
        values.sigma_min,
        values.sigma_max / values.sigma_min if values.sigma_min > 0.0 else math.inf,
        min(1.0, values.yoshikawa / scale.best) if scale.best > 0.0 else 0.0,
        scale.causes.find(arm, q, scale.length, scale.rank) if lost else None,
    )


def nearest_singularity(arm: JointGroup, q: ArrayLike, rows: str | Rows = "auto") -> Singularity:
    """The singularity that q (n,) is nearest to, however far it is.

    Raises:
        SizeError: q has another length.
        UnknownNameError: no such rows.
    """
    scale = scale_of(arm, rows)
    return scale.causes.find(arm, _checked(arm, q), scale.length, scale.rank)


class Scale:
    """What manipulability is compared with, for one arm and number of rows.

    Attributes:
        rows: number of controlled rows, 3 or 6.
        length: weight of the rotation rows [m].
        rank: of the controlled rows in general.
        best: the largest product of the singular values that was found.
        best_sigma: the largest smallest singular value that was found, m/rad.
        causes: names what the arm is near to.
    """

    def __init__(self, arm: JointGroup, rows: int) -> None:
        # Not the arm itself: it could not be forgotten while this is remembered with it.
        self._chain = arm.chain
        self.rows = rows
        self.length = arm.characteristic_length
        self.causes = CauseFinder.for_arm(arm, rows)
        rng = np.random.default_rng(0)
        samples = arm.random_configurations(_SAMPLES, rng)
        sigmas = np.array([self._sigmas(q) for q in samples])
        self.rank = max(1, int((sigmas > _RANK_TOLERANCE * sigmas.max()).sum(axis=1).max()))
        products = sigmas[:, : self.rank].prod(axis=1)
        smallest = sigmas[:, self.rank - 1]
        self.best = self._highest(arm, samples, products, 0, rng)
        self.best_sigma = self._highest(arm, samples, smallest, 1, rng)

    def measure(self, q: Array) -> _Values:
        """Product, smallest and largest of the singular values at q (n,) float64."""
        sigma = self._sigmas(q)
        product = 1.0
        for i in range(self.rank):
            product *= sigma[i]
        return _Values(float(product), float(sigma[self.rank - 1]), float(sigma[0]))

    def _sigmas(self, q: Array) -> Array:
        n, m = len(q), self.rows
        T, J, axes = np.empty((4, 4)), np.empty((6, n)), np.empty((len(self._chain) - 1, 6))
        kinematics.forward_kinematics(self._chain, q, T, J, axes)
        sigma = np.empty(min(m, n))
        A = np.empty((min(m, n), max(m, n)))
        kernel.singular_values(J, m, self.length, A, np.empty((0, 0)), sigma)
        return sigma

    def _highest(
        self, arm: JointGroup, samples: Array, values: Array, which: int, rng: np.random.Generator
    ) -> float:
        """The highest hill among those that the best samples stand on."""
        starts = samples[np.argsort(values)[-_STARTS:]]
        return max(self._climb(arm, q, which, rng) for q in starts)

    def _climb(self, arm: JointGroup, q: Array, which: int, rng: np.random.Generator) -> float:
        """Go uphill from q by ever smaller steps; `which` of the values."""
        best = self.measure(q)[which]
        for step in 0.5 ** np.arange(0, 2 * _CLIMBS):
            for i in rng.permutation(2 * arm.size):
                trial = q.copy()
                trial[i // 2] += step if i % 2 else -step
                trial = np.clip(trial, arm.lower, arm.upper)
                value = self.measure(trial)[which]
                if value > best:
                    q, best = trial, value
        return best


_SCALES: WeakKeyDictionary[JointGroup, dict[str | int, Scale]] = WeakKeyDictionary()


def scale_of(arm: JointGroup, rows: str | Rows = "auto") -> Scale:
    """The scale for an arm and rows, computed once.

    Raises:
        UnknownNameError: no such rows.
    """
    scales = _SCALES.setdefault(arm, {})
    if rows not in scales:
        count = 6 if resolve_rows(arm, rows) is Rows.POSE else 3
        if count not in scales:
            scales[count] = Scale(arm, count)
        scales[rows] = scales[count]
    return scales[rows]


def _checked(arm: JointGroup, q: ArrayLike) -> Array:
    array = np.array(q, dtype=np.float64)
    if array.shape != (arm.size,):
        raise SizeError("q", f"({arm.size},) for {', '.join(arm.joint_names)}", str(array.shape))
    return array
