"""The loop of `ik_node`: ticks at their rate, and callbacks between them."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from ik_node.ros.paced_spin import spin_paced

PERIOD = 0.01


@pytest.fixture
def spun(ros: None) -> Iterator[tuple[Node, SingleThreadedExecutor]]:
    node = Node("spun")
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    yield node, executor
    node.destroy_node()


class EnoughError(Exception):
    """Ends the loop."""


def test_callbacks_run_between_ticks_and_never_during_one(
    spun: tuple[Node, SingleThreadedExecutor],
) -> None:
    node, executor = spun
    in_a_tick = False
    during: list[bool] = []

    def tick() -> None:
        nonlocal in_a_tick
        in_a_tick = True
        time.sleep(0.5 * PERIOD)
        in_a_tick = False
        if len(during) >= 20:
            raise EnoughError

    node.create_timer(0.3 * PERIOD, lambda: during.append(in_a_tick))
    with pytest.raises(EnoughError):
        spin_paced(executor, tick, PERIOD)
    assert not any(during)


def test_what_a_callback_raises_ends_the_loop(spun: tuple[Node, SingleThreadedExecutor]) -> None:
    node, executor = spun

    def give_up() -> None:
        raise EnoughError

    node.create_timer(0.02, give_up)
    with pytest.raises(EnoughError):
        spin_paced(executor, lambda: None, PERIOD)


def test_the_loop_ends_with_its_context() -> None:
    context = rclpy.Context()
    context.init()
    node = Node("ended", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    ticks = 0

    def tick() -> None:
        nonlocal ticks
        ticks += 1
        if ticks == 5:
            context.shutdown()

    spin_paced(executor, tick, PERIOD)
    assert ticks == 5
