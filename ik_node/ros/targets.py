"""What the arm is asked to do: the newest pose, point or twist, whichever came last."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter

import numpy as np
from geometry_msgs.msg import PointStamped, PoseStamped, TwistStamped
from numpy.typing import NDArray
from rclpy.node import Node

from ik_node.control import TwistTarget
from ik_node.errors import IkNodeError
from ik_node.ros import qos
from ik_node.ros.conversions import point_array, pose_matrix, twist_array
from ik_node.ros.frames import Frames
from ik_node.ros.polled_subscription import PolledSubscription

Array = NDArray[np.float64]


class Targets:
    """Subscribes the three target topics; a new target of any kind replaces the last.

    Attributes:
        current: the target in base axes: pose (4, 4), point (3,), twist, or None for hold.
        refusal: why the newest target was refused, '' when it was not.
    """

    def __init__(
        self,
        node: Node,
        frames: Callable[[], Frames | None],
        clock: Callable[[], float],
        complain: Callable[[str, str], None],
    ) -> None:
        """Subscribe.

        Args:
            node: the node.
            frames: the frames of the present robot description, None while there is none.
            clock: seconds of receipt.
            complain: called as `complain(key, sentence)` when a target is refused.
        """
        self.current: Array | TwistTarget | None = None
        self.refusal = ""
        self._frames = frames
        self._clock = clock
        self._complain = complain
        self._subscriptions = tuple(
            (PolledSubscription(node, kind, f"~/{topic}", profile), receive)
            for kind, topic, profile, receive in (
                (PoseStamped, "target_pose", qos.TARGET, self._pose),
                (PointStamped, "target_point", qos.TARGET, self._point),
                (TwistStamped, "target_twist", qos.TWIST, self._twist),
            )
        )

    def update(self) -> None:
        """Take the targets that have come, in the order of their receipt."""
        came = [
            (received, receive, message)
            for subscription, receive in self._subscriptions
            for message, received in subscription.take_stamped()
        ]
        for _, receive, message in sorted(came, key=itemgetter(0)):
            receive(message)

    def forget(self) -> None:
        """Ask for nothing, nor for what has come since the last update."""
        for subscription, _ in self._subscriptions:
            for _ in subscription.take():
                pass
        self.current = None
        self.refusal = ""

    def _pose(self, message: PoseStamped) -> None:
        self._take(lambda T: T @ pose_matrix(message.pose), message.header.frame_id)

    def _point(self, message: PointStamped) -> None:
        self._take(
            lambda T: T[:3, :3] @ point_array(message.point) + T[:3, 3], message.header.frame_id
        )

    def _twist(self, message: TwistStamped) -> None:
        def turned(T: Array) -> TwistTarget:
            twist = twist_array(message.twist)
            turn = T[:3, :3]
            return TwistTarget(turn @ twist[:3], turn @ twist[3:], received=self._clock())

        self._take(turned, message.header.frame_id)

    def _take(self, in_base: Callable[[Array], Array | TwistTarget], frame: str) -> None:
        frames = self._frames()
        try:
            if frames is None:
                self._refuse("invalid target: there is no robot description yet; send it again")
                return
            self.current = in_base(frames.resolve(frame))
            self.refusal = ""
        except IkNodeError as error:
            self._refuse(str(error))

    def _refuse(self, sentence: str) -> None:
        self.current = None
        self.refusal = sentence
        self._complain(sentence, sentence)
