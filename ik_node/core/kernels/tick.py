"""One tick of motion: towards a pose, with a twist, along the joints, or to a stop.

Every function moves q (n,) and v (n,) in place and keeps, whatever it is asked: |v| within the
speed limits, its change within the acceleration limits, q inside the walls.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.bounds import integrate, step_bounds, wall_speed
from ik_node.core.kernels.direction import joint_direction
from ik_node.core.kernels.jit import njit
from ik_node.core.kernels.kinematics import forward_kinematics
from ik_node.core.kernels.scaling import LOST, desired_scale, scaled_step
from ik_node.core.kernels.task import POSITION, pose_error
from ik_node.core.kernels.tick_data import Limits, Manner, Scratch, Task

Array = NDArray[np.float64]

REPORT_SIZE = 6
SIGMA, SCALE, DIRECTION_KEPT, WALLED, DISTANCE, ANGLE = range(REPORT_SIZE)

ENDLESS = 1e-12


@njit
def pose_tick(
    chain: Array,
    q: Array,
    v: Array,
    dt: float,
    goal: Array,
    posture: Array,
    limits: Limits,
    task: Task,
    manner: Manner,
    pace: float,
    anchor: Array,
    report: Array,
    s: Scratch,
) -> None:
    """Move the tool one tick along the straight line to a reachable pose.

    Args:
        chain: packed chain, see `kinematics`.
        q: (n,) in and out.
        v: (n,) in and out, velocity of the last tick.
        dt: s, > 0.
        goal: (4, 4) reachable pose of the tip in the base.
        posture: (n,) the configuration that reaches it.
        limits: what the joints may do.
        task: what is controlled.
        manner: how the tool goes.
        pace: in [0, 1], part of the speeds to use.
        anchor: (3,) in and out, where the straight line starts.
        report: (6,) out: smallest singular value [m/rad], scale, 1 if the direction was kept, 1
            if a wall changed the step, distance [m] and angle [rad] to the goal before the step.
        s: scratch.
    """
    n = q.shape[0]
    gap = 0.0
    for i in range(n):
        gap = max(gap, abs(posture[i] - q[i]))
    if gap < manner.capture:
        joint_tick(chain, q, v, dt, posture, limits, manner, pace, report, s)
        return
    forward_kinematics(chain, q, s.T, s.J, s.joints)
    pose_error(s.T, goal, s.error)
    report[DISTANCE] = _length(s.error, 0)
    report[ANGLE] = 0.0 if task.rows == POSITION else _length(s.error, 3)
    share = _tool_step(s.error, dt, task, manner, s.tool_step)
    _back_to_the_line(s.T, goal, anchor, manner.straighten, s.tool_step)
    for i in range(n):
        s.rest[i] = share * (posture[i] - q[i])
    _follow(chain, q, v, dt, share, limits, task, manner, pace, report, s)
    if report[DIRECTION_KEPT] == 0.0:
        forward_kinematics(chain, q, s.T, s.J, s.joints)
        for k in range(3):
            anchor[k] = s.T[k, 3]


@njit
def twist_tick(
    chain: Array,
    q: Array,
    v: Array,
    dt: float,
    twist: Array,
    limits: Limits,
    task: Task,
    manner: Manner,
    pace: float,
    anchor: Array,
    report: Array,
    s: Scratch,
) -> None:
    """Move the tool one tick with `twist` (6,) [m/s, rad/s] in base axes, about the tip.

    `anchor` (4, 4), in and out, is where the twist should have brought the tool; small drift from
    it is taken back. The other arguments are those of `pose_tick`.
    """
    n = q.shape[0]
    forward_kinematics(chain, q, s.T, s.J, s.joints)
    for k in range(6):
        s.error[k] = twist[k] * dt
    share = _tool_step(s.error, dt, task, manner, s.tool_step)
    pose_error(s.T, anchor, s.error)
    drift = _length(s.error, 0)
    turned = _length(s.error, 3)
    if drift > 0.02 * manner.tool_speed or turned > 0.02 * manner.tool_turn:
        anchor[:, :] = s.T
    else:
        for k in range(6):
            s.tool_step[k] += manner.straighten * s.error[k]
    for i in range(n):
        s.rest[i] = 0.0
    _follow(chain, q, v, dt, ENDLESS, limits, task, manner, pace, report, s)
    if report[DIRECTION_KEPT] == 0.0:
        forward_kinematics(chain, q, s.T, s.J, s.joints)
        anchor[:, :] = s.T
    else:
        _advance(anchor, twist, report[SCALE] * share * dt)


@njit
def joint_tick(
    chain: Array,
    q: Array,
    v: Array,
    dt: float,
    posture: Array,
    limits: Limits,
    manner: Manner,
    pace: float,
    report: Array,
    s: Scratch,
) -> None:
    """Move all joints one tick along the straight joint-space line to `posture` (n,).

    Arguments as for `pose_tick`; the smallest singular value is not reported.
    """
    n = q.shape[0]
    step_bounds(q, v, dt, limits.walls, limits.speed, limits.acceleration, s.lower, s.upper)
    for i in range(n):
        s.d[i] = posture[i] - q[i]
        s.rest[i] = pace * limits.speed[i]
    scale = desired_scale(s.d, 1.0, s.rest, limits.acceleration, manner.braking, dt)
    forward_kinematics(chain, q, s.T, s.J, s.joints)
    for k in range(6):
        total = 0.0
        for i in range(n):
            total += s.J[k, i] * s.d[i]
        s.error[k] = total
    moved = _length(s.error, 0)
    turned = _length(s.error, 3)
    if moved * scale > pace * manner.tool_speed * dt:
        scale = pace * manner.tool_speed * dt / moved
    if turned * scale > pace * manner.tool_turn * dt:
        scale = pace * manner.tool_turn * dt / turned
    _execute(q, v, dt, s.d, scale, limits, report, s)
    report[WALLED] = 0.0


@njit
def stop_tick(q: Array, v: Array, dt: float, limits: Limits, report: Array, s: Scratch) -> None:
    """Slow all joints down together, so that the path stays what it was as long as it can."""
    step_bounds(q, v, dt, limits.walls, limits.speed, limits.acceleration, s.lower, s.upper)
    for i in range(q.shape[0]):
        s.d[i] = v[i] * dt
    _execute(q, v, dt, s.d, 0.0, limits, report, s)
    report[WALLED] = 0.0


@njit
def _follow(
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
    sigma = joint_direction(s.tool_step, s.rest, task, s.room_lower, s.room_upper, s.d, s)
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
        _execute(q, v, dt, s.d, again, limits, report, s)
        report[SCALE] *= scale
    else:
        _execute(q, v, dt, s.d, scale, limits, report, s)
    report[SIGMA] = sigma
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
def _execute(
    q: Array,
    v: Array,
    dt: float,
    d: Array,
    scale: float,
    limits: Limits,
    report: Array,
    s: Scratch,
) -> None:
    kept = scaled_step(d, scale, s.lower, s.upper, s.dq)
    integrate(q, v, s.dq, dt, limits.walls)
    report[SCALE] = max(kept, 0.0)
    report[DIRECTION_KEPT] = 0.0 if kept == LOST else 1.0


@njit
def _tool_step(error: Array, dt: float, task: Task, manner: Manner, step: Array) -> float:
    """Write into step (6,) the part of error (6,) that one tick at full tool speed makes."""
    share = 1.0
    distance = _length(error, 0)
    angle = 0.0 if task.rows == POSITION else _length(error, 3)
    if distance > manner.tool_speed * dt:
        share = manner.tool_speed * dt / distance
    if angle * share > manner.tool_turn * dt:
        share = manner.tool_turn * dt / angle
    for k in range(6):
        step[k] = share * error[k]
    return share


@njit
def _back_to_the_line(T: Array, goal: Array, anchor: Array, part: float, step: Array) -> None:
    """Add to step (6,) a `part` of what the tool is off the line from the anchor to the goal."""
    length = 0.0
    along = 0.0
    for k in range(3):
        way = goal[k, 3] - anchor[k]
        length += way * way
        along += way * (T[k, 3] - anchor[k])
    share = along / length if length > 0.0 else 0.0
    for k in range(3):
        way = goal[k, 3] - anchor[k]
        step[k] -= part * (T[k, 3] - anchor[k] - share * way)


@njit
def _length(six: Array, start: int) -> float:
    x, y, z = six[start], six[start + 1], six[start + 2]
    return math.sqrt(x * x + y * y + z * z)


@njit
def _advance(anchor: Array, twist: Array, dt: float) -> None:
    """Move the pose `anchor` (4, 4) with a twist in base axes for dt."""
    for k in range(3):
        anchor[k, 3] += twist[k] * dt
    angle = _length(twist, 3) * dt
    if angle == 0.0:
        return
    x, y, z = twist[3] * dt / angle, twist[4] * dt / angle, twist[5] * dt / angle
    c, si = math.cos(angle), math.sin(angle)
    for j in range(3):
        a, b, e = anchor[0, j], anchor[1, j], anchor[2, j]
        dot = (1.0 - c) * (x * a + y * b + z * e)
        anchor[0, j] = c * a + si * (y * e - z * b) + dot * x
        anchor[1, j] = c * b + si * (z * a - x * e) + dot * y
        anchor[2, j] = c * e + si * (x * b - y * a) + dot * z
