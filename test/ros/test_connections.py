from __future__ import annotations

from dataclasses import replace

import pytest
from processes import wait_until
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState

from ik_node.ros import qos
from ik_node.ros.connections import Connections, Topic

BEST_EFFORT = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
STATE = "sensor_msgs/msg/JointState"
INPUTS = (
    Topic("joint_states", STATE, qos.JOINT_STATES_IN, two_publishers="so it is torn"),
    Topic("~/target", STATE, qos.TARGET),
)
OUTPUTS = (Topic("joint_command", STATE, qos.COMMAND, no_listener="so nothing moves"),)


class Bench:
    def __init__(self):
        self.node = Node("ours", namespace="connections")
        self.others = []
        self.said = []
        self.connections = Connections(self.node, INPUTS, OUTPUTS, self.said.append)
        self.node.create_publisher(JointState, "joint_command", qos.COMMAND)
        for topic in INPUTS:
            self.node.create_subscription(JointState, topic.name, print, topic.profile)

    def other(self, name):
        self.others.append(Node(name, namespace="connections"))
        return self.others[-1]

    def until(self, *words):
        """Look until the sentences are exactly one for each of `words`."""

        def seen():
            sentences = self.connections.look()
            return len(sentences) == len(words) and all(
                any(word in sentence for sentence in sentences) for word in words
            )

        wait_until(seen, otherwise=lambda: f"{words} never; now {self.connections.look()}")


@pytest.fixture
def bench(ros):
    made = Bench()
    yield made
    for node in [made.node, *made.others]:
        node.destroy_node()


def test_a_command_that_nobody_listens_to_is_told_once_until_somebody_does(bench):
    bench.until("nobody listens to /connections/joint_command")
    assert len(bench.said) == 1
    bench.other("driver").create_subscription(JointState, "joint_command", print, 1)
    bench.until()
    assert len(bench.said) == 1


def test_two_publishers_of_joint_states_are_named(bench):
    listener = bench.other("driver")
    listener.create_subscription(JointState, "joint_command", print, 1)
    for name in ("first", "second"):
        bench.other(name).create_publisher(JointState, "joint_states", 1)
    bench.until("/connections/first, /connections/second")


def test_two_publishers_that_share_the_joints_are_no_mistake(bench):
    shared = replace(INPUTS[0], share=lambda: True)
    connections = Connections(bench.node, (shared,), (), bench.said.append)
    for name in ("arm", "gripper"):
        bench.other(name).create_publisher(JointState, "joint_states", 1)
    bench.until("/connections/arm, /connections/gripper", "nobody listens")
    assert not connections.look()


def test_a_subscriber_that_asks_for_more_than_is_offered_is_named(bench):
    bench.other("driver").create_subscription(JointState, "joint_command", print, qos.LATCHED)
    bench.until("/connections/driver and this node never exchange a message")


def test_a_publisher_that_offers_less_than_is_asked_is_named(bench):
    bench.other("driver").create_subscription(JointState, "joint_command", print, 1)
    bench.other("teleop").create_publisher(JointState, "ours/target", BEST_EFFORT)
    bench.until("/connections/teleop and this node never exchange a message")


def test_a_publisher_of_another_type_is_named(bench):
    bench.other("driver").create_subscription(JointState, "joint_command", print, 1)
    wrong = Topic("joint_command", "std_msgs/msg/String", qos.COMMAND)
    connections = Connections(bench.node, (wrong,), (), bench.said.append)
    wait_until(connections.look)
    assert "it takes sensor_msgs/msg/JointState for std_msgs/msg/String" in bench.said[0]
