"""The linters are tests, so that one command and one closing line tell everything."""

from __future__ import annotations

import subprocess
import sys
from importlib import util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

COMMANDS = {
    "ruff check": ["ruff", "check", "--no-cache", "."],
    "ruff format": ["ruff", "format", "--no-cache", "--check", "."],
    "mypy": ["mypy"],
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.timeout(300)
def test_the_code_passes(name: str) -> None:
    module, *arguments = COMMANDS[name]
    if util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed here (requirements/lint.txt)")
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
