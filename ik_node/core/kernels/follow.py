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

HERE, AHEAD, MIDDLE, AT_THE_WALL = 0, 1, 2, 3
LOOKS = 4


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
    """Execute as much of `s.tool_step` as the limits allow; it is `share` of the way to go.

    `s` holds the forward kinematics of q.

    The joints' direction is looked at here, ahead where the arm could stop, in the middle of the
    step, which is the one to take, and once more where a wall is too near for it. One loop, so
    that the solver is compiled into it once.
    """
    n = q.shape[0]
    scale = 1.0
    far = 0.0
    slowing = 0.0
    shortened = 1.0
    walled = False
    for look in range(LOOKS):
        if look == AT_THE_WALL:
            walled = _narrow_to_walls(
                dt, scale, s.d, limits.acceleration, s.room_lower, s.room_upper
            )
            if not walled or scale <= 0.0:
                break
            for k in range(6):
                s.tool_step[k] *= scale
            for i in range(n):
                s.rest[i] *= scale
        else:
            if look == AHEAD:
                slowing = _slowing(s.d, limits.acceleration, manner.braking, dt)
                far = _stopping_distance(s.d, v, dt, share, slowing)
            ahead = far if look == AHEAD else (0.5 * scale if look == MIDDLE else 0.0)
            for i in range(n):
                point = q[i] + ahead * s.d[i]
                if look == AHEAD:
                    point = min(max(point, limits.walls[0, i]), limits.walls[1, i])
                s.point[i] = point
                origin = point if look == AHEAD else q[i]
                s.room_lower[i] = limits.walls[0, i] - origin
                s.room_upper[i] = limits.walls[1, i] - origin
            if look != HERE:
                forward_kinematics(chain, s.point, s.T, s.J, s.joints)
        d = s.ahead if look == AHEAD else s.d
        joint_direction(
            s.T,
            s.J,
            s.tool_step,
            s.rest,
            task,
            s.room_lower,
            s.room_upper,
            d,
            s.A,
            s.b,
            s.eigen,
            s.work,
            s.active,
        )
        if look == AHEAD:
            allowed = _allowed_by_what_comes(
                s.d,
                s.ahead,
                far,
                slowing,
                limits.speed,
                limits.acceleration,
                manner.braking,
                dt,
            )
            scale = min(scale, allowed)
        elif look == AT_THE_WALL:
            share *= scale
            shortened = scale
            scale = desired_scale(s.d, share, limits.speed, limits.acceleration, manner.braking, dt)
        else:
            fast = desired_scale(s.d, share, limits.speed, limits.acceleration, manner.braking, dt)
            scale = min(scale, pace * fast)
    execute(q, v, dt, s.d, scale, limits, s.lower, s.upper, s.dq, report)
    report[SCALE] *= shortened
    report[WALLED] = 1.0 if walled else 0.0


@njit
def _narrow_to_walls(
    dt: float, scale: float, d: Array, acceleration: Array, lower: Array, upper: Array
) -> bool:
    """Tell whether `scale` times d comes too fast to a wall; narrow the room to what brakes."""
    walled = False
    for i in range(d.shape[0]):
        down = -dt * wall_speed(-lower[i], acceleration[i], dt)
        up = dt * wall_speed(upper[i], acceleration[i], dt)
        if lower[i] > 0.0:
            down = lower[i]
        if upper[i] < 0.0:
            up = upper[i]
        move = scale * d[i]
        if move < down - 1e-15 or move > up + 1e-15:
            walled = True
        lower[i] = min(down, up)
        upper[i] = max(down, up)
    return walled


@njit
def _slowing(d: Array, acceleration: Array, braking: float, dt: float) -> float:
    """Return by how much the scale of d can fall in a tick."""
    slowing = math.inf
    for i in range(d.shape[0]):
        if d[i] != 0.0:
            slowing = min(slowing, braking * acceleration[i] * dt * dt / abs(d[i]))
    return slowing


@njit
def _stopping_distance(d: Array, v: Array, dt: float, share: float, slowing: float) -> float:
    """Return where along d the arm could stop, at least 1 and at most the target."""
    along = 0.0
    size = 0.0
    for i in range(v.shape[0]):
        along += v[i] * dt * d[i]
        size += d[i] * d[i]
    along = max(along / size, 0.0) if size > 0.0 else 0.0
    return min(max(along * along / (2.0 * slowing), 1.0), 1.0 / share)


@njit
def _allowed_by_what_comes(
    d: Array,
    ahead: Array,
    far: float,
    slowing: float,
    speed: Array,
    acceleration: Array,
    braking: float,
    dt: float,
) -> float:
    """Return the scale of d from which the speed limits at `far` can be met, in direction `ahead`.

    How fast the direction turns on the way tells how much acceleration the path itself needs.
    """
    if slowing == math.inf:
        return 1.0
    there = 1.0
    bend = math.inf
    for i in range(d.shape[0]):
        if ahead[i] != 0.0:
            there = min(there, speed[i] * dt / abs(ahead[i]))
        change = abs(ahead[i] - d[i])
        if change > 0.0:
            bend = min(bend, (1.0 - braking) * acceleration[i] * dt * dt * far / change)
    return min(math.sqrt(there * there + 2.0 * slowing * far), math.sqrt(bend))


@njit
def execute(
    q: Array,
    v: Array,
    dt: float,
    d: Array,
    scale: float,
    limits: Limits,
    lower: Array,
    upper: Array,
    dq: Array,
    report: Array,
) -> None:
    """Move q and v by `scale` times d (n,), or by what the box leaves of it; dq (n,) is scratch."""
    step_bounds(q, v, dt, limits.walls, limits.speed, limits.acceleration, lower, upper)
    kept = scaled_step(d, scale, lower, upper, dq)
    integrate(q, v, dq, dt, limits.walls)
    report[SCALE] = max(kept, 0.0)
    report[DIRECTION_KEPT] = 0.0 if kept == LOST else 1.0
