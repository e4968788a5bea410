from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import FIXED_ARMS, JointText, arm_texts, urdf

from ik_node.core import RobotModel
from ik_node.ros.marker_axes import MarkerAxes


def axes_of(text: str, turns: bool = True) -> MarkerAxes:
    return MarkerAxes(RobotModel.from_urdf(text).joint_group("base_link", "tool"), turns)


@pytest.mark.parametrize(
    ("arm", "arrows", "rings"),
    [
        ("planar_2r", [[1, 0, 0], [0, 0, 1]], 0),
        ("omx", [[1, 0, 0], [0, 1, 0], [0, 0, 1]], 1),
        ("wx200", [[1, 0, 0], [0, 1, 0], [0, 0, 1]], 2),
        ("ur5", [[1, 0, 0], [0, 1, 0], [0, 0, 1]], 3),
        ("panda", [[1, 0, 0], [0, 1, 0], [0, 0, 1]], 3),
    ],
)
def test_the_marker_offers_what_the_arm_can_do(
    arm: str, arrows: list[list[float]], rings: int
) -> None:
    axes = axes_of(FIXED_ARMS[arm])
    np.testing.assert_allclose(axes.translations, arrows, atol=1e-9)
    assert axes.rotations(np.full(axes.arm.size, 0.3)).shape == (rings, 3)


def test_a_four_joint_arm_turns_about_the_normal_of_its_plane_only() -> None:
    axes = axes_of(FIXED_ARMS["omx"])
    q = np.array([0.7, 0.2, 0.5, -0.4])
    np.testing.assert_allclose(np.abs(axes.rotations(q)), [[0, 1, 0]], atol=1e-9)


def test_where_positions_alone_are_controlled_there_are_no_rings() -> None:
    assert axes_of(FIXED_ARMS["ur5"], turns=False).rotations(np.full(6, 0.3)).shape == (0, 3)


def test_at_a_singular_configuration_there_are_no_more_rings_than_elsewhere() -> None:
    assert axes_of(FIXED_ARMS["planar_2r"]).rotations(np.zeros(2)).shape == (0, 3)
    assert axes_of(FIXED_ARMS["omx"]).rotations(np.zeros(4)).shape[0] == 1


@settings(deadline=None, max_examples=25)
@given(arm_texts(2, 7), st.integers(0, 2**31))
def test_every_ring_is_a_turn_that_keeps_the_tools_place(text: str, seed: int) -> None:
    axes = axes_of(text)
    arm = axes.arm
    q = arm.random_configurations(1, np.random.default_rng(seed))[0]
    J = arm.jacobian(q)
    sigma = np.linalg.svd(J[:3], compute_uv=False)
    assume(sigma[-1] > 0.1 * sigma[0] or arm.size < 3)
    R = arm.forward_kinematics(q)[:3, :3]
    for axis in axes.rotations(q):
        wanted = np.concatenate([np.zeros(3), R @ axis])
        dq = np.linalg.lstsq(J, wanted, rcond=None)[0]
        # A motion under 2 % of the arm's longest lever counts as none.
        np.testing.assert_allclose(J @ dq, wanted, atol=max(0.02 * sigma[0], 1e-9))


@settings(deadline=None, max_examples=25)
@given(arm_texts(2, 7), st.integers(0, 2**31))
def test_arrows_and_rings_stand_square_to_each_other(text: str, seed: int) -> None:
    axes = axes_of(text)
    q = axes.arm.random_configurations(1, np.random.default_rng(seed))[0]
    for basis in (axes.translations, axes.rotations(q)):
        np.testing.assert_allclose(basis @ basis.T, np.eye(len(basis)), atol=1e-9)


def test_an_arm_in_a_slanted_plane_gets_two_arrows_within_it() -> None:
    axes = axes_of(
        urdf(
            [
                JointText("slant", "fixed", rpy=(0.4, 0.3, 0.2)),
                JointText("joint1"),
                JointText("joint2", xyz=(0.3, 0, 0)),
                JointText("tool_joint", "fixed", (0.2, 0, 0)),
            ]
        )
    )
    assert axes.translations.shape == (2, 3)
    normal = np.cross(*axes.translations)
    for q in axes.arm.random_configurations(5, np.random.default_rng(1)):
        assert abs(normal @ axes.arm.jacobian(q)[:3]).max() < 1e-9
