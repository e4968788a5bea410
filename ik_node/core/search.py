"""`search`: the configuration that reaches a target, or comes nearest, and an honest account."""

from __future__ import annotations

from functools import lru_cache
from threading import get_ident
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ik_node.core.branch import branch_limits, branch_signs
from ik_node.core.limits import Box
from ik_node.core.posture import Posture
from ik_node.core.resumable_search import RESTARTS, Search
from ik_node.core.rows import Rows
from ik_node.core.solution import Solution
from ik_node.core.target import as_key, read_target

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

__all__ = ["Search", "Solution", "search", "search_branches"]


def search(
    arm: JointGroup,
    target: ArrayLike,
    seed: ArrayLike | None = None,
    branch: str | None = None,
    rows: Rows | str = "auto",
    rng_seed: int = 0,
    *,
    limits: Box | None = None,
    restarts: int = RESTARTS,
    enough: int = 1,
    orientation_weights: ArrayLike | None = None,
    posture: Posture | str | ArrayLike | None = None,
) -> Solution:
    """Find the configuration that reaches a target, or comes nearest to it inside the limits.

    Near to the seed: the descent from the seed is asked first, on the seed's own branch; only if it
    does not reach are other starts tried, the nearer first, and of `enough` that reach, the one
    whose largest joint move is smallest is taken.

    Args:
        arm: the joints.
        target: (4, 4) pose or (3,) point, base frame.
        seed: (n,) where to start; None: the middle of the limits.
        branch: stay on this branch (`up`, `down`, `left`, `right`, `+`, `-`; `current`: the
            seed's); None: the seed's if it reaches, else any.
        rows: `auto`, `pose`, `position`, `position_then_orientation`.
        rng_seed: for the restarts; the same seed gives the same answer.
        limits: box on q instead of the joint limits.
        restarts: how many other starts.
        enough: after so many that reach no more are tried; more of them find a nearer one.
        orientation_weights: (3,) about the tool's x, y, z.
        posture: what is left to choose from: a rest pose (n,), `elbow_high`, `elbow_low`, `centre`.

    Returns:
        The Solution; `converged` is judged on level 1, inside the limits.

    Raises:
        TargetError, SizeError, UnknownNameError, ConfigurationError: bad input, by name.
    """
    pose, point = read_target(target)
    if seed is None:
        middle = 0.5 * (arm.lower + arm.upper)
        seed = np.where(np.isfinite(middle), middle, 0.0)
    if branch == "current":
        branch = _branch_of(arm, seed)
    searcher = _made_once(
        get_ident(),
        arm,
        branch,
        rows,
        point,
        restarts,
        enough,
        rng_seed,
        limits,
        as_key(orientation_weights),
        as_key(posture),
    )
    return searcher.solve(pose, seed)


def search_branches(
    arm: JointGroup,
    target: ArrayLike,
    seed: ArrayLike | None = None,
    rows: Rows | str = "auto",
    rng_seed: int = 0,
) -> list[Solution]:
    """Search on every elbow branch that the limits leave; the best first.

    Converged before not, then the least travel; an arm without an elbow has one entry.

    Args:
        arm: the joints.
        target: (4, 4) or (3,), base frame.
        seed: (n,) where to start.
        rows: as for `search`.
        rng_seed: for the restarts.
    """
    signs = branch_signs(arm, arm.elbow, 0.0, 0.0)
    found = []
    for sign in signs:
        label = None if arm.elbow is None else arm.elbow.label(sign)
        found.append(search(arm, target, seed, label, rows, rng_seed))
    return sorted(
        found,
        key=lambda s: (not s.converged, s.position_error if not s.converged else 0.0, s.travel),
    )


def _branch_of(arm: JointGroup, q: ArrayLike) -> str | None:
    elbow = arm.elbow
    return None if elbow is None else elbow.label(elbow.sign_of(np.asarray(q, dtype=np.float64)))


def _box(arm: JointGroup, branch: str | None) -> Box:
    if branch is None or arm.elbow is None:
        return Box(arm.lower, arm.upper)
    return branch_limits(arm, arm.elbow, arm.elbow.sign_from_label(branch), 0.0, 0.0)


@lru_cache(maxsize=64)
def _made_once(
    thread: int,
    arm: JointGroup,
    branch: str | None,
    rows: Rows | str,
    point: bool,
    restarts: int,
    enough: int,
    rng_seed: int,
    limits: Box | None,
    orientation_weights: tuple[float, ...] | None,
    posture: Posture | str | tuple[float, ...] | None,
) -> Search:
    """Return the search for these options, prepared before where it can be; one for a thread."""
    return Search(
        arm,
        _box(arm, branch) if limits is None else limits,
        rows,
        keep_side=branch is None,
        point=point,
        restarts=restarts,
        enough=enough,
        orientation_weights=orientation_weights,
        posture=posture,
        rng_seed=rng_seed,
    )
