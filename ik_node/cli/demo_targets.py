"""Targets that an arm can reach for certain, and one that it cannot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ik_node.core import JointGroup, manipulability
from ik_node.core.branch import branch_limits, branch_signs
from ik_node.errors import ConfigurationError

Array = NDArray[np.float64]

_ON_THE_GROUND = 0.5
"""Share of the first axis that points up where an arm stands on the ground."""
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
    margin = _FROM_STRAIGHT if branch_signs(arm, elbow, margin=_FROM_STRAIGHT) else 0.0
    signs = branch_signs(arm, elbow, margin)
    if q is not None and elbow is not None and elbow.sign_of(q) in signs:
        signs = (elbow.sign_of(q),)
    rooms = []
    for sign in signs:
        box = branch_limits(arm, elbow, sign, margin)
        lower, upper = np.maximum(box.lower, -np.pi), np.minimum(box.upper, np.pi)
        middle, half = (lower + upper) / 2, np.minimum(_INSIDE * (upper - lower) / 2, _WIDEST)
        rooms.append(Room(middle - half, middle + half))
    return max(rooms, key=lambda room: float(np.prod(room.upper - room.lower)))


def choose_targets(arm: JointGroup, room: Room, count: int, seed: int) -> list[DemoTarget]:
    """`count` reachable targets by forward kinematics, then one outside the reach.

    They lie away from limits and singularities and apart from each other, in front of the base
    where the arm gets there, so that they suit real hardware too. An arm that stands on the ground
    keeps above its base.

    Raises:
        ConfigurationError: the joint limits leave fewer such places.
    """
    shoulder, axis = np.split(arm.joint_axes(room.middle)[0], 2)
    floor = _UP * arm.reach if abs(axis[2]) > _ON_THE_GROUND else -np.inf
    ahead = shoulder[0] + _OUT * arm.reach
    poses = _spread_poses(arm, room, np.array([ahead, -np.inf, floor]), count, seed)
    if len(poses) < count:
        poses = _spread_poses(arm, room, np.array([-np.inf, -np.inf, floor]), count, seed)
    if not poses:  # it hangs
        poses = _spread_poses(arm, room, np.full(3, -np.inf), count, seed)
    if len(poses) < count:
        raise ConfigurationError(
            f"an arm from '{arm.base}' to '{arm.tip}'",
            f"has {len(poses)} places for {count} targets that lie apart, above its base and away "
            "from limits and singularities",
            "widen the joint limits in its URDF",
        )
    targets = [DemoTarget(str(i + 1), pose, True) for i, pose in enumerate(poses)]
    outside = poses[-1].copy()
    outward = outside[:3, 3] - shoulder
    outside[:3, 3] = shoulder + 1.4 * arm.reach * outward / np.linalg.norm(outward)
    return [*targets, DemoTarget("outside", outside, False)]


def _spread_poses(arm: JointGroup, room: Room, least: Array, count: int, seed: int) -> list[Array]:
    """Up to `count` poses (4, 4) with x, y and z of at least `least` (3,) [m], base frame."""
    rng = np.random.default_rng(seed)
    poses: list[Array] = []
    for q in rng.uniform(room.lower, room.upper, (_TRIES, arm.size)):
        pose = arm.forward_kinematics(q)
        position = pose[:3, 3]
        if (position < least).any():
            continue
        if poses and np.linalg.norm(position - poses[-1][:3, 3]) < _APART * arm.reach:
            continue
        if manipulability(arm, q).relative < _LEAST_MANIPULABILITY:
            continue
        poses.append(pose)
        if len(poses) == count:
            break
    return poses
