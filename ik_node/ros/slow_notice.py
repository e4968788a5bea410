"""A word to the user when something takes longer than it should."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

PATIENCE = 3.0
"""Seconds before it is said."""


@contextmanager
def said_when_slow(say: Callable[[str], object], sentence: str) -> Iterator[None]:
    """Say `sentence` if the body takes longer than PATIENCE."""
    timer = Timer(PATIENCE, say, (sentence,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
