"""What went wrong on the wire lately, as one sentence with the remedy."""

from __future__ import annotations

from collections import deque

from ik_node.dynamixel.counters import Counters

WINDOW = 10.0
"""How far back troubles are counted [s]."""

FEW, MANY = 3, 0.01
"""More troubles of a kind than these, and than this share of the exchanges, are worth a word."""

KINDS = {
    "silences": "without a reply",
    "late": "with a late reply",
    "damaged": "with a damaged reply",
    "garbled": "garbled on the way to a servo",
    "duplicates": "answered twice",
    "noise": "bytes of noise",
}
"""Counter to the words that follow its number."""


class WireRecord:
    """Follows the counters of a bus."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._past: deque[tuple[float, tuple[int, ...]]] = deque()

    def trouble(self, port: str, now: float) -> str | None:
        """What troubles `port` lately, None where that is not worth a word."""
        present = (self._counters.transactions, *(getattr(self._counters, kind) for kind in KINDS))
        self._past.append((now, present))
        while now - self._past[0][0] > WINDOW:
            self._past.popleft()
        asked, *lately = (new - old for new, old in zip(present, self._past[0][1], strict=True))
        if max(lately) <= max(FEW, MANY * asked):
            return None
        found = [f"{n} {words}" for n, words in zip(lately, KINDS.values(), strict=True) if n]
        return (
            f"of the last {asked} exchanges on {port}: {', '.join(found)}; "
            "check cables, connectors and supply"
        )
