"""`python -m ik_node.cli.warm`: compile every kernel into the cache, for a quick start."""

from __future__ import annotations

import time

import numpy as np

from ik_node.cli.arms import find_arm
from ik_node.cli.demo import load_arm
from ik_node.control import PoseTracker, TrackerConfig, TwistTarget
from ik_node.core import JointGroup, warm_up

TICK = 0.01


def main() -> None:
    """Compile, or load what was compiled before, and say how long it took."""
    start = time.perf_counter()
    arm = load_arm(find_arm("planar_2r"))
    warm_up(arm)
    run_every_kind_of_tick(arm)
    print(f"ik_node: kernels ready after {time.perf_counter() - start:.1f} s")


def run_every_kind_of_tick(arm: JointGroup) -> None:
    """Hold, follow a pose, a point, a twist and a target out of reach."""
    tracker = PoseTracker(arm, TrackerConfig())
    q = np.array([0.3, 0.9])
    pose = arm.forward_kinematics(np.array([0.4, 1.0]))
    twist = TwistTarget(np.array([0.01, 0.0, 0.0]), np.zeros(3), received=0.0)
    out_of_reach = pose + 9.0 * np.eye(4, k=3)
    now = 0.0
    for target in (None, pose, pose[:3, 3], twist, out_of_reach):
        for _ in range(3):
            now += TICK
            out = tracker.step(q, target, now, TICK)
            q = q if out.q_command is None else out.q_command


if __name__ == "__main__":
    main()
