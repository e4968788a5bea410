"""One tick of motion: towards a pose, with a twist, along the joints, or to a stop.

`move` keeps, whatever it is asked: |v| within the speed limits, its change within the acceleration
limits, q inside the walls, or moving into them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.bounds import step_bounds
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
    Scratch,
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
    if way == TO_POSE:
        gap = 0.0
        for i in range(n):
            gap = max(gap, abs(posture[i] - q[i]))
        if gap >= manner.capture:
            _to_pose(chain, q, v, dt, pace, goal, posture, may, task, manner, line, report, s)
        else:
            _along_joints(chain, q, v, dt, pace, posture, may, manner, report, s)
    elif way == WITH_TWIST:
        _with_twist(chain, q, v, dt, pace, twist, may, task, manner, line, report, s)
    elif way == ALONG_JOINTS:
        _along_joints(chain, q, v, dt, pace, posture, may, manner, report, s)
    else:
        step_bounds(q, v, dt, may.walls, may.speed, may.acceleration, s.lower, s.upper)
        for i in range(n):
            s.d[i] = v[i] * dt
        execute(q, v, dt, s.d, 0.0, may, report, s)


@njit
def _to_pose(
    chain: Array,
    q: Array,
    v: Array,
    dt: float,
    pace: float,
    goal: Array,
    posture: Array,
    limits: Limits,
    task: Task,
    manner: Manner,
    line: Array,
    report: Array,
    s: Scratch,
) -> None:
    forward_kinematics(chain, q, s.T, s.J, s.joints)
    pose_error(s.T, goal, s.error)
    report[DISTANCE] = length_of(s.error, 0)
    report[ANGLE] = 0.0 if task.rows == POSITION else length_of(s.error, 3)
    share = bounded_step(s.error, dt, task, manner, s.tool_step)
    back_to_the_line(s.T, goal, line, manner.straighten, s.tool_step)
    for i in range(q.shape[0]):
        s.rest[i] = share * (posture[i] - q[i])
    follow(chain, q, v, dt, share, limits, task, manner, pace, report, s)
    if report[DIRECTION_KEPT] == 0.0:
        forward_kinematics(chain, q, s.T, s.J, s.joints)
        line[:, :] = s.T


@njit
def _with_twist(
    chain: Array,
    q: Array,
    v: Array,
    dt: float,
    pace: float,
    twist: Array,
    limits: Limits,
    task: Task,
    manner: Manner,
    line: Array,
    report: Array,
    s: Scratch,
) -> None:
    forward_kinematics(chain, q, s.T, s.J, s.joints)
    for k in range(6):
        s.error[k] = twist[k] * dt
    share = bounded_step(s.error, dt, task, manner, s.tool_step)
    pose_error(s.T, line, s.error)
    drifted = length_of(s.error, 0) > DRIFT * manner.tool_speed
    if drifted or length_of(s.error, 3) > DRIFT * manner.tool_turn:
        line[:, :] = s.T
    else:
        for k in range(6):
            s.tool_step[k] += manner.straighten * s.error[k]
    for i in range(q.shape[0]):
        s.rest[i] = 0.0
    follow(chain, q, v, dt, ENDLESS, limits, task, manner, pace, report, s)
    if report[DIRECTION_KEPT] == 0.0:
        forward_kinematics(chain, q, s.T, s.J, s.joints)
        line[:, :] = s.T
    else:
        advance_pose(line, twist, report[SCALE] * share * dt)


@njit
def _along_joints(
    chain: Array,
    q: Array,
    v: Array,
    dt: float,
    pace: float,
    posture: Array,
    limits: Limits,
    manner: Manner,
    report: Array,
    s: Scratch,
) -> None:
    n = q.shape[0]
    step_bounds(q, v, dt, limits.walls, limits.speed, limits.acceleration, s.lower, s.upper)
    for i in range(n):
        s.d[i] = posture[i] - q[i]
        s.rest[i] = pace * limits.speed[i]
    scale = desired_scale(s.d, 1.0, s.rest, limits.acceleration, manner.braking, dt)
    forward_kinematics(chain, q, s.T, s.J, s.joints)
    for k in range(6):
        s.error[k] = 0.0
        for i in range(n):
            s.error[k] += s.J[k, i] * s.d[i]
    moved = length_of(s.error, 0)
    turned = length_of(s.error, 3)
    if moved * scale > pace * manner.tool_speed * dt:
        scale = pace * manner.tool_speed * dt / moved
    if turned * scale > pace * manner.tool_turn * dt:
        scale = pace * manner.tool_turn * dt / turned
    execute(q, v, dt, s.d, scale, limits, report, s)
