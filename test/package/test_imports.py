"""What importing gives and costs."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "ik_node"
BELOW_ROS = [
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for file in sorted(PACKAGE.rglob("*.py"))
    if file.relative_to(PACKAGE).parts[0] not in ("ros", "viewer", "cli")
]

CORE = {
    "RobotModel",
    "JointGroup",
    "search",
    "search_branches",
    "solve_ik",
    "manipulability",
    "Solution",
    "Step",
    "Manipulability",
    "two_link",
    "warm_up",
}
CONTROL = {"PoseTracker", "TrackerConfig"}


@pytest.mark.parametrize("module", BELOW_ROS)
def test_every_exported_name_exists(module: str) -> None:
    found = importlib.import_module(module)
    names = getattr(found, "__all__", [])
    assert len(set(names)) == len(names)
    assert [name for name in names if not hasattr(found, name)] == []


@pytest.mark.parametrize(
    ("module", "names"), [("ik_node.core", CORE), ("ik_node.control", CONTROL)]
)
def test_the_names_that_others_rely_on_are_exported(module: str, names: set[str]) -> None:
    found = importlib.import_module(module)
    assert names <= set(found.__all__)


def modules_after(statement: str) -> set[str]:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"{statement}\nimport sys, json; print(json.dumps(list(sys.modules)))",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.split(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


def test_importing_the_mathematics_is_light() -> None:
    """numba brings scipy along where it is installed; nothing else comes."""
    loaded = modules_after("import ik_node.core, ik_node.control")
    assert not loaded & {"rclpy", "matplotlib", "xacro", "rich", "click", "viser", "serial"}


def test_importing_the_bus_needs_no_mathematics() -> None:
    loaded = modules_after("import ik_node.dynamixel")
    assert not loaded & {"rclpy", "numba", "numpy", "scipy", "matplotlib", "viser"}
