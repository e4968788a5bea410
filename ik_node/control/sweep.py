"""What a joint-space move sweeps: how low it comes and how far the tool travels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.path import sweep_line

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]

STEP = 0.02
"""rad (m), between the configurations looked at."""
MOST = 400


@dataclass(frozen=True)
class Lowest:
    """How deep a move descends: height in the base frame [m], inf without any; and what does."""

    height: float
    part: str


@dataclass(frozen=True)
class Sweep:
    """What a joint-space line does.

    Attributes:
        travel: rad (m), of the joint that moves most.
        joint: its name.
        tool: m, length of the tool's path.
        lowest: the lowest point of any joint or of the tool.
    """

    travel: float
    joint: str
    tool: float
    lowest: Lowest


def sweep(arm: JointGroup, start: Array, end: Array) -> Sweep:
    """Look along the straight joint-space line from `start` (n,) to `end` (n,)."""
    difference = np.abs(end - start)
    steps = int(min(MOST, max(1.0, np.ceil(float(difference.max()) / STEP))))
    out = np.empty(3)
    n = arm.size
    sweep_line(
        np.array(arm.chain),
        np.array(start),
        np.array(end),
        steps,
        np.empty(n),
        np.empty((4, 4)),
        np.empty((6, n)),
        np.empty((len(arm.chain) - 1, 6)),
        np.empty(len(arm.chain)),
        out,
    )
    where = int(out[1])
    part = "tool" if where < 0 else f"joint {arm.moving_names[where]}"
    most = int(difference.argmax())
    return Sweep(
        float(difference[most]), arm.joint_names[most], float(out[2]), Lowest(float(out[0]), part)
    )


def lowest_on_the_way(arm: JointGroup, start: Array, end: Array) -> Lowest:
    """Return the lowest point of the joint-space line from `start` (n,) to `end` (n,)."""
    return sweep(arm, start, end).lowest
