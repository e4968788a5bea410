"""Random arms of the kind that stands on a desk: a waist, two links with an elbow, a wrist."""

from __future__ import annotations

import math

import numpy as np
from strategies import JointText, arm_of, fixed_joint, urdf

from ik_node.core import JointGroup


def desk_arm(size: int, rng: np.random.Generator) -> JointGroup:
    """An arm of 2 to 7 joints with an elbow; lengths, offsets, limits and speeds at random."""
    across = (0.0, float(rng.choice([-1.0, 1.0])), 0.0)
    l1, l2 = rng.uniform(0.12, 0.35, 2).round(4)
    offset = float(rng.choice([0.0, round(rng.uniform(0.01, 0.05), 4)]))
    wide = rng.uniform(1.6, 2.8, 3).tolist()
    speed = float(rng.uniform(2.0, 6.0))

    def joint(
        name: str, xyz: tuple[float, ...], axis: tuple[float, ...], reach: float
    ) -> JointText:
        return JointText(
            name,
            "revolute",
            xyz,
            (0, 0, 0),
            axis,
            -reach,
            reach * float(rng.uniform(0.8, 1.0)),
            speed,
        )

    waist = [joint("waist", (0, 0, 0.06), (0, 0, 1), math.pi)] if size > 2 else []
    yaw = [joint("upper_roll", (0, 0, 0.5 * l1), (0, 0, 1), 2.8)] if size == 7 else []
    rise = l1 if size < 7 else 0.5 * l1
    links = [
        joint("shoulder", (0, 0, 0.05), across, wide[0]),
        *yaw,
        joint("elbow", (offset, 0, rise), across, wide[1]),
    ]
    wrist = []
    if size >= 6:
        wrist.append(joint("forearm_roll", (0.5 * l2, 0, 0), (1, 0, 0), 2.8))
        wrist.append(joint("wrist_pitch", (0.5 * l2, 0, 0), across, wide[2]))
    elif size >= 4:
        wrist.append(joint("wrist_pitch", (l2, 0, 0), across, wide[2]))
    if size >= 5:
        wrist.append(joint("wrist_roll", (0.04, 0, 0), (1, 0, 0), 3.1))
    tip = 0.08 if size >= 4 else l2
    return arm_of(urdf([*waist, *links, *wrist, fixed_joint((tip, 0, 0))], f"desk_{size}"))


def bent(arm: JointGroup, rng: np.random.Generator, margin: float = 0.35) -> np.ndarray:
    """A configuration inside the limits by a share of their room, the elbow well bent."""
    lower, upper = np.maximum(arm.lower, -2.5), np.minimum(arm.upper, 2.5)
    while True:
        q = lower + rng.uniform(0.2, 0.8, arm.size) * (upper - lower)
        angle = abs(arm.elbow.angle(q)) if arm.elbow is not None else 1.0
        if margin < angle < math.pi - margin:
            return q
