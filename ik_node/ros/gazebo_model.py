"""An arm for Gazebo: its URDF with one position servo a joint, and the bridge that reaches them.

Both are made from the robot's model, so that every arm has them, a user's own too. The servo is
Gazebo's JointPositionController in its velocity form: of what Gazebo offers it is the closest to
a position servo (it holds without sag and follows a stream by its period).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree import ElementTree

import yaml

from ik_node.core import RobotModel
from ik_node.core.elements import Joint
from ik_node.errors import ConfigurationError, UrdfError

GAIN = 20.0
"""Velocity for a position error, 1/s."""

STATE_RATE = 100.0
"""How often the joint states are published, Hz of simulated time."""


@dataclass(frozen=True)
class GazeboArm:
    """One arm in a simulated world.

    Attributes:
        name: the model's name in the world.
        description: URDF with the Gazebo systems.
        bridge: YAML for ros_gz_bridge: position topics in, joint states out.
        model: the arm.
    """

    name: str
    description: str
    bridge: str
    model: RobotModel


def gazebo_arm(name: str, urdf: str) -> GazeboArm:
    """Make an arm ready for Gazebo.

    Args:
        name: of the model in the world; letters, digits and _ only.
        urdf: the robot description; where its root is not `world`, the root is bolted to it.

    Raises:
        UrdfError: a moving link has no mass (Gazebo would drop it with all it carries).
    """
    model = RobotModel.from_urdf(urdf)
    _check_masses(model)
    return GazeboArm(name, _with_systems(name, urdf, model), bridge_yaml(name, model), model)


def servo_joints(model: RobotModel) -> dict[str, Joint]:
    """The joints that have a servo in Gazebo: all that move, mimic joints too."""
    return {joint.name: joint for joint in model.joints.values() if joint.moves}


def servo_positions(model: RobotModel, command: Mapping[str, float]) -> dict[str, float]:
    """Positions for the servos from a command for some of the joints; mimic joints follow."""
    positions = {}
    for name, joint in servo_joints(model).items():
        source = joint.mimic.joint if joint.mimic else name
        if source in command:
            value = command[source]
            if joint.mimic:
                value = joint.mimic.multiplier * value + joint.mimic.offset
            positions[name] = value
    return positions


def ros_topic(joint: str) -> str:
    """ROS topic of a joint's position, in the arm's namespace."""
    return f"gazebo/{joint}/position"


def gazebo_topic(model: str, joint: str) -> str:
    """Gazebo topic of a joint's position (the default one holds a bare 0, which ROS refuses)."""
    return f"/{model}/{joint}/position"


def bridge_yaml(name: str, model: RobotModel) -> str:
    """Return the configuration of ros_gz_bridge for one arm."""
    entries = [
        {
            "ros_topic_name": ros_topic(joint),
            "gz_topic_name": gazebo_topic(name, joint),
            "ros_type_name": "std_msgs/msg/Float64",
            "gz_type_name": "gz.msgs.Double",
            "direction": "ROS_TO_GZ",
        }
        for joint in servo_joints(model)
    ]
    entries.append(
        {
            "ros_topic_name": "joint_states",
            "gz_topic_name": f"/{name}/joint_states",
            "ros_type_name": "sensor_msgs/msg/JointState",
            "gz_type_name": "gz.msgs.Model",
            "direction": "GZ_TO_ROS",
        }
    )
    return yaml.safe_dump(entries, sort_keys=False)


def world_with_arm(world: str, name: str, file: str, place: Mapping[str, str]) -> str:
    """Return a world that holds an arm from its beginning.

    An arm that is put into a running world is gone when that world is reset.

    Args:
        world: SDF text.
        name: of the model in the world.
        file: URDF file of the arm, its path absolute.
        place: `x`, `y` [m] and `yaw` [rad].

    Raises:
        ConfigurationError: the text is no SDF world.
    """
    root = ElementTree.fromstring(world)
    scene = root.find("world")
    if scene is None:
        raise ConfigurationError("Gazebo's world", "has no <world>", "give an SDF world file")
    include = ElementTree.SubElement(scene, "include")
    ElementTree.SubElement(include, "name").text = name
    ElementTree.SubElement(include, "uri").text = file
    pose = ElementTree.SubElement(include, "pose")
    pose.text = f"{place['x']} {place['y']} 0 0 0 {place['yaw']}"
    return ElementTree.tostring(root, encoding="unicode")


def _check_masses(model: RobotModel) -> None:
    for joint in servo_joints(model).values():
        if _mass_moved_with(model, joint.child) <= 0.0:
            raise UrdfError(
                f"link '{joint.child}'",
                "moves but has no mass, so Gazebo drops it and all it carries",
                "give it an <inertial>",
            )


def _mass_moved_with(model: RobotModel, link: str) -> float:
    """Mass of a link and of all that is fixed to it."""
    return model.links[link].mass + sum(
        _mass_moved_with(model, joint.child)
        for joint in model.joints.values()
        if joint.parent == link and not joint.moves
    )


def _with_systems(name: str, urdf: str, model: RobotModel) -> str:
    robot = ElementTree.fromstring(urdf)
    if model.root != "world":
        ElementTree.SubElement(robot, "link", name="world")
        bolt = ElementTree.SubElement(robot, "joint", name="bolted_to_world", type="fixed")
        ElementTree.SubElement(bolt, "parent", link="world")
        ElementTree.SubElement(bolt, "child", link=model.root)
    for joint in servo_joints(model).values():
        _system(
            robot,
            "joint-position-controller",
            "JointPositionController",
            joint_name=joint.name,
            topic=gazebo_topic(name, joint.name),
            use_velocity_commands="true",
            p_gain=f"{GAIN:g}",
            cmd_max=f"{joint.velocity:g}",
        )
    _system(
        robot,
        "joint-state-publisher",
        "JointStatePublisher",
        topic=f"/{name}/joint_states",
        update_rate=f"{STATE_RATE:g}",
    )
    return ElementTree.tostring(robot, encoding="unicode")


def _system(robot: ElementTree.Element, file: str, system: str, **settings: str) -> None:
    plugin = ElementTree.SubElement(
        ElementTree.SubElement(robot, "gazebo"),
        "plugin",
        filename=f"gz-sim-{file}-system",
        name=f"gz::sim::systems::{system}",
    )
    for setting, value in settings.items():
        ElementTree.SubElement(plugin, setting).text = value
