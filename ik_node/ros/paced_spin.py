"""A loop that ticks at a rate while a thread waits for everything else.

An executor's wait looks at every entity of the node, which costs more than a tick that polls the
topics it needs. So it waits in a thread of its own for what comes seldom - services, parameters,
descriptions, `/clock` - and what it calls runs between two ticks.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock, Thread

from rclpy.executors import Executor, ExternalShutdownException, ShutdownException

LONGEST_END = 2.0
"""s, that the end waits for a callback; one that compiles kernels takes longer."""


def spin_paced(executor: Executor, tick: Callable[[], None], period: float) -> None:
    """Tick until the executor's context ends; after a late tick the rhythm starts anew.

    Args:
        executor: holds the node. At most two of its callbacks run in a period, enough to keep up
            with a simulated clock.
        tick: called every `period` s.
        period: s, by the machine's steady clock.
    """
    between = Lock()
    callbacks = _Callbacks(executor, between, 0.5 * period)
    callbacks.start()
    try:
        due = time.monotonic()
        while executor.context.ok():
            with between:
                tick()
            callbacks.check()
            due = max(due + period, time.monotonic())
            time.sleep(max(0.0, due - time.monotonic()))
    finally:
        executor.shutdown()
        callbacks.join(LONGEST_END)


class _Callbacks(Thread):
    """Runs the executor's callbacks until it is shut down, each while it holds `between`."""

    def __init__(self, executor: Executor, between: Lock, pause: float) -> None:
        super().__init__(name="callbacks", daemon=True)
        self._executor = executor
        self._between = between
        self._pause = pause
        self._error: Exception | None = None

    def run(self) -> None:
        """Wait, call, pause, until the end."""
        try:
            while True:
                self._call_next()
        except (ShutdownException, ExternalShutdownException):
            pass
        except Exception as error:
            # Where the context ends in the midst of a wait, rcl tells of it in words of its own.
            if self._executor.context.ok():
                self._error = error

    def check(self) -> None:
        """Raise what a callback raised."""
        if self._error is not None:
            raise self._error

    def _call_next(self) -> None:
        handler, _, _ = self._executor.wait_for_ready_callbacks()
        with self._between:
            handler()
        handler.result()
        time.sleep(self._pause)
