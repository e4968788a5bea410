"""A serial chain of the model: the arm that the solver moves."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ik_node.core import se3
from ik_node.core.elements import Array, Joint, JointKind
from ik_node.core.kernels import kinematics
from ik_node.core.kernels.jit import warn_if_interpreted
from ik_node.errors import SizeError, UnknownNameError, UrdfError

if TYPE_CHECKING:
    from ik_node.core.elbow import Elbow
    from ik_node.core.model import RobotModel

_SAMPLES = 64


@dataclass(frozen=True, eq=False)
class JointGroup:
    """The joints between two links of a robot, n of them independent; all arrays are read-only.

    Attributes:
        model: the robot.
        base: link in whose frame poses are said.
        tip: link that is moved.
        joint_names: independent joints from base to tip, the order of every q.
        moving_names: the same with mimic joints between them, the order of `joint_axes`.
        lower, upper: (n,) rad or m, -inf and inf for continuous joints; mimic joints' limits are
            already in those of the joint that drives them.
        velocity: (n,) rad/s or m/s.
        chain: packed for the kernels, see `kernels/kinematics.py`.
    """

    model: RobotModel
    base: str
    tip: str
    joint_names: tuple[str, ...]
    moving_names: tuple[str, ...]
    lower: Array
    upper: Array
    velocity: Array
    chain: Array

    @classmethod
    def between(cls, model: RobotModel, base: str, tip: str) -> JointGroup:
        """The chain from link `base` to link `tip`; it may go up the tree before it goes down.

        Raises:
            UnknownNameError: a link that does not exist.
            UrdfError: no moving joint between them, or a mimic joint driven from outside.
        """
        path = _path(model, base, tip)
        names = tuple(j.name for j, _ in path if j.moves and j.mimic is None)
        for joint, _ in path:
            if joint.moves and joint.mimic and joint.mimic.joint not in names:
                raise UrdfError(
                    f"joint '{joint.name}'",
                    f"mimics '{joint.mimic.joint}', which is not between {base} and {tip}",
                    "choose a base and a tip that hold both, or neither",
                )
        if not names:
            raise UrdfError(
                f"the chain from '{base}' to '{tip}'",
                "has no moving joint",
                f"choose another base or tip; links are: {', '.join(model.links)}",
            )
        warn_if_interpreted()
        limits = [_limits(name, path) for name in names]
        return cls(
            model,
            base,
            tip,
            names,
            tuple(joint.name for joint, _ in path if joint.moves),
            se3.frozen([limit.lower for limit in limits]),
            se3.frozen([limit.upper for limit in limits]),
            se3.frozen([limit.velocity for limit in limits]),
            se3.frozen(_pack(path, names)),
        )

    @property
    def size(self) -> int:
        """Number n of independent joints."""
        return len(self.joint_names)

    def forward_kinematics(self, q: ArrayLike) -> Array:
        """Pose (4, 4) of the tip in the base for q (n,).

        Raises:
            SizeError: q has another length.
        """
        return self._run(q)[0]

    def jacobian(self, q: ArrayLike) -> Array:
        """Geometric Jacobian (6, n) at the tip, LOCAL_WORLD_ALIGNED, rows [v; w].

        Raises:
            SizeError: q has another length.
        """
        return self._run(q)[1]

    def joint_axes(self, q: ArrayLike) -> Array:
        """Origin and unit axis (k, 6) of each moving joint, mimic joints too, in the base frame.

        Raises:
            SizeError: q has another length.
        """
        return self._run(q)[2]

    def index(self, joint: str) -> int:
        """Place of a joint in q.

        Raises:
            UnknownNameError: it is not an independent joint of this arm.
        """
        if joint not in self.joint_names:
            raise UnknownNameError("joint of the arm", joint, self.joint_names)
        return self.joint_names.index(joint)

    def names(self, indices: Iterable[int]) -> tuple[str, ...]:
        """Names of the joints at these places in q."""
        return tuple(self.joint_names[i] for i in indices)

    def random_configurations(self, count: int, rng: np.random.Generator) -> Array:
        """(count, n) uniform within the limits, continuous joints within +-pi."""
        lower = np.where(np.isfinite(self.lower), self.lower, -math.pi)
        upper = np.where(np.isfinite(self.upper), self.upper, math.pi)
        return rng.uniform(lower, upper, (count, self.size))

    @cached_property
    def reach(self) -> float:
        """No configuration brings the tip further from the first joint than this [m]."""
        strokes = np.zeros(len(self.chain))
        for i, row in enumerate(self.chain[:-1]):
            if row[kinematics.PRISMATIC]:
                j = int(row[kinematics.INDEX])
                m, c = row[kinematics.MULTIPLIER], row[kinematics.OFFSET]
                strokes[i] = max(abs(m * self.lower[j] + c), abs(m * self.upper[j] + c))
        links = np.linalg.norm(self.chain[1:, 9:12], axis=1)
        return float(links.sum() + strokes.sum())

    @cached_property
    def characteristic_length(self) -> float:
        """Length [m] that makes rotation rows weigh as much as translation rows on average.

        The root mean square lever of the joints at seeded configurations; 1 without rotation.
        """
        moved, turned = 0.0, 0.0
        for q in self.random_configurations(_SAMPLES, np.random.default_rng(0)):
            J = self.jacobian(q)
            turning = np.linalg.norm(J[3:], axis=0) > 1e-9
            moved += float((J[:3, turning] ** 2).sum())
            turned += float((J[3:] ** 2).sum())
        return math.sqrt(moved / turned) if moved > 0.0 else 1.0

    @cached_property
    def elbow(self) -> Elbow | None:
        """The elbow found from geometry, None where there is none."""
        from ik_node.core.elbow import find_elbow

        return find_elbow(self)

    def _run(self, q: ArrayLike) -> tuple[Array, Array, Array]:
        # A copy: read-only arrays are another type to numba, compiled again at first sight.
        q = np.array(q, dtype=np.float64)
        n = len(self.joint_names)
        if q.shape != (n,):
            raise SizeError("q", f"({n},) for {', '.join(self.joint_names)}", str(q.shape))
        T, J, joints = np.empty((4, 4)), np.empty((6, n)), np.empty((len(self.chain) - 1, 6))
        kinematics.forward_kinematics(self.chain, q, T, J, joints)
        return T, J, joints


class _Limit(NamedTuple):
    lower: float
    upper: float
    velocity: float


def _path(model: RobotModel, base: str, tip: str) -> list[tuple[Joint, bool]]:
    """Joints from base to tip; True where the joint is walked from child to parent."""
    up, down = model.ancestors(base), model.ancestors(tip)
    shared = 0
    while shared < min(len(up), len(down)) and up[shared] is down[shared]:
        shared += 1
    backward = [(joint, True) for joint in reversed(up[shared:])]
    return backward + [(joint, False) for joint in down[shared:]]


def _limits(name: str, path: list[tuple[Joint, bool]]) -> _Limit:
    """The joint's own limits, narrowed by those of the joints that mimic it."""
    lower, upper, velocity = -math.inf, math.inf, math.inf
    for joint, _ in path:
        if joint.name == name:
            multiplier, offset = 1.0, 0.0
        elif joint.moves and joint.mimic and joint.mimic.joint == name and joint.mimic.multiplier:
            multiplier, offset = joint.mimic.multiplier, joint.mimic.offset
        else:
            continue
        ends = sorted(((joint.lower - offset) / multiplier, (joint.upper - offset) / multiplier))
        lower, upper = max(lower, ends[0]), min(upper, ends[1])
        if joint.velocity > 0.0:
            velocity = min(velocity, joint.velocity / abs(multiplier))
    if lower > upper:
        raise UrdfError(
            f"joint '{name}'", "and its mimics have no position in common", "widen their limits"
        )
    return _Limit(lower, upper, velocity)


