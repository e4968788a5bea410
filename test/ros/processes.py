"""Starting executables, and waiting for what they say and do; never for time to pass."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence

from executables import find_executable

TIMEOUT = 60.0
"""Seconds that anything may take on a loaded machine."""


class Process:
    """An executable of the package as a process, its output kept."""

    def __init__(self, name: str, *arguments: str, env: Mapping[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            [*find_executable(name), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **(env or {})},
        )
        self._name = name
        self._lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        if failure is not None:
            print(f"{self._name} has said:\n{self.output}")
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def output(self) -> str:
        return "".join(self._lines)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._lines.append(line)

    def wait_for_line(self, *texts: str, timeout: float = TIMEOUT) -> str:
        """Return the first line that holds all `texts`."""
        found: list[str] = []

        def said() -> bool:
            found[:] = [line for line in list(self._lines) if all(text in line for text in texts)]
            return bool(found) or self._process.poll() is not None

        wait_until(said, timeout, lambda: f"no line with {texts} from {self._name}: {self.output}")
        self._reader.join(0.0 if self._process.poll() is None else 2.0)
        said()
        if not found:
            raise AssertionError(f"{self._name} ended without saying {texts}: {self.output}")
        return found[0]

    def wait(self, timeout: float = TIMEOUT) -> int:
        """Return the exit code once the process has ended by itself."""
        code = self._process.wait(timeout)
        self._reader.join(2.0)
        return code

    def send(self, sig: int) -> None:
        self._process.send_signal(sig)

    def stop(self, sig: int = signal.SIGINT, timeout: float = TIMEOUT) -> int:
        """Signal the process and return its exit code."""
        if self._process.poll() is None:
            self._process.send_signal(sig)
        try:
            return self.wait(timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self.wait()
            raise AssertionError(f"{self._name} did not end: {self.output}") from None


def wait_until(
    condition: Callable[[], bool],
    timeout: float = TIMEOUT,
    otherwise: Callable[[], str] = lambda: "it did not happen",
    between: Callable[[], object] = lambda: time.sleep(0.005),
) -> None:
    """Return as soon as `condition` holds; fail with `otherwise()` after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(otherwise())
        between()


def ros_arguments(file: object = None, /, **values: object) -> Sequence[str]:
    """Return ROS arguments: a parameter file, and parameters; `__` in a name stands for a dot."""
    arguments = ["--ros-args"]
    if file is not None:
        arguments += ["--params-file", str(file)]
    for name, value in values.items():
        arguments += ["-p", f"{name.replace('__', '.')}:={value}"]
    return arguments
