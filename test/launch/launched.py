"""A `ros2 launch` as a process group: its words, and an end that leaves nothing behind."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from client import Client
from processes import wait_until

START = 60.0
"""Seconds for a whole launch to come up on a loaded machine."""


class Launched:
    """`ros2 launch ik_node FILE ARGUMENTS`, started from Python so that SIGINT reaches it."""

    def __init__(self, file: str, arguments: Sequence[str], env: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            ["ros2", "launch", "ik_node", file, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            env=dict(env),
            start_new_session=True,
        )
        self._lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._lines.append(line)

    @property
    def output(self) -> str:
        return "".join(self._lines)

    @property
    def lines(self) -> list[str]:
        return list(self._lines)

    def until_said(self, text: str, timeout: float = START) -> None:
        """Wait for `text` in the output."""
        wait_until(
            lambda: text in self.output or self._process.poll() is not None,
            timeout,
            lambda: f"'{text}' was not said: {self.output}",
        )
        assert text in self.output, self.output

    def parameters_of(self, executable: str) -> dict[str, Any]:
        """Return the parameters that the launch gave to one of its processes."""
        given: dict[str, Any] = {}
        for file in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                words = file.read_text().split("\0")
                own = os.getsid(int(file.parent.name)) == self._process.pid
                if own and any(word.endswith(f"/{executable}") for word in words):
                    files = [b for a, b in pairwise(words) if a == "--params-file"]
                    for parameters in files:
                        for node in yaml.safe_load(Path(parameters).read_text()).values():
                            given.update(node["ros__parameters"])
        return given

    def wait(self, timeout: float = START) -> int:
        """Return the exit code once it has ended by itself."""
        code = self._process.wait(timeout)
        self._reader.join(5.0)
        return code

    def stop(self, timeout: float = 30.0) -> int:
        """Press Ctrl-C, wait, and return the exit code; what is left after that is killed."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            return self.wait(timeout)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def prefix_with(packages: Sequence[str], folder: Path) -> str:
    """Make an ament prefix in which just `packages` seem to be installed, and return its path."""
    index = folder / "share" / "ament_index" / "resource_index" / "packages"
    index.mkdir(parents=True)
    for package in packages:
        (index / package).touch()
    return str(folder)


def latest_positions(client: Client, joints: Sequence[str]) -> list[float]:
    """The joints from the newest message that has them all; NaN before there is one."""
    for state in reversed(client.states):
        positions = dict(zip(state.name, state.position, strict=True))
        if set(joints) <= set(positions):
            return [positions[joint] for joint in joints]
    return [math.nan] * len(joints)
