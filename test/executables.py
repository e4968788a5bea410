"""Where the executables under test are: a ROS workspace, `.venv`, or just this source tree."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def find_executable(name: str) -> list[str]:
    """How to start an executable: `subprocess.Popen([*find_executable("ik_node"), ...])`.

    In a colcon workspace it is the installed one, in `.venv` the one in bin, and without an
    installation the function that setup.py names.
    """
    prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    folders = [Path(prefix) / "lib" / "ik_node" for prefix in prefixes if prefix]
    for folder in [*folders, Path(sys.executable).parent]:
        if (folder / name).exists():
            return [str(folder / name)]
    module, function = entry_points()[name].split(":")
    call = f"import sys; from {module} import {function}; sys.exit({function}())"
    return [sys.executable, "-c", call]


def entry_points() -> dict[str, str]:
    """The executables that setup.py declares: name to `module:function`."""
    lines = (ROOT / "setup.py").read_text().split('"console_scripts": [')[1].split("]")[0]
    pairs = (line.strip().strip('",').split(" = ") for line in lines.strip().splitlines())
    return dict(pairs)
