"""The box of one tick's joint motion: walls, speed and acceleration, viable for any later dt.

A wall at distance s allows the speed v with v dt + v^2 / 2A <= s: after this tick the joint can
still brake inside, whatever the next intervals are. If q and v meet it, so does v - A dt, so the
box of the next tick is never empty.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import njit

Array = NDArray[np.float64]


@njit
def wall_speed(distance: float, acceleration: float, dt: float) -> float:
    """Return the largest speed v towards a wall with v dt + v^2 / 2A <= distance (0 past it)."""
    if distance <= 0.0:
        return 0.0
    if distance == math.inf:
        return math.inf
    return 2.0 * distance / (dt + math.sqrt(dt * dt + 2.0 * distance / acceleration))


@njit
def step_bounds(
    q: Array,
    v: Array,
    dt: float,
    walls: Array,
    speed: Array,
    acceleration: Array,
    lower: Array,
    upper: Array,
) -> None:
    """Write the box `lower <= dq <= upper` of one tick.

    Where the demands contradict each other (a start outside the walls, a limit lowered in
    motion), acceleration wins and the joint brakes; outside a wall no speed further out is asked.

    Args:
        q: (n,) rad or m.
        v: (n,) the last tick's velocity.
        dt: s, > 0.
        walls: (2, n) lower and upper position bounds (joint limits narrowed by the branch).
        speed: (n,) largest velocity.
        acceleration: (n,) largest acceleration.
        lower: (n,) out, least step, rad or m.
        upper: (n,) out, largest step.
    """
    for i in range(q.shape[0]):
        change = acceleration[i] * dt
        down = wall_speed(q[i] - walls[0, i], acceleration[i], dt)
        up = wall_speed(walls[1, i] - q[i], acceleration[i], dt)
        low = max(-speed[i], v[i] - change, -down)
        high = min(speed[i], v[i] + change, up)
        if low > high:
            wanted = 0.5 * (min(up, speed[i]) - min(down, speed[i]))
            low = min(max(wanted, v[i] - change), v[i] + change)
            high = low
        lower[i] = low * dt
        upper[i] = high * dt


@njit
def integrate(q: Array, v: Array, dq: Array, dt: float, walls: Array) -> None:
    """Move q (n,) by dq (n,) in place, never out of the walls, and store the velocity in v (n,)."""
    for i in range(q.shape[0]):
        new = q[i] + dq[i]
        if q[i] <= walls[1, i]:
            new = min(new, walls[1, i])
        if q[i] >= walls[0, i]:
            new = max(new, walls[0, i])
        v[i] = (new - q[i]) / dt
        q[i] = new
