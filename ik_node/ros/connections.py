"""Sentences about the wiring: nobody listens, two publishers, QoS that never matches.

The graph is looked at once in a while instead of through middleware events, of which each would
cost the loop an entry in every wait.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rclpy.node import Node
from rclpy.qos import QoSProfile

from ik_node.ros import qos


class Connections:
    """Finds what is wrong with a node's topics, and says so when it changes."""

    def __init__(self, node: Node, warn: Callable[[str], object]) -> None:
        self._node = node
        self._warn = warn
        self._said: frozenset[str] = frozenset()

    def look(
        self,
        inputs: Sequence[tuple[str, QoSProfile]],
        outputs: Sequence[tuple[str, QoSProfile]],
        single_publisher: str,
        needs_listener: str = "",
    ) -> tuple[str, ...]:
        """Return every sentence that is true now; new ones are logged.

        Args:
            inputs: subscribed topics and the QoS offered to them.
            outputs: published topics and their QoS.
            single_publisher: the input that only one node may publish.
            needs_listener: the output that somebody must listen to, or ''.
        """
        sentences = [
            *self._too_many_publishers(single_publisher),
            *(s for topic, profile in inputs for s in self._deaf(topic, profile)),
            *(s for topic, profile in outputs for s in self._unheard(topic, profile)),
            *self._no_listener(needs_listener),
        ]
        for sentence in sentences:
            if sentence not in self._said:
                self._warn(sentence)
        self._said = frozenset(sentences)
        return tuple(sentences)

    def _too_many_publishers(self, topic: str) -> list[str]:
        names = [_full_name(i) for i in self._node.get_publishers_info_by_topic(self._full(topic))]
        if len(names) < 2:
            return []
        return [
            f"{len(names)} publishers feed {self._full(topic)} ({', '.join(sorted(names))}), so "
            "the arm's state may jump between them; keep one"
        ]

    def _no_listener(self, topic: str) -> list[str]:
        if not topic or self._node.get_subscriptions_info_by_topic(self._full(topic)):
            return []
        return [
            f"nobody listens to {self._full(topic)}, so the arm will not move; start the driver or "
            "the controller, or remap this topic to the one it takes commands from"
        ]

    def _deaf(self, topic: str, profile: QoSProfile) -> list[str]:
        return [
            self._sentence(topic, _full_name(info), why)
            for info in self._node.get_publishers_info_by_topic(self._full(topic))
            if (why := qos.mismatch(info.qos_profile, profile))
        ]

    def _unheard(self, topic: str, profile: QoSProfile) -> list[str]:
        return [
            self._sentence(topic, _full_name(info), why)
            for info in self._node.get_subscriptions_info_by_topic(self._full(topic))
            if (why := qos.mismatch(profile, info.qos_profile))
        ]

    def _sentence(self, topic: str, other: str, why: str) -> str:
        return (
            f"{other} and this node never exchange a message on {self._full(topic)}, because their "
            f"QoS does not match ({why}); change the QoS of {other}"
        )

    def _full(self, topic: str) -> str:
        return self._node.resolve_topic_name(topic)


def _full_name(info: object) -> str:
    return f"{info.node_namespace.rstrip('/')}/{info.node_name}"  # type: ignore[attr-defined]