def _pack(path: list[tuple[Joint, bool]], names: tuple[str, ...]) -> Array:
    moving = sum(joint.moves for joint, _ in path)
    chain = np.zeros((moving + 1, kinematics.COLUMNS))
    T = np.eye(4)
    i = 0
    for joint, backward in path:
        T = T if backward else T @ joint.origin
        if joint.moves:
            row = chain[i]
            turn = _with_z_along(-joint.axis if backward else joint.axis)
            _set_origin(row, T @ turn)
            row[kinematics.PRISMATIC] = joint.kind is JointKind.PRISMATIC
            row[kinematics.INDEX] = names.index(joint.mimic.joint if joint.mimic else joint.name)
            row[kinematics.MULTIPLIER] = joint.mimic.multiplier if joint.mimic else 1.0
            row[kinematics.OFFSET] = joint.mimic.offset if joint.mimic else 0.0
            T = turn.T
            i += 1
        T = T @ se3.inverse(joint.origin) if backward else T
    _set_origin(chain[moving], T)
    return chain


def _with_z_along(axis: Array) -> Array:
    """A pure rotation (4, 4) whose z axis is `axis`."""
    x = np.cross((0.0, 1.0, 0.0) if abs(axis[1]) < 0.9 else (0.0, 0.0, 1.0), axis)
    x /= np.linalg.norm(x)
    return se3.pose(np.column_stack([x, np.cross(axis, x), axis]), np.zeros(3))


def _set_origin(row: Array, T: Array) -> None:
    row[0:9] = T[:3, :3].ravel()
    row[9:12] = T[:3, 3]
