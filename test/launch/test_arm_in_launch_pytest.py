"""`arm.launch.py` in a launch service of launch_pytest: what it starts, and how each of it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from client import Client
from launched import START

launch_pytest = pytest.importorskip(
    "launch_pytest",
    reason="launch_pytest is not installed: apt install ros-$ROS_DISTRO-launch-pytest",
)

PARTS = {"emulated_dynamixel", "dynamixel_driver", "ik_node", "robot_state_publisher"}


@pytest.fixture
def ended() -> dict[str, int]:
    """Exit codes by executable, of the processes that have ended."""
    return {}


@launch_pytest.fixture
def arm(
    ros2: dict[str, str],
    needs: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    ended: dict[str, int],
) -> object:
    from ament_index_python import get_package_share_path
    from launch import LaunchDescription
    from launch.actions import IncludeLaunchDescription, RegisterEventHandler
    from launch.event_handlers import OnProcessExit

    needs("robot_state_publisher")
    for name in ("AMENT_PREFIX_PATH", "PYTHONPATH"):
        monkeypatch.setenv(name, ros2[name])

    def note(event: object, _context: object) -> None:
        ended[event.process_name.rpartition("-")[0]] = event.returncode

    file = get_package_share_path("ik_node") / "launch" / "arm.launch.py"
    return LaunchDescription(
        [
            RegisterEventHandler(OnProcessExit(on_exit=note)),
            IncludeLaunchDescription(str(file), launch_arguments={"arm": "planar_2r"}.items()),
            launch_pytest.actions.ReadyToTest(),
        ]
    )


@pytest.mark.launch(fixture=arm)
def test_every_part_of_the_launch_runs_until_the_end_and_ends_well(
    ros: None, ended: dict[str, int]
) -> Iterator[None]:
    client = Client()
    client.until_holding(START)
    client.close()
    assert ended == {}
    yield
    assert ended == dict.fromkeys(PARTS, 0)
