"""`njit`: numba's where it is installed, the plain Python function where it is not.

A kernel works in the arrays that it is given and makes none. numba compiles it without its memory
manager (`_nrt`): an allocation is a compile error, and no time goes into counting references.

numba's on-disk cache does not notice a change in a function that a cached one calls from another
file, so the cache folder is named after the contents of every kernel file.
"""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

try:
    import numba
except ImportError:
    numba = None

Function = TypeVar("Function", bound=Callable[..., Any])

COMPILED: bool = numba is not None and not numba.config.DISABLE_JIT


@cache
def warn_if_interpreted() -> None:
    """Say once how the solver becomes fast where numba is missing."""
    if numba is None:
        logging.getLogger("ik_node").warning(
            "numba is not installed: the solver runs interpreted, about 50 times slower; "
            "install it with 'apt install python3-numba' or 'pip install numba'"
        )


def _cache_folder() -> str:
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    root = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    base = Path(root) if root else Path.home() / ".cache"
    folder = base / "ik_node" / digest.hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.gettempdir()) / f"ik_node-{os.getuid()}" / folder.name
        folder.mkdir(parents=True, exist_ok=True)
    return str(folder)


CACHE = _cache_folder() if COMPILED else ""
"""The folder of these kernels; empty without numba."""


def njit(function: Function) -> Function:
    """Compile `function` at its first call, cached on disk; return it unchanged without numba."""
    return _compiled(function, False)


def inlined(function: Function) -> Function:
    """Compile `function` into every kernel that calls it.

    For what is called in the innermost loops, or handed many arrays: an array is eight numbers to
    hand over, and what the caller does not use of it falls away.
    """
    return _compiled(function, True)


def _compiled(function: Function, into_its_callers: bool) -> Function:
    if not COMPILED:
        return function
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = CACHE
    try:
        compiled: Function = numba.njit(
            cache=True, error_model="numpy", _nrt=False, forceinline=into_its_callers
        )(function)
    finally:
        numba.config.CACHE_DIR = previous
    return compiled
