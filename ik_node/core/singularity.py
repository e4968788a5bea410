"""Near singularities by name: what is lost, because of which joints."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ik_node.core.elbow import PARALLEL, meeting_point
from ik_node.core.elements import Array
from ik_node.core.kernels import kinematics
from ik_node.core.kernels import manipulability as kernel

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

_SAMPLES = 16


class SingularityKind(str, Enum):
    """What makes a direction of motion vanish."""

    STRAIGHT = "straight"
    FOLDED = "folded"
    TOOL_ON_AXIS = "tool_on_axis"
    AXES_ALIGNED = "axes_aligned"
    GENERAL = "general"


@dataclass(frozen=True)
class Singularity:
    """A near singularity: its kind, the joints that make it, and a sentence that says so."""

    kind: SingularityKind
    joints: tuple[str, ...]
    sentence: str


@dataclass(frozen=True, eq=False)
class CauseFinder:
    """What `kernels.manipulability.find_cause` has to know about an arm beforehand."""

    rows: int
    own: NDArray[np.int64]
    lever: Array
    pair: NDArray[np.int8]
    elbow: Array
    wrist: Array

    @classmethod
    def for_arm(cls, arm: JointGroup, rows: int) -> CauseFinder:
        """Look at seeded configurations to tell what always holds from what happens."""
        n = arm.size
        own = np.array([arm.moving_names.index(name) for name in arm.joint_names], dtype=np.int64)
        turns = [not arm.chain[row, kinematics.PRISMATIC] for row in own]
        samples = arm.random_configurations(_SAMPLES, np.random.default_rng(2))
        axes = np.array([arm.joint_axes(q) for q in samples])
        wrist = _wrist(arm, axes) if rows == 6 else None
        ends = np.array([arm.forward_kinematics(q)[:3, 3] for q in samples])
        if wrist is not None:
            ends = axes[:, wrist[0], :3] + wrist[1] * axes[:, wrist[0], 3:]
        lever = np.zeros(n)
        pair = np.zeros((n, n), dtype=np.int8)
        offsets = ends[:, None] - axes[:, own, :3]
        all_levers = np.linalg.norm(np.cross(axes[:, own, 3:], offsets), axis=2)
        # A tool that is always on a joint's axis is built so: where position alone counts, the
        # joint has no part in it.
        away = np.max(all_levers, axis=0) > 1e-2 * arm.reach
        if rows == 3:
            turns = [turn and bool(far) for turn, far in zip(turns, away, strict=True)]
        for j in range(n):
            rods, levers = axes[:, own[j], 3:], all_levers[:, j]
            if turns[j] and away[j] and (rows == 3 or wrist is not None):
                # On an axis through shoulder and elbow the wrist is when the arm is straight.
                forearm = arm.elbow.forearm if arm.elbow else 0.0
                again = forearm > 0.0 and _is_elbow(arm, samples, levers / forearm)
                lever[j] = 0.0 if again else np.max(levers)
            for k in range(j + 1, n):
                sines = np.linalg.norm(np.cross(rods, axes[:, own[k], 3:]), axis=1)
                # A pair at a constant angle is built so, and never the cause of anything.
                if turns[j] and turns[k] and np.ptp(sines) > 10.0 * PARALLEL:
                    pair[j, k] = 2 if _is_elbow(arm, samples, sines) else 1
        e = arm.elbow
        elbow = [e.index, e.straight, e.upper_arm, e.forearm] if e else [-1.0, 0.0, 0.0, 0.0]
        return cls(rows, own, lever, pair, np.array(elbow), np.array(wrist or (-1.0, 0.0)))

    def find(self, arm: JointGroup, q: Array, length: float, rank: int) -> Singularity:
        """Name the singularity that q (n,) is nearest to, however far."""
        n = arm.size
        T, J, axes = np.empty((4, 4)), np.empty((6, n)), np.empty((len(arm.chain) - 1, 6))
        kinematics.forward_kinematics(arm.chain, q, T, J, axes)
        A, V, sigma = np.empty((n, self.rows)), np.empty((n, n)), np.empty(n)
        kernel.singular_values(J, self.rows, length, A, V, sigma)
        # What an arm with spare joints can do without moving the tool cannot be told from it.
        part = np.sqrt((V[rank - 1 :] ** 2).sum(axis=0))
        cause = np.empty(4)
        kernel.find_cause(
            q,
            T,
            axes,
            part,
            self.own,
            self.lever,
            self.pair,
            self.elbow,
            self.wrist,
            n > rank,
            cause,
        )
        kind = int(cause[0])
        joints = tuple(arm.joint_names[int(j)] for j in cause[1:3] if j >= 0)
        if kind == kernel.GENERAL:
            shares = np.abs(V[rank - 1])
            joints = arm.names(np.flatnonzero(shares > 0.3 * shares.max()))
        return _named(kind, joints)


@lru_cache(maxsize=256)
def _named(kind: int, joints: tuple[str, ...]) -> Singularity:
    listed = " and ".join(joints)
    name, sentence = {
        kernel.STRAIGHT: (SingularityKind.STRAIGHT, f"the arm is straight at {listed}"),
        kernel.FOLDED: (SingularityKind.FOLDED, f"the arm is folded at {listed}"),
        kernel.TOOL_ON_AXIS: (
            SingularityKind.TOOL_ON_AXIS,
            f"the tool is on the axis of joint {listed}",
        ),
        kernel.WRIST_ON_AXIS: (
            SingularityKind.TOOL_ON_AXIS,
            f"the wrist is on the axis of joint {listed}",
        ),
        kernel.AXES_ALIGNED: (
            SingularityKind.AXES_ALIGNED,
            f"the axes of joints {listed} are aligned",
        ),
        kernel.GENERAL: (
            SingularityKind.GENERAL,
            f"joints {', '.join(joints)} move against each other without moving the tool",
        ),
    }[kind]
    return Singularity(name, joints, sentence)


def _is_elbow(arm: JointGroup, samples: Array, shares: Array) -> bool:
    """Whether what vanishes here is the sine of the elbow's angle once more."""
    if arm.elbow is None:
        return False
    sines = [abs(math.sin(arm.elbow.angle(q))) for q in samples]
    return bool(np.max(np.abs(shares - sines)) < 0.02)


def _wrist(arm: JointGroup, axes: Array) -> tuple[int, float] | None:
    """Row of the last rotation, and where on it the last three rotations always meet."""
    turning = [i for i in range(len(arm.chain) - 1) if not arm.chain[i, kinematics.PRISMATIC]]
    if len(turning) < 4:
        return None
    a, b, c = turning[-3:]
    offsets = []
    for rods in axes:
        first = meeting_point(rods[a], rods[b], arm.reach)
        second = meeting_point(rods[b], rods[c], arm.reach)
        if first is None or second is None:
            return None
        if np.linalg.norm(first - second) > 2e-3 * arm.reach:
            return None
        offsets.append(float((second - rods[c, :3]) @ rods[c, 3:]))
    return c, float(np.mean(offsets))
