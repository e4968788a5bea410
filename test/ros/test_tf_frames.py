"""tf is not among the wheels: here a module of the same form stands where tf2_ros would be."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest
from geometry_msgs.msg import Quaternion, Transform, TransformStamped, Vector3
from processes import wait_until
from rclpy.node import Node
from trajectory_msgs.msg import MultiDOFJointTrajectoryPoint as TFMessage

from ik_node.ros import qos
from ik_node.ros.tf_frames import TfFrames


class TransformError(Exception):
    pass


def transform(x):
    return Transform(translation=Vector3(x=x), rotation=Quaternion(w=1.0))


class Buffer:
    """Knows one moving frame and one static one, once they have been published."""

    def __init__(self, *, node):
        self.known = {}

    def set_transform(self, transform, authority):
        self.known["base", "table"] = transform

    def set_transform_static(self, transform, authority):
        self.known["base", "wall"] = transform

    def lookup_transform(self, target, source, time):
        if time.nanoseconds != 0 or (target, source) not in self.known:
            raise TransformError
        return TransformStamped(transform=self.known[target, source])

    def all_frames_as_yaml(self):
        return "".join(f"{frame}: \n  parent: '{base}'\n" for base, frame in self.known)


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
    module.TransformException = TransformError
    monkeypatch.setitem(sys.modules, "tf2_ros", module)
    messages = ModuleType("tf2_msgs.msg")
    messages.TFMessage = TFMessage
    monkeypatch.setitem(sys.modules, "tf2_msgs", ModuleType("tf2_msgs"))
    monkeypatch.setitem(sys.modules, "tf2_msgs.msg", messages)


def test_a_frame_of_tf_is_looked_up_as_it_is_now(node, tf2_ros):
    static = node.create_publisher(TFMessage, "/tf_static", qos.TF_STATIC)
    static.publish(TFMessage(transforms=[transform(2.0)]))
    tf = TfFrames(node)
    assert tf.look_up("base", "table") is None
    out = node.create_publisher(TFMessage, "/tf", qos.TF)

    def seen(frame, x):
        found = tf.look_up("base", frame)
        return found is not None and found[0, 3] == x

    for x in (0.3, 0.4):
        out.publish(TFMessage(transforms=[transform(x)]))
        wait_until(lambda x=x: seen("table", x))
    wait_until(lambda: seen("wall", 2.0))
    assert tf.look_up("base", "chair") is None
    assert sorted(tf.names()) == ["table", "wall"]


def test_without_tf_no_frame_is_known(node, monkeypatch):
    monkeypatch.setitem(sys.modules, "tf2_ros", None)
    tf = TfFrames(node)
    assert tf.look_up("base", "table") is None
    assert list(tf.names()) == []
