"""The elbow: the joint whose sign tells the two branches of an arm apart.

Shoulder, elbow and wrist make a triangle in the plane across the elbow's axis. Where its two sides
are the same in every configuration, the arm is straight at one value of the elbow joint, and the
sign of the angle measured from there is the branch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ik_node.core.elements import Array
from ik_node.core.kernels import kinematics
from ik_node.errors import ConfigurationError, UnknownNameError

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

PARALLEL = 1e-3  # sine of the angle under which two axes count as parallel
_LENGTH_TOLERANCE = 2e-3  # of the reach; iiwa14 has an offset of 0.4 mm in its shoulder
_ANGLE_TOLERANCE = 0.01
_SAMPLES = 6


@dataclass(frozen=True)
class Elbow:
    """The elbow joint of an arm and the names of its two branches.

    Attributes:
        joint: its name.
        index: its place in q.
        straight: joint value at which shoulder, elbow and wrist are in line [rad].
        upper_arm, forearm: sides of the triangle across the elbow's axis [m]; 0 where the joint
            was named in the configuration and has no such triangle.
        label_plus, label_minus: branch names for values above and below `straight`.
    """

    joint: str
    index: int
    straight: float
    upper_arm: float
    forearm: float
    label_plus: str
    label_minus: str

    def angle(self, q: Array | Sequence[float]) -> float:
        """Angle of the elbow from straight in (-pi, pi] for q (n,)."""
        return wrap(float(q[self.index]) - self.straight)

    def sign_of(self, q: Array | Sequence[float]) -> int:
        """Branch of q (n,): +1 or -1; exactly straight counts as +1."""
        return 1 if self.angle(q) >= 0.0 else -1

    def label(self, sign: int) -> str:
        """Name of the branch `sign`; "none" for 0."""
        if sign == 0:
            return "none"
        return self.label_plus if sign > 0 else self.label_minus

    def sign_from_label(self, label: str) -> int:
        """+1 or -1 for a branch name; "+" and "-" are always understood.

        Raises:
            UnknownNameError: the elbow has no such branch.
        """
        for sign, names in ((1, ("+", self.label_plus)), (-1, ("-", self.label_minus))):
            if label in names:
                return sign
        valid = dict.fromkeys((self.label_plus, self.label_minus, "+", "-"))
        raise UnknownNameError("branch", label, valid)


class _Triangle(NamedTuple):
    upper_arm: float
    forearm: float
    straight: float
    axis: Array
    shoulder_to_wrist: Array
    shoulder_is_parallel: bool


def wrap(angle: float) -> float:
    """The same angle in (-pi, pi]."""
    wrapped = math.remainder(angle, 2.0 * math.pi)
    return math.pi if wrapped == -math.pi else wrapped


def find_elbow(
    arm: JointGroup, joint: str | None = None, straight: float | None = None
) -> Elbow | None:
    """Find the elbow of an arm from its geometry, or describe the one that is named.

    Of all joints with a triangle of constant sides, the first whose product of sides is at least
    half the largest: this product is the triangle's part of the manipulability.

    Args:
        arm: the arm.
        joint: name of the elbow joint, None to search.
        straight: its value when the arm is straight [rad], None to compute it.

    Returns:
        The elbow, None where no joint has such a triangle.

    Raises:
        UnknownNameError: `joint` is not a joint of the arm.
        ConfigurationError: `joint` has no triangle and `straight` is not given, or is not a
            rotation; or `straight` is given without `joint`.
    """
    samples = arm.random_configurations(_SAMPLES, np.random.default_rng(0))
    if joint is None:
        if straight is not None:
            raise ConfigurationError("elbow", "straight is given without joint", "name the joint")
        return _find(arm, samples)
    index = arm.index(joint)
    if not _is_rotation(arm, index):
        raise ConfigurationError("elbow", f"joint '{joint}' does not rotate", "name another joint")
    triangle = _constant_triangle(arm, index, samples)
    if triangle is not None:
        angle = triangle.straight if straight is None else straight
        return _elbow(arm, index, triangle, angle)
    if straight is None:
        raise ConfigurationError(
            "elbow",
            f"joint '{joint}' has no shoulder-elbow-wrist triangle of constant sides",
            "give elbow.straight, its angle when the arm is straight",
        )
    return Elbow(joint, index, straight, 0.0, 0.0, "+", "-")


def _find(arm: JointGroup, samples: Array) -> Elbow | None:
    found = {}
    for index in range(1, arm.size):
        triangle = _constant_triangle(arm, index, samples) if _is_rotation(arm, index) else None
        if triangle is not None:
            found[index] = triangle
    if not found:
        return None
    largest = max(t.upper_arm * t.forearm for t in found.values())
    first = next(i for i, t in found.items() if t.upper_arm * t.forearm >= 0.5 * largest)
    return _elbow(arm, first, found[first], found[first].straight)


def _elbow(arm: JointGroup, index: int, triangle: _Triangle, straight: float) -> Elbow:
    labels = _labels(arm, index, triangle)
    sides = (triangle.upper_arm, triangle.forearm)
    return Elbow(arm.joint_names[index], index, round(straight, 12) + 0.0, *sides, *labels)


def _own_row(arm: JointGroup, index: int) -> int:
    return arm.moving_names.index(arm.joint_names[index])


def _is_rotation(arm: JointGroup, index: int) -> bool:
    return not arm.chain[_own_row(arm, index), kinematics.PRISMATIC]


def _constant_triangle(arm: JointGroup, index: int, samples: Array) -> _Triangle | None:
    triangles = []
    for q in samples:
        triangle = _triangle(arm, index, q)
        if triangle is None:
            return None
        triangles.append(triangle)
    first = triangles[0]
    tolerance = _LENGTH_TOLERANCE * arm.reach
    smallest = 10.0 * tolerance
    for other in triangles:
        if (
            min(other.upper_arm, other.forearm) < smallest
            or abs(other.upper_arm - first.upper_arm) > tolerance
            or abs(other.forearm - first.forearm) > tolerance
            or abs(wrap(other.straight - first.straight)) > _ANGLE_TOLERANCE
        ):
            return None
    mean = float(np.mean([wrap(t.straight - first.straight) for t in triangles]))
    return first._replace(straight=wrap(first.straight + mean))


def _triangle(arm: JointGroup, index: int, q: Array) -> _Triangle | None:
    joints = arm.joint_axes(q)
    turning = [i for i in range(len(joints)) if not arm.chain[i, kinematics.PRISMATIC]]
    place = turning.index(_own_row(arm, index))
    axes = joints[turning]
    elbow, axis = axes[place, :3], axes[place, 3:]
    before, after = axes[:place][::-1], axes[place + 1 :]
    shoulder = _centre(axis, before, arm.reach)
    if shoulder is None:
        return None
    wrist = _centre(axis, after, arm.reach)
    if wrist is None:
        wrist = after[1, :3] if len(after) > 1 else arm.forward_kinematics(q)[:3, 3]
    across = np.eye(3) - np.outer(axis, axis)
    a, b = across @ (shoulder - elbow), across @ (wrist - elbow)
    angle = math.atan2(float(np.cross(b, -a) @ axis), float(-a @ b))
    return _Triangle(
        float(np.linalg.norm(a)),
        float(np.linalg.norm(b)),
        wrap(float(q[index]) + angle),
        axis,
        wrist - shoulder,
        bool(np.linalg.norm(np.cross(axis, before[0, 3:])) < PARALLEL),
    )


def _centre(axis: Array, neighbours: Array, reach: float) -> Array | None:
    """A point on the nearest axis if parallel, else where the two nearest axes meet."""
    if len(neighbours) == 0:
        return None
    if np.linalg.norm(np.cross(axis, neighbours[0, 3:])) < PARALLEL:
        return np.array(neighbours[0, :3])
    return meeting_point(neighbours[0], neighbours[1], reach) if len(neighbours) > 1 else None


def meeting_point(first: Array, second: Array, reach: float) -> Array | None:
    """Middle of the shortest line between two axes, None if they pass at a distance."""
    u, v, w = first[3:], second[3:], second[:3] - first[:3]
    normal = np.cross(u, v)
    square = float(normal @ normal)
    if square < PARALLEL**2:
        return None
    on_first = first[:3] + u * float(np.cross(w, v) @ normal) / square
    on_second = second[:3] + v * float(np.cross(w, u) @ normal) / square
    if np.linalg.norm(on_first - on_second) > _LENGTH_TOLERANCE * reach:
        return None
    middle: Array = (on_first + on_second) / 2.0
    return middle


def _labels(arm: JointGroup, index: int, triangle: _Triangle) -> tuple[str, str]:
    """Names for + and -, as seen when the arm reaches forward in the base frame (z up)."""
    if not triangle.shoulder_is_parallel:
        return "+", "-"
    row = _own_row(arm, index)
    samples = arm.random_configurations(_SAMPLES, np.random.default_rng(1))
    heights = np.array([arm.joint_axes(q)[row, 5] for q in samples])
    if np.all(np.abs(heights) > 0.98) and np.ptp(heights) < 0.1:
        return ("right", "left") if heights[0] > 0.0 else ("left", "right")
    if np.any(np.abs(heights) > 0.02):
        return "+", "-"
    samples[:, : index - 1] = np.clip(0.0, arm.lower, arm.upper)[: index - 1]
    forward = _forward(arm, index, samples)
    axis = arm.joint_axes(samples[0])[row, 3:]
    return ("up", "down") if np.cross(forward, axis)[2] > 0.0 else ("down", "up")


def _forward(arm: JointGroup, index: int, samples: Array) -> Array:
    """Horizontal direction across the elbow's axis: x if it has a part of that, else the reach."""
    axis = arm.joint_axes(samples[0])[_own_row(arm, index), 3:]
    forward: Array = np.cross(axis, [0.0, 0.0, 1.0])
    ahead = float(forward[0])
    if abs(ahead) < 0.1:
        spans = [_triangle(arm, index, q) for q in samples]
        ahead = sum(float(t.shoulder_to_wrist @ forward) for t in spans if t is not None)
    return forward if ahead > 0.0 else -forward
