"""The browser view beside the demo: its address, and staying there to drag the target."""

from __future__ import annotations

import sys
import time
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

from ik_node.cli.arms import ArmFiles
from ik_node.cli.processes import Processes
from ik_node.errors import ConfigurationError

NAME = "ik_viewer"
_SAID = "the view is at "


def view_is_possible(console: Console) -> bool:
    """Whether viser is installed; says so where it is not."""
    if find_spec("viser") is not None:
        return True
    console.print("There is no view in the browser: viser is not installed; 'pip install viser'.")
    return False


def start_view(processes: Processes, files: ArmFiles, emulator: Path | None) -> None:
    """Start `ik_viewer`, with switches for faults where an emulator stands behind the link."""
    processes.start(
        NAME,
        *("--ros-args", "--params-file", str(files.node)),
        *("-p", f"urdf_file:={files.description}"),
        *(("-p", f"emulator_link:={emulator}") if emulator else ()),
    )


def address_of_view(processes: Processes, seconds: float) -> str:
    """Wait for the view and return its address.

    Raises:
        ProcessDiedError: a process ended instead.
        ConfigurationError: it does not come.
    """
    log = processes.log_folder / f"{NAME}.log"
    deadline = time.monotonic() + seconds
    while True:
        for line in log.read_text(errors="replace").splitlines():
            if _SAID in line:
                return line.partition(_SAID)[2].strip()
        processes.check()
        if time.monotonic() > deadline:
            raise ConfigurationError("the browser view", f"did not come within {seconds:g} s")
        time.sleep(0.05)


def stay(console: Console, processes: Processes) -> None:
    """Keep everything running until Ctrl-C, if somebody sits at the terminal.

    Raises:
        ProcessDiedError: a process ended.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return
    console.print("Drag the target in the browser; Ctrl-C ends.")
    try:
        while True:
            processes.check()
            time.sleep(0.2)
    except SystemExit:  # what a signal raises: this is the way out, not a failure
        console.print()
