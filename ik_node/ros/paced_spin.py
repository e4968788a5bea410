"""A loop that ticks at a rate and serves the node's callbacks only now and then.

An executor's wait looks at every entity of the node, which costs more than a tick that polls the
few topics it needs. What is left to the executor - services, parameters, descriptions, tf - may
wait a few ticks.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from rclpy.executors import Executor


def spin_paced(
    executor: Executor,
    tick: Callable[[], None],
    period: float,
    serve_every: Callable[[], int],
) -> None:
    """Tick until the executor's context ends; after a late tick the rhythm starts anew.

    Args:
        executor: holds the node.
        tick: called every `period` s.
        period: s, by the machine's steady clock.
        serve_every: how many ticks may pass until the callbacks are served again.
    """
    due = time.monotonic()
    ticks = 0
    while executor.context.ok():
        tick()
        ticks += 1
        due = max(due + period, time.monotonic())
        if ticks % serve_every() == 0:
            _serve(executor, due)
        time.sleep(max(0.0, due - time.monotonic()))


def _serve(executor: Executor, until: float) -> None:
    """Run callbacks until the time has come, one at least."""
    while True:
        executor.spin_once(timeout_sec=max(0.0, until - time.monotonic()))
        if time.monotonic() >= until or not executor.context.ok():
            return
