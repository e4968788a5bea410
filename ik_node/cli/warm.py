"""`python -m ik_node.cli.warm`: compile every kernel into the cache, for a quick start."""

from __future__ import annotations

import time

from ik_node.cli.arms import find_arm
from ik_node.cli.demo import load_arm
from ik_node.control import warm_up
from ik_node.core.kernels.jit import COMPILED


def main() -> None:
    """Compile, or load what was compiled before, and say how long it took."""
    if not COMPILED:
        print("ik_node: without numba there is nothing to compile")
        return
    start = time.perf_counter()
    print("ik_node: compiling the kernels; the first time this takes one to three minutes")
    warm_up(load_arm(find_arm("planar_2r")))
    print(f"ik_node: kernels ready after {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
