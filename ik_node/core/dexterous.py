"""The configuration that puts the tool at a point and moves it best."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ik_node.core.elements import Array
from ik_node.core.joint_group import JointGroup
from ik_node.core.manipulability import manipulability
from ik_node.core.rows import Rows
from ik_node.core.search import search

REACHED = 1e-4
"""m, a point that is missed by less is reached."""
_STEPS = 30
_STRIDES = (0.2, 0.05, 0.0125)
"""Of the climb, in joint space [rad or m]."""
_DELTA = 1e-4
_RANK = 1e-6
_GAIN = 1e-4
"""Of relative manipulability, by which a stride has to pay."""


class Dexterous(NamedTuple):
    """A configuration (n,) and its manipulability, relative to the arm's best."""

    q: Array
    relative: float


def most_dexterous(
    arm: JointGroup,
    point: Array,
    seeds: Iterable[Array | None],
    branch: str | None,
    restarts: int,
) -> Dexterous | None:
    """The best configuration at a point (3,) that is found by climbing from every seed (n,).

    A local search: seeds that lie far apart find what one of them would miss; other starts are
    tried with the first of them. None where the point is out of reach.
    """
    best = None
    for seed in seeds:
        found = _near(arm, point, seed, branch, restarts)
        restarts = 0
        if found is not None and (best is None or found.relative > best.relative):
            best = found
    return best and _climb(arm, point, best, branch)


def _climb(arm: JointGroup, point: Array, best: Dexterous, branch: str | None) -> Dexterous:
    for _ in range(_STEPS):
        still = _self_motion(arm, best.q)
        rises = [_relative(arm, best.q + _DELTA * way) - best.relative for way in still.T]
        way = still @ np.array(rises)
        length = float(np.linalg.norm(way))
        if length < _DELTA * _GAIN:
            break
        for stride in _STRIDES:
            seed = np.clip(best.q + stride * way / length, arm.lower, arm.upper)
            found = _near(arm, point, seed, branch, 0)
            if found is not None and found.relative > best.relative + _GAIN:
                best = found
                break
        else:
            break
    return best


def _near(
    arm: JointGroup, point: Array, seed: Array | None, branch: str | None, restarts: int
) -> Dexterous | None:
    """The configuration nearest to the seed that puts the tool there, if any was found."""
    found = search(arm, point, seed, branch, Rows.POSITION, restarts=restarts)
    return Dexterous(found.q, _relative(arm, found.q)) if found.position_error < REACHED else None


def _self_motion(arm: JointGroup, q: Array) -> Array:
    """Directions (n, r) in which joints move and the tool stays."""
    _, sigmas, ways = np.linalg.svd(arm.jacobian(q)[:3])
    rank = int((sigmas > _RANK * sigmas[0]).sum())
    still: Array = ways[rank:].T
    return still


def _relative(arm: JointGroup, q: Array) -> float:
    return manipulability(arm, q, Rows.POSITION).relative
