"""Rate limits by scaling: the whole step is made shorter, so the tool keeps its direction."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import njit

Array = NDArray[np.float64]

LOST = -1.0


@njit
def braking_speed(distance: float, acceleration: float, dt: float) -> float:
    """Return the largest speed from which steps of dt, each A dt slower, stop at `distance`.

    Exact for a constant dt, so that landing on a target takes no creeping; for walls use
    `bounds.wall_speed`, which holds for any dt.
    """
    if distance <= 0.0:
        return 0.0
    change = acceleration * dt
    ticks = distance / (change * dt)
    if not ticks < 1e15:
        return math.inf
    whole = math.floor((math.sqrt(1.0 + 8.0 * ticks) - 1.0) / 2.0)
    return change * (ticks / (whole + 1.0) + whole / 2.0)


@njit
def desired_scale(
    d: Array, share: float, speed: Array, acceleration: Array, braking: float, dt: float
) -> float:
    """Return the scale in [0, 1] at which the step d is fast enough and can still stop in time.

    Args:
        d: (n,) the step wanted.
        share: in (0, 1], the part of the way to the target that d is; d / share is left to go.
        speed: (n,) largest velocity.
        acceleration: (n,) largest acceleration.
        braking: part of the acceleration that braking may use; the rest bends the path.
        dt: s.
    """
    scale = 1.0
    for i in range(d.shape[0]):
        size = abs(d[i])
        if size > 0.0:
            fast = braking_speed(size / share, braking * acceleration[i], dt)
            scale = min(scale, dt * min(speed[i], fast) / size)
    return scale


@njit
def scaled_step(d: Array, scale: float, lower: Array, upper: Array, dq: Array) -> float:
    """Write into dq (n,) the step nearest to `scale * d` that the box allows, direction first.

    Where some multiple a d with a in [0, 1] lies in the box, dq is the one nearest to `scale`.
    Where none does (the joints move too fast another way), dq lies on the line from the braking
    point, the box's point nearest to standing still, towards `scale * d`.

    Returns:
        The multiple a, or `LOST` (-1) when the direction could not be kept.
    """
    n = d.shape[0]
    least, most = 0.0, 1.0
    for i in range(n):
        if d[i] > 0.0:
            least = max(least, lower[i] / d[i])
            most = min(most, upper[i] / d[i])
        elif d[i] < 0.0:
            least = max(least, upper[i] / d[i])
            most = min(most, lower[i] / d[i])
        elif lower[i] > 0.0 or upper[i] < 0.0:
            most = -1.0
    if least <= most:
        scale = min(max(scale, least), most)
        for i in range(n):
            dq[i] = min(max(scale * d[i], lower[i]), upper[i])
        return scale
    part = 1.0
    for i in range(n):
        brake = min(max(0.0, lower[i]), upper[i])
        move = scale * d[i] - brake
        if move > 0.0:
            part = min(part, (upper[i] - brake) / move)
        elif move < 0.0:
            part = min(part, (lower[i] - brake) / move)
    for i in range(n):
        brake = min(max(0.0, lower[i]), upper[i])
        dq[i] = min(max(brake + part * (scale * d[i] - brake), lower[i]), upper[i])
    return LOST
