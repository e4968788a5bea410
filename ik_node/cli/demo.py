"""The run behind `ik_demo`: start the processes, drive the targets, print the table."""

from __future__ import annotations

import math
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from ik_node.cli.arms import ArmFiles, load_arm
from ik_node.cli.demo_client import DemoClient, DemoError, Outcome
from ik_node.cli.demo_targets import choose_targets, find_room
from ik_node.cli.demo_view import address_of_view, start_view, stay, view_is_possible
from ik_node.cli.processes import Processes, wait_for_path
from ik_node.core import JointGroup
from ik_node.errors import PortError

Array = NDArray[np.float64]

TARGETS = 5
EMULATED_TOLERANCE = 0.001
HARDWARE_TOLERANCE = 0.005
READY_SECONDS = 180.0
"""A first start without a cache compiles the kernels."""
TARGET_SECONDS = 20.0
SETTLED = 0.8 * EMULATED_TOLERANCE
DROOP_GAIN = 2.0
"""Of the slow integral that takes out what gravity costs [1/s]."""
DROOP_LIMIT = 0.2
"""The most that it lifts a joint [rad]: the shoulder of a wx250s that reaches out hangs by 0.1."""


def run_demo(console: Console, files: ArmFiles, port: str | None, seed: int, view: bool) -> bool:
    """Drive the arm and print what came of it; return whether all was as it should be.

    With `view` a browser can look on, and at a terminal it all stays until Ctrl-C.

    Raises:
        IkNodeError: it could not run; nothing is left running.
    """
    if port is not None and not Path(port).exists():
        raise PortError(
            port, "missing", "plug the adapter in, or leave --port out for an emulated arm"
        )
    arm = load_arm(files)
    view = view and view_is_possible(console)
    tolerance = EMULATED_TOLERANCE if port is None else HARDWARE_TOLERANCE
    title = f"{files.name} {'emulated' if port is None else f'on {port}'}"
    folder = Path(tempfile.mkdtemp(prefix="ik_demo_"))
    try:
        with Processes(folder) as processes:
            outcomes = _drive(console, processes, files, arm, port, seed, view)
            console.print(table(title, outcomes, tolerance))
            if view:
                stay(console, processes)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if port is not None:
        console.print("The arm holds still with torque on: support it before you cut its power.")
    return all(outcome.good(tolerance) for outcome in outcomes)


def _drive(
    console: Console,
    processes: Processes,
    files: ArmFiles,
    arm: JointGroup,
    port: str | None,
    seed: int,
    view: bool,
) -> list[Outcome]:
    client = DemoClient(arm, processes.check)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    try:
        if other := client.somebody_else():
            raise DemoError(
                f"{other} already drives an arm in this ROS domain: stop it, or set another "
                "ROS_DOMAIN_ID"
            )
        with Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task(
                "starting emulator, driver and ik_node" if port is None else "starting"
            )
            _start(processes, files, arm, port)
            if view:
                start_view(processes, files, _link(processes) if port is None else None)
                console.print(f"Look on at {address_of_view(processes, READY_SECONDS)}")
            start = client.wait_until_ready(READY_SECONDS)
            outcomes = []
            for target in choose_targets(arm, find_room(arm, start), TARGETS, seed):
                progress.reset(task)

                def show(distance: float, code: str, name: str = target.name) -> None:
                    progress.update(
                        task, description=f"target {name}: {distance * 1e3:7.2f} mm left  {code}"
                    )

                outcomes.append(client.drive(target, TARGET_SECONDS, show))
        return outcomes
    finally:
        client.close()


def _link(processes: Processes) -> Path:
    return processes.log_folder / "servos"


def _start(processes: Processes, files: ArmFiles, arm: JointGroup, port: str | None) -> None:
    if port is None:
        link = _link(processes)
        pose = zip(arm.joint_names, find_room(arm).middle, strict=True)
        processes.start(
            "emulated_dynamixel",
            *("--config", str(files.servos), "--link", str(link)),
            *("--urdf", str(files.description), "--held"),
            *(f"--pose={name}={value:.4f}" for name, value in pose),
        )
        wait_for_path(link, processes, READY_SECONDS)
        port = str(link)
    ros = ("--ros-args", "--params-file")
    processes.start("dynamixel_driver", *ros, str(files.servos), "-p", f"port:={port}")
    processes.start(
        "ik_node",
        *(*ros, str(files.node), "-p", f"urdf_file:={files.description}"),
        *("-p", f"droop_gain:={DROOP_GAIN}", "-p", f"droop_limit:={DROOP_LIMIT}"),
        *("-p", f"position_tolerance:={SETTLED}"),
    )


def table(title: str, outcomes: Sequence[Outcome], tolerance: float) -> Table:
    """What came of each target; positions in mm in the base frame."""
    result = Table(title=title, title_justify="left", caption_justify="left", box=SIMPLE_HEAD)
    result.caption = (
        "Positions and errors in mm; reached: forward kinematics of /joint_states.\n"
        f"A target counts as reached within {tolerance * 1e3:g} mm."
    )
    result.add_column("target", no_wrap=True)
    for name in ("position", "reached", "error", "s"):
        result.add_column(name, justify="right", no_wrap=True)
    result.add_column("status")
    for outcome in outcomes:
        good = outcome.good(tolerance)
        result.add_row(
            f"{'[green]✓[/green]' if good else '[red]✗[/red]'} {outcome.target.name}",
            _millimetres(outcome.target.pose[:3, 3]),
            _millimetres(outcome.reached),
            f"{math.ceil(outcome.error * 1e5) / 1e2:.2f}",
            f"{outcome.seconds:.1f}",
            outcome.code
            if good
            else f"{outcome.sentence}{'' if outcome.settled else ' (moves on)'}",
        )
    return result


def _millimetres(position: Array) -> str:
    return " ".join(f"{value * 1e3:.0f}" for value in position)
