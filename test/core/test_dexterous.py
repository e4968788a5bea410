"""The best configuration for a point, held against many random ones that get there."""

import numpy as np
import pytest
from strategies import FIXED_ARMS, arm_of, examples

from ik_node.core import manipulability
from ik_node.core.dexterous import REACHED, most_dexterous
from ik_node.core.search import search

POINT = np.array([0.22, 0.0, 0.12])


@pytest.mark.parametrize("name", ["omx", "wx200"])
def test_no_configuration_at_a_point_is_better(name: str) -> None:
    arm = arm_of(FIXED_ARMS[name])
    seeds = arm.random_configurations(examples(25), np.random.default_rng(3))
    best = most_dexterous(arm, POINT, seeds[:5], None, 12)
    assert best is not None
    assert np.linalg.norm(arm.forward_kinematics(best.q)[:3, 3] - POINT) < REACHED
    assert ((arm.lower <= best.q) & (best.q <= arm.upper)).all()
    for seed in seeds:
        other = search(arm, POINT, seed, None, "position")
        if other.position_error < REACHED:
            assert manipulability(arm, other.q, "position").relative <= best.relative + 0.02


def test_a_point_out_of_reach_has_none() -> None:
    arm = arm_of(FIXED_ARMS["omx"])
    assert most_dexterous(arm, np.array([2.0, 0.0, 0.0]), [None], None, 3) is None


def test_the_branch_is_kept() -> None:
    arm = arm_of(FIXED_ARMS["omx"])
    for label in ("up", "down"):
        best = most_dexterous(arm, np.array([0.3, 0.0, 0.1]), [None], label, 12)
        assert best is not None and arm.elbow.label(arm.elbow.sign_of(best.q)) == label
