"""Log lines that may repeat at the message rate, said once and then at most every ten seconds."""

from __future__ import annotations

from collections.abc import Callable


class Complaints:
    """Passes each sentence on, but one and the same key only every `period` seconds."""

    def __init__(
        self, log: Callable[[str], object], clock: Callable[[], float], period: float = 10.0
    ) -> None:
        self._log = log
        self._clock = clock
        self._period = period
        self._last: dict[str, float] = {}

    def __call__(self, key: str, sentence: str) -> None:
        """Log `sentence` unless `key` was logged within the period."""
        now = self._clock()
        if now - self._last.get(key, -self._period) < self._period:
            return
        if len(self._last) > 100:
            self._last.clear()
        self._last[key] = now
        self._log(sentence)
