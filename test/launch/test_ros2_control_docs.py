"""The examples of docs/ros2_control.md are what `ik_node` and the shipped arm take."""

from __future__ import annotations

import re

import yaml
from executables import ROOT

from ik_node.cli.arms import find_arm
from ik_node.core import RobotModel
from ik_node.core.xacro_file import load_description
from ik_node.ros.ik_node_parameters import TABLE, check, trajectory_time
from ik_node.ros.joint_command import command_form

TEXT = (ROOT / "docs" / "ros2_control.md").read_text(encoding="utf-8")
BLOCKS = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)]
NODES = [block["/**"]["ros__parameters"] for block in BLOCKS if "/**" in block]
CONTROLLERS = [
    parameters["ros__parameters"]
    for block in BLOCKS
    for parameters in block.values()
    if "joints" in parameters["ros__parameters"]
]


def arm_joints() -> tuple[str, ...]:
    arm = find_arm("open_manipulator_x")
    return (
        RobotModel.from_urdf(load_description(arm.description))
        .joint_group(*arm.frames())
        .joint_names
    )


def test_each_controller_is_shown_with_the_parameters_of_ik_node_for_it() -> None:
    assert len(CONTROLLERS) == len(NODES) == 2
    for controller in CONTROLLERS:
        assert tuple(controller["joints"]) == arm_joints()


def test_ik_node_takes_the_parameters_that_are_shown() -> None:
    for parameters in NODES:
        values = {**TABLE.defaults(), **TABLE.convert(parameters)}
        check(values)
        command_form(
            values["command_interface"],
            arm_joints(),
            values["command_joints"],
            trajectory_time(values),
        )


def test_the_commands_remap_to_the_controllers_that_are_shown() -> None:
    topics = re.findall(r"joint_command:=/(\w+)/(\w+)", TEXT)
    assert topics == [
        ("arm_position_controller", "commands"),
        ("arm_controller", "joint_trajectory"),
    ]
    for name, _ in topics:
        assert any(name in block for block in BLOCKS)
