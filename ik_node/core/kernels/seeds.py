"""Where a search starts from: a table of configurations whose poses are known."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import njit
from ik_node.core.kernels.kinematics import forward_kinematics

Array = NDArray[np.float64]

TRAVEL_WEIGHT = 0.003
NEIGHBOUR = 0.6


@njit
def sample_poses(chain: Array, samples: Array, length: float, features: Array, work: Array) -> None:
    """Write the features (12, N) of configurations (n, N): tip position, rotation x length.

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
            for j in range(3):
                features[3 + 3 * i + j, s] = T[i, j] * length


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
    for s in range(scores.shape[0]):
        scores[s] = 0.0
    for c in range(12 if turn > 0.0 else 3):
        if c < 3:
            wanted, weight = target[c, 3], 1.0
        else:
            wanted, weight = length * target[(c - 3) // 3, (c - 3) % 3], 0.5 * turn
        row = features[c]
        for s in range(scores.shape[0]):
            scores[s] += weight * (row[s] - wanted) * (row[s] - wanted)
    weight = TRAVEL_WEIGHT * stride * stride
    for j in range(seed.shape[0]):
        row = samples[j]
        for s in range(scores.shape[0]):
            scores[s] += weight * (row[s] - seed[j]) * (row[s] - seed[j])


@njit
def take_sample(samples: Array, scores: Array, q: Array) -> None:
    """Write the sample with the least score into q (n,), and rule it and its neighbours out."""
    n = q.shape[0]
    chosen = 0
    for s in range(scores.shape[0]):
        if scores[s] < scores[chosen]:
            chosen = s
    for i in range(n):
        q[i] = samples[i, chosen]
    for s in range(scores.shape[0]):
        near = True
        for i in range(n):
            if abs(samples[i, s] - q[i]) > NEIGHBOUR:
                near = False
                break
        if near:
            scores[s] = math.inf


@njit
def keep_side(value: float, straight: float, lower: float, upper: float) -> tuple[float, float]:
    """Return the interval narrowed to the side of straight that `value` is on [rad]."""
    bend = value - straight
    bend -= 2.0 * math.pi * math.floor((bend + math.pi) / (2.0 * math.pi))
    middle = value - bend
    if bend >= 0.0:
        return max(lower, middle), min(upper, middle + math.pi)
    return max(lower, middle - math.pi), min(upper, middle)


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
