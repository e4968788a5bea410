"""Mistakes at start: one line that names the thing and the remedy, no traceback, exit code 1."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from processes import Process, ros_arguments

from ik_node.errors import IkNodeError
from ik_node.ros.dynamixel_driver import DynamixelDriver
from ik_node.ros.ik_node import IkNode

GOOD = """
<robot name="r"><link name="base"/><link name="tip"/>
<joint name="j" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>
"""

IK_NODE = {
    "a broken description": ({"urdf": GOOD.replace("</robot>", "")}, ("URDF",)),
    "a joint without limits": (
        {"urdf": GOOD.replace('lower="-1" upper="1" ', ""), "tip_frame": "tip"},
        ("'j'", "limit"),
    ),
    "an unknown tip": ({"urdf": GOOD, "tip_frame": "tipp"}, ("'tipp'", "did you mean 'tip'")),
    "no tip": ({"urdf": GOOD}, ("tip_frame", "base, tip")),
    "an unknown base": ({"urdf": GOOD, "tip_frame": "tip", "base_frame": "b"}, ("'b'", "base")),
    "a file that is not there": ({"urdf_file": "/none.urdf"}, ("/none.urdf", "not a file")),
    "a typo": ({"tip_fram": "tip"}, ("'tip_fram'", "did you mean 'tip_frame'")),
    "a number out of bounds": ({"rate_hz": 0}, ("rate_hz", "from 10 to 1000 Hz")),
    "a wrong kind": ({"tip_frame": 5}, ("tip_frame", "a text")),
    "a time under a period": ({"time_from_start": 0.001}, ("time_from_start", "at least 0.01")),
    "a wrong xacro argument": (
        {"urdf": GOOD, "urdf_name": "a.xacro", "xacro_args": "[l1=2]"},
        ("xacro_args", "name:=value"),
    ),
}

SERVOS = """
/**:
  ros__parameters:
    port: /dev/none
    servos:
      joint1: {id: 1, model: XM430-W350}
      joint2: {id: 2, model: XM430-W350}
"""

DRIVER = {
    "a typo": ({"pot": "x"}, ("'pot'", "did you mean 'port'")),
    "a typo in a servo": ({"servos__joint1__zeroo": 3}, ("'zeroo'", "did you mean 'zero'")),
    "two servos with one id": ({"servos__joint2__id": 1}, ("joint2", "also the id of joint1")),
    "an unknown model": ({"servos__joint1__model": "XM430-W351"}, ("XM430-W351", "did you mean")),
    "an unknown baud": ({"baud": 123}, ("baud", "1000000")),
    "an unknown gripper": ({"gripper_joint": "grip"}, ("'grip'", "joint1")),
    "a servo that is none": ({"servos__joint3": 3}, ("servos.joint3: is 3", "write {id: 1")),
    "a wrong kind": ({"servos__joint1__zero": "one"}, ("servos.joint1.zero", "an integer")),
}


def node_arguments(folder, values):
    values = dict(values)
    if "urdf" in values:
        file = folder / values.pop("urdf_name", "arm.urdf")
        file.write_text(values.pop("urdf"))
        values["urdf_file"] = str(file)
    return ros_arguments(**values)


def driver_arguments(folder, values):
    file = folder / "servos.yaml"
    file.write_text(SERVOS)
    return ros_arguments(file, **values)


def assert_refused(make, arguments, words):
    with pytest.raises(IkNodeError) as caught:
        make(cli_args=list(arguments))
    sentence = str(caught.value)
    assert all(word in sentence for word in words) and "\n" not in sentence, sentence


@pytest.mark.parametrize("what", IK_NODE)
def test_ik_node_refuses(ros, tmp_path, what):
    values, words = IK_NODE[what]
    assert_refused(IkNode, node_arguments(tmp_path, values), words)


@pytest.mark.parametrize("what", DRIVER)
def test_the_driver_refuses(ros, tmp_path, what):
    values, words = DRIVER[what]
    assert_refused(DynamixelDriver, driver_arguments(tmp_path, values), words)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("servos: {}", ("servos: holds no servos", "write servos: {joint1: {id: 1")),
        ("servos: {joint1: {}}", ("servos.joint1: is empty", "write {id: 1")),
        ("servos: {joint1: {model: MX-28}}", ("servos.joint1.id: is missing", "write id: ...")),
    ],
)
def test_the_driver_asks_for_servos_that_are_not_there(ros, tmp_path, entry, words):
    file = tmp_path / "servos.yaml"
    file.write_text(f"/**: {{ros__parameters: {{port: /dev/none, {entry}}}}}\n")
    assert_refused(DynamixelDriver, ros_arguments(file), words)


def test_an_executable_says_it_in_one_line_and_ends_with_an_exit_code(tmp_path):
    broken = tmp_path / "broken.yaml"
    broken.write_text("/**:\n  ros__parameters:\n    a: [1,\n    b: 2\n")
    cases = [
        ("ik_node", node_arguments(tmp_path, IK_NODE["an unknown tip"][0]), "'tipp'"),
        ("dynamixel_driver", driver_arguments(tmp_path, DRIVER["a typo"][0]), "'pot'"),
        ("ik_node", ros_arguments(broken), "broken.yaml"),
    ]
    with ExitStack() as stack:
        started = [stack.enter_context(Process(name, *args)) for name, args, _ in cases]
        for process, (_, _, word) in zip(started, cases, strict=True):
            assert process.wait() == 1, process.output
            # rcl itself announces a file that it cannot parse, on a line of its own.
            noise = ("tf2_ros is not installed", "Failed to parse global")
            lines = [
                line
                for line in process.output.splitlines()
                if not any(words in line for words in noise)
            ]
            assert len(lines) == 1 and word in lines[0], process.output
