"""How the tracker searches: as it is configured, and a few iterations a tick."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ik_node.control.config import TrackerConfig
from ik_node.core.kernels.jit import COMPILED
from ik_node.core.limits import Box
from ik_node.core.search import Search

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

INTERPRETED_SHARE = 20
"""By how much fewer iterations a tick has without numba."""


def make_search(
    arm: JointGroup, box: Box, config: TrackerConfig, point: bool, restarts: int | None = None
) -> Search:
    """Return a search inside `box` as configured."""
    return Search(
        arm,
        box,
        "auto" if point else config.rows,
        point=point,
        restarts=config.search_restarts if restarts is None else restarts,
        orientation_weights=config.orientation_weights,
        posture=config.posture,
        rng_seed=config.seed,
    )


def tick_iterations(config: TrackerConfig) -> int:
    """Return how many solver iterations one tick may take."""
    if COMPILED:
        return config.search_iterations
    return max(1, config.search_iterations // INTERPRETED_SHARE)
