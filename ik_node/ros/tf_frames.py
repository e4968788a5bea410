"""tf, where tf2_ros is installed; without it only the robot's own frames serve."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec

import numpy as np
import yaml
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.time import Time

from ik_node.ros import qos
from ik_node.ros.conversions import point_array, rotation_matrix
from ik_node.ros.polled_subscription import PolledSubscription

Array = NDArray[np.float64]


class TfFrames:
    """The frames of tf, empty where tf2_ros is missing.

    `/tf` is polled: tf2's own listener would wake the executor for every transform of the graph.
    """

    def __init__(self, node: Node) -> None:
        self._buffer = None
        if find_spec("tf2_ros") is None:
            node.get_logger().info(
                "tf2_ros is not installed, so targets may only come in the robot's own frames; "
                "for others: sudo apt install ros-$ROS_DISTRO-tf2-ros-py"
            )
            return
        from tf2_msgs.msg import TFMessage
        from tf2_ros import Buffer

        self._buffer = Buffer(node=node)
        moving = PolledSubscription(node, TFMessage, "/tf", qos.TF)
        static = PolledSubscription(node, TFMessage, "/tf_static", qos.TF_STATIC)
        self._inputs = (
            (moving, self._buffer.set_transform),
            (static, self._buffer.set_transform_static),
        )

    def update(self) -> None:
        """Take the transforms that have come."""
        if self._buffer is None:
            return
        for subscription, put in self._inputs:
            for message in subscription.take():
                for transform in message.transforms:
                    put(transform, "tf")

    def look_up(self, base: str, frame: str) -> Array | None:
        """Return the latest T_base_frame (4, 4), or None when tf has no way between them."""
        if self._buffer is None:
            return None
        self.update()
        from tf2_ros import TransformException

        try:
            transform = self._buffer.lookup_transform(base, frame, Time()).transform
        except TransformException:
            return None
        T = np.eye(4)
        T[:3, :3] = rotation_matrix(transform.rotation)
        T[:3, 3] = point_array(transform.translation)
        return T

    def names(self) -> Iterable[str]:
        """Return the frames that tf knows."""
        if self._buffer is None:
            return ()
        self.update()
        return tuple(yaml.safe_load(self._buffer.all_frames_as_yaml()) or ())
