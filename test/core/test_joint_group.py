"""Forward kinematics against another reading of the URDF, every Jacobian against differences."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from strategies import (
    FIXED_ARMS,
    JointText,
    arm_of,
    arm_texts,
    arms,
    examples,
    fixed_joint,
    planar_2r,
    urdf,
)

from ik_node.core import JointGroup, RobotModel
from ik_node.errors import SizeError, UrdfError

seeds = st.integers(0, 2**31)


def configuration(arm: JointGroup, seed: int) -> np.ndarray:
    return arm.random_configurations(1, np.random.default_rng(seed))[0]


def pose_by_another_reading(text: str, positions: dict[str, float]) -> np.ndarray:
    """Pose of `tool` in `base_link`, from the XML itself by way of scipy's rotations."""

    def vector(element: ET.Element | None, name: str, default: str) -> np.ndarray:
        value = default if element is None else element.get(name, default)
        return np.array([float(number) for number in value.split()])

    above = {j.find("child").get("link"): j for j in ET.fromstring(text).findall("joint")}
    T, link = np.eye(4), "tool"
    while link != "base_link":
        joint = above[link]
        step = np.eye(4)
        origin = joint.find("origin")
        step[:3, :3] = Rotation.from_euler("xyz", vector(origin, "rpy", "0 0 0")).as_matrix()
        step[:3, 3] = vector(origin, "xyz", "0 0 0")
        kind, mimic = joint.get("type"), joint.find("mimic")
        if kind != "fixed":
            value = positions[joint.get("name") if mimic is None else mimic.get("joint")]
            if mimic is not None:
                value = value * float(mimic.get("multiplier")) + float(mimic.get("offset"))
            axis = vector(joint.find("axis"), "xyz", "1 0 0")
            axis /= np.linalg.norm(axis)
            motion = np.eye(4)
            if kind == "prismatic":
                motion[:3, 3] = value * axis
            else:
                motion[:3, :3] = Rotation.from_rotvec(value * axis).as_matrix()
            step = step @ motion
        T, link = step @ T, joint.find("parent").get("link")
    return T


@settings(deadline=None, max_examples=examples(60))
@given(arm_texts(), seeds)
def test_forward_kinematics_agree_with_another_reading_of_the_urdf(text: str, seed: int) -> None:
    arm = arm_of(text)
    q = configuration(arm, seed)
    by_name = dict(zip(arm.joint_names, q, strict=True))
    T = pose_by_another_reading(text, by_name)
    assert arm.forward_kinematics(q) == pytest.approx(T, abs=1e-12)
    assert arm.model.frame_pose("tool", by_name) == pytest.approx(T, abs=1e-12)


@settings(deadline=None, max_examples=examples(60))
@given(arms(), seeds)
def test_the_jacobian_is_the_derivative_of_the_pose(arm: JointGroup, seed: int) -> None:
    q = configuration(arm, seed)
    J = arm.jacobian(q)
    h = 1e-6
    rounding = 1e-8 * max(1.0, np.abs(J).max())  # of positions, which are as large, over h
    for i in range(arm.size):
        d = np.zeros(arm.size)
        d[i] = h
        ahead, behind = arm.forward_kinematics(q + d), arm.forward_kinematics(q - d)
        assert J[:3, i] == pytest.approx((ahead - behind)[:3, 3] / (2 * h), abs=rounding)
        turn = Rotation.from_matrix(ahead[:3, :3] @ behind[:3, :3].T).as_rotvec()
        assert J[3:, i] == pytest.approx(turn / (2 * h), abs=rounding)


@settings(deadline=None, max_examples=examples(30))
@given(arms(), seeds)
def test_the_chain_walked_backwards_is_the_inverse(arm: JointGroup, seed: int) -> None:
    q = configuration(arm, seed)
    if any(joint.mimic for joint in arm.model.joints.values()):
        return
    back = arm.model.joint_group("tool", "base_link")
    assert back.joint_names == arm.joint_names[::-1]
    product = back.forward_kinematics(q[::-1]) @ arm.forward_kinematics(q)
    assert product == pytest.approx(np.eye(4), abs=1e-12)


