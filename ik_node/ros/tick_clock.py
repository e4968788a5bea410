"""The tracker's time: steady, never backwards, at simulated time's rate when there is one."""

from __future__ import annotations

import time

from rclpy.clock import ROSClock


class TickClock:
    """Seconds since the node started.

    On a real robot this is the machine's steady clock, so that setting the wall clock moves
    nothing. With `use_sim_time` it advances with `/clock` but never by more than `longest_step`
    at once: a paused or reset clock stands still here, a jump is one short step.

    Attributes:
        resets: how often simulated time has gone back.
    """

    def __init__(self, ros_clock: ROSClock, longest_step: float = 0.1) -> None:
        self._ros_clock = ros_clock
        self._longest_step = longest_step
        self._now = 0.0
        self._last_steady = time.monotonic()
        self._last_simulated = 0
        self.resets = 0

    def now(self) -> float:
        """Return the seconds passed so far."""
        steady = time.monotonic()
        if self._ros_clock.ros_time_is_active:
            simulated = self._ros_clock.now().nanoseconds
            step = (simulated - self._last_simulated) * 1e-9 if self._last_simulated else 0.0
            self.resets += simulated < self._last_simulated
            self._last_simulated = simulated
            self._now += min(max(step, 0.0), self._longest_step)
        else:
            self._now += steady - self._last_steady
        self._last_steady = steady
        return self._now

    @property
    def waits_for_clock(self) -> bool:
        """Whether simulated time is asked for and no `/clock` has come yet."""
        return (
            self._ros_clock.ros_time_is_active
            and not self.resets
            and self._ros_clock.now().nanoseconds == 0
        )
