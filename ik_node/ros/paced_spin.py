"""A loop that ticks at a rate and leaves the executor a few callbacks now and then.

An executor's wait looks at every entity of the node, which costs more than a tick that polls the
topics it needs. What is left to the executor - services, parameters, descriptions, `/clock` - can
wait a few ticks.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from rclpy.executors import Executor, ShutdownException, TimeoutException


def spin_paced(
    executor: Executor,
    tick: Callable[[], None],
    period: float,
    callbacks: Callable[[int], int],
) -> None:
    """Tick until the executor's context ends; after a late tick the rhythm starts anew.

    Args:
        executor: holds the node.
        tick: called every `period` s.
        period: s, by the machine's steady clock.
        callbacks: how many callbacks may run after the tick of this number.
    """
    due = time.monotonic()
    ticks = 0
    while executor.context.ok():
        tick()
        ticks += 1
        _serve(executor, callbacks(ticks))
        due = max(due + period, time.monotonic())
        time.sleep(max(0.0, due - time.monotonic()))


def _serve(executor: Executor, most: int) -> None:
    """Run callbacks that are ready; one look that finds none is the last."""
    for _ in range(most):
        try:
            handler, _, _ = executor.wait_for_ready_callbacks(timeout_sec=0.0)
        except (TimeoutException, ShutdownException):
            return
        handler()
        handler.result()  # raises what the callback raised
