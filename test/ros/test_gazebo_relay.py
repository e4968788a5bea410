"""`gazebo_relay` as a process; the other side of ros_gz_bridge is this test."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from client import LATCHED, Client
from diagnostic_msgs.msg import DiagnosticStatus
from processes import Process
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, String

from ik_node.cli.arms import find_arm
from ik_node.core.xacro_file import load_description
from ik_node.ros.gazebo_model import gazebo_arm, ros_topic


class World(Client):
    """What the relay sees: a robot description, commands, and Gazebo's end of the bridge."""

    def __init__(self) -> None:
        super().__init__("world", namespace="sim")
        urdf = load_description(find_arm("wx200").description, {"world": "true"})
        arm = gazebo_arm("arm", urdf)
        self.got: dict[str, list[float]] = {}
        self.driver: list[DiagnosticStatus] = []
        self.servos = [joint.name for joint in arm.model.joints.values() if joint.moves]
        for joint in self.servos:
            self.got[joint] = []
            self.create_subscription(
                Float64, ros_topic(joint), lambda m, j=joint: self.got[j].append(m.data), 10
            )
        self.create_subscription(DiagnosticStatus, "driver_status", self.driver.append, LATCHED)
        self.description = self.create_publisher(String, "robot_description", LATCHED)
        self.command = self.create_publisher(JointState, "joint_command", 1)
        self.gripper = self.create_publisher(Float64, "gazebo_relay/gripper", 1)
        self.states_out = self.create_publisher(JointState, "joint_states", 1)
        self.description.publish(String(data=arm.description))

    def send(self, **positions: float) -> None:
        self.command.publish(
            JointState(name=list(positions), position=[float(p) for p in positions.values()])
        )

    def last(self, joint: str) -> float | None:
        return self.got[joint][-1] if self.got[joint] else None

    def said(self) -> str:
        return self.driver[-1].message if self.driver else ""


@pytest.fixture(scope="module")
def world(ros: None) -> Iterator[World]:
    with Process("gazebo_relay", "--ros-args", "-r", "__ns:=/sim") as relay:
        world = World()
        world.until(lambda: world.said().startswith("no joint states"), 40.0)
        world.until(lambda: all(world.count_publishers(ros_topic(j)) for j in world.servos))
        world.until(lambda: world.command.get_subscription_count())
        world.until(lambda: world.gripper.get_subscription_count())
        yield world
        world.close()
        assert relay.stop() == 0 and "Traceback" not in relay.output, relay.output


def test_each_position_goes_to_the_topic_of_its_joint(world: World) -> None:
    def arrived() -> bool:
        world.send(waist=0.1, elbow=-0.4)
        return world.last("waist") == 0.1 and world.last("elbow") == -0.4

    world.until(arrived)
    assert world.last("shoulder") is None


def test_the_gripper_moves_both_fingers(world: World) -> None:
    world.gripper.publish(Float64(data=0.03))
    world.until(lambda: (world.last("left_finger"), world.last("right_finger")) == (0.03, -0.03))


def test_what_is_not_a_number_and_what_is_unknown_is_left_out(world: World) -> None:
    world.send(waist=math.nan, elbow=0.2, knee=1.0)
    world.until(lambda: world.last("elbow") == 0.2)
    assert all(map(math.isfinite, world.got["waist"]))


def test_it_says_what_it_waits_for_and_then_that_all_is_well(world: World) -> None:
    def well() -> bool:
        world.states_out.publish(JointState(name=["waist"], position=[0.0]))
        return world.said() == "Gazebo holds the arm"

    world.until(well)


def test_after_a_reset_the_servos_hold_where_the_new_world_has_them(world: World) -> None:
    def arrived() -> bool:
        for second, elbow in ((9, 0.7), (1, 0.2)):
            state = JointState(name=["elbow"], position=[elbow])
            state.header.stamp.sec = second
            world.states_out.publish(state)
        return world.last("elbow") == 0.2

    world.until(arrived)
    assert 0.7 not in world.got["elbow"]
