"""The branch as one more interval for the elbow joint.

A sign is +1 or -1, the side of `Elbow.straight` on which the elbow joint stands, or 0 for an arm
without an elbow.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ik_node.core.elbow import Elbow
from ik_node.core.elements import Array
from ik_node.core.limits import Box
from ik_node.errors import ConfigurationError

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup


def branch_limits(
    arm: JointGroup,
    elbow: Elbow | None,
    sign: int,
    margin: float = 0.03,
    fold_margin: float = 0.03,
    near: Array | None = None,
) -> Box:
    """Joint limits of the arm narrowed to one branch.

    Args:
        arm: the arm.
        elbow: its elbow, None if it has none.
        sign: +1 or -1; 0 for the joint limits alone.
        margin: distance kept from straight [rad].
        fold_margin: distance kept from folded, half a turn from straight [rad].
        near: (n,) configuration; where the elbow can turn more than once, the turn nearest to it
            is taken, else the one with the most room.

    Raises:
        ConfigurationError: the joint limits leave no room on this branch.
    """
    if elbow is None or sign == 0:
        return Box(arm.lower, arm.upper)
    i = elbow.index
    turns = list(_turns(arm, elbow, sign, margin, fold_margin))
    if not turns:
        raise ConfigurationError(
            f"joint '{elbow.joint}'",
            f"has no room on branch '{elbow.label(sign)}': its limits are "
            f"{arm.lower[i]:.4g} .. {arm.upper[i]:.4g} rad and it is straight at "
            f"{elbow.straight:.4g} rad (margin {margin:.4g})",
            f"use branch '{elbow.label(-sign)}' or widen the limits",
        )
    if near is None:
        low, high = max(turns, key=lambda t: (round(t[1] - t[0], 6), -abs(t[0] + t[1])))
    else:
        value = float(near[i])
        low, high = min(turns, key=lambda t: max(t[0] - value, value - t[1]))
    lower, upper = np.array(arm.lower), np.array(arm.upper)
    lower[i], upper[i] = low, high
    return Box(lower, upper)


def branch_signs(
    arm: JointGroup, elbow: Elbow | None, margin: float = 0.03, fold_margin: float = 0.03
) -> tuple[int, ...]:
    """The branches on which the joint limits leave room: of +1 and -1; (0,) without an elbow."""
    if elbow is None:
        return (0,)
    return tuple(s for s in (1, -1) if any(_turns(arm, elbow, s, margin, fold_margin)))


def _turns(
    arm: JointGroup, elbow: Elbow, sign: int, margin: float, fold_margin: float
) -> Iterator[tuple[float, float]]:
    """Intervals of the elbow joint on this branch, one for each turn that its limits allow."""
    near, far = sorted((sign * margin, sign * (math.pi - fold_margin)))
    lower, upper = float(arm.lower[elbow.index]), float(arm.upper[elbow.index])
    turn = 2.0 * math.pi
    if math.isfinite(lower) and math.isfinite(upper):
        first = math.floor((lower - elbow.straight) / turn) - 1
        last = math.ceil((upper - elbow.straight) / turn) + 1
    else:
        first, last = -1, 1
    for k in range(first, last + 1):
        straight = elbow.straight + k * turn
        low, high = max(lower, straight + near), min(upper, straight + far)
        if low < high:
            yield low, high
