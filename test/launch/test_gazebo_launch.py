"""`gazebo.launch.py headless:=true` with a real Gazebo and bridge: the simulated arm obeys."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator

import pytest
from client import Client, planar_tool
from launched import START, Launched, latest_positions
from processes import wait_until

JOINTS = ("joint1", "joint2")
NEAR = 0.002
WORLD = "arms"
STILL = 1e-3
"""Joint motion [rad] that counts as none."""


@pytest.fixture(scope="module")
def partition() -> dict[str, str]:
    """A Gazebo of this test's own, on loopback."""
    return {"GZ_PARTITION": f"ik_node_{os.getpid()}", "GZ_IP": "127.0.0.1"}


@pytest.fixture(scope="module")
def simulation(
    ros2: dict[str, str], ros: None, needs: Callable[..., None], partition: dict[str, str]
) -> Iterator[Client]:
    """planar_2r in Gazebo, and a client."""
    needs("robot_state_publisher", "ros_gz_sim", "ros_gz_bridge")
    if shutil.which("gz") is None:
        pytest.skip("the command gz is missing: apt install ros-$ROS_DISTRO-ros-gz")
    launched = Launched(
        "gazebo.launch.py", ["arm:=planar_2r", "headless:=true"], {**ros2, **partition}
    )
    client = Client()
    try:
        client.until(
            lambda: client.statuses and client.states and "HOLDING" in client.codes(), 2 * START
        )
        client.until_matched()
        yield client
    finally:
        client.close()
        launched.stop()
    assert "Traceback" not in launched.output, launched.output


def tool(client: Client) -> tuple[float, float, float]:
    return planar_tool(0.30, 0.25, *latest_positions(client, JOINTS))


def at_rest_at(client: Client, target: tuple[float, float, float]) -> bool:
    return client.value("settled") == "true" and math.dist(tool(client), target) < NEAR


def control(partition: dict[str, str], request: str) -> None:
    """Ask Gazebo's world for something."""
    done = subprocess.run(
        [
            *("gz", "service", "-s", f"/world/{WORLD}/control", "--timeout", "10000"),
            *("--reqtype", "gz.msgs.WorldControl", "--reptype", "gz.msgs.Boolean"),
            *("--req", request),
        ],
        env={**os.environ, **partition},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "true" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("target", [(0.35, 0.0, 0.2), (0.1, 0.0, 0.4), (0.3, 0.0, -0.2)])
def test_a_pose_moves_the_simulated_arm_to_within_two_millimetres(
    simulation: Client, target: tuple[float, float, float]
) -> None:
    simulation.send_pose(target)
    simulation.until(lambda: at_rest_at(simulation, target), START)


def test_a_paused_clock_moves_nothing(simulation: Client, partition: dict[str, str]) -> None:
    before = latest_positions(simulation, JOINTS)
    control(partition, "pause: true")
    simulation.send_pose((0.35, 0.0, 0.1))
    simulation.until(lambda: simulation.count_publishers("joint_states"))
    control(partition, "pause: false")
    count = len(simulation.states)
    simulation.until(lambda: len(simulation.states) > count + 1)
    first = [state.position for state in simulation.states[count : count + 1]]
    assert max(abs(a - b) for a, b in zip(first[0], before, strict=False)) < 0.1
    simulation.until(lambda: at_rest_at(simulation, (0.35, 0.0, 0.1)), START)


def test_a_reset_clock_moves_nothing(simulation: Client, partition: dict[str, str]) -> None:
    before = latest_positions(simulation, JOINTS)
    control(partition, "reset: {time_only: true}")
    count = len(simulation.states)
    simulation.until(lambda: len(simulation.states) > count + 100, START)
    after = latest_positions(simulation, JOINTS)
    assert max(abs(a - b) for a, b in zip(after, before, strict=True)) < STILL


def test_the_whole_world_reset_is_survived(simulation: Client, partition: dict[str, str]) -> None:
    control(partition, "reset: {all: true}")
    wait_until(lambda: True)
    simulation.until(lambda: "HOLDING" in simulation.codes() or simulation.code() == "REACHED")
    simulation.send_pose((0.35, 0.0, 0.2))
    simulation.until(lambda: at_rest_at(simulation, (0.35, 0.0, 0.2)), START)
