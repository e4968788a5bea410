"""`--help` teaches; what nobody would read is refused."""

from __future__ import annotations

import subprocess

import pytest
from executables import entry_points, find_executable

from ik_node.ros.ik_node_parameters import TABLE

NODES = ("ik_node", "dynamixel_driver", "gazebo_relay", "rviz_target", "ik_viewer")


def call(name, *arguments):
    return subprocess.run(
        [*find_executable(name), *arguments],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("name", sorted(entry_points()))
def test_help_says_what_it_does_and_how_it_is_called(name):
    if name == "rviz_target":
        pytest.importorskip("interactive_markers", reason="interactive_markers is not installed")
    answer = call(name, "--help")
    assert answer.returncode == 0, answer.stderr
    assert name in answer.stdout and not answer.stderr


def test_help_names_every_parameter_of_the_node():
    text = call("ik_node", "--help").stdout
    assert all(f"  {parameter.name}" in text for parameter in TABLE)


@pytest.mark.parametrize("name", sorted(set(NODES) - {"rviz_target"}))
def test_a_wrong_flag_is_refused_in_a_line_that_names_it(name):
    answer = call(name, "--wrong")
    assert answer.returncode == 2
    assert "--wrong" in answer.stderr.splitlines()[-1] and "Traceback" not in answer.stderr


@pytest.mark.parametrize("name", sorted(set(NODES) - {"rviz_target"}))
def test_a_parameter_file_that_is_not_there_is_refused_by_its_name(name):
    answer = call(name, "--ros-args", "--params-file", "/nowhere.yaml")
    assert answer.returncode == 2
    assert "'/nowhere.yaml' is not a file" in answer.stderr.splitlines()[-1]
