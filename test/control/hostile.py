"""Targets that no friend would send."""

from __future__ import annotations

from typing import Any

import numpy as np

from ik_node.control import TwistTarget
from ik_node.core import JointGroup


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return R * np.sign(np.linalg.det(R))


def hostile_target(arm: JointGroup, q: np.ndarray, rng: np.random.Generator) -> Any:
    """At the base, on its axis, far, behind, across the hole, reachable; or none at all."""
    tool = arm.forward_kinematics(q)
    base = arm.joint_axes(q)[0]
    pose = np.eye(4)
    pose[:3, :3] = random_rotation(rng)
    kind = rng.integers(8)
    if kind == 0:
        pose[:3, 3] = base[:3] + 0.01 * rng.normal(size=3)
    elif kind == 1:
        pose[:3, 3] = base[:3] + base[3:] * rng.uniform(-1, 1) * arm.reach
    elif kind == 2:
        pose[:3, 3] = 5.0 * pose[:3, 0]
    elif kind == 3:
        pose[:3, 3] = tool[:3, 3] * [-1.0, -1.0, 1.0]
    elif kind == 4:
        pose[:3, 3] = -tool[:3, 3]
    elif kind == 5:
        pose[:3, 3] = rng.normal(size=3) * 0.3 * arm.reach
    else:
        pose = arm.forward_kinematics(arm.random_configurations(1, rng)[0])
    choice = rng.random()
    if choice < 0.3:
        return pose[:3, 3].copy()
    if choice < 0.45:
        return TwistTarget(rng.normal(size=3), 3.0 * rng.normal(size=3))
    if choice < 0.50:
        return None
    if choice < 0.53:
        return np.full((4, 4), np.nan)
    return pose


def patience(rng: np.random.Generator) -> int:
    """Ticks until the next target."""
    return int(rng.integers(1, 5) if rng.random() < 0.3 else rng.integers(1, 60))
