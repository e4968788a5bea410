"""Simulate one arm in Gazebo Harmonic, with ik_node and the views that are asked for.

ros2 launch ik_node gazebo.launch.py arm:=wx200 rviz:=true
ros2 launch ik_node gazebo.launch.py headless:=true
ros2 launch ik_node gazebo.launch.py gazebo:=false namespace:=right y:=0.6    (a second arm)
"""

import re
import shutil
import tempfile
from pathlib import Path

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction, Shutdown

from ik_node.cli.arms import config_folder
from ik_node.errors import ConfigurationError
from ik_node.ros.bringup import Bringup, common_arguments, require
from ik_node.ros.gazebo_model import gazebo_arm, world_with_arm

CLOCK = "/clock@rosgraph_msgs/msg/Clock[gz.msgs.Clock"
PLACE = ("x", "y", "yaw")


def generate_launch_description():
    """Declare the arguments and start what they say."""
    places = [
        DeclareLaunchArgument(name, default_value="0", description=f"where the arm stands: {name}")
        for name in PLACE
    ]
    return LaunchDescription(
        [
            *common_arguments(),
            DeclareLaunchArgument("headless", default_value="false", description="true: no window"),
            DeclareLaunchArgument(
                "gazebo",
                default_value="true",
                description="false: put the arm into the Gazebo that runs already",
            ),
            *places,
            OpaqueFunction(function=_start),
        ]
    )


def _start(context):
    bringup = Bringup(context, use_sim_time=True, xacro_args=["world:=true"])
    require("ros_gz_bridge", "or launch arm.launch.py hardware:=emulated")
    require("ros_gz_sim")
    name = re.sub(r"\W", "_", f"{bringup.namespace}_{bringup.files.name}".strip("_"))
    arm = gazebo_arm(name, bringup.description)
    bringup.description = arm.description
    place = {axis: bringup.text(axis) for axis in PLACE}
    folder = Path(tempfile.mkdtemp(prefix="ik_node_gazebo_"))
    if bringup.flag("gazebo"):
        actions = _gazebo(bringup.flag("headless"), arm, place, folder)
    else:
        actions = [_spawn(bringup, arm, place)]
    config = folder / "bridge.yaml"
    config.write_text(arm.bridge, encoding="utf-8")
    bridge = bringup.node(
        "parameter_bridge",
        package="ros_gz_bridge",
        name="gazebo_bridge",
        parameters=[{"config_file": str(config)}],
    )
    return [*actions, bridge, bringup.node("gazebo_relay"), *bringup.arm_nodes()]


def _gazebo(headless, arm, place, folder):
    if shutil.which("gz") is None:
        raise ConfigurationError(
            "gazebo",
            "the command 'gz' is not on the PATH",
            "install Gazebo Harmonic: 'apt install ros-$ROS_DISTRO-ros-gz'",
        )
    from launch_ros.actions import Node

    urdf, world = folder / "arm.urdf", folder / "world.sdf"
    urdf.write_text(arm.description, encoding="utf-8")
    empty = (config_folder() / "gazebo" / "arm.sdf").read_text(encoding="utf-8")
    world.write_text(world_with_arm(empty, arm.name, str(urdf), place), encoding="utf-8")
    return [
        ExecuteProcess(
            cmd=["gz", "sim", "-r", *(["-s"] if headless else []), str(world)],
            name="gazebo",
            output="screen",
            on_exit=Shutdown(reason="Gazebo ended"),
        ),
        Node(
            package="ros_gz_bridge",
            executable="parameter_bridge",
            name="clock_bridge",
            arguments=[CLOCK],
            output="screen",
        ),
    ]


def _spawn(bringup, arm, place):
    options = zip(("-x", "-y", "-Y"), (place[axis] for axis in PLACE), strict=True)
    return bringup.node(
        "create",
        package="ros_gz_sim",
        name=f"spawn_{arm.name}",
        arguments=[
            *("-topic", "robot_description", "-name", arm.name),
            *(part for option in options for part in option),
        ],
    )
