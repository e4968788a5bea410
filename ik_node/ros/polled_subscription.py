"""A subscription that is read when its messages are needed, instead of waking the executor.

At 100 messages a second every wake of an executor costs more than the tick that it is for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile


class _NeverExecuted(CallbackGroup):
    """Keeps its members out of the executor's waits."""

    def can_execute(self, entity: object) -> bool:
        """Refuse."""
        return False

    def beginning_execution(self, entity: object) -> bool:
        """Refuse."""
        return False

    def ending_execution(self, entity: object) -> None:
        """Nothing began."""


class PolledSubscription:
    """Messages of `message_type` on `topic`, the newest `profile.depth` of them."""

    def __init__(self, node: Node, message_type: type, topic: str, profile: QoSProfile) -> None:
        self._type = message_type
        self._subscription = node.create_subscription(
            message_type,
            topic,
            lambda _: None,
            profile,
            callback_group=_NeverExecuted(),
        )
        self._depth = profile.depth

    def take(self) -> Iterator[Any]:
        """Give the messages that have come since the last call, the oldest first."""
        for message, _ in self.take_stamped():
            yield message

    def take_stamped(self) -> Iterator[tuple[Any, int]]:
        """Give messages as `take` does, each with the time of its receipt [ns, the host's clock].

        The time is 0 where the middleware does not tell it.
        """
        for _ in range(self._depth):
            with self._subscription.handle:
                taken = self._subscription.handle.take_message(self._type, False)
            if taken is None:
                return
            message, details = taken
            yield message, details.get("received_timestamp") or 0
