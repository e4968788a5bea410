"""An arm that does at once what it is told: the other end of `joint_command`, as a ROS node."""

from __future__ import annotations

from collections.abc import Sequence

from client import Client
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState

RELIABLE = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
PERIOD = 0.01


class Follower(Client):
    """A client that is the arm as well.

    Attributes:
        positions: by joint name; published while `publishing`.
        moving: whether commands move it.
    """

    def __init__(self, positions: dict[str, float], **arguments: str) -> None:
        super().__init__(**arguments)
        self.positions = dict(positions)
        self.publishing = True
        self.moving = True
        self.states_out = self.create_publisher(JointState, "joint_states", RELIABLE)
        self.create_subscription(JointState, "joint_command", self._follow, RELIABLE)
        self.create_timer(PERIOD, self._publish)

    def _follow(self, message: JointState) -> None:
        self.commands.append(message)
        if self.moving:
            self.positions.update(zip(message.name, message.position, strict=True))

    def _publish(self) -> None:
        if self.publishing:
            self.publish_state(list(self.positions), list(self.positions.values()))

    def publish_state(self, names: Sequence[str], positions: Sequence[float]) -> None:
        message = JointState(name=list(names), position=list(positions))
        message.header.stamp = self.get_clock().now().to_msg()
        self.states_out.publish(message)

    def until_silent(self, ticks: int = 15) -> None:
        """Spin until no command comes for this many periods of `~/status` at 10 Hz."""

        def silent() -> bool:
            before = len(self.commands)
            self.spin_messages(self.statuses, 3)
            return len(self.commands) == before

        self.until(silent)

    def until_at_rest(self) -> list[float]:
        """Spin until the commands stand still, and return them."""

        def still() -> bool:
            sent = self.spin_messages(self.commands, 10)
            return all(list(message.position) == list(sent[0].position) for message in sent)

        self.until(still)
        return list(self.commands[-1].position)
