"""From the tool's step to the command: as much of it as every limit allows, direction first."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.bounds import integrate, step_bounds, wall_speed
from ik_node.core.kernels.direction import joint_direction
from ik_node.core.kernels.jit import njit
from ik_node.core.kernels.kinematics import forward_kinematics
from ik_node.core.kernels.scaling import LOST, desired_scale, scaled_step
from ik_node.core.kernels.tick_data import (
    DIRECTION_KEPT,
    SCALE,
    WALLED,
    Limits,
    Manner,
    Scratch,
    Task,
)

Array = NDArray[np.float64]


@njit
def follow(
    chain: Array,
    q: Array,
    v: Array,
    dt: float,
    share: float,
    limits: Limits,
    task: Task,
    manner: Manner,
    pace: float,
    report: Array,
    s: Scratch,
) -> None:
    """Execute as much of `s.tool_step` as the limits allow, with T and J of q in s."""
    n = q.shape[0]
    for i in range(n):
        s.room_lower[i] = limits.walls[0, i] - q[i]
        s.room_upper[i] = limits.walls[1, i] - q[i]
    joint_direction(s.tool_step, s.rest, task, s.room_lower, s.room_upper, s.d, s)
    scale = pace * desired_scale(s.d, share, limits.speed, limits.acceleration, manner.braking, dt)
    scale = min(scale, _look_ahead(chain, q, v, dt, share, limits, task, manner, s))
    for i in range(n):
        s.point[i] = q[i] + 0.5 * scale * s.d[i]
    forward_kinematics(chain, s.point, s.T, s.J, s.joints)
    joint_direction(s.tool_step, s.rest, task, s.room_lower, s.room_upper, s.d, s)
    scale = min(
        scale,
        pace * desired_scale(s.d, share, limits.speed, limits.acceleration, manner.braking, dt),
    )
    step_bounds(q, v, dt, limits.walls, limits.speed, limits.acceleration, s.lower, s.upper)
    walled = False
    for i in range(n):
        down = -dt * wall_speed(-s.room_lower[i], limits.acceleration[i], dt)
        up = dt * wall_speed(s.room_upper[i], limits.acceleration[i], dt)
        if s.room_lower[i] > 0.0:
            down = s.room_lower[i]
        if s.room_upper[i] < 0.0:
            up = s.room_upper[i]
        move = scale * s.d[i]
        if move < down - 1e-15 or move > up + 1e-15:
            walled = True
        s.room_lower[i] = min(down, up)
        s.room_upper[i] = max(down, up)
    if walled and scale > 0.0:
        for k in range(6):
            s.tool_step[k] *= scale
        for i in range(n):
            s.rest[i] *= scale
        joint_direction(s.tool_step, s.rest, task, s.room_lower, s.room_upper, s.d, s)
        again = desired_scale(
            s.d, share * scale, limits.speed, limits.acceleration, manner.braking, dt
        )
        execute(q, v, dt, s.d, again, limits, report, s)
        report[SCALE] *= scale
    else:
        execute(q, v, dt, s.d, scale, limits, report, s)
    report[WALLED] = 1.0 if walled else 0.0


@njit
def _look_ahead(
    chain: Array,
    q: Array,
    v: Array,
    dt: float,
    share: float,
    limits: Limits,
    task: Task,
    manner: Manner,
    s: Scratch,
) -> float:
    """Return the scale from which the speed limits ahead on the line can still be met.

    Looks at the point where the arm could stop; the joints' direction there tells how slow the
    tool has to be, and how fast the direction turns tells how much acceleration the path needs.
    """
    n = q.shape[0]
    slowing = math.inf
    along = 0.0
    size = 0.0
    for i in range(n):
        if s.d[i] != 0.0:
            slowing = min(slowing, manner.braking * limits.acceleration[i] * dt * dt / abs(s.d[i]))
        along += v[i] * dt * s.d[i]
        size += s.d[i] * s.d[i]
    if size == 0.0:
        return 1.0
    along = max(along / size, 0.0)
    far = min(max(along * along / (2.0 * slowing), 1.0), 1.0 / share)
    for i in range(n):
        s.point[i] = min(max(q[i] + far * s.d[i], limits.walls[0, i]), limits.walls[1, i])
        s.lower[i] = limits.walls[0, i] - s.point[i]
        s.upper[i] = limits.walls[1, i] - s.point[i]
    forward_kinematics(chain, s.point, s.T, s.J, s.joints)
    joint_direction(s.tool_step, s.rest, task, s.lower, s.upper, s.ahead, s)
    there = 1.0
    bend = math.inf
    for i in range(n):
        if s.ahead[i] != 0.0:
            there = min(there, limits.speed[i] * dt / abs(s.ahead[i]))
        change = abs(s.ahead[i] - s.d[i])
        if change > 0.0:
            spare = (1.0 - manner.braking) * limits.acceleration[i] * dt * dt
            bend = min(bend, spare * far / change)
    return min(math.sqrt(there * there + 2.0 * slowing * far), math.sqrt(bend))


@njit
def execute(
    q: Array,
    v: Array,
    dt: float,
    d: Array,
    scale: float,
    limits: Limits,
    report: Array,
    s: Scratch,
) -> None:
    """Move q and v by `scale` times d (n,), or by what the box in s leaves of it."""
    kept = scaled_step(d, scale, s.lower, s.upper, s.dq)
    integrate(q, v, s.dq, dt, limits.walls)
    report[SCALE] = max(kept, 0.0)
    report[DIRECTION_KEPT] = 0.0 if kept == LOST else 1.0
