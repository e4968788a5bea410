"""The compiled kernels alone, without the Python around them.

A public call runs once with its kernel replaced by one that notes what it is given; then the kernel
runs so many times in a compiled loop, and the time is divided.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ik_node.core.kernels import search as search_kernel
from ik_node.core.kernels import step as step_kernel
from ik_node.core.kernels.jit import njit
from ik_node.core.kernels.search import advance
from ik_node.core.kernels.step import differential_step

TIMES = 10
ACTIVE = 8
"""Which argument of `differential_step` holds the bounds that the last step ended on."""


@njit
def _searches(times: int, *arguments: Any) -> None:
    for _ in range(times):
        advance(*arguments)


@njit
def _steps(times: int, *arguments: Any) -> None:
    active = arguments[ACTIVE]
    for _ in range(times):
        for j in range(active.shape[0]):
            active[j] = 0
        differential_step(*arguments)


def search_time(call: Callable[[], Any]) -> float:
    """Time [us] that the search kernel takes for the public `call`."""
    return _time(_searches, _arguments(search_kernel, "advance", call))


def step_time(call: Callable[[], Any]) -> float:
    """Time [us] that the kernel of one step takes for the public `call`."""
    return _time(_steps, _arguments(step_kernel, "differential_step", call))


def _time(loop: Callable[..., None], arguments: tuple[Any, ...]) -> float:
    start = time.perf_counter()
    loop(TIMES, *arguments)
    return (time.perf_counter() - start) * 1e6 / TIMES


def _arguments(module: Any, name: str, call: Callable[[], Any]) -> tuple[Any, ...]:
    with _noted(module, name) as given:
        call()
    return given[0]


@contextmanager
def _noted(module: Any, name: str) -> Iterator[list[tuple[Any, ...]]]:
    original, given = getattr(module, name), []

    def note(*arguments: Any) -> Any:
        given.append(arguments)
        return original(*arguments)

    setattr(module, name, note)
    try:
        yield given
    finally:
        setattr(module, name, original)
