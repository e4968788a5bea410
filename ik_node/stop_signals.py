"""Ctrl-C and SIGTERM end a program between two pieces of its work, not in the midst of one.

An exception in the midst of rclpy leaves its locks taken and its tasks half made; the end of the
program then waits for ever for one of them. Signals belong to the process, so does all of this.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

PATIENCE = 1.0
"""s, that held work may go on after a signal before it is interrupted all the same."""

AGAIN = 0.01
"""s, after which an exception that nobody saw is raised again."""


@dataclass
class _State:
    exception: Callable[[int], BaseException] = lambda _: KeyboardInterrupt()
    numbers: Sequence[int] = ()
    settle: Callable[[], None] | None = None
    came: int = 0
    raised: BaseException | None = None


_state = _State()


def listen(
    exception: Callable[[int], BaseException],
    numbers: Sequence[int] = (signal.SIGINT, signal.SIGTERM),
) -> None:
    """Raise `exception(number)` in the main thread when one of these signals comes; once only."""
    _state.exception, _state.numbers, _state.came = exception, numbers, 0
    signal.signal(signal.SIGALRM, _on_alarm)
    sys.unraisablehook = _on_unraisable
    for number in numbers:
        signal.signal(number, _on_signal)


@contextmanager
def held(settle: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Keep a signal until the body has ended, `PATIENCE` at most.

    The body goes on after `settle()`, which waits for others that listen to the signal.
    """
    _state.settle = settle
    try:
        yield
    finally:
        _state.settle = None
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    if _state.came:
        _raise()


def came() -> bool:
    """Whether a signal has come."""
    return _state.came != 0


def ignore() -> None:
    """Let the clean-up run to its end: launch and `timeout` signal twice."""
    for number in _state.numbers:
        signal.signal(number, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 0.0)


def _on_signal(number: int, _frame: FrameType | None) -> None:
    if _state.came:
        return
    _state.came = number
    if _state.settle is None:
        _raise()
    else:
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        _state.settle()


def _on_alarm(_number: int, _frame: FrameType | None) -> None:
    _raise()


def _raise() -> None:
    ignore()
    _state.raised = _state.exception(_state.came)
    raise _state.raised


def _on_unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    """Raise again what a callback from C or a destructor has swallowed."""
    if unraisable.exc_value is not None and unraisable.exc_value is _state.raised:
        signal.setitimer(signal.ITIMER_REAL, AGAIN)
    else:
        sys.__unraisablehook__(unraisable)
