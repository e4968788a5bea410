"""Singular values of the controlled rows, and what a nearly lost one is due to."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import njit

Array = NDArray[np.float64]
Flags = NDArray[np.int8]

GENERAL = 0
STRAIGHT = 1
FOLDED = 2
TOOL_ON_AXIS = 3
WRIST_ON_AXIS = 4
AXES_ALIGNED = 5

_SWEEPS = 30
_PART = 0.3  # of the largest: a joint with less than this has no part in the lost motion
_CLOSE = 0.3  # a cause further away than this (sine, or share of the longest lever) is none


@njit
def orthogonalise(A: Array, V: Array, sigma: Array) -> None:
    """Rotate the rows of A (p, s) until they are orthogonal, and write their lengths, sorted.

    Args:
        A: (p, s) in and out.
        V: (p, p) in the identity, out the product of the rotations, so that row i of V is the
            singular vector that belongs to row i of A; (0, 0) to leave it out.
        sigma: (p,) out, singular values in descending order; the rows of A and V follow.

    Source: Hestenes, Inversion of matrices by biorthogonalization, 1958 (one-sided Jacobi).
    """
    p = A.shape[0]
    s = A.shape[1]
    for _ in range(_SWEEPS):
        rotated = False
        for i in range(p - 1):
            for j in range(i + 1, p):
                aa, bb, ab = 0.0, 0.0, 0.0
                for k in range(s):
                    aa += A[i, k] * A[i, k]
                    bb += A[j, k] * A[j, k]
                    ab += A[i, k] * A[j, k]
                if abs(ab) <= 1e-15 * math.sqrt(aa * bb) or abs(ab) < 1e-40:
                    continue
                rotated = True
                zeta = (bb - aa) / (2.0 * ab)
                t = math.copysign(1.0, zeta) / (abs(zeta) + math.sqrt(1.0 + zeta * zeta))
                c = 1.0 / math.sqrt(1.0 + t * t)
                d = c * t
                for k in range(s):
                    x, y = A[i, k], A[j, k]
                    A[i, k] = c * x - d * y
                    A[j, k] = d * x + c * y
                for k in range(V.shape[0]):
                    x, y = V[i, k], V[j, k]
                    V[i, k] = c * x - d * y
                    V[j, k] = d * x + c * y
        if not rotated:
            break
    for i in range(p):
        square = 0.0
        for k in range(s):
            square += A[i, k] * A[i, k]
        sigma[i] = math.sqrt(square)
    for i in range(p - 1):
        largest = i
        for j in range(i + 1, p):
            if sigma[j] > sigma[largest]:
                largest = j
        if largest != i:
            sigma[i], sigma[largest] = sigma[largest], sigma[i]
            for k in range(s):
                A[i, k], A[largest, k] = A[largest, k], A[i, k]
            for k in range(V.shape[0]):
                V[i, k], V[largest, k] = V[largest, k], V[i, k]


@njit
def singular_values(J: Array, m: int, length: float, A: Array, V: Array, sigma: Array) -> None:
    """Write the singular values of the first m rows of J, rotation rows times `length` [m].

    Args:
        J: (6, n) LOCAL_WORLD_ALIGNED.
        m: 3 position, 6 pose.
        length: weight of the rotation rows [m].
        A: (p, s) scratch with p = min(m, n), s = max(m, n); or (n, m) to have V.
        V: (0, 0), or (n, n) out with A (n, m): rows are the right singular vectors.
        sigma: (p,) or (n,) out, descending.
    """
    n = J.shape[1]
    by_joint = A.shape[0] == n
    for i in range(m):
        scale = 1.0 if i < 3 else length
        for j in range(n):
            if by_joint:
                A[j, i] = scale * J[i, j]
            else:
                A[i, j] = scale * J[i, j]
    for i in range(V.shape[0]):
        for j in range(V.shape[0]):
            V[i, j] = 1.0 if i == j else 0.0
    orthogonalise(A, V, sigma)


@njit
def _lever(axes: Array, row: int, x: float, y: float, z: float) -> float:
    """Distance of a point from the axis in `row`."""
    dx, dy, dz = x - axes[row, 0], y - axes[row, 1], z - axes[row, 2]
    wx, wy, wz = axes[row, 3], axes[row, 4], axes[row, 5]
    cx, cy, cz = wy * dz - wz * dy, wz * dx - wx * dz, wx * dy - wy * dx
    return math.sqrt(cx * cx + cy * cy + cz * cz)


@njit
def _sine(axes: Array, u: int, w: int) -> float:
    """Sine of the angle between the axes in rows u and w."""
    x = axes[u, 4] * axes[w, 5] - axes[u, 5] * axes[w, 4]
    y = axes[u, 5] * axes[w, 3] - axes[u, 3] * axes[w, 5]
    z = axes[u, 3] * axes[w, 4] - axes[u, 4] * axes[w, 3]
    return math.sqrt(x * x + y * y + z * z)


@njit
def _is_theirs(
    axes: Array, part: Array, least: float, own: NDArray[np.int64], a: int, b: int
) -> bool:
    """Whether all joints that take part in the lost motion are a, b or parallel to a."""
    for j in range(part.shape[0]):
        if j != a and j != b and part[j] >= least and _sine(axes, own[j], own[a]) > _CLOSE:
            return False
    return True


@njit
def find_cause(
    q: Array,
    T: Array,
    axes: Array,
    part: Array,
    own: NDArray[np.int64],
    lever: Array,
    pair: Flags,
    elbow: Array,
    wrist: Array,
    spare: bool,
    cause: Array,
) -> None:
    """Write what a nearly lost direction is due to: cause (4,) = [kind, joint, joint, distance].

    Of the causes whose joints take part in the lost motion, the closest.

    Args:
        q: (n,) configuration.
        T: (4, 4) tool in base.
        axes: (k, 6) origin and axis of each moving joint.
        part: (n,) share of each joint in the motion that nothing comes of, 0 to 1.
        own: (n,) row of each joint in `axes`.
        lever: (n,) largest distance of the point at the end from the joint's axis, 0: no cause.
        pair: (n, n) 1 where two rotations are not parallel in general, 2 where they are when the
            elbow is straight.
        elbow: [place in q or -1, straight angle, upper arm, forearm].
        wrist: the point at the end: [row of the last of three axes that meet, where on it], or
            [-1, 0]: the tool.
        spare: more joints than rank, so that the lost motion is mixed with what is free anyway.
        cause: (4,) out.
    """
    n = q.shape[0]
    cause[0], cause[1], cause[2], cause[3] = GENERAL, -1.0, -1.0, _CLOSE
    largest = 0.0
    for j in range(n):
        largest = max(largest, part[j])
    least = _PART * largest
    e = int(elbow[0])
    if e >= 0:
        angle = q[e] - elbow[1]
        distance = abs(math.sin(angle)) if part[e] >= least else 1.0
        sides = elbow[2] + elbow[3]
        planar = _is_theirs(axes, part, least, own, e, e)
        if sides > 0.0 and math.cos(angle) < 0.0 and planar:
            square = sides * sides - 2.0 * elbow[2] * elbow[3] * (1.0 - math.cos(angle))
            distance = min(distance, math.sqrt(max(0.0, square)) / sides)
        if distance < cause[3]:
            cause[0] = STRAIGHT if math.cos(angle) > 0.0 else FOLDED
            cause[1], cause[2], cause[3] = e, -1.0, distance
    x, y, z = T[0, 3], T[1, 3], T[2, 3]
    r = int(wrist[0])
    if r >= 0:
        x = axes[r, 0] + wrist[1] * axes[r, 3]
        y = axes[r, 1] + wrist[1] * axes[r, 4]
        z = axes[r, 2] + wrist[1] * axes[r, 5]
    for j in range(n):
        if lever[j] == 0.0 or part[j] < least:
            continue
        distance = _lever(axes, own[j], x, y, z) / lever[j]
        if distance < cause[3]:
            cause[0] = WRIST_ON_AXIS if r >= 0 else TOOL_ON_AXIS
            cause[1], cause[2], cause[3] = j, -1.0, distance
    for span in range(1, n):
        for a in range(n - span):
            b = a + span
            if pair[a, b] == 0 or part[a] < least or part[b] < least:
                continue
            distance = _sine(axes, own[a], own[b])
            if distance < cause[3] - 1e-9 and (spare or _is_theirs(axes, part, least, own, a, b)):
                cause[0], cause[1], cause[2], cause[3] = AXES_ALIGNED, a, b, distance
                if pair[a, b] == 2:
                    cause[0] = STRAIGHT if math.cos(q[e] - elbow[1]) > 0.0 else FOLDED
                    cause[1], cause[2] = e, -1.0
