"""What an arm with spare freedom would like to do with it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import njit
from ik_node.core.kernels.kinematics import INDEX, MULTIPLIER, PRISMATIC

Array = NDArray[np.float64]

NONE = 0
REST = 1
ELBOW_HIGH = 2
ELBOW_LOW = 3


@njit
def posture_step(
    kind: int,
    elbow: int,
    chain: Array,
    joints: Array,
    q: Array,
    home: Array,
    step_max: float,
    rest: Array,
) -> None:
    """Write the joint step that the posture would like, none over `step_max`.

    Args:
        kind: NONE, REST (towards `home`), ELBOW_HIGH or ELBOW_LOW (the gradient of the height of
            the elbow's origin, in units of the arm above it, so that it is a step in rad).
        elbow: index in q of the elbow joint (used by ELBOW_HIGH and ELBOW_LOW).
        chain: (k + 1, 16).
        joints: (k, 6) from `forward_kinematics`.
        q: (n,).
        home: (n,) of REST.
        step_max: largest step of one joint, rad.
        rest: (n,) out.
    """
    n = q.shape[0]
    for i in range(n):
        rest[i] = 0.0
    if kind == NONE:
        return
    if kind == REST:
        for i in range(n):
            rest[i] = home[i] - q[i]
    else:
        at, reach = _elbow_row(elbow, chain, joints)
        for i in range(at):
            j = int(chain[i, INDEX])
            if chain[i, PRISMATIC] != 0.0:
                height = joints[i, 5]
            else:
                dx = joints[at, 0] - joints[i, 0]
                dy = joints[at, 1] - joints[i, 1]
                height = joints[i, 3] * dy - joints[i, 4] * dx
            rest[j] += chain[i, MULTIPLIER] * height
        sign = -1.0 if kind == ELBOW_LOW else 1.0
        for i in range(n):
            rest[i] *= sign / reach
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(rest[i]))
    if largest > step_max:
        for i in range(n):
            rest[i] *= step_max / largest


@njit
def posture_height(
    kind: int, elbow: int, chain: Array, joints: Array, q: Array, home: Array
) -> float:
    """Return the function of q whose downhill direction `posture_step` writes."""
    if kind == REST:
        total = 0.0
        for i in range(q.shape[0]):
            total += (home[i] - q[i]) ** 2
        return 0.5 * total
    if kind == NONE:
        return 0.0
    at, reach = _elbow_row(elbow, chain, joints)
    height = float(joints[at, 2]) / reach
    return height if kind == ELBOW_LOW else -height


@njit
def _elbow_row(elbow: int, chain: Array, joints: Array) -> tuple[int, float]:
    """Return the elbow's row in the chain, and a length of the arm above it that does not move."""
    at = 0
    while at < joints.shape[0] - 1 and int(chain[at, INDEX]) != elbow:
        at += 1
    reach = 1e-9
    for i in range(1, at + 1):
        x, y, z = chain[i, 9], chain[i, 10], chain[i, 11]
        reach += math.sqrt(x * x + y * y + z * z)
    return at, reach
