from __future__ import annotations

import math

import numpy as np
import pytest
from strategies import JointText, fixed_joint, omx, planar_2r, urdf

from ik_node.core import RobotModel
from ik_node.errors import TargetError, UnknownNameError, UrdfError

FINGERS = """
<robot name="hand"><link name="palm"/><link name="wrist"/><link name="left"/><link name="right"/>
<joint name="left" type="prismatic"><parent link="palm"/><child link="left"/><axis xyz="0 1 0"/>
  <limit lower="0" upper="0.04" velocity="0.1" effort="1"/></joint>
<joint name="right" type="prismatic"><parent link="palm"/><child link="right"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1" velocity="1" effort="1"/>
  <mimic joint="left" multiplier="-2" offset="0.01"/></joint>
<joint name="turn" type="revolute"><parent link="wrist"/><child link="palm"/><axis xyz="0 0 3"/>
  <origin xyz="0 0 0.1"/><limit lower="-2" upper="2" velocity="2" effort="1"/></joint>
</robot>"""


def test_joints_and_links_come_parents_first_whatever_the_order_in_the_text() -> None:
    model = RobotModel.from_urdf(FINGERS)
    assert model.root == "wrist"
    assert list(model.links) == ["wrist", "palm", "left", "right"]
    assert list(model.joints) == ["turn", "left", "right"]
    assert model.joints["turn"].axis.tolist() == [0.0, 0.0, 1.0]


def test_the_model_cannot_be_changed() -> None:
    model = RobotModel.from_urdf(FINGERS)
    with pytest.raises(AttributeError):
        model.root = "palm"  # type: ignore[misc]
    with pytest.raises(TypeError):
        model.joints["turn"] = model.joints["left"]  # type: ignore[index]
    with pytest.raises(ValueError, match="read-only"):
        model.joints["turn"].origin[0, 3] = 1.0


def test_a_frame_beside_the_arm_follows_its_mimic_joint() -> None:
    model = RobotModel.from_urdf(FINGERS)
    T = model.frame_pose("right", {"turn": math.pi / 2, "left": 0.02, "unrelated": 9.0})
    assert T[:3, 3] == pytest.approx([0.03, 0.0, 0.1])
    assert model.frame_pose("wrist", {}) == pytest.approx(np.eye(4))


def test_a_frame_behind_a_joint_without_position_is_refused_by_name() -> None:
    model = RobotModel.from_urdf(FINGERS)
    with pytest.raises(TargetError, match="hangs on joint 'left', whose position is not known"):
        model.frame_pose("right", {"turn": 0.0})


def test_an_unknown_frame_is_refused_with_the_known_ones() -> None:
    model = RobotModel.from_urdf(FINGERS)
    with pytest.raises(UnknownNameError, match="did you mean 'right'") as caught:
        model.frame_pose("rigth", {})
    assert caught.value.valid == ("wrist", "palm", "left", "right")


def test_a_mimic_of_a_mimic_names_the_independent_joint() -> None:
    text = urdf(
        [
            JointText("a"),
            JointText("b", mimic=("a", 2.0, 0.1)),
            JointText("c", mimic=("b", -3.0, 0.2)),
            fixed_joint((0.1, 0, 0)),
        ]
    )
    mimic = RobotModel.from_urdf(text).joints["c"].mimic
    assert mimic is not None
    assert (mimic.joint, mimic.multiplier, mimic.offset) == ("a", -6.0, pytest.approx(-0.1))


@pytest.mark.parametrize(("base", "tip"), [("base", "tool"), ("base_link", "toll")])
def test_an_unknown_base_or_tip_is_refused_with_the_nearest(base: str, tip: str) -> None:
    model = RobotModel.from_urdf(planar_2r())
    with pytest.raises(UnknownNameError, match=r"did you mean '(base_link|tool)'"):
        model.joint_group(base, tip)


def test_a_chain_without_moving_joints_is_refused() -> None:
    model = RobotModel.from_urdf(omx())
    with pytest.raises(UrdfError, match="has no moving joint; choose another base or tip"):
        model.joint_group("link_4", "tool")


def test_a_mimic_driven_from_outside_the_chain_is_refused_by_name() -> None:
    model = RobotModel.from_urdf(FINGERS)
    with pytest.raises(UrdfError, match="joint 'right' mimics 'left', which is not between"):
        model.joint_group("wrist", "right")
