from __future__ import annotations

import numpy as np
import pytest

from ik_node.core import RobotModel
from ik_node.core.se3 import pose, rotation_from_rpy
from ik_node.errors import TargetError, UnknownNameError
from ik_node.ros.frames import Frames
from ik_node.ros.joint_names import JointNames

URDF = """
<robot name="post">
  <link name="base_link"/><link name="arm"/><link name="tool"/><link name="camera"/>
  <joint name="turn" type="revolute">
    <parent link="base_link"/><child link="arm"/><origin xyz="0 0 0.1"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="1" effort="1"/>
  </joint>
  <joint name="flange" type="fixed">
    <parent link="arm"/><child link="tool"/><origin xyz="0.5 0 0"/>
  </joint>
  <joint name="mount" type="fixed">
    <parent link="base_link"/><child link="camera"/>
    <origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>
  </joint>
</robot>
"""


def frames(positions, base="base_link", look_up=None, names=()):
    tf = {} if look_up is None else {"look_up": look_up, "tf_frames": lambda: names}
    return Frames(RobotModel.from_urdf(URDF), base, lambda: positions, **tf)


@pytest.mark.parametrize("name", ["", "base_link", "/base_link"])
def test_an_empty_frame_is_the_base(name):
    np.testing.assert_array_equal(frames({}).resolve(name), np.eye(4))


def test_a_frame_of_the_arm_is_where_its_joints_put_it():
    quarter = np.pi / 2
    expected = pose(rotation_from_rpy([0, 0, quarter]), [0.0, 0.5, 0.1])
    np.testing.assert_allclose(frames({"turn": quarter}).resolve("tool"), expected, atol=1e-12)


def test_a_fixed_frame_off_the_arm_needs_no_joint():
    np.testing.assert_allclose(frames({}).resolve("camera")[:3, 3], [1.0, 2.0, 3.0])


def test_the_base_may_be_any_link():
    T = frames({}, base="camera").resolve("base_link")
    np.testing.assert_allclose(T[:3, 3], [-2.0, 1.0, -3.0], atol=1e-12)


def test_a_frame_that_hangs_on_an_unmeasured_joint_is_refused_by_name():
    with pytest.raises(TargetError, match="'turn'"):
        frames({}).resolve("tool")


def test_an_unknown_frame_is_refused_with_the_known_ones():
    with pytest.raises(UnknownNameError, match=r"did you mean 'camera'\? known are: base_link"):
        frames({}).resolve("camra")


def test_tf_is_asked_for_other_frames():
    table = pose(np.eye(3), [0.3, 0.0, 0.0])
    asked = []

    def look_up(base, frame):
        asked.append((base, frame))
        return table if frame == "table" else None

    ours = frames({}, look_up=look_up, names=("table", "map"))
    np.testing.assert_array_equal(ours.resolve("table"), table)
    assert asked == [("base_link", "table")]
    with pytest.raises(UnknownNameError, match="table, map"):
        ours.resolve("chair")


def test_a_prefix_is_put_before_joint_names_once():
    names = JointNames(["joint1", "left_joint2"], "left_")
    assert [names.wire(joint) for joint in ("joint1", "left_joint2")] == [
        "left_joint1",
        "left_joint2",
    ]
    received = {"left_joint1": 1.0, "left_joint2": 2.0, "right_joint1": 3.0}
    assert names.of_model(received) == {"joint1": 1.0, "left_joint2": 2.0}
