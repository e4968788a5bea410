from __future__ import annotations

import math

import numpy as np
import pytest
from strategies import FIXED_ARMS, JointText, arm_of, fixed_joint, omx, planar_2r, ur5, urdf

from ik_node.core.branch import branch_limits, branch_signs
from ik_node.errors import ConfigurationError


@pytest.mark.parametrize("name", FIXED_ARMS)
@pytest.mark.parametrize("sign", [1, -1])
def test_every_configuration_of_a_branch_box_is_on_the_branch_and_in_the_limits(
    name: str, sign: int
) -> None:
    arm = arm_of(FIXED_ARMS[name])
    elbow = arm.elbow
    assert elbow is not None
    box = branch_limits(arm, elbow, sign, 0.02, 0.02)
    assert (box.lower >= arm.lower).all()
    assert (box.upper <= arm.upper).all()
    for q in np.random.default_rng(0).uniform(box.lower, box.upper, (50, arm.size)):
        assert elbow.sign_of(q) == sign
        assert 0.02 - 1e-12 <= abs(elbow.angle(q)) <= math.pi - 0.02 + 1e-12


def test_only_the_elbow_is_narrowed() -> None:
    arm = arm_of(omx())
    box = branch_limits(arm, arm.elbow, 1, 0.03, 0.03)
    others = [0, 1, 3]
    assert (box.lower[others] == arm.lower[others]).all()
    assert (box.upper == arm.upper).all()
    assert box.lower[2] == pytest.approx(-1.3854 + 0.03, abs=1e-4)


def test_open_manipulator_x_has_six_degrees_of_its_other_branch() -> None:
    arm = arm_of(omx())
    box = branch_limits(arm, arm.elbow, -1, 0.0, 0.0)
    assert math.degrees(box.upper[2] - box.lower[2]) == pytest.approx(6.56, abs=0.01)
    assert branch_signs(arm, arm.elbow, 0.03) == (1, -1)


def test_a_branch_without_room_is_refused_with_the_limits() -> None:
    arm = arm_of(omx())
    assert branch_signs(arm, arm.elbow, 0.2) == (1,)
    with pytest.raises(ConfigurationError, match=r"'joint3': has no room on branch 'down'.*-1\.5 "):
        branch_limits(arm, arm.elbow, -1, 0.2)


def test_without_a_branch_the_joint_limits_are_left() -> None:
    arm = arm_of(omx())
    for box in (branch_limits(arm, None, 1), branch_limits(arm, arm.elbow, 0)):
        assert (box.lower == arm.lower).all()
        assert (box.upper == arm.upper).all()
    assert branch_signs(arm, None) == (0,)


def test_an_elbow_that_turns_twice_stays_on_the_turn_where_it_stands() -> None:
    arm = arm_of(ur5())
    elbow = arm.elbow
    assert elbow is not None
    q = np.zeros(6)
    assert branch_limits(arm, elbow, 1, 0.0, 0.0).upper[2] == pytest.approx(math.pi)
    for value, lower in ((0.5, 0.0), (-5.0, -2 * math.pi), (5.0, 0.0)):
        q[2] = value
        assert branch_limits(arm, elbow, 1, 0.0, 0.0, near=q).lower[2] == pytest.approx(lower)


def test_an_elbow_without_limits_has_both_branches() -> None:
    joints = [
        JointText("shoulder", "continuous", axis=(0, -1, 0)),
        JointText("elbow", "continuous", (0.3, 0, 0), axis=(0, -1, 0)),
        fixed_joint((0.25, 0, 0)),
    ]
    arm = arm_of(urdf(joints))
    box = branch_limits(arm, arm.elbow, -1, 0.1, 0.2)
    assert (box.lower[1], box.upper[1]) == pytest.approx((-math.pi + 0.2, -0.1))
    assert (box.lower[0], box.upper[0]) == (-math.inf, math.inf)


def test_margins_keep_away_from_straight_and_folded() -> None:
    arm = arm_of(planar_2r())
    box = branch_limits(arm, arm.elbow, 1, 0.1, 1.0)
    assert (box.lower[1], box.upper[1]) == pytest.approx((0.1, math.pi - 1.0))
