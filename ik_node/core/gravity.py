"""What gravity asks of every joint of a robot that stands still."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from ik_node.core.elements import Array, JointKind
from ik_node.core.kernels import gravity as kernel
from ik_node.core.model import RobotModel

EARTH = (0.0, 0.0, -9.81)


def gravity_torque(
    model: RobotModel, positions: Mapping[str, float], gravity: ArrayLike = EARTH
) -> dict[str, float]:
    """Torque [N m] (force [N] for prismatic joints) that holds each joint against gravity.

    It is the derivative of the potential energy by the joint; gravity itself pulls with the
    opposite. A mimic joint's share is carried by the joint that drives it.

    Args:
        model: the robot; masses and their centres come from its <inertial>s.
        positions: by independent joint's name, rad or m; joints that are left out stand at 0.
        gravity: (3,) acceleration in the root frame [m/s^2].

    Returns:
        One entry for each independent moving joint.

    Source: Siciliano et al., Robotics: Modelling, Planning and Control, 7.1.
    """
    tree = _TREES.get(model)
    if tree is None:
        tree = _TREES[model] = _pack(model)
    q = np.array([positions.get(name, 0.0) for name in tree.names])
    load = np.empty(len(tree.names))
    kernel.gravity_load(
        tree.rows,
        q,
        np.array(gravity, dtype=float),
        np.empty_like(tree.scratch),
        np.empty((6, 3)),
        load,
    )
    return dict(zip(tree.names, load.tolist(), strict=True))


class _Tree(NamedTuple):
    names: tuple[str, ...]
    rows: Array
    scratch: Array


_TREES: WeakKeyDictionary[RobotModel, _Tree] = WeakKeyDictionary()


def _pack(model: RobotModel) -> _Tree:
    joints = list(model.joints.values())
    names = tuple(j.name for j in joints if j.moves and j.mimic is None)
    place = {joint.child: i for i, joint in enumerate(joints)}
    rows = np.zeros((len(joints), kernel.COLUMNS))
    for row, joint in zip(rows, joints, strict=True):
        row[0:9] = joint.origin[:3, :3].ravel()
        row[9:12] = joint.origin[:3, 3]
        row[12:15] = joint.axis
        row[kernel.PRISMATIC] = joint.kind is JointKind.PRISMATIC
        if joint.moves:
            row[kernel.INDEX] = names.index(joint.mimic.joint if joint.mimic else joint.name)
            row[kernel.MULTIPLIER] = joint.mimic.multiplier if joint.mimic else 1.0
            row[kernel.OFFSET] = joint.mimic.offset if joint.mimic else 0.0
        link = model.links[joint.child]
        row[kernel.PARENT] = place.get(joint.parent, -1)
        row[kernel.MASS] = link.mass
        row[21:24] = link.com
    return _Tree(names, rows, np.zeros((len(joints), kernel.SCRATCH)))
