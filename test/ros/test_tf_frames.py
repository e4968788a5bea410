"""tf is not among the wheels: here a module of the same form stands where tf2_ros would be."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from geometry_msgs.msg import Quaternion, Transform, TransformStamped, Vector3
from rclpy.node import Node

from ik_node.ros.tf_frames import TfFrames


class TransformError(Exception):
    pass


TABLE = Transform(translation=Vector3(x=0.3), rotation=Quaternion(w=1.0))


class Buffer:
    def __init__(self, *, node):
        self.known = {("base", "table"): TABLE}

    def lookup_transform(self, target, source, time):
        if time.nanoseconds != 0 or (target, source) not in self.known:
            raise TransformError
        return TransformStamped(transform=self.known[target, source])

    def all_frames_as_yaml(self):
        return "table: \n  parent: 'base'\n"


@pytest.fixture
def node(ros):
    made = Node("tf_frames_test")
    yield made
    made.destroy_node()


@pytest.fixture
def tf2_ros(monkeypatch):
    module = ModuleType("tf2_ros")
    module.__spec__ = SimpleNamespace(name="tf2_ros")
    module.Buffer = Buffer
    module.TransformListener = lambda buffer, node, *, spin_thread: (buffer, node, spin_thread)
    module.TransformException = TransformError
    monkeypatch.setitem(sys.modules, "tf2_ros", module)


def test_a_frame_of_tf_is_looked_up_as_it_is_now(node, tf2_ros):
    tf = TfFrames(node)
    np.testing.assert_allclose(tf.look_up("base", "table")[:3, 3], [0.3, 0.0, 0.0])
    assert tf.look_up("base", "chair") is None
    assert list(tf.names()) == ["table"]


def test_without_tf_no_frame_is_known(node, monkeypatch):
    monkeypatch.setitem(sys.modules, "tf2_ros", None)
    tf = TfFrames(node)
    assert tf.look_up("base", "table") is None
    assert list(tf.names()) == []
