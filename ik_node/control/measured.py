"""Joint values as they come from outside."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik_node.errors import SizeError

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]


def joint_values(arm: JointGroup, values: ArrayLike | None) -> Array | None:
    """Return (n,) values of the arm's joints, copied; None where one is missing or not finite.

    Raises:
        SizeError: another number of values than the arm has joints.
    """
    if values is None:
        return None
    array = np.array(values, dtype=np.float64)
    if array.shape != (arm.size,):
        raise SizeError(
            "joint values", f"({arm.size},) for {', '.join(arm.joint_names)}", str(array.shape)
        )
    return array if all(map(math.isfinite, array.tolist())) else None
