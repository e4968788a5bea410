"""Targets that an arm can reach for certain, and one that it cannot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ik_node.core import JointGroup, manipulability
from ik_node.core.branch import branch_limits, branch_signs

Array = NDArray[np.float64]

_INSIDE = 0.6
"""Share of a joint's range, about its middle, that targets use."""
_WIDEST = 1.2
"""Largest joint value of a target where the limits are far away [rad or m]."""
_FROM_STRAIGHT = 0.3
_APART, _OUT, _UP = 0.15, 0.35, 0.1
"""Between two targets, in front of the shoulder, above the base: shares of the reach."""
_LEAST_MANIPULABILITY = 0.2
_TRIES = 20_000


@dataclass(frozen=True)
class DemoTarget:
    """A pose (4, 4) of the tip in the base frame, and whether the arm can get there."""

    name: str
    pose: Array
    reachable: bool


@dataclass(frozen=True)
class Room:
    """Joint ranges (n,) well inside the limits of one branch."""

    lower: Array
    upper: Array

    @property
    def middle(self) -> Array:
        """A pose (n,) far from everything that could go wrong."""
        return (self.lower + self.upper) / 2


def find_room(arm: JointGroup, q: Array | None = None) -> Room:
    """Where targets may lie: on the branch of q (n,) if it has room, else on the roomiest one."""
    elbow = arm.elbow
    signs = branch_signs(arm, elbow, margin=_FROM_STRAIGHT)
    if q is not None and elbow is not None and elbow.sign_of(q) in signs:
        signs = (elbow.sign_of(q),)
    rooms = []
    for sign in signs:
        box = branch_limits(arm, elbow, sign, margin=_FROM_STRAIGHT)
        lower, upper = np.maximum(box.lower, -np.pi), np.minimum(box.upper, np.pi)
        middle, half = (lower + upper) / 2, np.minimum(_INSIDE * (upper - lower) / 2, _WIDEST)
        rooms.append(Room(middle - half, middle + half))
    return max(rooms, key=lambda room: float(np.prod(room.upper - room.lower)))


def choose_targets(arm: JointGroup, room: Room, count: int, seed: int) -> list[DemoTarget]:
    """`count` reachable targets by forward kinematics, then one outside the reach.

    They lie away from limits and singularities, in front of the base and apart from each other,
    so that they suit real hardware too. An arm that stands on the ground keeps above its base.
    """
    rng = np.random.default_rng(seed)
    shoulder, axis = np.split(arm.joint_axes(room.middle)[0], 2)
    on_the_ground = abs(axis[2]) > 0.5
    poses: list[Array] = []
    for q in rng.uniform(room.lower, room.upper, (_TRIES, arm.size)):
        pose = arm.forward_kinematics(q)
        position = pose[:3, 3]
        if position[0] - shoulder[0] < _OUT * arm.reach:
            continue
        if on_the_ground and position[2] < _UP * arm.reach:
            continue
        if poses and np.linalg.norm(position - poses[-1][:3, 3]) < _APART * arm.reach:
            continue
        if manipulability(arm, q).relative < _LEAST_MANIPULABILITY:
            continue
        poses.append(pose)
        if len(poses) == count:
            break
    targets = [DemoTarget(str(i + 1), pose, True) for i, pose in enumerate(poses)]
    outside = poses[-1].copy()
    outward = outside[:3, 3] - shoulder
    outside[:3, 3] = shoulder + 1.4 * arm.reach * outward / np.linalg.norm(outward)
    return [*targets, DemoTarget("outside", outside, False)]
