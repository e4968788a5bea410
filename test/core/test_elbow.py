"""The elbow, its straight angle and its labels, from geometry alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import FIXED_ARMS, JointText, arm_of, arms, fixed_joint, panda, planar_2r, urdf

from ik_node.core import JointGroup
from ik_node.core.elbow import Elbow, find_elbow
from ik_node.errors import ConfigurationError, UnknownNameError

KNOWN = {
    "planar_2r": ("elbow", 0.0, 0.3, 0.25, "down", "up"),
    "omx": ("joint3", -math.atan2(0.128, 0.024), math.hypot(0.024, 0.128), 0.124, "up", "down"),
    "wx200": ("elbow", -math.atan2(0.2, 0.05), math.hypot(0.05, 0.2), 0.2, "up", "down"),
    "wx250s": ("elbow", -1.3744, math.hypot(0.04975, 0.25), 0.25, "up", "down"),
    "ur5": ("elbow", 0.0, 0.425, 0.39225, "up", "down"),
    "panda": ("joint4", -0.4670, math.hypot(0.0825, 0.316), math.hypot(0.0825, 0.384), "+", "-"),
    "scara": ("elbow", 0.0, 0.25, 0.2, "right", "left"),
}


def elbow_of(arm: JointGroup) -> Elbow:
    assert arm.elbow is not None
    return arm.elbow


@pytest.mark.parametrize("name", KNOWN)
def test_the_elbow_of_known_arms_is_found(name: str) -> None:
    joint, straight, upper_arm, forearm, plus, minus = KNOWN[name]
    elbow = elbow_of(arm_of(FIXED_ARMS[name]))
    assert elbow.joint == joint
    assert elbow.straight == pytest.approx(straight, abs=5e-5)
    assert (elbow.upper_arm, elbow.forearm) == pytest.approx((upper_arm, forearm))
    assert (elbow.label_plus, elbow.label_minus) == (plus, minus)


# Places of the shoulder and the wrist: a joint on whose axis the point lies, and how far along.
CORNERS = {
    "planar_2r": ("shoulder", None),
    "omx": ("joint2", "joint4"),
    "wx200": ("shoulder", "wrist_angle"),
    "wx250s": ("shoulder", "wrist_angle"),
    "ur5": ("shoulder_lift", "wrist_1"),
    "panda": ("joint2", "joint6"),
}


def corners(name: str, arm: JointGroup, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shoulder, elbow and wrist in the plane across the elbow's axis, and that axis."""
    shoulder, wrist = CORNERS[name]
    axes = arm.joint_axes(q)
    elbow = axes[arm.index(elbow_of(arm).joint)]
    s = axes[arm.index(shoulder), :3]
    w = arm.forward_kinematics(q)[:3, 3] if wrist is None else axes[arm.index(wrist), :3]
    across = np.eye(3) - np.outer(elbow[3:], elbow[3:])
    return across @ (s - elbow[:3]), across @ (w - elbow[:3]), elbow[3:]


@pytest.mark.parametrize("name", CORNERS)
def test_the_wrist_is_furthest_from_the_shoulder_at_the_straight_angle(name: str) -> None:
    arm = arm_of(FIXED_ARMS[name])
    elbow = elbow_of(arm)
    for q in arm.random_configurations(20, np.random.default_rng(0)):
        q[elbow.index] = elbow.straight
        s, w, _ = corners(name, arm, q)
        assert np.linalg.norm(w - s) == pytest.approx(elbow.upper_arm + elbow.forearm, rel=1e-6)


@pytest.mark.parametrize("name", [n for n in CORNERS if KNOWN[n][4] in ("up", "down")])
def test_up_is_up_whenever_the_arm_reaches_forward(name: str) -> None:
    arm = arm_of(FIXED_ARMS[name])
    elbow = elbow_of(arm)
    checked = 0
    for q in arm.random_configurations(600, np.random.default_rng(1)):
        if arm.joint_names[0] in ("waist", "joint1", "shoulder_pan"):
            q[0] = 0.0
        s, w, _ = corners(name, arm, q)
        reach = w - s
        if reach[0] < 0.05:
            continue
        foot = s + reach * float(-s @ reach) / float(reach @ reach)
        above = -foot[2]
        if abs(above) < 1e-3:
            continue
        assert elbow.label(elbow.sign_of(q)) == ("up" if above > 0.0 else "down")
        checked += 1
    assert checked > 50


