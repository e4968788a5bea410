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
from ik_node.ros.gazebo_model import gazebo_arm

CLOCK = "/clock@rosgraph_msgs/msg/Clock[gz.msgs.Clock"


def generate_launch_description():
    """Declare the arguments and start what they say."""
    places = [
        DeclareLaunchArgument(name, default_value="0", description=f"where the arm stands: {name}")
        for name in ("x", "y", "yaw")
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
    actions = _gazebo(bringup.flag("headless")) if bringup.flag("gazebo") else []
    return [*actions, *_arm(bringup, arm), *bringup.arm_nodes()]


def _gazebo(headless):
    if shutil.which("gz") is None:
        raise ConfigurationError(
            "gazebo",
            "the command 'gz' is not on the PATH",
            "install Gazebo Harmonic: 'apt install ros-$ROS_DISTRO-ros-gz'",
        )
    from launch_ros.actions import Node

    world = str(config_folder() / "gazebo" / "arm.sdf")
    return [
        ExecuteProcess(
            cmd=["gz", "sim", "-r", *(["-s"] if headless else []), world],
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


def _arm(bringup, arm):
    config = Path(tempfile.mkdtemp(prefix="ik_node_bridge_")) / f"{arm.name}.yaml"
    config.write_text(arm.bridge, encoding="utf-8")
    place = [("-x", "x"), ("-y", "y"), ("-Y", "yaw")]
    return [
        bringup.node(
            "create",
            package="ros_gz_sim",
            name=f"spawn_{arm.name}",
            arguments=[
                *("-topic", "robot_description", "-name", arm.name),
                *(part for option, name in place for part in (option, bringup.text(name))),
            ],
        ),
        bringup.node(
            "parameter_bridge",
            package="ros_gz_bridge",
            name="gazebo_bridge",
            parameters=[{"config_file": str(config)}],
        ),
        bringup.node("gazebo_relay"),
    ]
