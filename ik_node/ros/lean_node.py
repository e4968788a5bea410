"""A node whose topics cost the executor no more than they must."""

from __future__ import annotations

from typing import Any

from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks


class LeanNode:
    """Mixed into a node, it leaves out the default handlers for QoS events.

    They put two entries a topic into every wait, and `connections.py` finds the same and more.
    """

    def create_publisher(self, *arguments: Any, **options: Any) -> Any:
        """Create a publisher as `Node` does."""
        events = PublisherEventCallbacks(use_default_callbacks=False)
        return super().create_publisher(*arguments, **{"event_callbacks": events, **options})

    def create_subscription(self, *arguments: Any, **options: Any) -> Any:
        """Create a subscription as `Node` does."""
        events = SubscriptionEventCallbacks(use_default_callbacks=False)
        return super().create_subscription(*arguments, **{"event_callbacks": events, **options})