def test_an_arm_on_its_side_has_left_and_right() -> None:
    lying = planar_2r().replace('xyz="0.0 0.0 0.0" rpy="0.0 0.0 0.0"', 'rpy="1.5707963 0 0"', 1)
    elbow = elbow_of(arm_of(lying))
    # Axes along -y, turned a quarter about x: along -z. Positive is clockwise: elbow to the left.
    assert (elbow.label_plus, elbow.label_minus) == ("left", "right")


def test_an_arm_with_a_roll_before_its_shoulder_has_signs_alone() -> None:
    joints = [
        JointText("roll", axis=(1, 0, 0)),
        JointText("shoulder", xyz=(0, 0, 0.1), axis=(0, 1, 0)),
        JointText("elbow", xyz=(0.2, 0, 0), axis=(0, 1, 0)),
        fixed_joint((0.2, 0, 0)),
    ]
    elbow = elbow_of(arm_of(urdf(joints)))
    assert (elbow.joint, elbow.label_plus, elbow.label_minus) == ("elbow", "+", "-")


def test_an_arm_without_a_triangle_has_no_elbow() -> None:
    joints = [
        JointText("a"),
        JointText("b", xyz=(0.1, 0, 0.2), axis=(0, 1, 0)),
        fixed_joint((0.3, 0, 0)),
    ]
    assert arm_of(urdf(joints)).elbow is None


@settings(deadline=None, max_examples=30)
@given(arms())
def test_random_arms_have_an_elbow_or_none_but_never_an_error(arm: JointGroup) -> None:
    elbow = arm.elbow
    if elbow is not None:
        assert arm.joint_names[elbow.index] == elbow.joint
        assert -math.pi < elbow.straight <= math.pi


def test_the_sign_is_the_side_of_straight_whatever_the_turn() -> None:
    elbow = Elbow("e", 0, -1.0, 0.2, 0.2, "up", "down")
    for turn in (-2 * math.pi, 0.0, 2 * math.pi):
        assert elbow.sign_of(np.array([-0.9 + turn])) == 1
        assert elbow.sign_of(np.array([-1.1 + turn])) == -1
        assert elbow.angle(np.array([-0.9 + turn])) == pytest.approx(0.1)
    assert elbow.sign_of(np.array([-1.0])) == 1


def test_labels_and_signs_translate_both_ways() -> None:
    elbow = Elbow("e", 0, 0.0, 0.2, 0.2, "up", "down")
    assert [elbow.label(sign) for sign in (1, -1, 0)] == ["up", "down", "none"]
    assert [elbow.sign_from_label(label) for label in ("up", "+", "down", "-")] == [1, 1, -1, -1]
    with pytest.raises(
        UnknownNameError, match=r"unknown branch 'left': known are: up, down, [+], -"
    ):
        elbow.sign_from_label("left")


def test_a_named_elbow_is_taken_with_its_geometry_or_the_given_angle() -> None:
    arm = arm_of(planar_2r())
    assert find_elbow(arm, "elbow") == arm.elbow
    moved = find_elbow(arm, "elbow", 0.1)
    assert moved is not None
    assert (moved.straight, moved.upper_arm, moved.label_plus) == (0.1, 0.3, "down")
    other = find_elbow(arm_of(panda()), "joint2", 0.0)
    assert other is not None
    assert (other.joint, other.straight, other.label_plus) == ("joint2", 0.0, "+")


def test_a_named_elbow_that_cannot_be_is_refused() -> None:
    arm = arm_of(panda())
    with pytest.raises(ConfigurationError, match="'joint2' has no shoulder-elbow-wrist triangle"):
        find_elbow(arm, "joint2")
    with pytest.raises(UnknownNameError, match="did you mean"):
        find_elbow(arm, "jont4")
    with pytest.raises(ConfigurationError, match="straight is given without joint; name the joint"):
        find_elbow(arm, None, 0.0)
    with pytest.raises(ConfigurationError, match="joint 'slide' does not rotate"):
        find_elbow(arm_of(FIXED_ARMS["scara"]), "slide", 0.0)
