"""Every command of README.md runs, or is proven by the test that its entry here names."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from executables import find_executable

from ik_node.cli.arms import find_arm, load_arm
from ik_node.cli.demo_client import DemoClient
from ik_node.cli.processes import Processes

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
LONGEST = 90
"""Lines that fit on one screen of a browser."""

ELSEWHERE = {
    ". .venv/bin/activate": "make test runs from that environment",
    "colcon build --packages-select ik_node": "make colcon",
    ". install/setup.bash": "make colcon",
}
"""Commands that cannot run inside a test, and what runs them."""


def commands() -> list[str]:
    """The lines of all sh blocks, without comments."""
    blocks = re.findall(r"^ *```sh\n(.*?)^ *```", README, re.MULTILINE | re.DOTALL)
    lines = (line.partition(" # ")[0].strip() for block in blocks for line in block.splitlines())
    return [line for line in lines if line]


def started_with(word: str) -> list[str]:
    return [command for command in commands() if shlex.split(command)[0] == word]


def recipe(target: str) -> str:
    """What `make TARGET` would run; only asked, since these tests run inside one of them."""
    done = subprocess.run(
        ["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_it_fits_on_one_screen() -> None:
    assert len(README.splitlines()) <= LONGEST


def test_every_command_is_known_here() -> None:
    tested = {
        "make",
        "emulated_dynamixel",
        "dynamixel_driver",
        "ik_node",
        "ik_demo",
        "rosdep",
        "ros2",
    }
    unknown = [
        command
        for command in commands()
        if command not in ELSEWHERE and shlex.split(command)[0] not in tested
    ]
    assert not unknown


def test_make_demo_and_make_test_set_themselves_up_and_run() -> None:
    assert started_with("make") == ["make demo", "make test"]
    assert "ik_demo --arm open_manipulator_x" in recipe("demo")
    assert "-m pytest" in recipe("test")


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    with Processes(tmp_path, find_executable) as running:
        yield running


@pytest.mark.timeout(180)
def test_the_processes_started_by_hand_make_an_arm(processes: Processes, tmp_path: Path) -> None:
    link = str(tmp_path / "servos")
    for name in ("emulated_dynamixel", "dynamixel_driver", "ik_node"):
        (command,) = started_with(name)
        assert command.endswith(" &")
        arguments = shlex.split(command.removesuffix(" &").replace("/tmp/servos", link))[1:]
        in_place = [
            re.sub(r"(^|:=)config/", rf"\1{ROOT}/config/", argument) for argument in arguments
        ]
        processes.start(name, *in_place)
    files = find_arm("planar_2r")
    client = DemoClient(load_arm(files), processes.check)
    try:
        client.wait_until_ready(60.0)
    finally:
        client.close()


def test_the_demo_on_hardware_asks_first_and_names_a_port_that_is_missing() -> None:
    (command,) = started_with("ik_demo")
    arguments = shlex.split(command)[1:]
    done = subprocess.run(
        [*find_executable("ik_demo"), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert (
        "add --yes if the arm may move" in done.stderr or "/dev/ttyUSB0 is missing" in done.stderr
    )


def test_rosdep_is_asked_for_keys_of_a_manifest_that_ros_can_read() -> None:
    assert started_with("rosdep") == ["rosdep install --from-paths src --ignore-src -y"]
    manifest = ElementTree.parse(ROOT / "package.xml").getroot()
    assert manifest.get("format") == "3"
    assert manifest.findtext("export/build_type") == "ament_python"


def test_launch_commands_name_a_launch_file_and_arguments_that_it_declares() -> None:
    for command in started_with("ros2"):
        words = shlex.split(command)
        if words[1] == "launch":
            source = (ROOT / "launch" / words[3]).read_text()
            source += (ROOT / "ik_node" / "ros" / "bringup.py").read_text()
            for argument in words[4:]:
                assert f'"{argument.partition(":=")[0]}"' in source
        else:
            assert words[1:4] == ["service", "call", "/dynamixel_driver/torque"]
            source = (ROOT / "ik_node" / "ros" / "dynamixel_driver.py").read_text()
            assert '"~/torque"' in source


def test_files_that_it_names_exist() -> None:
    for name in re.findall(r"config/\w+/[\w.]+", README):
        assert (ROOT / name.replace("/ARM/", "/planar_2r/")).exists(), name
    assert os.access(ROOT / "LICENSE", os.R_OK)
