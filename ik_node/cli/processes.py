"""Child processes that end for sure: on Ctrl-C, on an error, and when the parent is killed."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from ik_node.errors import ConfigurationError, IkNodeError

PATIENCE = 4.0
"""Seconds from asking a process to end until it is killed."""

_PR_SET_PDEATHSIG = 1


class ProcessDiedError(IkNodeError):
    """A child ended by itself; `name` is its executable, `last_words` what it said last."""

    def __init__(self, name: str, code: int, last_words: str) -> None:
        self.name = name
        self.code = code
        self.last_words = last_words
        super().__init__(f"{name} ended with exit code {code}: {last_words or 'it said nothing'}")


class Processes:
    """Executables of this package running side by side, each in a process group of its own.

    Leaving the context ends them, the last one started first.
    """

    def __init__(self, log_folder: Path, find: Callable[[str], list[str]] | None = None) -> None:
        """Args: where the logs go; `find` returns an executable's command, see `executable`."""
        self.log_folder = log_folder
        self._find = find or executable
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, *arguments: str) -> None:
        """Start an executable; its output goes to `<log_folder>/<name>.log`."""
        with self._log(name).open("wb") as log:
            self._running[name] = subprocess.Popen(
                [*self._find(name), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_die_with_parent,
            )

    def check(self) -> None:
        """Raise ProcessDiedError if one has ended."""
        for name, process in self._running.items():
            code = process.poll()
            if code is not None:
                raise ProcessDiedError(name, code, self.last_words(name))

    @property
    def names(self) -> tuple[str, ...]:
        """The executables that were started, in that order."""
        return tuple(self._running)

    def pid(self, name: str) -> int:
        """The process id of an executable that was started."""
        return self._running[name].pid

    def last_words(self, name: str) -> str:
        """The last line that the process wrote, without the logger's prefix."""
        lines = [line for line in self._log(name).read_text(errors="replace").splitlines() if line]
        return lines[-1].rpartition("]: ")[2].strip() if lines else ""

    def _log(self, name: str) -> Path:
        return self.log_folder / f"{name}.log"

    def __enter__(self) -> Processes:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End every process and its children."""
        for name in reversed(list(self._running)):
            _end(self._running.pop(name))


def executable(name: str) -> list[str]:
    """The command that starts an executable of this package.

    Raises:
        ConfigurationError: it is installed nowhere.
    """
    prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    workspaces = [Path(prefix) / "lib/ik_node" for prefix in prefixes if prefix]
    for folder in (Path(sys.argv[0]).resolve().parent, *workspaces, Path(sys.executable).parent):
        if os.access(folder / name, os.X_OK) and (folder / name).is_file():
            return [str(folder / name)]
    found = shutil.which(name)
    if found is None:
        raise ConfigurationError(
            f"executable {name}", "is not installed", "run 'make setup' or 'colcon build'"
        )
    return [found]


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask, ask again, kill; then the group, in case a child of it lives on."""
    for ask in (signal.SIGINT, signal.SIGTERM):
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, ask)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE / 2)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def wait_for_path(path: Path, processes: Processes, seconds: float) -> None:
    """Wait until `path` exists.

    Raises:
        ProcessDiedError: a process ended meanwhile.
        ConfigurationError: it did not come in time.
    """
    deadline = time.monotonic() + seconds
    while not path.exists():
        processes.check()
        if time.monotonic() > deadline:
            raise ConfigurationError(str(path), f"did not appear within {seconds:g} s")
        time.sleep(0.02)
