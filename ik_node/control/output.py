"""What one tick of the tracker brings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik_node.control.status import Status
from ik_node.core.manipulability import Manipulability

Array = NDArray[np.float64]


class TrackerOutput(NamedTuple):
    """The command and what there is to say about it.

    Attributes:
        q_command: (n,) rad or m; None when nothing may be sent (waiting, paused, fault).
        dq: (n,) change of the command in this tick.
        status: what is true now.
        branch: label of the committed branch, `none` without an elbow, `undecided` before.
        manipulability: of the commanded configuration; None before the first joint state.
        goal_pose: (4, 4) where the tool is going in the base frame; None without a goal.
        tool_pose: (4, 4) where the tool is commanded to be; None before the first joint state.
    """

    q_command: Array | None
    dq: Array
    status: Status
    branch: str
    manipulability: Manipulability | None
    goal_pose: Array | None
    tool_pose: Array | None


def without_command(n: int, status: Status, branch: str) -> TrackerOutput:
    """Return the output of a tick before anything is known of the n joints."""
    return TrackerOutput(None, np.zeros(n), status, branch, None, None, None)
