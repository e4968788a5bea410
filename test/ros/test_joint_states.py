from __future__ import annotations

import math

import numpy as np
import pytest
from processes import wait_until
from rclpy.node import Node
from sensor_msgs.msg import JointState

from ik_node.ros.joint_states import JointStates

NAMES = ("joint1", "joint2")


class Bench:
    """A JointStates with a clock that is set by hand and complaints that are kept."""

    def __init__(self, node):
        self.now = 0.0
        self.complaints = []
        self.states = JointStates(
            node, lambda: self.now, lambda key, text: self.complaints.append(text)
        )

    def receive(self, names, positions, velocities=()):
        self.states.receive(
            JointState(name=list(names), position=list(positions), velocity=list(velocities))
        )

    def measured(self):
        return self.states.measured(NAMES)


@pytest.fixture(scope="module")
def node(ros):
    made = Node("joint_states_test", namespace="joint_states_test")
    yield made
    made.destroy_node()


@pytest.fixture
def bench(node):
    return Bench(node)


def test_joints_are_read_by_name_in_any_order_with_others_between(bench):
    bench.receive(("gripper", "joint2", "joint1"), (9.0, 2.0, 1.0), (9.0, 0.2, 0.1))
    np.testing.assert_array_equal(bench.measured().positions, [1.0, 2.0])
    np.testing.assert_array_equal(bench.measured().velocities, [0.1, 0.2])
    assert not bench.complaints


def test_an_arm_and_a_gripper_of_their_own_get_along_and_two_arms_do_not(bench):
    assert not bench.states.come_in_parts()
    bench.receive(NAMES, (1.0, 2.0))
    assert not bench.states.come_in_parts()
    for _ in range(2):
        bench.receive(NAMES, (1.0, 2.0))
        bench.receive(("gripper",), (0.01,))
        assert bench.states.come_in_parts()
    bench.receive(NAMES, (1.0, 2.0))
    bench.receive(("gripper", "joint2"), (0.01, 0.0))
    assert not bench.states.come_in_parts()


def test_nothing_is_measured_until_every_joint_has_come(bench):
    bench.receive(("joint1",), (1.0,))
    assert bench.measured().positions is None
    assert bench.measured().missing == ("joint2",)
    bench.receive(("joint2",), (2.0,))
    assert bench.measured().positions is not None


def test_every_joint_has_its_own_age(bench):
    bench.receive(NAMES, (1.0, 2.0))
    bench.now = 3.0
    bench.receive(("joint2",), (2.0,))
    np.testing.assert_array_equal(bench.measured().stamps, [0.0, 3.0])


def test_velocities_are_optional(bench):
    bench.receive(NAMES, (1.0, 2.0))
    assert bench.measured().velocities is None
    bench.receive(NAMES, (1.0, 2.0), (0.1, math.nan))
    assert bench.measured().velocities is None


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_position_that_is_not_finite_keeps_the_last_and_its_age(bench, bad):
    bench.receive(NAMES, (1.0, 2.0))
    bench.now = 1.0
    bench.receive(NAMES, (bad, 2.5))
    np.testing.assert_array_equal(bench.measured().positions, [1.0, 2.5])
    np.testing.assert_array_equal(bench.measured().stamps, [0.0, 1.0])
    assert "joint1" in bench.complaints[0]


def test_a_joint_given_twice_is_ignored_and_named(bench):
    bench.receive(("joint1", "joint2", "joint1"), (1.0, 2.0, 1.5))
    assert bench.measured().missing == ("joint1",)
    assert "'joint1' twice" in bench.complaints[0]


def test_a_message_with_too_few_positions_is_ignored(bench):
    bench.receive(NAMES, (1.0,))
    assert bench.measured().missing == NAMES
    assert "2 names but 1 positions" in bench.complaints[0]


def test_messages_are_taken_from_the_topic_when_they_are_asked_for(bench, node):
    out = node.create_publisher(JointState, "joint_states", 10)
    wait_until(lambda: out.get_subscription_count() == node.count_subscribers("joint_states"))
    out.publish(JointState(name=["joint1"], position=[1.0]))
    out.publish(JointState(name=["joint2"], position=[2.0]))

    def complete():
        bench.states.update()
        return bench.measured().positions is not None

    wait_until(complete)
    np.testing.assert_array_equal(bench.measured().positions, [1.0, 2.0])
