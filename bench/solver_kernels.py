"""The compiled kernels alone, without the Python around them.

A public call runs once with its kernel replaced by one that notes what it is given; then the kernel
runs so many times in a compiled loop, and the time is divided.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels import search as search_kernel
from ik_node.core.kernels import step as step_kernel
from ik_node.core.kernels.jit import njit
from ik_node.core.kernels.search import advance
from ik_node.core.kernels.step import differential_step

Array = NDArray[np.float64]
Flags = NDArray[np.int8]
TIMES = 10


@njit
def _searches(
    times: int,
    chain: Array,
    target: Array,
    seed: Array,
    limits: Array,
    samples: Array,
    features: Array,
    scores: Array,
    setting: Array,
    square: Array,
    flat: Array,
    stalled: Array,
    active: Flags,
    budget: int,
    fresh: bool,
    out: Array,
) -> None:
    for _ in range(times):
        advance(
            chain, target, seed, limits, samples, features, scores, setting, square, flat, stalled,
            active, budget, fresh, out,
        )  # fmt: skip


@njit
def _steps(
    times: int,
    chain: Array,
    q: Array,
    target: Array,
    limits: Array,
    setting: Array,
    dt: float,
    flat: Array,
    square: Array,
    active: Flags,
    out: Array,
) -> None:
    for _ in range(times):
        for j in range(active.shape[0]):
            active[j] = 0
        differential_step(chain, q, target, limits, setting, dt, flat, square, active, out)


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
