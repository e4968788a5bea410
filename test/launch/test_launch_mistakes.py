"""Bad input is one sentence that names the thing and the remedy, never a traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from launched import Launched, prefix_with

Launch = Callable[..., Launched]

NO_DISPLAY = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}


def complaint(launched: Launched) -> str:
    assert launched.wait() != 0
    errors = [line for line in launched.lines if "[ERROR]" in line]
    assert len(errors) == 1, launched.output
    assert "Traceback (most recent call last)" not in launched.output
    return errors[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["arm:=wx20"], ["unknown arm 'wx20'", "did you mean 'wx200'?", "planar_2r"]),
        (["arm:=./nowhere"], ["nowhere", "is no folder", "give the path"]),
        (["hardware:=fake"], ["hardware 'fake'", "emulated, real"]),
        (["xacro_args:=l9:=1"], ["'l9'", "arm.urdf.xacro"]),
        (["xacro_args:=l1"], ["'l1'", "name:=value"]),
        (["rviz:=maybe"], ["rviz 'maybe'", "true, false"]),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else None,
)
def test_a_bad_argument_is_answered_by_one_sentence(
    launch: Launch, tmp_path: Path, ros2: dict[str, str], arguments: list[str], words: list[str]
) -> None:
    here = having(ros2, tmp_path, "robot_state_publisher")
    said = complaint(launch("arm.launch.py", *arguments, env=here))
    assert all(word in said for word in words), said


def test_without_robot_state_publisher_its_package_is_named(
    launch: Launch, tmp_path: Path, ros2: dict[str, str]
) -> None:
    said = complaint(launch("arm.launch.py", env=having(ros2, tmp_path)))
    assert "apt install ros-$ROS_DISTRO-robot-state-publisher" in said


def test_without_rviz_the_package_and_the_browser_view_are_named(
    launch: Launch, tmp_path: Path, ros2: dict[str, str]
) -> None:
    here = having(ros2, tmp_path, "robot_state_publisher")
    said = complaint(launch("arm.launch.py", "rviz:=true", env=here))
    assert "rviz2: is not installed" in said
    assert "viewer:=true" in said


def test_without_a_display_rviz_is_refused_before_anything_starts(
    launch: Launch, tmp_path: Path, ros2: dict[str, str]
) -> None:
    here = having(ros2, tmp_path, "robot_state_publisher", "rviz2", "interactive_markers")
    launched = launch("arm.launch.py", "rviz:=true", env={**here, **NO_DISPLAY})
    assert "there is no display" in complaint(launched)
    assert "process started" not in launched.output


def test_without_gazebo_the_package_to_install_is_named(
    launch: Launch, tmp_path: Path, ros2: dict[str, str]
) -> None:
    here = having(ros2, tmp_path, "robot_state_publisher")
    said = complaint(launch("gazebo.launch.py", "headless:=true", env=here))
    assert "ros_gz" in said
    assert "apt install ros-$ROS_DISTRO-ros-gz" in said


def having(ros2: dict[str, str], folder: Path, *packages: str) -> dict[str, str]:
    """An environment in which of all ROS packages just ik_node and `packages` are installed."""
    overlay = ros2["AMENT_PREFIX_PATH"].split(":")[0]
    return {"AMENT_PREFIX_PATH": f"{overlay}:{prefix_with(packages, folder / 'only')}"}
