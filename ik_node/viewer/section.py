"""The reachable region in a plane, as a mesh whose rim is exact.

A grid is laid over the plane. Sampled configurations tell which cells can matter at all; at their
corners `Search` tells whether the point can be reached, and where not, which reachable point is
nearest: that is a point of the rim, and the corner is moved there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ik_node.core import JointGroup
from ik_node.core.kernels.jit import COMPILED
from ik_node.core.kernels.search_data import FEATURES
from ik_node.core.kernels.seeds import sample_poses
from ik_node.core.search import Search
from ik_node.core.section import Plane

Array = NDArray[np.float64]
Faces = NDArray[np.int64]

CELLS = 44 if COMPILED else 36
"""Of the grid, along each side."""
SAMPLES = 30_000 if COMPILED else 3_000
RESTARTS = 6
REACHED = 1e-5
"""Metres."""


@dataclass(frozen=True, eq=False)
class Region:
    """A mesh in plane coordinates: vertices (V, 2), faces (F, 3), and the rim's edges (E, 2)."""

    vertices: Array
    faces: Faces
    rim: Faces


def reachable_region(
    arm: JointGroup, plane: Plane, turning: bool, wanted: Callable[[], bool] = lambda: True
) -> Region | None:
    """Compute where the tool can be in a plane, whatever its orientation, on any branch.

    Args:
        arm: the arm.
        plane: its origin is the middle of the grid.
        turning: the arm can turn about `plane.along` through the origin, so that samples beside the
            plane may be turned into it.
        wanted: asked now and then.

    Returns:
        The region; None when it was not wanted any more.
    """
    side = 2.0 * arm.reach / (CELLS - 2)
    cells = _candidates(arm, plane, turning, side)
    needed = np.zeros((CELLS + 1, CELLS + 1), dtype=bool)
    for da, db in ((0, 0), (0, 1), (1, 0), (1, 1)):
        needed[da : CELLS + da, db : CELLS + db] |= cells
    reach = _reach(arm, plane, side, needed, wanted)
    if reach is None:
        return None
    corners, reached = reach
    some = np.zeros_like(cells)
    for da, db in ((0, 0), (0, 1), (1, 0), (1, 1)):
        some |= reached[da : CELLS + da, db : CELLS + db]
    return _mesh(corners, cells & some)


def _candidates(arm: JointGroup, plane: Plane, turning: bool, side: float) -> NDArray[np.bool_]:
    """The cells that samples fall into, and those around them."""
    rng = np.random.default_rng(0)
    samples = np.ascontiguousarray(arm.random_configurations(SAMPLES, rng).T)
    features = np.empty((FEATURES, SAMPLES))
    k = len(arm.chain) - 1
    sample_poses(np.array(arm.chain), samples, features, np.empty(7 * arm.size + 6 * k + 16))
    points = features[:3].T
    flat = plane.coordinates(points)
    if turning:
        away = points - plane.origin - np.outer(flat[:, 1], plane.along)
        radius = np.linalg.norm(away, axis=1)
        flat = np.concatenate([np.stack([sign * radius, flat[:, 1]], 1) for sign in (1.0, -1.0)])
    index = np.floor(flat / side).astype(int) + CELLS // 2
    index = index[((index >= 0) & (index < CELLS)).all(axis=1)]
    hit = np.zeros((CELLS + 2, CELLS + 2), dtype=bool)
    hit[index[:, 0] + 1, index[:, 1] + 1] = True
    around = np.zeros((CELLS, CELLS), dtype=bool)
    for da in range(3):
        for db in range(3):
            around |= hit[da : CELLS + da, db : CELLS + db]
    return around


def _reach(
    arm: JointGroup,
    plane: Plane,
    side: float,
    needed: NDArray[np.bool_],
    wanted: Callable[[], bool],
) -> tuple[Array, NDArray[np.bool_]] | None:
    """Corners (N, N, 2), moved onto the rim where they cannot be reached, and which can."""
    search = Search(arm, rows="position", point=True, restarts=RESTARTS)
    middle = 0.5 * (np.clip(arm.lower, -np.pi, np.pi) + np.clip(arm.upper, -np.pi, np.pi))
    seeds: dict[int, Array] = {}
    corners = np.zeros((*needed.shape, 2))
    reached = np.zeros_like(needed)
    for i, row in enumerate(needed):
        if not wanted():
            return None
        for j in np.flatnonzero(row).tolist():
            a, b = (i - CELLS // 2) * side, (j - CELLS // 2) * side
            corners[i, j] = a, b
            seed = seeds.get(j, seeds.get(j - 1, middle))
            search.begin(plane.point(a, b), seed)
            search.advance(100_000)
            solution = search.solution()
            seeds[j] = solution.q
            reached[i, j] = solution.position_error < REACHED
            if not reached[i, j]:
                nearest = arm.forward_kinematics(solution.q)[None, :3, 3]
                corners[i, j] = plane.coordinates(nearest)[0]
    return corners, reached


def _mesh(corners: Array, cells: NDArray[np.bool_]) -> Region:
    where = np.argwhere(cells)
    width = corners.shape[1]
    first = where[:, 0] * width + where[:, 1]
    quads = np.stack([first, first + width, first + width + 1, first + 1], axis=1)
    edges = np.concatenate([quads[:, [i, (i + 1) % 4]] for i in range(4)])
    same, counts = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
    faces = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    used, renumbered = np.unique(faces, return_inverse=True)
    rim = np.searchsorted(used, same[counts == 1])
    return Region(corners.reshape(-1, 2)[used], renumbered.reshape(-1, 3), rim)
