from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import arm_of, planar_2r

from ik_node.core import two_link
from ik_node.errors import ConfigurationError, TargetError

lengths = st.floats(0.01, 2.0)
coordinates = st.floats(allow_nan=False)


@settings(deadline=None, max_examples=300)
@given(coordinates, coordinates, lengths, lengths)
def test_both_branches_reach_the_clamped_target_and_nothing_is_nan(
    x: float, y: float, l1: float, l2: float
) -> None:
    solution = two_link.inverse_kinematics(x, y, l1, l2)
    for theta1, theta2 in (solution.down, solution.up):
        tip = two_link.forward_kinematics(theta1, theta2, l1, l2)
        assert tip == pytest.approx(solution.clamped, abs=1e-9)
        assert abs(theta1) <= math.pi
    assert solution.down.theta2 >= 0.0 >= solution.up.theta2
    distance = math.hypot(*solution.clamped)
    inner, outer = solution.workspace
    assert inner - 1e-9 <= distance <= outer + 1e-9


@settings(deadline=None, max_examples=200)
@given(st.floats(-math.pi, math.pi), st.floats(-math.pi, math.pi), lengths, lengths)
def test_every_tip_that_the_arm_can_have_is_reachable_with_its_own_angles(
    theta1: float, theta2: float, l1: float, l2: float
) -> None:
    x, y = two_link.forward_kinematics(theta1, theta2, l1, l2)
    solution = two_link.inverse_kinematics(x, y, l1, l2)
    assert solution.reachable
    assert solution.radius == math.hypot(x, y)
    if 1e-3 < abs(theta2) < math.pi - 1e-3:
        found = solution.down if theta2 > 0.0 else solution.up
        assert found.theta2 == pytest.approx(theta2, abs=1e-6)
        assert math.remainder(found.theta1 - theta1, 2 * math.pi) == pytest.approx(0, abs=1e-6)


@settings(deadline=None, max_examples=100)
@given(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
def test_the_general_kinematics_agree_on_a_planar_arm(x: float, z: float) -> None:
    arm = arm_of(planar_2r(0.3, 0.25))
    solution = two_link.inverse_kinematics(x, z, 0.3, 0.25)
    for angles in (solution.down, solution.up):
        tip = arm.forward_kinematics(angles)[:3, 3]
        assert tip == pytest.approx([solution.clamped.x, 0.0, solution.clamped.y], abs=1e-12)


def test_down_is_with_the_elbow_below_the_line_and_up_above() -> None:
    solution = two_link.inverse_kinematics(0.4, 0.0, 0.3, 0.25)
    assert 0.3 * math.sin(solution.down.theta1) < 0.0
    assert 0.3 * math.sin(solution.up.theta1) > 0.0
    elbow = arm_of(planar_2r()).elbow
    assert elbow is not None
    assert elbow.label(elbow.sign_of(np.array(solution.down))) == "down"
    assert elbow.label(elbow.sign_of(np.array(solution.up))) == "up"


def test_too_far_is_clamped_to_full_stretch() -> None:
    solution = two_link.inverse_kinematics(3.0, 4.0, 0.3, 0.2)
    assert not solution.reachable
    assert solution.radius == 5.0
    assert solution.clamped == pytest.approx((0.3, 0.4))
    assert solution.down == pytest.approx((math.atan2(4, 3), 0.0))
    assert solution.workspace == pytest.approx((0.1, 0.5))
    assert (solution.workspace.inner, solution.workspace.outer) == solution.workspace


def test_too_near_is_clamped_to_the_edge_of_the_hole() -> None:
    solution = two_link.inverse_kinematics(0.0, -0.01, 0.3, 0.2)
    assert not solution.reachable
    assert solution.clamped == pytest.approx((0.0, -0.1))
    assert solution.down.theta2 == pytest.approx(math.pi)


def test_on_the_shoulder_counts_as_along_x() -> None:
    assert two_link.inverse_kinematics(0.0, 0.0, 0.3, 0.2).clamped == pytest.approx((0.1, 0.0))
    equal = two_link.inverse_kinematics(0.0, 0.0, 0.3, 0.3)
    assert equal.reachable
    assert equal.down == pytest.approx((-math.pi / 2, math.pi))


def test_full_accuracy_right_at_the_edge() -> None:
    for theta2 in (1e-7, 1e-9):
        x, y = two_link.forward_kinematics(0.4, theta2, 1.0, 1.0)
        solution = two_link.inverse_kinematics(x, y, 1.0, 1.0)
        tip = two_link.forward_kinematics(*solution.down, 1.0, 1.0)
        assert tip == pytest.approx((x, y), abs=1e-15)


def test_a_target_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(TargetError, match="not a point; give two numbers"):
        two_link.inverse_kinematics(math.nan, 0.0, 0.3, 0.2)


@pytest.mark.parametrize("length", [0.0, -0.1, math.nan, math.inf])
def test_a_link_without_length_is_refused(length: float) -> None:
    with pytest.raises(ConfigurationError, match=r"l2: is .* m; give a positive length"):
        two_link.inverse_kinematics(0.1, 0.0, 0.3, length)
