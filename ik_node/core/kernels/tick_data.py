"""What the tick kernels are given, grouped into plain tuples of arrays and numbers.

From Python these come packed into a few arrays, because every argument of a compiled function
costs more than the arithmetic behind it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import njit

Array = NDArray[np.float64]
Flags = NDArray[np.int8]

# settings (SETTINGS,): what is controlled and how, as numbers
ROWS, RANK, WEIGHTS, POSTURE, CEILING, THRESHOLD = 0, 1, 2, 5, 6, 7
TOOL_SPEED, TOOL_TURN, BRAKING, CAPTURE, STRAIGHTEN = 8, 9, 10, 11, 12
SETTINGS = 13

# report (REPORT_SIZE,): what came of a tick
SCALE, DIRECTION_KEPT, WALLED, DISTANCE, ANGLE = 0, 1, 2, 3, 4
REPORT_SIZE = 5


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


@njit
def memory_size(n: int, k: int) -> int:
    """Return how many floats `unpack_scratch` needs for n joints, k moving ones."""
    return 16 + 12 * n + 6 * k + 90 + 9 * n + (3 * n + 6) * n


@njit
def unpack_scratch(memory: Array, active: Flags, n: int, k: int) -> Scratch:
    """Cut `memory` (memory_size(n, k),) into named pieces."""
    at = 16
    T = memory[:at].reshape(4, 4)
    J = memory[at : at + 6 * n].reshape(6, n)
    at += 6 * n
    A = memory[at : at + 6 * n].reshape(6, n)
    at += 6 * n
    joints = memory[at : at + 6 * k].reshape(k, 6)
    at += 6 * k
    b = memory[at : at + 6]
    error = memory[at + 6 : at + 12]
    tool_step = memory[at + 12 : at + 18]
    eigen = memory[at + 18 : at + 90].reshape(12, 6)
    at += 90
    vectors = memory[at : at + 9 * n].reshape(9, n)
    at += 9 * n
    return Scratch(
        T,
        J,
        joints,
        A,
        b,
        error,
        tool_step,
        vectors[0],
        vectors[1],
        vectors[2],
        vectors[3],
        vectors[4],
        vectors[5],
        vectors[6],
        vectors[7],
        vectors[8],
        eigen,
        memory[at : at + (3 * n + 6) * n].reshape(3 * n + 6, n),
        active,
    )


@njit
def unpack_limits(limits: Array) -> Limits:
    """Name the rows of (4, n): lower wall, upper wall, speed, acceleration."""
    return Limits(limits[0:2], limits[2], limits[3])


@njit
def unpack_task(settings: Array) -> Task:
    """Name the settings of the task."""
    return Task(
        int(settings[ROWS]),
        int(settings[RANK]),
        settings[WEIGHTS : WEIGHTS + 3],
        settings[POSTURE],
        settings[CEILING],
        settings[THRESHOLD],
    )


@njit
def unpack_manner(settings: Array) -> Manner:
    """Name the settings of the manner."""
    return Manner(
        settings[TOOL_SPEED],
        settings[TOOL_TURN],
        settings[BRAKING],
        settings[CAPTURE],
        settings[STRAIGHTEN],
    )
