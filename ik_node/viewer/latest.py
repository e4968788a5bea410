"""Work beside the picture: one thread, and of several requests only the newest counts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Latest(Generic[T]):
    """Computes in the background; `take` hands each result over once."""

    def __init__(self, name: str, failed: Callable[[Exception], None]) -> None:
        """Start the thread; `failed` is told what a computation raised."""
        self._failed = failed
        self._wanted: Callable[[], T] | None = None
        self._result: T | None = None
        self._ended = False
        self._busy = False
        self._condition = threading.Condition()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether something is asked for that has not come yet."""
        return self._busy

    def ask(self, compute: Callable[[], T]) -> None:
        """Compute this next; what was asked for and has not begun is dropped."""
        with self._condition:
            self._wanted = compute
            self._busy = True
            self._condition.notify()

    def take(self) -> T | None:
        """The newest result that has not been taken, or None."""
        with self._condition:
            result, self._result = self._result, None
            return result

    def close(self) -> None:
        """End the thread after the computation under way, if that ends soon."""
        with self._condition:
            self._ended = True
            self._condition.notify()
        self._thread.join(timeout=2.0)

    def _run(self) -> None:
        while True:
            with self._condition:
                while self._wanted is None and not self._ended:
                    self._busy = False
                    self._condition.wait()
                if self._ended:
                    return
                compute, self._wanted = self._wanted, None
            try:
                result = compute() if compute else None
            except Exception as error:
                self._failed(error)
                continue
            with self._condition:
                self._result = result
