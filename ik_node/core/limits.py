"""Limits as a box on the configuration."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik_node.errors import ConfigurationError, SizeError

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Box:
    """An interval for each joint, rad (m): joint limits, narrowed by a branch or a margin.

    Boxes of the same numbers are equal.

    Attributes:
        lower: (n,) read-only, may hold -inf.
        upper: (n,) read-only, may hold inf, nowhere under `lower`.
    """

    lower: Array
    upper: Array

    def __post_init__(self) -> None:
        lower = _frozen(self.lower)
        upper = _frozen(self.upper)
        if lower.ndim != 1 or lower.shape != upper.shape:
            raise SizeError("limits", "two arrays (n,)", f"{lower.shape} and {upper.shape}")
        if not np.all(lower <= upper):
            joint = int(np.argmin(lower <= upper))
            raise ConfigurationError(
                f"limits of joint number {joint + 1}",
                f"lower {lower[joint]} is not below upper {upper[joint]}",
                "exchange them",
            )
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Box) and self._numbers == other._numbers

    def __hash__(self) -> int:
        return hash(self._numbers)

    @cached_property
    def _numbers(self) -> bytes:
        return self.lower.tobytes() + self.upper.tobytes()

    @property
    def size(self) -> int:
        """Number of joints."""
        return int(self.lower.shape[0])

    def contains(self, q: ArrayLike, tolerance: float = 0.0) -> bool:
        """Tell whether configuration q (n,) lies inside, every joint within `tolerance`."""
        point = np.asarray(q, dtype=np.float64)
        return bool(
            np.all(point >= self.lower - tolerance) and np.all(point <= self.upper + tolerance)
        )

    def clip(self, q: ArrayLike) -> Array:
        """Return the point of the box nearest to q (n,)."""
        return np.clip(np.asarray(q, dtype=np.float64), self.lower, self.upper)

    def shrunk(self, margin: float) -> Box:
        """Return the box `margin` narrower at each end, never thinner than its middle."""
        middle = np.where(
            np.isfinite(self.lower + self.upper), 0.5 * (self.lower + self.upper), 0.0
        )
        return Box(
            np.where(np.isfinite(self.lower), np.minimum(self.lower + margin, middle), self.lower),
            np.where(np.isfinite(self.upper), np.maximum(self.upper - margin, middle), self.upper),
        )


def _frozen(values: ArrayLike) -> Array:
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array
