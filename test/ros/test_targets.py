import itertools

import numpy as np
import pytest
from geometry_msgs.msg import PointStamped, PoseStamped, TwistStamped
from processes import wait_until
from rclpy.duration import Duration
from rclpy.node import Node

from ik_node.control import TwistTarget
from ik_node.ros import qos
from ik_node.ros.polled_subscription import PolledSubscription
from ik_node.ros.targets import Targets

KINDS = {"pose": PoseStamped, "point": PointStamped, "twist": TwistStamped}


class OneFrame:
    def resolve(self, frame):
        return np.eye(4)


class Bench:
    """`Targets` in a node, somebody who sends, and a witness of what has arrived."""

    def __init__(self):
        self._node = Node("targets_bench")
        self.targets = Targets(self._node, OneFrame, lambda: 0.0, lambda *_: None)
        self._out, self._witness = {}, {}
        for name, kind in KINDS.items():
            profile = qos.TWIST if name == "twist" else qos.TARGET
            self._out[name] = self._node.create_publisher(kind, f"~/target_{name}", profile)
            self._witness[name] = PolledSubscription(self._node, kind, f"~/target_{name}", profile)
        wait_until(lambda: all(out.get_subscription_count() == 2 for out in self._out.values()))

    def send(self, name):
        message = KINDS[name]()
        if name == "pose":
            message.pose.orientation.w = 1.0
        self._out[name].publish(message)
        wait_until(lambda: list(self._witness[name].take()))
        assert self._out[name].wait_for_all_acked(Duration(seconds=30))

    def close(self):
        self._node.destroy_node()


@pytest.fixture
def bench(ros):
    made = Bench()
    yield made
    made.close()


def kind_of(target):
    if isinstance(target, TwistTarget):
        return "twist"
    return {(): "none", (4, 4): "pose", (3,): "point"}[np.shape(target)]


@pytest.mark.parametrize("order", itertools.permutations(KINDS), ids="-".join)
def test_of_targets_that_come_between_two_ticks_the_last_one_counts(bench, order):
    for name in order:
        bench.send(name)

    def arrived():
        bench.targets.update()
        return kind_of(bench.targets.current) == order[-1]

    wait_until(arrived)
    bench.targets.update()
    assert kind_of(bench.targets.current) == order[-1]


@pytest.mark.parametrize("name", KINDS)
def test_a_target_that_came_just_before_hold_does_not_move_the_arm_after_it(bench, name):
    bench.send(name)
    bench.targets.forget()
    bench.targets.update()
    assert kind_of(bench.targets.current) == "none"
