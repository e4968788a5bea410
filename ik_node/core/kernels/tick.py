"""One tick of motion: towards a pose, with a twist, along the joints, or to a stop.

`move` keeps, whatever it is asked: |v| within the speed limits, its change within the acceleration
limits, q inside the walls, or moving into them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.follow import execute, follow
from ik_node.core.kernels.jit import njit
from ik_node.core.kernels.kinematics import forward_kinematics
from ik_node.core.kernels.scaling import desired_scale
from ik_node.core.kernels.task import POSITION, pose_error
from ik_node.core.kernels.tick_data import (
    ANGLE,
    DIRECTION_KEPT,
    DISTANCE,
    SCALE,
    WALLED,
    Limits,
    Manner,
    Task,
    unpack_limits,
    unpack_manner,
    unpack_scratch,
    unpack_task,
)
from ik_node.core.kernels.tool_step import advance_pose, back_to_the_line, bounded_step, length_of

Array = NDArray[np.float64]
Flags = NDArray[np.int8]

TO_POSE, WITH_TWIST, ALONG_JOINTS, STOP = range(4)

ENDLESS = 1e-12
"""Share of the way of a step that has no end."""
DRIFT = 0.02
"""s, at the tool's full speed: a drift that is taken back; more is none but a limit."""


@njit
def move(
    way: int,
    chain: Array,
    q: Array,
    v: Array,
    dt: float,
    pace: float,
    goal: Array,
    posture: Array,
    twist: Array,
    limits: Array,
    settings: Array,
    line: Array,
    report: Array,
    memory: Array,
    active: Flags,
) -> None:
    """Move q and v one tick, one of four ways.

    Args:
        way: TO_POSE, along the tool's straight line; WITH_TWIST; ALONG_JOINTS, along the straight
            line of the joints; STOP, slowing down so that the path stays what it was.
        chain: packed chain, see `kinematics`.
        q: (n,) in and out, command.
        v: (n,) in and out, its velocity.
        dt: s, > 0.
        pace: in [0, 1], part of the speeds to use.
        goal: (4, 4) reachable pose of the tip in the base, for TO_POSE.
        posture: (n,) configuration that reaches it, for TO_POSE and ALONG_JOINTS.
        twist: (6,) [m/s, rad/s] about the tip in base axes, for WITH_TWIST.
        limits: (4, n) lower wall, upper wall, speed, acceleration.
        settings: see `tick_data`.
        line: (4, 4) in and out: where the straight line started, or where the twist should have
            brought the tool.
        report: (REPORT_SIZE,) out: scale, 1 if the direction was kept, 1 if a wall changed the
            step, distance [m] and angle [rad] to the goal before the step.
        memory: see `tick_data.memory_size`.
        active: (n,) warm set of the box minimiser, in and out.
    """
    n = q.shape[0]
    s = unpack_scratch(memory, active, n, chain.shape[0] - 1)
    may = unpack_limits(limits)
    task = unpack_task(settings)
    manner = unpack_manner(settings)
    report[WALLED] = 0.0
    gap = 0.0
    for i in range(n):
        gap = max(gap, abs(posture[i] - q[i]))
    if way == STOP:
        for i in range(n):
            s.d[i] = v[i] * dt
        execute(q, v, dt, s.d, 0.0, may, s.lower, s.upper, s.dq, report)
    elif way == ALONG_JOINTS or (way == TO_POSE and gap < manner.capture):
        forward_kinematics(chain, q, s.T, s.J, s.joints)
        scale = _aim_along_joints(q, dt, pace, posture, may, manner, s.J, s.error, s.rest, s.d)
        execute(q, v, dt, s.d, scale, may, s.lower, s.upper, s.dq, report)
    else:
        forward_kinematics(chain, q, s.T, s.J, s.joints)
        if way == TO_POSE:
            share = _aim_at_pose(s.T, dt, goal, task, manner, line, report, s.error, s.tool_step)
            left = share
            for i in range(n):
                s.rest[i] = share * (posture[i] - q[i])
        else:
            share = _aim_with_twist(s.T, dt, twist, task, manner, line, s.error, s.tool_step)
            left = ENDLESS
            for i in range(n):
                s.rest[i] = 0.0
        follow(chain, q, v, dt, left, may, task, manner, pace, report, s)
        if report[DIRECTION_KEPT] == 0.0:
            forward_kinematics(chain, q, line, s.J, s.joints)
        elif way == WITH_TWIST:
            advance_pose(line, twist, report[SCALE] * share * dt)


@njit
def _aim_at_pose(
    T: Array,
    dt: float,
    goal: Array,
    task: Task,
    manner: Manner,
    line: Array,
    report: Array,
    error: Array,
    step: Array,
) -> float:
    """Write into step (6,) the tool's step of this tick; return which share of the way it is."""
    pose_error(T, goal, error)
    report[DISTANCE] = length_of(error, 0)
    report[ANGLE] = 0.0 if task.rows == POSITION else length_of(error, 3)
    share = bounded_step(error, dt, task, manner, step)
    back_to_the_line(T, goal, line, manner.straighten, step)
    return share


@njit
def _aim_with_twist(
    T: Array,
    dt: float,
    twist: Array,
    task: Task,
    manner: Manner,
    line: Array,
    error: Array,
    step: Array,
) -> float:
    """Write into step (6,) the tool's step, with what it drifted; return its share of the twist."""
    for k in range(6):
        error[k] = twist[k] * dt
    share = bounded_step(error, dt, task, manner, step)
    pose_error(T, line, error)
    drifted = length_of(error, 0) > DRIFT * manner.tool_speed
    if drifted or length_of(error, 3) > DRIFT * manner.tool_turn:
        for i in range(4):
            for j in range(4):
                line[i, j] = T[i, j]
    else:
        for k in range(6):
            step[k] += manner.straighten * error[k]
    return share


@njit
def _aim_along_joints(
    q: Array,
    dt: float,
    pace: float,
    posture: Array,
    limits: Limits,
    manner: Manner,
    J: Array,
    error: Array,
    speed: Array,
    d: Array,
) -> float:
    """Write into d (n,) the way to the posture; return the scale that speeds and braking allow."""
    n = q.shape[0]
    for i in range(n):
        d[i] = posture[i] - q[i]
        speed[i] = pace * limits.speed[i]
    scale = desired_scale(d, 1.0, speed, limits.acceleration, manner.braking, dt)
    for k in range(6):
        error[k] = 0.0
        for i in range(n):
            error[k] += J[k, i] * d[i]
    moved = length_of(error, 0)
    turned = length_of(error, 3)
    if moved * scale > pace * manner.tool_speed * dt:
        scale = pace * manner.tool_speed * dt / moved
    if turned * scale > pace * manner.tool_turn * dt:
        scale = pace * manner.tool_turn * dt / turned
    return scale
