"""Sentences about the wiring: nobody listens, two publishers, types or QoS that never match.

The graph is looked at once in a while instead of through middleware events, of which each would
cost the loop an entry in every wait.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.topic_endpoint_info import TopicEndpointInfo

from ik_node.ros import qos


@dataclass(frozen=True)
class Topic:
    """A topic of this node.

    Attributes:
        name: as the node gave it, relative or with `~`.
        type: as the graph writes it, like sensor_msgs/msg/JointState.
        profile: its quality of service here.
        two_publishers: what is wrong with two of them; '' where any number is fine.
        share: whether they get along all the same, as each sends another part.
        no_listener: what is wrong with none; '' where that is fine.
    """

    name: str
    type: str
    profile: QoSProfile
    two_publishers: str = ""
    share: Callable[[], bool] = lambda: False
    no_listener: str = ""


class Connections:
    """Finds what is wrong with a node's topics, and says so when it changes."""

    def __init__(
        self,
        node: Node,
        inputs: Sequence[Topic],
        outputs: Sequence[Topic],
        warn: Callable[[str], object],
    ) -> None:
        self._node = node
        self._inputs = inputs
        self._outputs = outputs
        self._warn = warn
        self._said: frozenset[str] = frozenset()

    def look(self) -> tuple[str, ...]:
        """Return every sentence that is true now; new ones are logged."""
        sentences = [
            *(sentence for topic in self._inputs for sentence in self._about_input(topic)),
            *(sentence for topic in self._outputs for sentence in self._about_output(topic)),
        ]
        for sentence in sentences:
            if sentence not in self._said:
                self._warn(sentence)
        self._said = frozenset(sentences)
        return tuple(sentences)

    def _about_input(self, topic: Topic) -> Iterator[str]:
        full = self._node.resolve_topic_name(topic.name)
        publishers = self._node.get_publishers_info_by_topic(full)
        if topic.two_publishers and len(publishers) > 1 and not topic.share():
            names = ", ".join(sorted(map(_name, publishers)))
            yield f"{len(publishers)} publishers feed {full} ({names}), {topic.two_publishers}"
        for other in publishers:
            yield from _mismatch(full, topic, other, qos.mismatch(other.qos_profile, topic.profile))

    def _about_output(self, topic: Topic) -> Iterator[str]:
        full = self._node.resolve_topic_name(topic.name)
        subscriptions = self._node.get_subscriptions_info_by_topic(full)
        if topic.no_listener and not subscriptions:
            yield f"nobody listens to {full}, {topic.no_listener}"
        for other in subscriptions:
            yield from _mismatch(full, topic, other, qos.mismatch(topic.profile, other.qos_profile))


def _mismatch(full: str, topic: Topic, other: TopicEndpointInfo, why: str) -> Iterator[str]:
    name = _name(other)
    if other.topic_type != topic.type:
        yield (
            f"{name} and this node never exchange a message on {full}, because it takes "
            f"{other.topic_type} for {topic.type}; change the type of either, or remap the topic"
        )
    elif why:
        yield (
            f"{name} and this node never exchange a message on {full}, because their QoS does not "
            f"match ({why}); change the QoS of {name}"
        )


def _name(info: TopicEndpointInfo) -> str:
    return f"{info.node_namespace.rstrip('/')}/{info.node_name}"
