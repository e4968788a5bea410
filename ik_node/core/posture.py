"""What an arm with spare freedom does with it: a rest pose, the middle, the elbow high or low."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik_node.core.kernels import posture as kernel
from ik_node.errors import ConfigurationError, SizeError, UnknownNameError

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]


class PostureKind(str, Enum):
    """The preferences that exist."""

    NONE = "none"
    REST = "rest"
    CENTRE = "centre"
    ELBOW_HIGH = "elbow_high"
    ELBOW_LOW = "elbow_low"


_CODES = {
    PostureKind.NONE: kernel.NONE,
    PostureKind.REST: kernel.REST,
    PostureKind.CENTRE: kernel.REST,
    PostureKind.ELBOW_HIGH: kernel.ELBOW_HIGH,
    PostureKind.ELBOW_LOW: kernel.ELBOW_LOW,
}


@dataclass(frozen=True, eq=False)
class Posture:
    """A preference for one arm, always below the tool's tasks in priority.

    Attributes:
        kind: what is preferred.
        home: (n,) rad (m), where `rest` and `centre` pull to; zeros for the others.
        elbow: index of the elbow joint, -1 where it does not matter.
    """

    kind: PostureKind
    home: Array
    elbow: int

    @property
    def code(self) -> int:
        """The kernel's number for `kind`."""
        return _CODES[self.kind]

    @classmethod
    def of(cls, arm: JointGroup, wish: PostureKind | str | ArrayLike | Posture | None) -> Posture:
        """Read a preference: a name, a rest pose (n,), None, or a Posture.

        Raises:
            UnknownNameError: no such name. SizeError: a rest pose of another length.
            ConfigurationError: an elbow is asked of an arm that has none, or `rest` without a pose.
        """
        if isinstance(wish, Posture):
            return wish
        zeros = np.zeros(arm.size)
        if wish is None:
            return cls(PostureKind.NONE, zeros, -1)
        if isinstance(wish, str):
            names = [kind.value for kind in PostureKind]
            if wish not in names:
                raise UnknownNameError("posture", str(wish), names)
            kind = PostureKind(wish)
            if kind is PostureKind.REST:
                raise ConfigurationError(
                    "posture", "'rest' needs a rest pose", "give the joint values instead"
                )
            if kind is PostureKind.CENTRE:
                middle = 0.5 * (arm.lower + arm.upper)
                return cls(kind, np.where(np.isfinite(middle), middle, 0.0), -1)
            if kind is PostureKind.NONE:
                return cls(kind, zeros, -1)
            if arm.elbow is None:
                raise ConfigurationError(
                    "posture",
                    f"'{kind.value}' was asked of an arm without an elbow",
                    "use 'centre' or a rest pose",
                )
            return cls(kind, zeros, arm.elbow.index)
        home = np.array(wish, dtype=np.float64)
        if home.shape != (arm.size,) or not np.isfinite(home).all():
            raise SizeError("rest pose", f"{arm.size} finite numbers", repr(wish))
        return cls(PostureKind.REST, home, -1)
