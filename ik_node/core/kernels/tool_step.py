"""The tool's step of one tick: bounded, back to the straight line, drift-free with a twist."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import njit
from ik_node.core.kernels.task import POSITION
from ik_node.core.kernels.tick_data import Manner, Task

Array = NDArray[np.float64]


@njit
def bounded_step(error: Array, dt: float, task: Task, manner: Manner, step: Array) -> float:
    """Write into step (6,) the part of error (6,) that one tick at full tool speed makes."""
    share = 1.0
    distance = length_of(error, 0)
    angle = 0.0 if task.rows == POSITION else length_of(error, 3)
    if distance > manner.tool_speed * dt:
        share = manner.tool_speed * dt / distance
    if angle * share > manner.tool_turn * dt:
        share = manner.tool_turn * dt / angle
    for k in range(6):
        step[k] = share * error[k]
    return share


@njit
def back_to_the_line(T: Array, goal: Array, line: Array, part: float, step: Array) -> None:
    """Add to step (6,) a `part` of what the tool is off the line from `line` (4, 4) to the goal."""
    length = 0.0
    along = 0.0
    for k in range(3):
        way = goal[k, 3] - line[k, 3]
        length += way * way
        along += way * (T[k, 3] - line[k, 3])
    share = along / length if length > 0.0 else 0.0
    for k in range(3):
        way = goal[k, 3] - line[k, 3]
        step[k] -= part * (T[k, 3] - line[k, 3] - share * way)


@njit
def length_of(six: Array, start: int) -> float:
    """Return the length of the three numbers from `start`."""
    x, y, z = six[start], six[start + 1], six[start + 2]
    return math.sqrt(x * x + y * y + z * z)


@njit
def advance_pose(line: Array, twist: Array, dt: float) -> None:
    """Move the pose `line` (4, 4) with a twist in base axes for dt."""
    for k in range(3):
        line[k, 3] += twist[k] * dt
    angle = length_of(twist, 3) * dt
    if angle == 0.0:
        return
    x, y, z = twist[3] * dt / angle, twist[4] * dt / angle, twist[5] * dt / angle
    c, si = math.cos(angle), math.sin(angle)
    for j in range(3):
        a, b, e = line[0, j], line[1, j], line[2, j]
        dot = (1.0 - c) * (x * a + y * b + z * e)
        line[0, j] = c * a + si * (y * e - z * b) + dot * x
        line[1, j] = c * b + si * (z * a - x * e) + dot * y
        line[2, j] = c * e + si * (x * b - y * a) + dot * z
