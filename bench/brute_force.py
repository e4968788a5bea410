"""The nearest orientation at a held position, found by sampling: slow, and of nobody's kin.

Kinematics of its own, read from the URDF; numpy and scipy. It judges arms under six joints, whose
search holds the position exactly and comes as near as it can to the orientation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

Array = NDArray[np.float64]
HELD = 1e-9
"""m, within which a sample counts as at the position."""


class Part(NamedTuple):
    """A joint: the fixed transform before it, its axis, how it moves, its column in q or -1."""

    origin: Array
    axis: Array
    slides: bool
    column: int


@dataclass(frozen=True)
class Chain:
    """A serial arm without mimic joints, many configurations at a time."""

    parts: tuple[Part, ...]
    size: int

    @classmethod
    def read(cls, urdf: str, base: str, tip: str) -> Chain:
        """Parse the joints from `base` to `tip`."""
        above = {}
        for joint in ElementTree.fromstring(urdf).iter("joint"):
            child = joint.find("child")
            if child is not None:
                above[child.attrib["link"]] = joint
        way = []
        link = tip
        while link != base:
            way.append(above[link])
            link = above[link].find("parent").attrib["link"]  # type: ignore[union-attr]
        parts, column = [], 0
        for joint in reversed(way):
            kind = joint.attrib["type"]
            moves = kind in ("revolute", "continuous", "prismatic")
            axis = joint.find("axis")
            direction = _numbers(axis.attrib["xyz"]) if axis is not None else np.array([1.0, 0, 0])
            parts.append(
                Part(
                    _transform(joint.find("origin")),
                    direction / np.linalg.norm(direction),
                    kind == "prismatic",
                    column if moves else -1,
                )
            )
            column += moves
        return cls(tuple(parts), column)

    def kinematics(self, q: Array) -> tuple[Array, Array, Array]:
        """Rotations (N, 3, 3), positions (N, 3) and Jacobians (N, 6, n) for q (N, n)."""
        count = len(q)
        R, p = np.tile(np.eye(3), (count, 1, 1)), np.zeros((count, 3))
        axes, origins = np.zeros((count, self.size, 3)), np.zeros((count, self.size, 3))
        slides = np.zeros(self.size, dtype=bool)
        for part in self.parts:
            p = p + R @ part.origin[:3, 3]
            R = R @ part.origin[:3, :3]
            if part.column < 0:
                continue
            axes[:, part.column], origins[:, part.column] = R @ part.axis, p
            value = q[:, part.column]
            slides[part.column] = part.slides
            if part.slides:
                p = p + axes[:, part.column] * value[:, None]
            else:
                R = R @ _turn(part.axis, value)
        J = np.empty((count, 6, self.size))
        linear = np.where(slides[:, None], axes, np.cross(axes, p[:, None] - origins))
        J[:, :3] = linear.transpose(0, 2, 1)
        J[:, 3:] = np.where(slides[:, None], 0.0, axes).transpose(0, 2, 1)
        return R, p, J


class Nearest(NamedTuple):
    """The smallest angle [rad] that was found at the position, and where; inf where none is."""

    angle: float
    q: Array


def nearest_orientation(
    chain: Chain,
    target: Array,
    lower: Array,
    upper: Array,
    rng: np.random.Generator,
    samples: int = 2000,
    refined: int = 10,
) -> Nearest:
    """Sample what holds the position of `target` (4, 4) inside the box, and descend from the best.

    Args:
        chain: the arm.
        target: pose of the tip in the base.
        lower: (n,).
        upper: (n,).
        rng: of the samples.
        samples: configurations that are moved onto the position.
        refined: how many of the best are refined by SLSQP.
    """
    q = rng.uniform(lower, upper, (samples, chain.size))
    for _ in range(20):
        _, p, J = chain.kinematics(q)
        gap = target[:3, 3] - p
        J = J[:, :3]
        gram = J @ J.transpose(0, 2, 1) + 1e-12 * np.eye(3)
        step = (J.transpose(0, 2, 1) @ np.linalg.solve(gram, gap[:, :, None]))[:, :, 0]
        step *= np.minimum(1.0, 0.5 / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-12))
        q = np.clip(q + step, lower, upper)
    R, p, _ = chain.kinematics(q)
    held = np.linalg.norm(p - target[:3, 3], axis=1) < HELD
    q, angles = q[held], _angles(R[held], target[:3, :3])
    best = Nearest(math.inf, lower)
    for start in _apart(q[np.argsort(angles)], refined):
        found = _refine(chain, target, start, lower, upper)
        if found.angle < best.angle:
            best = found
    return best


def _apart(ordered: Array, count: int) -> Iterator[Array]:
    """The first `count` that differ by more than 0.1 rad in some joint."""
    taken: list[Array] = []
    for q in ordered:
        if all(np.abs(q - other).max() > 0.1 for other in taken):
            taken.append(q)
            yield q
        if len(taken) == count:
            return


def _refine(chain: Chain, target: Array, start: Array, lower: Array, upper: Array) -> Nearest:
    @lru_cache(maxsize=4)
    def at(numbers: bytes) -> tuple[Array, Array, Array, Array]:
        """Rotation vector to the target, gap to its position, and the Jacobian's two halves."""
        R, p, J = chain.kinematics(np.frombuffer(numbers)[None])
        return _vector(target[:3, :3] @ R[0].T), p[0] - target[:3, 3], J[0, :3], J[0, 3:]

    def turn(q: Array) -> tuple[float, Array]:
        e, _, _, J = at(q.tobytes())
        return 0.5 * float(e @ e), -J.T @ e

    found = minimize(
        turn,
        start,
        jac=True,
        method="SLSQP",
        bounds=list(zip(lower, upper, strict=True)),
        constraints={
            "type": "eq",
            "fun": lambda q: at(q.tobytes())[1],
            "jac": lambda q: at(q.tobytes())[2],
        },
        options={"ftol": 1e-12, "maxiter": 100},
    )
    best = start
    if np.isfinite(found.x).all():
        q = np.clip(found.x, lower, upper)
        if np.linalg.norm(at(q.tobytes())[1]) < 1e-7:
            best = min((start, q), key=lambda q: turn(q)[0])
    return Nearest(math.sqrt(2.0 * turn(best)[0]), best)


