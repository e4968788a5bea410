"""`python -m ik_node.cli.warm`: compile every kernel into the cache, for a quick start."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from rich.console import Console

from ik_node.cli.arms import find_arm, load_arm
from ik_node.control.warm_up import warm_up, warm_up_motion
from ik_node.core import JointGroup
from ik_node.core.kernels.jit import CACHE, COMPILED
from ik_node.core.warm_up import warm_up_search

ARM = "planar_2r"
SIDE_BY_SIDE = (warm_up_motion, warm_up_search)
"""They share little of what is compiled."""


def main() -> None:
    """Compile, or load what was compiled before, and say how long it took."""
    if not COMPILED:
        print("ik_node: without numba there is nothing to compile")
        return
    start = time.perf_counter()
    done = Path(CACHE) / f"warm-{sys.implementation.cache_tag}"
    if not done.exists():
        print("ik_node: compiling the kernels; the first time this takes a minute", flush=True)
        pool = ProcessPoolExecutor(len(SIDE_BY_SIDE), mp_context=get_context("spawn"))
        with Console().status("compiling"), pool:
            list(pool.map(_compile, SIDE_BY_SIDE))
    warm_up(load_arm(find_arm(ARM)))
    done.touch()
    print(f"ik_node: kernels ready after {time.perf_counter() - start:.1f} s")


def _compile(warm: Callable[[JointGroup], None]) -> None:
    warm(load_arm(find_arm(ARM)))


if __name__ == "__main__":
    main()
