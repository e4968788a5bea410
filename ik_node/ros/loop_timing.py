"""How punctual the loop is, for `/diagnostics`."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

import numpy as np


class LoopTiming:
    """The last ticks' periods and durations, in seconds."""

    def __init__(self, ticks: int = 500) -> None:
        self._periods: deque[float] = deque(maxlen=ticks)
        self._durations: deque[float] = deque(maxlen=ticks)

    def note(self, period: float, duration: float) -> None:
        """Note one tick."""
        self._periods.append(period)
        self._durations.append(duration)

    def values(self) -> Mapping[str, float]:
        """Return rate and percentiles by name; nothing before the first tick."""
        if not self._periods:
            return {}
        periods = np.array(self._periods)
        durations = np.array(self._durations) * 1e3
        mean = float(periods.mean())
        return {
            "rate_hz": 1.0 / mean if mean > 0.0 else 0.0,
            "period_p99_ms": float(np.percentile(periods, 99)) * 1e3,
            "tick_p50_ms": float(np.percentile(durations, 50)),
            "tick_p99_ms": float(np.percentile(durations, 99)),
        }
