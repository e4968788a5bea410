"""A flat section through what an arm can reach, branch by branch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ik_node.core.branch import branch_signs
from ik_node.core.dexterous import REACHED, most_dexterous
from ik_node.core.elements import Array
from ik_node.core.joint_group import JointGroup
from ik_node.core.rows import Rows
from ik_node.core.search import search

Mask = NDArray[np.bool_]

_SAMPLES = 400
_FLAT = 1e-6
_RESTARTS = 12
_FAR = 10.0
"""Reaches; the point next to one so far away is the end of the arm's reach that way."""
_ROOM = 0.06
"""Margin of a window, a share of its longer side."""
SWEEPS = 2
"""How often `sections` goes through the rows of a branch."""


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane in the base frame; points of it are `origin + a * across + b * along`.

    Attributes:
        origin: (3,) m.
        across, along: (3,) unit vectors, the horizontal and the vertical one of a picture.
    """

    origin: Array
    across: Array
    along: Array

    def point(self, a: float, b: float) -> Array:
        """The point (3,) with the plane's coordinates (a, b)."""
        point: Array = self.origin + a * self.across + b * self.along
        return point

    def coordinates(self, points: Array) -> Array:
        """The plane's coordinates (k, 2) of points (k, 3), seen at right angles."""
        return (points - self.origin) @ np.column_stack((self.across, self.along))


def working_plane(arm: JointGroup) -> Plane:
    """The plane that a planar arm moves in; x-z of the base for any other arm."""
    tips = _tips(arm)
    middle = tips.mean(axis=0)
    _, spread, axes = np.linalg.svd(tips - middle, full_matrices=False)
    x, z = np.eye(3)[0], np.eye(3)[2]
    if spread[2] > _FLAT * spread[0]:
        return Plane(np.zeros(3), x, z)
    normal = axes[2]
    across = x - (x @ normal) * normal
    if across @ across < 0.01:
        across = axes[0]
    across /= np.linalg.norm(across)
    along = np.cross(normal, across)
    upward = along[2] if abs(along[2]) > 0.01 else along[1]
    return Plane((middle @ normal) * normal, across, along if upward > 0.0 else -along)


@dataclass(frozen=True, eq=False)
class Window:
    """A grid of points in a plane.

    Attributes:
        plane: the section's plane.
        across, along: (k,), (m,) coordinates of the grid [m].
    """

    plane: Plane
    across: Array
    along: Array


def window_on(arm: JointGroup, plane: Plane, resolution: int = 120) -> Window:
    """The window that holds all that the arm reaches, with a margin.

    Args:
        arm: the joints.
        plane: where to cut.
        resolution: points of the grid along its longer side.
    """
    ends = [
        search(arm, plane.origin + _FAR * arm.reach * way, None, None, Rows.POSITION).q
        for way in (plane.across, -plane.across, plane.along, -plane.along)
    ]
    tips = [arm.forward_kinematics(q)[:3, 3] for q in ends]
    points = plane.coordinates(np.vstack((_tips(arm), tips)))
    lowest, highest = points.min(axis=0), points.max(axis=0)
    room = _ROOM * (highest - lowest).max()
    lowest, highest = lowest - room, highest + room
    step = (highest - lowest).max() / (resolution - 1)
    across = np.arange(lowest[0], highest[0] + step, step)
    along = np.arange(lowest[1], highest[1] + step, step)
    return Window(plane, across, along)


@dataclass(frozen=True, eq=False)
class Section:
    """Where the tool can be in a plane, on one branch.

    Attributes:
        window: the grid, of k by m points.
        branch: label of the branch, `none` without an elbow.
        manipulability: (m, k) relative to the arm's best; NaN where the tool cannot be.
        q: (m, k, n) the configurations that it is of.
    """

    window: Window
    branch: str
    manipulability: Array
    q: Array


def branches_of(arm: JointGroup) -> tuple[str, ...]:
    """Labels of the branches that the joint limits leave room for; `none` without an elbow."""
    if arm.elbow is None:
        return ("none",)
    return tuple(arm.elbow.label(sign) for sign in branch_signs(arm, arm.elbow))


def sections(arm: JointGroup, window: Window) -> Iterator[Section]:
    """Fill the section of every branch, row by row; the same object comes after every row.

    Every point is a search of its own for the position alone, so limits and branch are exact. Where
    many configurations put the tool at a point, the manipulability is that of the best one found:
    a sweep up and one down climb from what the neighbours found. `SWEEPS` times the rows come.
    """
    for branch in branches_of(arm):
        shape = len(window.along), len(window.across)
        nowhere = np.full(shape, np.nan), np.full((*shape, arm.size), np.nan)
        section = Section(window, branch, *nowhere)
        for row in range(shape[0]):
            _fill(arm, section, row, 1)
            yield section
        for row in reversed(range(shape[0])):
            _fill(arm, section, row, -1)
            yield section


def reached(arm: JointGroup, window: Window, known: Mask) -> Iterator[Mask]:
    """Which points (m, k) the arm reaches on any branch, row by row; those `known` are not solved.

    The same array comes after every row.
    """
    found = known.copy()
    for row, b in enumerate(window.along):
        seed = None
        for column in np.flatnonzero(~known[row]):
            point = window.plane.point(window.across[column], b)
            solution = search(arm, point, seed, None, Rows.POSITION, restarts=_RESTARTS)
            if solution.position_error < REACHED:
                seed = solution.q
                found[row, column] = True
        yield found


def _fill(arm: JointGroup, section: Section, row: int, way: int) -> None:
    """One row from the neighbours before it; `way` 1: below and left, -1: above and right."""
    window, values, q = section.window, section.manipulability, section.q
    branch = None if section.branch == "none" else section.branch
    for column in range(len(window.across))[::way]:
        if way < 0 and np.isnan(values[row, column]):
            continue
        point = window.plane.point(window.across[column], window.along[row])
        places = [(row, column - way), (row - way, column)]
        seeds = [q[r, c] for r, c in places if r in range(len(q)) and c in range(len(q[0]))]
        seeds = [seed for seed in seeds if not np.isnan(seed).any()]
        restarts = _RESTARTS if way > 0 else 0
        best = most_dexterous(arm, point, seeds or [None], branch, restarts)
        if best is not None and not best.relative <= values[row, column]:
            q[row, column], values[row, column] = best


def _tips(arm: JointGroup) -> Array:
    rng = np.random.default_rng(0)
    samples = arm.random_configurations(_SAMPLES, rng)
    return np.array([arm.forward_kinematics(q)[:3, 3] for q in samples])