def test_a_chain_may_cross_from_one_limb_to_another() -> None:
    limit = '<limit lower="-1" upper="1" velocity="1" effort="1"/>'
    text = '<robot name="two"><link name="trunk"/>' + "".join(
        f'<link name="{s}"/><joint name="{s}" type="revolute"><parent link="trunk"/>'
        f'<child link="{s}"/><origin xyz="0 {y} 0"/><axis xyz="0 0 1"/>{limit}</joint>'
        for s, y in (("left", 0.3), ("right", -0.3))
    )
    arm = RobotModel.from_urdf(text + "</robot>").joint_group("left", "right")
    assert arm.joint_names == ("left", "right")
    T = arm.forward_kinematics([math.pi / 2, 0.0])
    assert T[:3, 3] == pytest.approx([-0.6, 0.0, 0.0])


@settings(deadline=None, max_examples=examples(20))
@given(arms(), seeds)
def test_no_configuration_is_out_of_reach(arm: JointGroup, seed: int) -> None:
    for q in arm.random_configurations(20, np.random.default_rng(seed)):
        first = arm.joint_axes(q)[0, :3]
        tip = arm.forward_kinematics(q)[:3, 3]
        assert np.linalg.norm(tip - first) <= arm.reach + 1e-9


def test_joint_axes_are_those_of_the_drawing() -> None:
    arm = arm_of(planar_2r(0.3, 0.25))
    axes = arm.joint_axes([math.pi / 2, 0.0])
    assert axes == pytest.approx(np.array([[0, 0, 0, 0, -1, 0], [0, 0, 0.3, 0, -1, 0]]), abs=1e-12)
    assert arm.forward_kinematics([math.pi / 2, 0.0])[:3, 3] == pytest.approx([0, 0, 0.55])


def test_mimic_joints_are_not_in_q_and_narrow_the_limits_of_their_driver() -> None:
    arm = arm_of(
        urdf(
            [
                JointText("a", lower=-2.0, upper=2.0, velocity=3.0),
                JointText("b", xyz=(0.1, 0, 0), lower=-1, upper=5, velocity=2, mimic=("a", -2, 1)),
                fixed_joint((0.1, 0, 0)),
            ]
        )
    )
    assert (arm.joint_names, arm.moving_names, arm.size) == (("a",), ("a", "b"), 1)
    assert (arm.lower[0], arm.upper[0], arm.velocity[0]) == (-2.0, 1.0, 1.0)
    assert arm.joint_axes([0.0]).shape == (2, 6)


def test_limits_that_a_mimic_leaves_empty_are_refused() -> None:
    joints = [
        JointText("a", lower=-1.0, upper=1.0),
        JointText("b", lower=3.0, upper=4.0, mimic=("a", 1.0, 0.0)),
        fixed_joint((0.1, 0, 0)),
    ]
    with pytest.raises(UrdfError, match="joint 'a' and its mimics have no position in common"):
        arm_of(urdf(joints))


def test_continuous_joints_have_no_limits() -> None:
    arm = arm_of(urdf([JointText("a", "continuous"), fixed_joint((0.1, 0, 0))]))
    assert (arm.lower[0], arm.upper[0]) == (-math.inf, math.inf)
    assert np.isfinite(arm.random_configurations(5, np.random.default_rng(0))).all()


@pytest.mark.parametrize("name", ["lower", "upper", "velocity", "chain"])
def test_arrays_are_read_only(name: str) -> None:
    array = getattr(arm_of(planar_2r()), name)
    assert array.dtype == np.float64
    assert array.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 0.0


@pytest.mark.parametrize("q", [[0.0], [0.0, 0.0, 0.0], 0.0, [[0.0, 0.0]]])
def test_a_q_of_the_wrong_size_is_refused_with_the_joints(q: object) -> None:
    with pytest.raises(SizeError, match=r"q must be \(2,\) for shoulder, elbow, got"):
        arm_of(planar_2r()).forward_kinematics(q)


def test_results_are_the_callers_own() -> None:
    arm = arm_of(planar_2r())
    q = np.array([0.1, 0.2])
    q.flags.writeable = False
    first = arm.forward_kinematics(q)
    first[:] = 0.0
    assert arm.forward_kinematics(q)[3, 3] == 1.0


def test_characteristic_length_is_a_length_of_the_arm() -> None:
    for text in FIXED_ARMS.values():
        arm = arm_of(text)
        assert 0.2 * arm.reach < arm.characteristic_length < arm.reach


def test_an_arm_of_slides_has_a_characteristic_length_too() -> None:
    slides = [
        JointText("x", "prismatic", lower=0.0, upper=0.5),
        JointText("y", "prismatic", axis=(0, 1, 0), lower=0.0, upper=0.5),
        fixed_joint((0, 0, 0)),
    ]
    assert arm_of(urdf(slides)).characteristic_length == 1.0
