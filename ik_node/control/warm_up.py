"""Compile every kernel of the control loop before it starts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ik_node.control.config import TrackerConfig
from ik_node.control.motion import Motion
from ik_node.control.pose_tracker import PoseTracker
from ik_node.control.request import Target
from ik_node.control.sweep import sweep
from ik_node.control.twist import TwistTarget
from ik_node.control.watchdog import Interval
from ik_node.core.warm_up import warm_up as warm_up_core
from ik_node.core.warm_up import warm_up_step

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup


ANY_JERK = 1e9
"""rad/s^3: no arm comes late by such a limit."""


def warm_up(arm: JointGroup, config: TrackerConfig | None = None) -> None:
    """Run every kernel once with the types that the control loop gives it: none compiles there.

    Takes a minute or two on a new machine and milliseconds when the compiled kernels are cached.
    """
    warm_up_core(arm)
    warm_up_motion(arm, config)
    q = np.clip(0.0, arm.lower, arm.upper)
    tracker = PoseTracker(arm, config)
    targets: tuple[Target, ...] = (
        arm.forward_kinematics(q),
        np.zeros(3),
        TwistTarget((0.0, 0.0, 0.01)),
    )
    for tick, target in enumerate(targets):
        for _ in range(3):
            tracker.step(q, target, 0.01 * tick, 0.01)


def warm_up_motion(arm: JointGroup, config: TrackerConfig | None = None) -> None:
    """Run the kernels that move an arm and look at it: all of a tick but its searches."""
    warm_up_step(arm)
    q = np.clip(0.0, arm.lower, arm.upper)
    tracker = PoseTracker(arm, config)
    for tick in range(3):
        tracker.step(q, None, 0.01 * tick, 0.01)
    motion = Motion(arm, replace(config or TrackerConfig(), jerk_limit=ANY_JERK))
    motion.seed(q, None)
    motion.along_joints(q, 0.01, 1.0)
    motion.send(Interval(0.01, 0.01))
    sweep(arm, q, q)
