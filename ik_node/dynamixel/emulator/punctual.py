"""Replies at the wire's time although this process is woken late.

A request waits until this process is woken, a reply until its timer. A scheduler that has other
work is no part of the emulated wire, so the timer is set earlier by as much as it has cost of late.
How late the client is woken is the client's own affair, as on a real wire.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

WAKES = 2
"""By the client's bytes, and by the timer."""

LONGEST = 0.0002
"""More than this [s] is a busy machine, not a habit."""

SHARE = 0.05
"""Of the newest in the running mean."""

_PR_SET_TIMERSLACK = 29


class Punctual:
    """Knows how late a timer wakes this process."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._late = 0.0

    def woke(self, wanted: float) -> None:
        """Note that the timer set for `wanted` [s] has just woken the process."""
        late = min(LONGEST, max(0.0, self._clock() - wanted))
        self._late += SHARE * (late - self._late)

    def early(self, due: float) -> float:
        """When to wake for what the client should have at `due` [s]."""
        return due - WAKES * self._late


def be_woken_on_time() -> None:
    """Ask Linux not to put this thread's timers off by the usual 50 us to save wakes."""
    ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, 1, 0, 0, 0)
