"""A search that can be spread over the ticks of a control loop."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik_node.core.elbow import Elbow
from ik_node.core.kernels import kinematics
from ik_node.core.kernels import search as kernel
from ik_node.core.kernels import search_data as data
from ik_node.core.kernels.jit import COMPILED
from ik_node.core.kernels.seeds import nearest_turns, sample_poses
from ik_node.core.limits import Box
from ik_node.core.posture import Posture
from ik_node.core.rows import Rows
from ik_node.core.solution import Solution
from ik_node.core.spread import spread
from ik_node.core.target import for_kernels, read_target, refuse_target
from ik_node.core.tasks import FrameTask
from ik_node.datatypes import quick
from ik_node.errors import SizeError

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]

POSITION_TOLERANCE = 1e-6
ORIENTATION_TOLERANCE = 1e-5
RESTARTS = 200
SAMPLES = 1024 if COMPILED else 128
"""Configurations that restarts are chosen from, at most."""
PER_JOINT = 32
"""Twice as many for every joint."""
STRIDE = 0.35
ENOUGH = 3
REFINED = 24
NEAR_MISS = 0.02
"""Of the reach: a position missed by less is looked at once more."""
AROUND, LOOKS = (0.01, 0.5), 32
"""rad (m), from how near to how far around it, and how often."""
_ENDLESS = 100_000
_NOTHING = (0, False, False, math.inf, math.inf, 0, math.inf, 0, False)
"""What the kernel says before any descent has ended."""


class Search:
    """A search that can be spread over the ticks of a control loop.

    `begin` a target, `advance` until it is done, take the `solution`; taken before, it is the best
    so far. One object serves one arm in one box; it is not for several threads.
    """

    def __init__(
        self,
        arm: JointGroup,
        box: Box | None = None,
        rows: Rows | str = "auto",
        *,
        elbow: Elbow | None = None,
        keep_side: bool = False,
        point: bool = False,
        restarts: int = RESTARTS,
        enough: int = ENOUGH,
        position_tolerance: float = POSITION_TOLERANCE,
        orientation_tolerance: float = ORIENTATION_TOLERANCE,
        orientation_weights: ArrayLike | None = None,
        posture: Posture | str | ArrayLike | None = None,
        rng_seed: int = 0,
    ) -> None:
        """Prepare.

        Args:
            arm: the joints.
            box: where q may be: `branch_limits(...)`, or None for the joint limits.
            rows: `auto`, `pose`, `position`, `position_then_orientation`.
            elbow: the elbow by which the branch is named; None: the arm's own.
            keep_side: the descent from the seed stays on the seed's side of straight, so that the
                other branch is taken only where this one does not reach.
            point: targets are points: `auto` is `position`.
            restarts: how many descents from elsewhere a search may add.
            enough: of so many that reach, the one with the least travel is taken.
            position_tolerance: m.
            orientation_tolerance: rad.
            orientation_weights: (3,) about the tool's x, y, z.
            posture: what is left to choose from: a rest pose (n,), `elbow_high`, ...
            rng_seed: of the table of configurations that restarts begin from.
        """
        n = arm.size
        self._task = FrameTask.of(arm, rows, orientation_weights, point)
        elbow = arm.elbow if elbow is None else elbow
        limits = Box(arm.lower, arm.upper) if box is None else box
        if limits.size != n:
            raise SizeError("limits", f"{n} joints", str(limits.size))
        wish = Posture.of(arm, posture)
        count = min(SAMPLES, PER_JOINT << n) if restarts > 0 else 1
        k = len(arm.chain) - 1
        self._names = tuple(arm.joint_names)
        self._labels = ("none",) * 2 if elbow is None else (elbow.label_minus, elbow.label_plus)
        self._near_miss = NEAR_MISS * arm.reach if restarts > 0 else -1.0
        self._restarts = restarts
        starts = restarts + 1
        self._memory = np.zeros(data.memory_size(n, k, count, starts))
        self._memory[: data.SIZES] = k, count, starts
        self._active = np.zeros(n, dtype=np.int8)
        self._fresh = True
        at = data.cut(self._memory, self._active)
        at.chain[:] = arm.chain
        at.limits[:] = limits.lower, limits.upper, wish.home, _turns(at.chain, n)
        at.samples[:] = spread(limits, count, rng_seed)
        sample_poses(at.chain, at.samples, at.features, np.empty(7 * n + 6 * k + 16))
        at.state[data.RESTARTS] = restarts
        setting = at.setting
        setting[data.ROWS] = self._task.code
        setting[data.WEIGHT_X : data.WEIGHT_Z + 1] = self._task.weights
        setting[data.LENGTH] = arm.characteristic_length
        setting[data.POSITION_TOLERANCE] = position_tolerance
        setting[data.ORIENTATION_TOLERANCE] = orientation_tolerance
        setting[data.STRIDE] = STRIDE * arm.reach
        setting[data.ELBOW] = -1.0 if elbow is None else elbow.index
        setting[data.STRAIGHT] = 0.0 if elbow is None else elbow.straight
        setting[data.KEEP_SIDE] = keep_side
        setting[data.POSTURE] = wish.code
        setting[data.ENOUGH] = enough
        setting[data.REFINED] = REFINED
        self._at = at
        self._target, self._seed, self._shape = np.eye(4), np.zeros(n), (n,)
        self._best, self._found = at.best, _NOTHING

    def begin(
        self,
        target: ArrayLike,
        seed: ArrayLike,
        *,
        restarts: int | None = None,
        hysteresis: float = 0.0,
        turn_hysteresis: float = 0.0,
    ) -> None:
        """Ask for a target; whatever was under way is forgotten.

        Args:
            target: (4, 4) pose or (3,) point, base frame.
            seed: (n,) where to start and what to stay near to.
            restarts: how many, at most as many as at construction.
            hysteresis: m, by how much a restart has to come nearer than the descent from the seed.
            turn_hysteresis: rad, the same for the orientation below a position that is held.

        Raises:
            TargetError, SizeError: they are none.
        """
        self._target, self._seed = read_target(target)[0].copy(), self._start(seed).copy()
        self._fresh, self._found = True, _NOTHING
        state = self._at.state
        state[data.RESTARTS] = self._restarts if restarts is None else min(restarts, self._restarts)
        state[data.MARGIN] = hysteresis
        state[data.TURN_MARGIN] = turn_hysteresis

    def solve(self, pose: Array, seed: ArrayLike) -> Solution:
        """Search to the end for a pose (4, 4) as `read_target` returns it.

        With all restarts and no hysteresis, unless a `begin` before has set others. Neither is
        copied: both are used only until this returns.

        Raises:
            TargetError, SizeError: the numbers are not usable.
        """
        self._target, self._seed, self._fresh = pose, self._start(seed), True
        self.advance(_ENDLESS)
        found = self.solution()
        if found.converged or found.position_error > self._near_miss:
            return found
        return self._look_around(found)

    def _look_around(self, missed: Solution) -> Solution:
        """Descend once more from around a near miss.

        Where two solutions are about to meet, at a limit or next to a singularity, what is near to
        one of them ends beside it more often than in it. Every other time the joints that stopped
        at a limit start from their other end, a turn away.
        """
        pose, seed = self._target, self._seed
        state, limits = self._at.state, self._at.limits
        restarts = int(state[data.RESTARTS])
        generator = np.random.default_rng(seed.size)
        best, spent = missed, missed.iterations
        lower, upper, _, turns = limits
        other_end = (missed.q <= lower).astype(float) - (missed.q >= upper)
        other_end *= 2.0 * math.pi * turns
        for look, far in enumerate(np.geomspace(*AROUND, LOOKS)):
            start = missed.q + far * generator.standard_normal(seed.size)
            start += other_end * (look % 2)
            self.begin(pose, start, restarts=0)
            self.advance(_ENDLESS)
            found = self.solution()
            spent += found.iterations
            if found.converged or self._cost(found) < self._cost(best):
                best = found
            if found.converged:
                break
        state[data.RESTARTS] = restarts
        travel = float(nearest_turns(best.q, seed, limits))
        return best._replace(travel=travel, iterations=spent, local=best is missed and best.local)

    def _cost(self, solution: Solution) -> float:
        turn = solution.orientation_error if self._task.rows is not Rows.POSITION else 0.0
        return math.hypot(solution.position_error, float(self._at.setting[data.LENGTH]) * turn)

    def _start(self, seed: ArrayLike) -> Array:
        start = for_kernels(seed)
        if start.shape != self._shape:
            names = f"{self._seed.size} numbers ({', '.join(self._names)})"
            raise SizeError("seed", names, str(start.shape))
        return start

    def advance(self, max_iterations: int) -> bool:
        """Spend at most so many iterations; tell whether the search is done.

        Raises:
            TargetError: the target or the seed holds no usable numbers.
        """
        self._found = found = kernel.advance(
            self._target, self._seed, self._memory, self._active, max_iterations, self._fresh
        )
        self._fresh = False
        came = found[0]
        if came < 0:
            refuse_target(-came, self._target)
        return came == 1

    @property
    def iterations(self) -> int:
        """Spent on this target so far."""
        return self._found[7]

    def solution(self) -> Solution:
        """Return the best that has been found so far."""
        _, converged, complete, position, turn, side, travel, iterations, local = self._found
        reason = "" if complete else self._reason()
        branch, q = self._labels[side], self._best.copy()
        found = (q, converged, reason, position, turn, branch, travel, iterations, local)
        return quick(Solution, found)

    def _reason(self) -> str:
        _, converged, _, position, turn, *_ = self._found
        if position == math.inf:
            return "not finished: no descent has ended yet"
        distance, angle = f"{position * 1e3:.3g} mm", f"{math.degrees(turn):.3g} deg"
        limit = self._at_limit()
        if converged:
            return f"position reached; the orientation comes no nearer than {angle}{limit}"
        if self._task.rows is Rows.POSE:
            return f"out of reach by {distance} and {angle}{limit}"
        return f"out of reach by {distance}{limit}"

    def _at_limit(self) -> str:
        lower, upper = self._at.limits[:2]
        near = (self._best - lower < 1e-6) | (upper - self._best < 1e-6)
        names = [name for name, at in zip(self._names, near, strict=True) if at]
        return f" with {', '.join(names)} at the limit" if names else ""


def _turns(chain: Array, n: int) -> Array:
    """Return (n,) 1 where a whole turn of the joint leaves the arm as it is, else 0."""
    whole = np.ones(n)
    for row in chain[:-1]:
        if row[kinematics.PRISMATIC] or row[kinematics.MULTIPLIER] % 1.0:
            whole[int(row[kinematics.INDEX])] = 0.0
    return whole
