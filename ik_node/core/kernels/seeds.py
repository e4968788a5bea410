"""Where a search starts from: a table of configurations whose poses are known."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import njit
from ik_node.core.kernels.kinematics import forward_kinematics
from ik_node.core.kernels.task import unit_quaternion

Array = NDArray[np.float64]

TRAVEL_WEIGHT = 0.003
NEIGHBOUR = 0.6


@njit
def sample_poses(chain: Array, samples: Array, features: Array, work: Array) -> None:
    """Write the features (7, N) of configurations (n, N): tip position, then quaternion.

    `work` is (7 n + 6 k + 16,) scratch.
    """
    n = samples.shape[0]
    k = chain.shape[0] - 1
    q = work[:n]
    T = work[n : n + 16].reshape(4, 4)
    J = work[n + 16 : 7 * n + 16].reshape(6, n)
    joints = work[7 * n + 16 : 7 * n + 16 + 6 * k].reshape(k, 6)
    for s in range(samples.shape[1]):
        for i in range(n):
            q[i] = samples[i, s]
        forward_kinematics(chain, q, T, J, joints)
        for i in range(3):
            features[i, s] = T[i, 3]
        features[3, s], features[4, s], features[5, s], features[6, s] = unit_quaternion(T)


@njit
def score_samples(
    target: Array,
    seed: Array,
    length: float,
    stride: float,
    turn: float,
    samples: Array,
    features: Array,
    scores: Array,
) -> None:
    """Write how far each sample's pose is from the target [m^2], and a little for its travel.

    One radian counts as `length` metres, its square `turn` times; with 0 orientation is left out.
    """
    px, py, pz = target[0, 3], target[1, 3], target[2, 3]
    w, x, y, z = unit_quaternion(target)
    weight = 4.0 * turn * length * length
    for s in range(scores.shape[0]):
        dx, dy, dz = features[0, s] - px, features[1, s] - py, features[2, s] - pz
        cosine = features[3, s] * w + features[4, s] * x + features[5, s] * y + features[6, s] * z
        scores[s] = dx * dx + dy * dy + dz * dz + weight * (1.0 - cosine * cosine)
    weight = TRAVEL_WEIGHT * stride * stride
    for j in range(seed.shape[0]):
        row = samples[j]
        for s in range(scores.shape[0]):
            scores[s] += weight * (row[s] - seed[j]) * (row[s] - seed[j])


@njit
def best_sample(scores: Array) -> int:
    """Return the sample with the least score."""
    best = 0
    for s in range(scores.shape[0]):
        if scores[s] < scores[best]:
            best = s
    return best


@njit
def rule_out_around(taken: int, samples: Array, scores: Array) -> None:
    """Rule a sample and its neighbours out."""
    for s in range(scores.shape[0]):
        near = True
        for i in range(samples.shape[0]):
            if abs(samples[i, s] - samples[i, taken]) > NEIGHBOUR:
                near = False
                break
        if near:
            scores[s] = math.inf


@njit
def wrapped(angle: float) -> float:
    """Return the same angle in [-pi, pi)."""
    return angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi))


@njit
def one_side(positive: bool, border: float, lower: float, upper: float) -> tuple[float, float]:
    """Return the interval narrowed to one side of a border, up to half a turn from it [rad]."""
    if positive:
        return max(lower, border), min(upper, border + math.pi)
    return max(lower, border - math.pi), min(upper, border)


@njit
def nearest_turns(q: Array, seed: Array, limits: Array) -> float:
    """Turn the joints by whole turns as near to the seed as their limits allow; return the travel.

    Row 3 of `limits` is 1 where a whole turn of the joint changes nothing.
    """
    travel = 0.0
    for i in range(q.shape[0]):
        turns = limits[3, i] * math.floor((seed[i] - q[i]) / (2.0 * math.pi) + 0.5)
        while abs(turns) >= 1.0:
            other = q[i] + turns * 2.0 * math.pi
            if limits[0, i] <= other <= limits[1, i]:
                q[i] = other
                break
            turns -= 1.0 if turns > 0.0 else -1.0
        travel = max(travel, abs(q[i] - seed[i]))
    return travel
