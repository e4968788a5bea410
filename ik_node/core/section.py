"""A flat section through what an arm can reach, branch by branch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ik_node.core.branch import branch_signs
from ik_node.core.elements import Array
from ik_node.core.joint_group import JointGroup
from ik_node.core.manipulability import manipulability
from ik_node.core.rows import Rows
from ik_node.core.search import search

_SAMPLES = 400
_FLAT = 1e-6
_RESTARTS = 12
REACHED = 1e-4
"""m, a point that is missed by less is reached."""


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
class Section:
    """Where the tool can be in a plane, on one branch.

    Attributes:
        plane: the section's plane.
        across, along: (k,), (m,) coordinates of the grid [m].
        branch: label of the branch, `none` without an elbow.
        manipulability: (m, k) relative to the arm's best; NaN where the tool cannot be.
    """

    plane: Plane
    across: Array
    along: Array
    branch: str
    manipulability: Array


def branches_of(arm: JointGroup) -> tuple[str, ...]:
    """Labels of the branches that the joint limits leave room for; `none` without an elbow."""
    if arm.elbow is None:
        return ("none",)
    return tuple(arm.elbow.label(sign) for sign in branch_signs(arm, arm.elbow))


def sections(arm: JointGroup, plane: Plane, resolution: int = 120) -> Iterator[Section]:
    """Fill the section of every branch, row by row; the same object comes after every row.

    Every point is a search of its own for the position alone, so limits and branch are exact. Where
    several configurations put the tool at a point, the manipulability is that of the one found from
    its neighbour's, starting in the middle of the limits.

    Args:
        arm: the joints.
        plane: where to cut.
        resolution: points of the grid along its longer side.
    """
    points = plane.coordinates(_tips(arm))
    lowest, highest = points.min(axis=0), points.max(axis=0)
    room = 0.06 * (highest - lowest).max()
    lowest, highest = lowest - room, highest + room
    step = (highest - lowest).max() / (resolution - 1)
    across = np.arange(lowest[0], highest[0] + step, step)
    along = np.arange(lowest[1], highest[1] + step, step)
    for branch in branches_of(arm):
        values = np.full((len(along), len(across)), np.nan)
        section = Section(plane, across, along, branch, values)
        for row in range(len(along)):
            _fill(arm, section, row)
            yield section


def _fill(arm: JointGroup, section: Section, row: int) -> None:
    seed = None
    branch = None if section.branch == "none" else section.branch
    for column in range(len(section.across)):
        point = section.plane.point(section.across[column], section.along[row])
        found = search(arm, point, seed, branch, Rows.POSITION, restarts=_RESTARTS)
        if found.position_error < REACHED:
            seed = found.q
            measure = manipulability(arm, found.q, Rows.POSITION)
            section.manipulability[row, column] = measure.relative


def _tips(arm: JointGroup) -> Array:
    rng = np.random.default_rng(0)
    samples = arm.random_configurations(_SAMPLES, rng)
    return np.array([arm.forward_kinematics(q)[:3, 3] for q in samples])
