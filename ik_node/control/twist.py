"""A twist as a target: move the tool this way until told otherwise, or until the word is old."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ik_node.errors import TargetError

Array = NDArray[np.float64]

_FASTEST, _SLOWEST = 1e6, 1e-12


@dataclass(frozen=True)
class TwistTarget:
    """Velocity of the tip in base axes, LOCAL_WORLD_ALIGNED.

    Attributes:
        linear: (3,) m/s.
        angular: (3,) rad/s, about the tip.
        received: s, on the clock of `now`; None: when the tracker first sees it.
    """

    linear: Sequence[float]
    angular: Sequence[float] = (0.0, 0.0, 0.0)
    received: float | None = None

    def as_array(self) -> Array:
        """Return [v; w] (6,).

        Raises:
            TargetError: not three finite numbers each, or more than any arm can mean.
        """
        try:
            v = np.array(self.linear, dtype=np.float64)
            w = np.array(self.angular, dtype=np.float64)
        except (TypeError, ValueError):
            raise TargetError("the twist holds something that is not a number") from None
        if v.shape != (3,) or w.shape != (3,):
            raise TargetError("a twist has three linear and three angular values")
        if not (np.isfinite(v).all() and np.isfinite(w).all()):
            raise TargetError("the twist holds a number that is not finite")
        twist = np.concatenate([v, w])
        if np.abs(twist).max() > _FASTEST:
            raise TargetError(f"the twist is faster than {_FASTEST:g} m/s or rad/s")
        return np.where(np.abs(twist) < _SLOWEST, 0.0, twist)
