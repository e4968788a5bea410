from __future__ import annotations

from xml.etree import ElementTree

import pytest
import yaml
from strategies import FIXED_ARMS, JointText, urdf

from ik_node.cli.arms import arm_names, find_arm
from ik_node.core import RobotModel
from ik_node.core.xacro_file import load_description
from ik_node.errors import UrdfError
from ik_node.ros.gazebo_model import GazeboArm, gazebo_arm, servo_joints, servo_positions

CONTROLLER = "gz::sim::systems::JointPositionController"


def shipped(arm: str) -> GazeboArm:
    return gazebo_arm("arm", load_description(find_arm(arm).description, {"world": "true"}))


def controllers(arm: GazeboArm) -> list[dict[str, str]]:
    plugins = ElementTree.fromstring(arm.description).findall("gazebo/plugin")
    return [
        {setting.tag: setting.text or "" for setting in plugin}
        for plugin in plugins
        if plugin.get("name") == CONTROLLER
    ]


@pytest.mark.parametrize("arm", arm_names())
def test_every_moving_joint_of_every_arm_has_one_velocity_form_position_servo(arm: str) -> None:
    made = shipped(arm)
    servos = controllers(made)
    assert [servo["joint_name"] for servo in servos] == list(servo_joints(made.model))
    assert len({servo["topic"] for servo in servos}) == len(servos)
    for servo in servos:
        assert servo["use_velocity_commands"] == "true"
        speed = made.model.joints[servo["joint_name"]].velocity
        assert float(servo["cmd_max"]) == pytest.approx(speed, rel=1e-5)


@pytest.mark.parametrize("arm", arm_names())
def test_the_bridge_reaches_each_servo_under_the_topic_that_it_listens_to(arm: str) -> None:
    made = shipped(arm)
    bridge = yaml.safe_load(made.bridge)
    to_gazebo = {e["gz_topic_name"] for e in bridge if e["direction"] == "ROS_TO_GZ"}
    assert to_gazebo == {servo["topic"] for servo in controllers(made)}
    (states,) = [e for e in bridge if e["direction"] == "GZ_TO_ROS"]
    assert states["ros_topic_name"] == "joint_states"
    assert states["gz_topic_name"] in made.description
    names = [part for e in bridge for part in e["ros_topic_name"].split("/")]
    assert all(not part[0].isdigit() for part in names)


@pytest.mark.parametrize("arm", arm_names())
def test_a_shipped_arm_is_bolted_to_the_world(arm: str) -> None:
    model = RobotModel.from_urdf(shipped(arm).description)
    assert model.root == "world"
    assert all(not joint.moves for joint in model.joints.values() if joint.parent == "world")


def test_an_arm_without_a_world_link_is_bolted_at_its_root() -> None:
    made = gazebo_arm("arm", FIXED_ARMS["omx"])
    assert RobotModel.from_urdf(made.description).root == "world"
    assert len(controllers(made)) == 4


def test_a_moving_link_without_mass_is_refused_by_name() -> None:
    text = urdf([JointText("joint1"), JointText("joint2", xyz=(0.3, 0, 0), mass=0.0)])
    with pytest.raises(UrdfError, match=r"link 'tool' moves but has no mass.*<inertial>"):
        gazebo_arm("arm", text)


def test_mass_that_is_fixed_to_a_moving_link_counts_as_its_own() -> None:
    joints = [JointText("joint1", mass=0.0), JointText("tool_joint", "fixed", mass=0.2)]
    assert len(controllers(gazebo_arm("arm", urdf(joints)))) == 1


def test_a_finger_that_mimics_follows_the_one_that_is_told() -> None:
    model = shipped("wx200").model
    positions = servo_positions(model, {"left_finger": 0.02, "elbow": 0.3})
    assert positions == {"left_finger": 0.02, "right_finger": -0.02, "elbow": 0.3}
