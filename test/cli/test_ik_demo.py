"""The demo as a user meets it: real processes, exit codes, sentences, nothing left running."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from executables import find_executable


def demo(*arguments: str, **options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*find_executable("ik_demo"), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path_with_executables(), "COLUMNS": "100", **options},
    )


def path_with_executables() -> str:
    """PATH on which the demo finds its processes, also where nothing is installed."""
    folder = Path(os.environ["ROS_LOG_DIR"]) / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("emulated_dynamixel", "dynamixel_driver", "ik_node", "ik_viewer"):
        command = find_executable(name)
        if len(command) > 1 and not (folder / name).exists():
            here = f"import sys; sys.path.insert(0, {str(Path.cwd())!r})"
            (folder / name).write_text(f"#!{command[0]}\n{here}\n{command[2]}\n")
            (folder / name).chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.timeout(400)
def test_the_emulated_arm_reaches_five_targets_and_says_that_the_sixth_is_out_of_reach() -> None:
    done = demo("--arm", "planar_2r")
    view = "Look on at http://127.0.0.1:" if find_spec("viser") else "viser is not installed"
    assert view in done.stdout
    assert done.returncode == 0, done.stdout + done.stderr
    rows = re.findall(r"^ *✓ (\w+) .* (\w+) *$", done.stdout, re.MULTILINE)
    assert [name for name, _ in rows] == ["1", "2", "3", "4", "5", "outside"]
    assert rows[-1][1] == "UNREACHABLE"
    assert "✗" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--arm", "wx20"],
            "unknown arm 'wx20': did you mean 'wx200'? known are: "
            "open_manipulator_x, planar_2r, wx200, wx250s",
        ),
        (["--port", "/dev/none", "--yes"], "port /dev/none is missing; plug the adapter in"),
        (["--port", "/dev/null"], "nobody is there to be asked: add --yes if the arm may move"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(arguments: list[str], sentence: str) -> None:
    done = demo(*arguments)
    assert done.returncode == 2
    said = complaints(done)
    assert len(said) == 1 and said[0].startswith(f"ik_demo: {sentence}")


@pytest.mark.parametrize("seed", ["-1", "1.5", "nan"])
def test_a_seed_that_is_none_is_refused_by_its_name(seed: str) -> None:
    done = demo("--seed", seed)
    assert done.returncode == 2
    assert "Invalid value for '--seed'" in done.stderr and "Traceback" not in done.stderr


def complaints(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Its lines on stderr, but for the advice to install numba."""
    return [line for line in done.stderr.splitlines() if "numba is not installed" not in line]


def test_a_process_that_dies_is_named_with_its_last_words(tmp_path: Path) -> None:
    arm = tmp_path / "mine"
    arm.mkdir()
    shipped = Path(__file__).resolve().parents[2] / "config" / "planar_2r"
    for file in shipped.iterdir():
        text = file.read_text().replace("XM430-W350", "XM430-W351")
        (arm / file.name).write_text(text.replace("../", f"{shipped.parent}/"))
    done = demo("--arm", str(arm))
    assert done.returncode == 2
    assert len(complaints(done)) == 1
    assert "emulated_dynamixel ended" in done.stderr
    assert "XM430-W350" in done.stderr


def test_the_help_teaches() -> None:
    words = demo("--help").stdout
    for word in ("--arm", "folder", "--port", "Examples", "Exit code", "/ik_node/status"):
        assert word in words


def processes_of(parent: int) -> list[int]:
    """Process ids of the children of `parent`."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == parent and fields[0] != "Z":
                found.append(int(folder.name))
    return found


def wait_until(condition: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_however_it_ends_its_processes_end_with_it(how: signal.Signals) -> None:
    with subprocess.Popen(
        [*find_executable("ik_demo"), "--arm", "planar_2r", "--headless"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PATH": path_with_executables()},
    ) as running:
        wait_until(lambda: len(processes_of(running.pid)) == 3, 60.0)
        children = processes_of(running.pid)
        running.send_signal(how)
        time.sleep(0.02)  # a second signal in the midst of the clean-up, as `timeout` sends it
        running.send_signal(how)
        assert running.wait(30.0) != 0
    wait_until(lambda: not any(Path(f"/proc/{child}/cwd").exists() for child in children), 20.0)
