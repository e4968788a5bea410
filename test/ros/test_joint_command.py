from __future__ import annotations

import numpy as np
import pytest
from rclpy.node import Node

from ik_node.errors import ConfigurationError, UnknownNameError
from ik_node.ros.ik_node_parameters import TABLE, trajectory_time
from ik_node.ros.joint_command import INTERFACES, command_form

NAMES = ("a", "b", "c")
POSITIONS = np.array([1.0, 2.0, 3.0])


@pytest.fixture(scope="module")
def node(ros):
    made = Node("joint_command_test")
    yield made
    made.destroy_node()


def message(node, interface, order=(), time=0.02):
    return command_form(interface, NAMES, order, time).message(POSITIONS, node)


def test_a_joint_state_holds_names_positions_and_a_stamp(node):
    sent = message(node, "joint_state")
    assert list(sent.name) == list(NAMES)
    assert list(sent.position) == [1.0, 2.0, 3.0]
    assert sent.header.stamp.sec > 0
    assert not sent.velocity


def test_a_trajectory_is_one_point_that_starts_now_without_velocities(node):
    sent = message(node, "joint_trajectory", time=1.25)
    assert (sent.header.stamp.sec, sent.header.stamp.nanosec) == (0, 0)
    assert list(sent.joint_names) == list(NAMES)
    (point,) = sent.points
    assert list(point.positions) == [1.0, 2.0, 3.0]
    assert not point.velocities and not point.accelerations
    assert (point.time_from_start.sec, point.time_from_start.nanosec) == (1, 250_000_000)


def test_an_array_is_in_the_controllers_order(node):
    assert list(message(node, "position_array", ("c", "a", "b")).data) == [3.0, 1.0, 2.0]
    assert list(message(node, "position_array").data) == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("interface", INTERFACES)
def test_the_message_is_reused_and_follows_the_positions(node, interface):
    form = command_form(interface, NAMES, (), 0.02)
    first = form.message(POSITIONS, node)
    second = form.message(POSITIONS + 1.0, node)
    assert first is second
    assert "4.0" in str(second)


@pytest.mark.parametrize(
    ("order", "error", "words"),
    [
        (("a", "b", "d"), UnknownNameError, "'d'"),
        (("a", "b"), ConfigurationError, "lacks c"),
        (("a", "b", "c", "a"), ConfigurationError, "twice"),
    ],
)
def test_an_order_that_is_no_order_is_refused(order, error, words):
    with pytest.raises(error, match=words):
        command_form("position_array", NAMES, order, 0.02)


def test_time_from_start_is_at_least_a_period():
    values = TABLE.defaults()
    assert trajectory_time(values) == pytest.approx(0.02)
    assert trajectory_time({**values, "time_from_start": 0.5}) == 0.5
    with pytest.raises(ConfigurationError, match=r"at least 0\.01 s"):
        trajectory_time({**values, "time_from_start": 0.005})
