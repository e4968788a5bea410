"""Sentences for the log, each told once or at most every few seconds."""

from __future__ import annotations

import math
from collections import deque

from ik_node.datatypes import Severity
from ik_node.dynamixel.report import Event

REMEMBERED = 200
"""Keys that are kept; strangers' names can be keys, so there must be an end."""

RECENT, RECENT_TIME = 10, 60.0
"""So many warnings and errors are kept in sight, for so long [s]."""


class EventLog:
    """Collects sentences for the log; one with the same key again only after `every` s."""

    def __init__(self, every: float = 5.0) -> None:
        self._every = every
        self._said: dict[str, float] = {}
        self._events: list[Event] = []
        self._recent: deque[Event] = deque(maxlen=RECENT)
        self.now = 0.0

    def say(self, sentence: str, severity: Severity = Severity.OK, key: str = "") -> None:
        """Add `sentence`; with a `key` it is throttled."""
        if key:
            if self.now - self._said.get(key, -math.inf) < self._every:
                return
            if len(self._said) >= REMEMBERED:
                self._said.clear()
            self._said[key] = self.now
        event = Event(severity, sentence, self.now)
        self._events.append(event)
        if severity is not Severity.OK:
            self._recent.append(event)

    def take(self) -> tuple[Event, ...]:
        """The sentences since the last call."""
        events = tuple(self._events)
        self._events.clear()
        return events

    def recent(self) -> tuple[Event, ...]:
        """Warnings and errors of late, the oldest first."""
        while self._recent and self.now - self._recent[0].time > RECENT_TIME:
            self._recent.popleft()
        return tuple(self._recent)
