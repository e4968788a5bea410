"""A hand on the marker, as RViz has one: it gets the marker and sends drags and menu choices."""

from __future__ import annotations

import time

from client import Client
from visualization_msgs.msg import (
    InteractiveMarker,
    InteractiveMarkerFeedback,
    InteractiveMarkerUpdate,
)
from visualization_msgs.srv import GetInteractiveMarkers

Feedback = InteractiveMarkerFeedback
SERVER = "rviz_target"
STRANGE = 1.1
"""A marker server refuses a client that it does not know for a marker's first second."""


class Hand:
    """Speaks the interactive marker protocol on a client's node."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._seen = 0.0
        self.updates: list[InteractiveMarkerUpdate] = []
        self._out = client.create_publisher(Feedback, f"{SERVER}/feedback", 10)
        client.create_subscription(
            InteractiveMarkerUpdate, f"{SERVER}/update", self.updates.append, 100
        )
        self._get = client.create_client(GetInteractiveMarkers, f"{SERVER}/get_interactive_markers")

    def marker(self) -> InteractiveMarker:
        """The marker as the server has it now; waits until there is one."""
        found: list[InteractiveMarker] = []

        def there() -> bool:
            future = self._get.call_async(GetInteractiveMarkers.Request())
            self.client.until(future.done)
            found[:] = future.result().markers
            return bool(found)

        self.client.until(self._get.service_is_ready)
        self.client.until(lambda: self._out.get_subscription_count())
        self.client.until(there)
        self._seen = self._seen or time.monotonic()
        return found[0]

    def place(self) -> tuple[float, float, float]:
        p = self.marker().pose.position
        return (p.x, p.y, p.z)

    def drag(self, *places: tuple[float, float, float], control: str = "ball") -> None:
        """Press on a control, move to each place in turn, and let go."""
        self._send(Feedback.MOUSE_DOWN, control)
        for place in places:
            self._send(Feedback.POSE_UPDATE, control, place)
        self._send(Feedback.MOUSE_UP, control, places[-1])

    def choose(self, title: str) -> None:
        """Choose a menu entry by its title (a check mark before it does not count)."""
        entries = {e.title.lstrip("[x ]").strip(): e.id for e in self.marker().menu_entries}
        self._send(Feedback.MENU_SELECT, "", entry=entries[title])

    def _send(
        self,
        event: int,
        control: str,
        place: tuple[float, float, float] | None = None,
        entry: int = 0,
    ) -> None:
        marker = self.marker()
        self.client.until(lambda: time.monotonic() > self._seen + STRANGE)
        message = Feedback(
            client_id="hand",
            marker_name=marker.name,
            control_name=control,
            event_type=event,
            menu_entry_id=entry,
            pose=marker.pose,
        )
        message.header.frame_id = marker.header.frame_id
        if place is not None:
            message.pose.position.x, message.pose.position.y, message.pose.position.z = place
        self._out.publish(message)
