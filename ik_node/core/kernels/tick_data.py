"""What the tick kernels are given, grouped; plain tuples of arrays and numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.int8]


class Limits(NamedTuple):
    """What the joints may do."""

    walls: Array
    """(2, n) lower and upper position bounds, the branch included [rad or m]."""
    speed: Array
    """(n,) [rad/s or m/s]."""
    acceleration: Array
    """(n,) [rad/s^2 or m/s^2]."""


class Task(NamedTuple):
    """What is controlled of the tool, and how it is damped."""

    rows: int
    """POSE, POSITION or POSITION_THEN_ORIENTATION of `task`."""
    rank: int
    """Generic rank of level 1's rows."""
    weights: Array
    """(3,) metres that one radian about each tool axis counts as."""
    posture: float
    """Weight of the posture against the rows of level 2 [m/rad]."""
    ceiling: float
    """Largest damping [m/rad]."""
    threshold: float
    """Smallest singular value under which damping starts [m/rad]."""


class Manner(NamedTuple):
    """How the tool goes to its target."""

    tool_speed: float
    """[m/s]."""
    tool_turn: float
    """[rad/s]."""
    braking: float
    """Part of the acceleration that braking may use; the rest bends the path."""
    capture: float
    """Largest joint distance from the goal within which the joints land together [rad or m]."""
    straighten: float
    """Part of the offset from the straight line that is taken back each tick."""


class Scratch(NamedTuple):
    """Memory of one tracker's ticks; nothing in it outlives a tick but `active`."""

    T: Array
    J: Array
    joints: Array
    A: Array
    b: Array
    error: Array
    tool_step: Array
    rest: Array
    lower: Array
    upper: Array
    room_lower: Array
    room_upper: Array
    d: Array
    ahead: Array
    point: Array
    dq: Array
    eigen: Array
    work: Array
    active: Flags


def make_scratch(n: int, moving: int) -> Scratch:
    """Return the memory for an arm of `n` joint values and `moving` moving joints in the chain."""
    vector = [np.zeros(n) for _ in range(9)]
    return Scratch(
        T=np.eye(4),
        J=np.zeros((6, n)),
        joints=np.zeros((moving, 6)),
        A=np.zeros((6, n)),
        b=np.zeros(6),
        error=np.zeros(6),
        tool_step=np.zeros(6),
        rest=vector[0],
        lower=vector[1],
        upper=vector[2],
        room_lower=vector[3],
        room_upper=vector[4],
        d=vector[5],
        ahead=vector[6],
        point=vector[7],
        dq=vector[8],
        eigen=np.zeros((6, 6)),
        work=np.zeros((3 * n + 6, n)),
        active=np.zeros(n, dtype=np.int8),
    )
