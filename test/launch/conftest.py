"""Real launches of the launch files: what ROS 2 is here decides which of these tests can run."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from executables import ROOT, entry_points
from launched import Launched

APT = "apt install ros-$ROS_DISTRO-"


@pytest.fixture(scope="session")
def overlay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This source tree as an installed ROS package: an ament prefix with its executables."""
    prefix = tmp_path_factory.mktemp("overlay")
    index = prefix / "share" / "ament_index" / "resource_index" / "packages"
    programs = prefix / "lib" / "ik_node"
    for folder in (index, programs, prefix / "share" / "ik_node"):
        folder.mkdir(parents=True)
    (index / "ik_node").touch()
    for folder in ("launch", "config"):
        shutil.copytree(ROOT / folder, prefix / "share" / "ik_node" / folder)
    for name, place in entry_points().items():
        module, function = place.split(":")
        program = programs / name
        program.write_text(
            f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
            f"from {module} import {function}\nsys.exit({function}())\n"
        )
        program.chmod(0o755)
    return prefix


@pytest.fixture(scope="session")
def ros2(overlay: Path) -> dict[str, str]:
    """The environment in which `ros2 launch ik_node ...` works; skips where it cannot."""
    for module in ("launch_ros", "ros2launch"):
        if find_spec(module) is None or shutil.which("ros2") is None:
            pytest.skip(f"{module} is not installed: {APT}{module.replace('_', '-')}")
    prefixes = [str(overlay), os.environ.get("AMENT_PREFIX_PATH", "") or sys.prefix]
    return {
        **os.environ,
        "AMENT_PREFIX_PATH": os.pathsep.join(prefixes),
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
        "PYTHONUNBUFFERED": "1",
    }


@pytest.fixture(scope="session")
def needs(ros2: dict[str, str]) -> Callable[..., None]:
    """`needs("robot_state_publisher")` skips where a ROS package is not installed."""

    def check(*packages: str) -> None:
        for package in packages:
            if not installed(package, ros2):
                pytest.skip(f"{package} is not installed: {APT}{package.replace('_', '-')}")

    return check


def installed(package: str, environment: dict[str, str]) -> bool:
    marker = Path("share") / "ament_index" / "resource_index" / "packages" / package
    prefixes = environment["AMENT_PREFIX_PATH"].split(os.pathsep)
    return any((Path(prefix) / marker).exists() for prefix in prefixes)


@pytest.fixture
def launch(ros2: dict[str, str]) -> Iterator[Callable[..., Launched]]:
    """`launch("arm.launch.py", "arm:=planar_2r")` starts it; the test's end stops it."""
    running: list[Launched] = []

    def start(file: str, *arguments: str, env: dict[str, str] | None = None) -> Launched:
        running.append(Launched(file, arguments, {**ros2, **(env or {})}))
        return running[-1]

    yield start
    for launched in running:
        launched.stop()
