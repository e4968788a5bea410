"""Changing the branch on purpose: plan the joint-space way, judge it, and say what it does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ik_node.control.config import TrackerConfig
from ik_node.control.motion import Motion
from ik_node.control.sweep import sweep
from ik_node.core.limits import Box
from ik_node.core.rows import Rows
from ik_node.core.search import Search, Solution

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]

NEARLY = 1e-3
"""m (rad), by which a pose may be missed."""
AT_LIMIT = 1e-3
"""rad (m), distance from a limit at which it is the reason."""
ITERATIONS = 20000


@dataclass(frozen=True, eq=False)
class Reconfiguration:
    """The answer to a request for another branch.

    Attributes:
        accepted: whether the arm does it (or would, in a dry run).
        sentence: what it does, or why not.
        travel: rad, of the joint that moves most.
        sweep: m, length of the tool's path.
        time: s.
        posture: (n,) where it ends; None when refused.
        sign: the branch it ends on; 0: that of the place where it is stopped.
    """

    accepted: bool
    sentence: str
    travel: float = 0.0
    sweep: float = 0.0
    time: float = 0.0
    posture: Array | None = None
    sign: int = 0


@dataclass(frozen=True, eq=False)
class Wish:
    """Where the tool should be on the other branch.

    Attributes:
        pose: (4, 4).
        rows: what of it counts.
        missed: m, how far the present branch is from it; the other may be as far.
        is_target: it is the target; otherwise the place where the tool is now.
    """

    pose: Array
    rows: Rows
    missed: float
    is_target: bool


def plan(
    arm: JointGroup,
    motion: Motion,
    wish: Wish,
    sign: int,
    label: str,
    box: Box,
    config: TrackerConfig,
) -> Reconfiguration:
    """Plan the way of the commanded joints to the branch with the limits `box`.

    Args:
        arm: the arm.
        motion: the command now; it is not moved.
        wish: where the tool should be.
        sign: of the branch.
        label: its name.
        box: its limits.
        config: for the floor and the search.
    """
    solution = _solve(arm, box, wish, wish.rows, motion.q, config)
    turned = 0.0
    if not solution.converged and wish.rows is Rows.POSE and not wish.is_target:
        solution = _solve(arm, box, wish, Rows.POSITION_THEN_ORIENTATION, motion.q, config)
        turned = solution.orientation_error
    if not solution.converged and solution.position_error > wish.missed + NEARLY:
        return Reconfiguration(False, _why_not(arm, solution, wish, label, box))
    answer = way_to(arm, motion, np.array(solution.q), sign, label, config)
    if answer.accepted and turned > NEARLY:
        and_turned = f", and the tool is left turned by {np.degrees(turned):.0f} deg"
        return replace(answer, sentence=answer.sentence + and_turned)
    return answer


def way_to(
    arm: JointGroup, motion: Motion, posture: Array, sign: int, label: str, config: TrackerConfig
) -> Reconfiguration:
    """Judge the way of the commanded joints along the joint space to `posture` (n,)."""
    floor_height = config.floor_height
    way = sweep(arm, motion.q, posture)
    if floor_height is not None and way.lowest.height < floor_height:
        return Reconfiguration(
            False,
            f"not changed to '{label}': the way leads the {way.lowest.part} down to "
            f"{way.lowest.height:.3f} m, below floor_height {floor_height:.3f} m; "
            "move the arm higher first",
        )
    time = motion.time_along_joints(posture)
    sentence = (
        f"changing to '{label}': joint {way.joint} moves {way.travel:.2f} rad, "
        f"the tool sweeps {way.tool:.2f} m, it takes {time:.1f} s"
    )
    return Reconfiguration(True, sentence, way.travel, way.tool, time, posture, sign)


def _solve(
    arm: JointGroup, box: Box, wish: Wish, rows: Rows, q: Array, config: TrackerConfig
) -> Solution:
    search = Search(
        arm,
        box,
        rows,
        restarts=config.search_restarts,
        orientation_weights=config.orientation_weights,
        posture=config.posture,
        rng_seed=config.seed,
    )
    search.begin(wish.pose, q)
    search.advance(ITERATIONS)
    return search.solution()


def _why_not(arm: JointGroup, solution: Solution, wish: Wish, label: str, box: Box) -> str:
    q = solution.q
    narrowed = (box.lower > arm.lower) | (box.upper < arm.upper)
    reasons = [
        f"joint {arm.joint_names[i]} has only {box.lower[i]:.3f} .. {box.upper[i]:.3f} rad there, "
        f"its limits are {arm.lower[i]:.3f} .. {arm.upper[i]:.3f}"
        for i in np.flatnonzero(narrowed)
    ]
    for i, name in enumerate(arm.joint_names):
        for limit, word in ((arm.lower[i], "lower"), (arm.upper[i], "upper")):
            if abs(q[i] - limit) < AT_LIMIT:
                reasons.append(f"joint {name} at its {word} limit {limit:.3f} rad")
    place = "the target" if wish.is_target else "the tool's place"
    because = f" ({'; '.join(reasons)})" if reasons else ""
    return (
        f"not changed to '{label}': that branch misses {place} by "
        f"{1000.0 * solution.position_error:.0f} mm and "
        f"{np.degrees(solution.orientation_error):.0f} deg{because}"
    )
