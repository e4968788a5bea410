"""The tool's task as weighted rows: which of position and orientation, and how much of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik_node.core.kernels import task as kernel
from ik_node.core.kernels.damping import smallest_singular
from ik_node.core.rows import Rows, resolve_rows
from ik_node.core.target import read_target
from ik_node.errors import ConfigurationError, TargetError

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]

_CODES = {
    Rows.POSITION: kernel.POSITION,
    Rows.POSE: kernel.POSE,
    Rows.POSITION_THEN_ORIENTATION: kernel.POSITION_THEN_ORIENTATION,
}


@dataclass(frozen=True, eq=False)
class FrameTask:
    """The tip of one arm at a target.

    Attributes:
        arm: the joints.
        rows: which rows, and in which order of priority.
        weights: (3,) of the rotation about the tool's own x, y, z, in metres (the arm's
            characteristic length times the wish; 0: this rotation is of no interest).
    """

    arm: JointGroup
    rows: Rows
    weights: Array

    @classmethod
    def of(
        cls,
        arm: JointGroup,
        rows: Rows | str = "auto",
        orientation_weights: ArrayLike | None = None,
        point: bool = False,
    ) -> FrameTask:
        """Choose the rows: `auto` is position first under six joints, from six on the pose.

        Args:
            arm: the joints.
            rows: `auto`, `pose`, `position` or `position_then_orientation`.
            orientation_weights: (3,) >= 0 about the tool's x, y, z; None: (1, 1, 1).
            point: the target is a point: `auto` becomes `position`.

        Raises:
            TargetError: rows need an orientation and the target is a point.
        """
        if point:
            if rows == "auto":
                rows = Rows.POSITION
            elif resolve_rows(arm, rows) is not Rows.POSITION:
                raise TargetError("a point has no orientation; give a 4x4 pose or rows='position'")
        return cls(
            arm,
            resolve_rows(arm, rows),
            arm.characteristic_length * _weights(orientation_weights),
        )

    @property
    def code(self) -> int:
        """The kernels' number for `rows`."""
        return _CODES[self.rows]

    def error(self, q: ArrayLike, target: ArrayLike) -> Array:
        """Return the weighted rows still to go, (3,) or (6,): base axes [m], tool axes [m]."""
        return self._rows(q, target)[1]

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the weighted Jacobian of the tool's motion, (3, n) or (6, n), rows as `error`."""
        return self._rows(q, self.arm.forward_kinematics(q))[0]

    def _rows(self, q: ArrayLike, target: ArrayLike) -> tuple[Array, Array]:
        pose, _ = read_target(target)
        T = np.ascontiguousarray(self.arm.forward_kinematics(q))
        J = np.ascontiguousarray(self.arm.jacobian(q))
        e = np.empty(6)
        kernel.pose_error(T, pose, e)
        A, b = J.copy(), e.copy()
        w = self.weights
        kernel.weigh_rotation(T, J, e, w[0], w[1], w[2], A[3:], b[3:])
        count = 3 if self.rows is Rows.POSITION else 6
        return A[:count], b[:count]

    def level_one(self) -> int:
        """Return how many rows the first level has: 3 or 6."""
        return 6 if self.rows is Rows.POSE else 3

    def rank(self) -> int:
        """Return the generic rank of the first level: how many of its rows the arm can control."""
        generator = np.random.default_rng(0)
        lower = np.where(np.isfinite(self.arm.lower), self.arm.lower, -np.pi)
        upper = np.where(np.isfinite(self.arm.upper), self.arm.upper, np.pi)
        best = 0
        for _ in range(16):
            A = self.jacobian(generator.uniform(lower, upper))[: self.level_one()]
            values = np.linalg.svd(A, compute_uv=False)
            best = max(best, int(np.sum(values > 1e-6 * max(values[0], 1e-12))))
        return best

    def smallest_singular(self, q: ArrayLike) -> float:
        """Return the smallest singular value of the first level that is not always 0, m/rad."""
        A = np.ascontiguousarray(self.jacobian(q)[: self.level_one()])
        return float(smallest_singular(A, self.rank(), np.empty((12, 6))))


def _weights(wish: ArrayLike | None) -> Array:
    if wish is None:
        return np.ones(3)
    weights = np.array(wish, dtype=np.float64)
    if weights.shape != (3,) or not np.all((weights >= 0.0) & np.isfinite(weights)):
        raise ConfigurationError(
            "orientation weights", f"{wish!r} is not usable", "give three numbers >= 0"
        )
    return weights
