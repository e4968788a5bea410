"""Start one arm: its servos (real or emulated), ik_node, and the views that are asked for.

ros2 launch ik_node arm.launch.py hardware:=emulated rviz:=true
ros2 launch ik_node arm.launch.py arm:=wx200 hardware:=real port:=/dev/ttyUSB0
ros2 launch ik_node arm.launch.py namespace:=left hardware:=emulated
"""

import os
import tempfile
from pathlib import Path

from launch import LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    ExecuteProcess,
    OpaqueFunction,
    RegisterEventHandler,
    Shutdown,
)
from launch.event_handlers import OnProcessIO
from launch_ros.substitutions import ExecutableInPackage

from ik_node.ros.bringup import Bringup, common_arguments

DROOP_GAIN = 1.0
"""Servos sag under the arm's weight, emulated ones too; ik_node takes it out at rest."""


def generate_launch_description():
    """Declare the arguments and start what they say."""
    return LaunchDescription(
        [
            *common_arguments(),
            DeclareLaunchArgument(
                "hardware",
                default_value="emulated",
                description="emulated: a servo bus in software; real: the one at `port`",
            ),
            DeclareLaunchArgument(
                "port",
                default_value="",
                description="serial port; default: the one in servos.yaml, emulated: a new link",
            ),
            OpaqueFunction(function=_start),
        ]
    )


def _start(context):
    bringup = Bringup(context)
    port = bringup.text("port")
    emulated = bringup.choice("hardware", ("emulated", "real")) == "emulated"
    if emulated:
        port = bringup.emulator_link = port or _link(bringup.namespace)
    driver = bringup.node(
        "dynamixel_driver",
        parameters=[
            str(bringup.files.servos),
            {"prefix": bringup.prefix, **({"port": port} if port else {})},
        ],
        on_exit=Shutdown(reason="dynamixel_driver ended"),
    )
    nodes = [driver, *bringup.arm_nodes(droop_gain=DROOP_GAIN)]
    if not emulated:
        return nodes
    emulator = _emulator(bringup, port)
    return [emulator, RegisterEventHandler(_when_ready(emulator, nodes))]


def _when_ready(emulator, nodes):
    """Start `nodes` once the emulated servos answer: they need not look for a missing port."""
    waiting = list(nodes)

    def said(event):
        if b"ready" not in event.text:
            return []
        started, waiting[:] = list(waiting), []
        return started

    return OnProcessIO(target_action=emulator, on_stdout=said)


def _link(namespace):
    name = f"ik_node_{os.getuid()}_{namespace.replace('/', '_') or 'arm'}"
    return str(Path(tempfile.gettempdir()) / name)


def _emulator(bringup, link):
    # The bus knows the joints without prefix, as servos.yaml names them.
    arguments = [f"{name}={value}" for name, value in bringup.given_xacro_args.items()]
    return ExecuteProcess(
        cmd=[
            ExecutableInPackage(package="ik_node", executable="emulated_dynamixel"),
            *("--config", str(bringup.files.servos)),
            *("--link", link),
            *("--urdf", str(bringup.files.description), "--held"),
            *(part for argument in arguments for part in ("--xacro-arg", argument)),
        ],
        output="screen",
        on_exit=Shutdown(reason="emulated_dynamixel ended"),
    )
