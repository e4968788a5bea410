"""`gazebo.launch.py headless:=true` with a real Gazebo and bridge: the simulated arm obeys."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from client import Client
from launched import START, Launched, latest_positions
from processes import wait_until

from ik_node.cli.arms import arm_names, find_arm, load_arm
from ik_node.cli.demo_targets import DemoTarget, choose_targets, find_room
from ik_node.core import JointGroup
from ik_node.ros.conversions import pose_message

NEAR = 0.002
"""How near [m] the measured tool has to come to the target at rest."""
WORLD = "arms"
STILL = 2e-3
"""Joint motion [rad] that counts as none: what a servo still settles by."""
STRAY = 0.5
"""Joint motion [rad] by commands that were under way when the world was reset; more under load."""


class Simulation:
    """A launch with one arm, a client of it, and the hand on Gazebo's clock."""

    def __init__(self, name: str, environment: dict[str, str], *arguments: str) -> None:
        namespace = next((a.split(":=")[1] for a in arguments if a.startswith("namespace")), "")
        self.arm: JointGroup = load_arm(find_arm(name))
        self._environment = environment
        self.launched = Launched(
            "gazebo.launch.py", [f"arm:={name}", "headless:=true", *arguments], environment
        )
        self.client = Client(f"client{namespace}", namespace=namespace)

    def come_up(self) -> None:
        """Wait until the arm holds and targets are heard."""
        self.client.until_holding(2 * START)
        self.client.until_matched()

    def positions(self) -> np.ndarray:
        return np.array(latest_positions(self.client, self.arm.joint_names))

    def targets(self) -> Sequence[DemoTarget]:
        """Two poses that the arm can reach from where it stands."""
        return choose_targets(self.arm, find_room(self.arm, self.positions()), 2, 1)[:2]

    def send(self, target: DemoTarget) -> None:
        pose = pose_message(target.pose)
        p, o = pose.position, pose.orientation
        self.client.send_pose((p.x, p.y, p.z), (o.x, o.y, o.z, o.w))

    def until_at_rest_at(self, target: DemoTarget) -> None:
        def there() -> bool:
            tool = self.arm.forward_kinematics(self.positions())[:3, 3]
            off = float(np.linalg.norm(tool - target.pose[:3, 3]))
            return self.client.value("settled") == "true" and off < NEAR

        self.client.until(there, START)

    def ask(self, request: str) -> None:
        """Ask Gazebo's world for something, listening to the arm meanwhile."""
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(self._ask, request)
            self.client.until(answer.done, START)
        assert "true" in answer.result()

    def _ask(self, request: str) -> str:
        done = subprocess.run(
            [
                *("gz", "service", "-s", f"/world/{WORLD}/control", "--timeout", "10000"),
                *("--reqtype", "gz.msgs.WorldControl", "--reptype", "gz.msgs.Boolean"),
                *("--req", request),
            ],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return done.stdout + done.stderr

    def close(self) -> None:
        """Press Ctrl-C and see that everything of this launch ends."""
        self.client.close()
        self.launched.stop()
        assert "Traceback" not in self.launched.output, self.launched.output
        assert "process has died" not in self.launched.output, self.launched.output


@pytest.fixture(scope="module")
def gazebo(ros2: dict[str, str], ros: None, needs: Callable[..., None]) -> dict[str, str]:
    """The environment of a Gazebo of this test's own, on loopback."""
    needs("robot_state_publisher", "ros_gz_sim", "ros_gz_bridge")
    if shutil.which("gz") is None:
        pytest.skip("the command gz is missing: apt install ros-$ROS_DISTRO-ros-gz")
    return {**ros2, "GZ_PARTITION": f"ik_node_{os.getpid()}", "GZ_IP": "127.0.0.1"}


def test_two_arms_in_one_world_each_go_to_their_own_target(gazebo: dict[str, str]) -> None:
    left = Simulation("planar_2r", gazebo, "namespace:=left")
    right = None
    try:
        left.come_up()
        beside = ("gazebo:=false", "namespace:=right", "y:=0.6")
        right = Simulation("planar_2r", gazebo, *beside)
        right.come_up()
        ways = {left: left.targets()[0], right: right.targets()[1]}
        for arm, target in ways.items():
            arm.send(target)
        for arm, target in ways.items():
            arm.until_at_rest_at(target)
    finally:
        if right is not None:
            right.close()
        left.close()


@pytest.fixture(scope="module", params=arm_names())
def simulation(gazebo: dict[str, str], request: pytest.FixtureRequest) -> Iterator[Simulation]:
    simulation = Simulation(request.param, gazebo)
    try:
        simulation.come_up()
        yield simulation
    finally:
        simulation.close()
    wait_until(lambda: not of_partition(gazebo), otherwise=lambda: f"{of_partition(gazebo)} live")


def of_partition(environment: dict[str, str]) -> list[str]:
    """Commands of the processes that speak to this test's Gazebo."""
    mark = f"GZ_PARTITION={environment['GZ_PARTITION']}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                found.append((folder / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


def test_a_pose_moves_the_simulated_arm_to_within_two_millimetres(simulation: Simulation) -> None:
    for target in simulation.targets():
        simulation.send(target)
        simulation.until_at_rest_at(target)


def test_a_paused_clock_moves_nothing_and_the_target_waits(simulation: Simulation) -> None:
    target = simulation.targets()[0]
    simulation.ask("pause: true")
    before = simulation.positions()
    simulation.send(target)
    simulation.client.spin_messages(simulation.client.statuses, 5)
    assert np.abs(simulation.positions() - before).max() < STILL
    simulation.ask("pause: false")
    simulation.until_at_rest_at(target)


def test_a_reset_world_is_not_driven_to_where_the_old_one_was(simulation: Simulation) -> None:
    client = simulation.client
    simulation.ask("reset: {all: true}")
    client.until_code("HOLDING")
    client.spin_messages(client.states, 100)
    assert np.abs(simulation.positions()).max() < STRAY
    target = simulation.targets()[0]
    simulation.send(target)
    simulation.until_at_rest_at(target)
