"""Compile every kernel before a control loop starts."""

from __future__ import annotations

import numpy as np

from ik_node.core.gravity import gravity_torque
from ik_node.core.joint_group import JointGroup
from ik_node.core.kernels.jit import COMPILED
from ik_node.core.manipulability import manipulability, nearest_singularity
from ik_node.core.rows import Rows
from ik_node.core.search import search
from ik_node.core.step import solve_ik


def warm_up(arm: JointGroup) -> None:
    """Run every kernel once with the types that a control loop gives it: none compiles there.

    Takes seconds on a new machine and milliseconds when the compiled kernels are cached on disk.
    What is computed once for an arm (its elbow, its best manipulability) is computed here too.
    """
    warm_up_search(arm)
    warm_up_step(arm)


def warm_up_search(arm: JointGroup) -> None:
    """Run the kernels of searches, and those that measure an arm."""
    q = np.clip(0.0, arm.lower, arm.upper)
    for rows in Rows:
        manipulability(arm, q, rows)
        nearest_singularity(arm, q, rows)
    gravity_torque(arm.model, {})
    if COMPILED:
        near = arm.forward_kinematics(q)
        far = near + 9.0 * np.eye(4, k=3)
        for rows in Rows:
            search(arm, near, q, rows=rows)
            search(arm, far, q, rows=rows, restarts=1)


def warm_up_step(arm: JointGroup) -> None:
    """Run the kernels of one step."""
    q = np.clip(0.0, arm.lower, arm.upper)
    for rows in Rows:
        solve_ik(arm, q, arm.forward_kinematics(q), rows=rows)
