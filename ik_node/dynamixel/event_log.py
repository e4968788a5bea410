"""Sentences for the log, each told once or at most every few seconds."""

from __future__ import annotations

import math

from ik_node.datatypes import Severity
from ik_node.dynamixel.report import Event

REMEMBERED = 200
"""Keys that are kept; strangers' names can be keys, so there must be an end."""


class EventLog:
    """Collects sentences for the log; one with the same key again only after `every` s."""

    def __init__(self, every: float = 5.0) -> None:
        self._every = every
        self._said: dict[str, float] = {}
        self._events: list[Event] = []
        self.now = 0.0

    def say(self, sentence: str, severity: Severity = Severity.OK, key: str = "") -> None:
        """Add `sentence`; with a `key` it is throttled."""
        if key:
            if self.now - self._said.get(key, -math.inf) < self._every:
                return
            if len(self._said) >= REMEMBERED:
                self._said.clear()
            self._said[key] = self.now
        self._events.append(Event(severity, sentence))

    def take(self) -> tuple[Event, ...]:
        """The sentences since the last call."""
        events = tuple(self._events)
        self._events.clear()
        return events