def _angles(R: Array, wanted: Array) -> Array:
    chord = np.linalg.norm(R - wanted, axis=(1, 2)) / math.sqrt(8.0)
    return 2.0 * np.arcsin(np.minimum(chord, 1.0))


def _vector(R: Array) -> Array:
    """The rotation vector of R, by way of its quaternion."""
    w, x, y, z = 1.0 + np.array(
        [np.trace(R), *(2.0 * R[i, i] - np.trace(R) for i in range(3))], dtype=float
    )
    if w >= max(x, y, z):
        quaternion = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], w])
    elif x >= max(y, z):
        quaternion = np.array([x, R[1, 0] + R[0, 1], R[0, 2] + R[2, 0], R[2, 1] - R[1, 2]])
    elif y >= z:
        quaternion = np.array([R[1, 0] + R[0, 1], y, R[2, 1] + R[1, 2], R[0, 2] - R[2, 0]])
    else:
        quaternion = np.array([R[0, 2] + R[2, 0], R[2, 1] + R[1, 2], z, R[1, 0] - R[0, 1]])
    if quaternion[3] < 0.0:
        quaternion = -quaternion
    size = float(np.linalg.norm(quaternion[:3]))
    if size == 0.0:
        return np.zeros(3)
    return quaternion[:3] * (2.0 * math.atan2(size, quaternion[3]) / size)


def _turn(axis: Array, angle: Array) -> Array:
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    sine, cosine = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.eye(3) + sine * K + (1.0 - cosine) * (K @ K)


def _numbers(text: str) -> Array:
    return np.array([float(word) for word in text.split()])


def _transform(origin: ElementTree.Element | None) -> Array:
    T = np.eye(4)
    if origin is not None:
        T[:3, 3] = _numbers(origin.attrib.get("xyz", "0 0 0"))
        roll, pitch, yaw = _numbers(origin.attrib.get("rpy", "0 0 0"))
        for axis, angle in (((1, 0, 0), roll), ((0, 1, 0), pitch), ((0, 0, 1), yaw)):
            T[:3, :3] = _turn(np.array(axis, dtype=float), np.array([angle]))[0] @ T[:3, :3]
    return T
