"""Ctrl-C on a command line that is at work: an exit code, and not a word."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest
from executables import ROOT, find_executable


def listens(process: subprocess.Popen[str]) -> bool:
    """Whether the process has a handler for SIGALRM, the last thing before its work begins."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    (caught,) = (line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught, 16) >> (signal.SIGALRM - 1) & 1)


@pytest.mark.timeout(100)
@pytest.mark.parametrize("delay", [0.1, 1.5])
@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("ik_arm", "map", "--arm", "wx250s", "--resolution", "1000", "-o", "map.png"), 130),
        (
            (
                *("emulated_dynamixel", "--config", f"{ROOT}/config/wx250s/servos.yaml"),
                *("--urdf", f"{ROOT}/config/wx250s/arm.urdf.xacro", "--link", "port"),
            ),
            0,
        ),
    ],
)
def test_an_interrupted_command_ends_without_a_word(
    tmp_path: Path, command: tuple[str, ...], code: int, delay: float
) -> None:
    with subprocess.Popen(
        [*find_executable(command[0]), *command[1:]],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        while not listens(running):
            assert running.poll() is None
            time.sleep(0.02)
        time.sleep(delay)
        running.send_signal(signal.SIGINT)
        said, complained = running.communicate(timeout=30.0)
    assert running.returncode == code
    lines = [*said.splitlines(), *complained.splitlines()]
    assert [line for line in lines if not line.startswith("ready:") and "numba" not in line] == []
    assert list(tmp_path.iterdir()) == []
