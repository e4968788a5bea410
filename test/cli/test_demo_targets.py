from __future__ import annotations

import numpy as np
import pytest

from ik_node.cli.arms import arm_names, find_arm, load_arm
from ik_node.cli.demo_targets import choose_targets, find_room
from ik_node.core import search

ARMS = arm_names()


@pytest.mark.parametrize("name", ARMS)
def test_the_solver_agrees_on_what_can_be_reached(name: str) -> None:
    arm = load_arm(find_arm(name))
    room = find_room(arm)
    targets = choose_targets(arm, room, 5, seed=1)
    assert [target.reachable for target in targets] == [True] * 5 + [False]
    for target in targets:
        found = search(arm, target.pose, seed=room.middle)
        assert found.converged == target.reachable


@pytest.mark.parametrize("name", ARMS)
def test_the_same_seed_gives_the_same_targets_and_another_seed_others(name: str) -> None:
    arm = load_arm(find_arm(name))
    room = find_room(arm)
    first, again, other = (choose_targets(arm, room, 5, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a.pose, b.pose) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0].pose, other[0].pose)


def test_targets_lie_on_the_branch_that_the_arm_is_on() -> None:
    arm = load_arm(find_arm("planar_2r"))
    for elbow in (1.0, -1.0):
        assert find_room(arm, np.array([0.0, elbow])).middle[1] * elbow > 0.0


def test_an_arm_on_a_branch_without_room_gets_targets_on_the_other_one() -> None:
    arm = load_arm(find_arm("open_manipulator_x"))
    folded = np.array([0.0, 0.0, -1.45, 0.0])
    np.testing.assert_array_equal(find_room(arm, folded).middle, find_room(arm).middle)
