"""The path of a command that trails its plan: the plan's average over the last seconds.

The plan is a polygon in time. Its average over a window T moves with the plan's mean velocity, and
its acceleration changes by the difference of two of the plan's accelerations over T: no faster
than 2A / T for a plan that keeps the acceleration A (Biagiotti and Melchiorri, "FIR filters for
online trajectory planning with time- and frequency-domain specifications", 2012). Where the plan
keeps a convex bound, and all of `step_bounds` are convex, its average does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.bounds import integrate, step_bounds, wall_speed
from ik_node.core.kernels.jit import njit

Array = NDArray[np.float64]


@njit
def begin_trail(
    q: Array, v: Array, window: float, limits: Array, path: Array, spans: Array
) -> None:
    """Put the plan ahead of a command at q with the velocity v, so that the average is there.

    Args:
        q: (n,) in: where the command is; out: where the plan is, v window / 2 ahead.
        v: (n,) in and out: the velocity of both; as much of it as can brake before the walls.
        window: s.
        limits: (4, n) lower wall, upper wall, speed, acceleration.
        path: (m, n) out: the plan so far, a straight line.
        spans: (m,) out: how long each leg of it took [s].
    """
    for i in range(q.shape[0]):
        wall = limits[1, i] - q[i] if v[i] > 0.0 else q[i] - limits[0, i]
        most = wall_speed(wall, limits[3, i], 0.5 * window)
        v[i] = min(max(v[i], -most), most)
        q[i] += 0.5 * window * v[i]
        path[0, i] = q[i] - 2.0 * window * v[i]
        path[1, i] = q[i]
    spans[1] = 2.0 * window


@njit
def follow_plan(
    plan: Array,
    q: Array,
    v: Array,
    dt: float,
    window: float,
    limits: Array,
    path: Array,
    spans: Array,
    newest: int,
    work: Array,
) -> int:
    """Move the command to the plan's average, joint by joint as far as the limits let it.

    Args:
        plan: (n,) where the plan is now.
        q: (n,) in and out, command.
        v: (n,) in and out, its velocity.
        dt: s, > 0.
        window: s, over which the plan is averaged.
        limits: (4, n) lower wall, upper wall, speed, acceleration.
        path: (m, n) in and out: the newest points of the plan, in a ring.
        spans: (m,) in and out: how long the legs to these points took [s].
        newest: place of the newest point.
        work: (3, n) scratch.

    Returns:
        The place of the newest point now.
    """
    newest = (newest + 1) % path.shape[0]
    spans[newest] = dt
    for i in range(q.shape[0]):
        path[newest, i] = plan[i]
    step, lower, upper = work[0], work[1], work[2]
    _average(path, spans, newest, window, step)
    step_bounds(q, v, dt, limits[0:2], limits[2], limits[3], lower, upper)
    for i in range(q.shape[0]):
        step[i] = min(max(step[i] - q[i], lower[i]), upper[i])
    integrate(q, v, step, dt, limits[0:2])
    return newest


@njit
def _average(path: Array, spans: Array, newest: int, window: float, average: Array) -> None:
    """Write the average (n,) of the last window; exactly the newest point if all are the same."""
    n = average.shape[0]
    m = path.shape[0]
    for i in range(n):
        average[i] = 0.0
    left = window
    end = newest
    for _ in range(m - 1):
        start = (end - 1) % m
        part = min(left, spans[end])
        for i in range(n):
            half = 0.5 * part / spans[end] * (path[start, i] - path[end, i])
            average[i] += part * (path[end, i] - path[newest, i] + half)
        left -= part
        if left <= 0.0:
            break
        end = start
    for i in range(n):
        average[i] = path[newest, i] + average[i] / window
