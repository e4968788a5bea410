"""The planar two-link arm in closed form: an oracle for the general solver, and for teaching.

Angles are counter-clockwise; theta1 from +x, theta2 from link 1. Positive theta2 is the branch
`down`: with the tool to the right of the shoulder, the elbow hangs below the line between them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from ik_node.errors import ConfigurationError, TargetError


class Angles(NamedTuple):
    """Joint angles [rad]."""

    theta1: float
    theta2: float


class Point(NamedTuple):
    """A point in the arm's plane, the shoulder at the origin [m]."""

    x: float
    y: float


class Workspace(NamedTuple):
    """The annulus that the tip can reach: radii [m]."""

    inner: float
    outer: float


@dataclass(frozen=True)
class TwoLinkSolution:
    """Both ways to reach a point, or the nearest point of the workspace.

    Attributes:
        down: theta2 >= 0.
        up: theta2 <= 0.
        reachable: whether the target itself is reached.
        radius: distance of the target from the shoulder [m].
        clamped: the point that is reached: the target, or the workspace's nearest to it.
        workspace: radii of the annulus.
    """

    down: Angles
    up: Angles
    reachable: bool
    radius: float
    clamped: Point
    workspace: Workspace


def forward_kinematics(theta1: float, theta2: float, l1: float, l2: float) -> Point:
    """Where the tip is for two joint angles [rad] and link lengths [m]."""
    x = l1 * math.cos(theta1) + l2 * math.cos(theta1 + theta2)
    y = l1 * math.sin(theta1) + l2 * math.sin(theta1 + theta2)
    return Point(x, y)


def workspace(l1: float, l2: float) -> Workspace:
    """Radii between which the tip can be for link lengths l1, l2 [m].

    Raises:
        ConfigurationError: a length that is not positive and finite.
    """
    for name, length in (("l1", l1), ("l2", l2)):
        if not (math.isfinite(length) and length > 0.0):
            raise ConfigurationError(name, f"is {length} m", "give a positive length")
    return Workspace(abs(l1 - l2), l1 + l2)


def inverse_kinematics(x: float, y: float, l1: float, l2: float) -> TwoLinkSolution:
    """Both solutions for the tip at (x, y) [m].

    A target outside the annulus is moved to its nearest point, also from infinity; one on the
    shoulder is taken as lying on +x. The elbow angle comes from its half, which unlike the law of
    cosines keeps full accuracy at straight and folded.

    Args:
        x: target, along the axis from which theta1 counts.
        y: target, across it.
        l1: length of the link at the shoulder.
        l2: length of the link at the tip.

    Raises:
        TargetError: x or y is not a number.
        ConfigurationError: a length that is not positive and finite.
    """
    if math.isnan(x) or math.isnan(y):
        raise TargetError(f"({x}, {y}) is not a point; give two numbers")
    annulus = workspace(l1, l2)
    inner, outer = annulus
    radius = math.hypot(x, y)
    direction = math.atan2(y, x) if radius > 0.0 else 0.0
    rounding = 1e-12 * outer
    reachable = inner - rounding <= radius <= outer + rounding
    r = min(max(radius, inner), outer)
    clamped = (
        Point(x, y) if r == radius else Point(r * math.cos(direction), r * math.sin(direction))
    )
    theta2 = 2.0 * math.atan2(
        math.sqrt((outer - r) * (outer + r)), math.sqrt((r - inner) * (r + inner))
    )
    lead = math.atan2(l2 * math.sin(theta2), l1 + l2 * math.cos(theta2))
    return TwoLinkSolution(
        down=Angles(_wrap(direction - lead), theta2),
        up=Angles(_wrap(direction + lead), -theta2),
        reachable=reachable,
        radius=radius,
        clamped=clamped,
        workspace=annulus,
    )


def _wrap(angle: float) -> float:
    return math.remainder(angle, 2.0 * math.pi)
