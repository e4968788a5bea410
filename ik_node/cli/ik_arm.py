"""ik_arm: look at an arm before it moves, and at a run after it."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click
import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from ik_node import stop_signals
from ik_node.cli.arms import find_arm, load_arm
from ik_node.core.elements import JointKind
from ik_node.core.joint_group import JointGroup
from ik_node.core.section import (
    SWEEPS,
    Section,
    Window,
    branches_of,
    reached,
    sections,
    window_on,
    working_plane,
)
from ik_node.errors import ConfigurationError, IkNodeError

PICTURES = (".png", ".svg", ".pdf")
_ARM = "planar_2r, open_manipulator_x, wx200, wx250s, or a folder with the same three files."

_MAP_HELP = """Draw where the tool can be, on each elbow branch, and how well it moves there.

The section is the plane that a planar arm moves in, x and z of the base for other arms. Limits
and branch are exact: every point of the picture is solved for. The colour is the manipulability of
the position, in the best of the configurations that put the tool there.

\b
Examples:
  ik_arm map --arm open_manipulator_x
  ik_arm map --arm planar_2r --xacro l1:=0.25 --xacro l2:=0.25 --output no_hole.svg
"""

_PLOT_HELP = """Draw a recorded run: goal and tool, error, joints and speeds against limits, status.

ik_node writes a RECORDING of its last 30 s when the driver reports a fault, and whenever it is
asked to:

\b
  ros2 service call /ik_node/save_recording std_srvs/srv/Trigger
"""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Look at an arm before it moves, and at a run after it."""


@cli.command("map", help=_MAP_HELP)
@click.option("--arm", required=True, metavar="ARM", help=_ARM)
@click.option("--output", "-o", metavar="FILE", help="Picture (.png, .svg, .pdf); ARM_map.png.")
@click.option(
    "--resolution",
    default=120,
    show_default=True,
    type=click.IntRange(10, 1000),
    help="Points along the longer side; the time grows with its square.",
)
@click.option("--xacro", multiple=True, metavar="NAME:=VALUE", help="Argument of the description.")
def map_command(arm: str, output: str | None, resolution: int, xacro: tuple[str, ...]) -> None:
    """Draw the map; `_MAP_HELP` is what the user reads."""
    path = _picture(output or f"{Path(arm).name}_map.png")
    joints = _arm(arm, xacro)
    plane = working_plane(joints)
    # rich 13 ends a progress bar that nobody sees with an empty line, unless it is interactive.
    console = Console(stderr=True, force_interactive=None if sys.stderr.isatty() else True)
    with _progress(console) as progress:
        free = _without_limits(joints)
        window = window_on(free, plane, resolution)
        branches = _solve(joints, window, progress)
        known = np.any([np.isfinite(section.manipulability) for section in branches], axis=0)
        rows = reached(free, window, known)
        *_, limitless = progress.track(rows, len(window.along), description="solving without")
    if not known.any():
        raise IkNodeError(f"the tool of '{arm}' never comes into the plane of x and z of its base")
    from ik_node.cli.map_picture import draw_map

    _write(lambda: draw_map(path, joints, Path(arm).name, branches, limitless), path)
    console.print(f"wrote {path}")


@cli.command("plot", help=_PLOT_HELP)
@click.argument("recording", type=click.Path(path_type=Path))
@click.option("--output", "-o", metavar="FILE", help="Picture to write; RECORDING with .png.")
def plot_command(recording: Path, output: str | None) -> None:
    """Draw the run; `_PLOT_HELP` is what the user reads."""
    from ik_node.cli.run_picture import draw_run
    from ik_node.control.recording import Recording

    run = Recording.load(recording)
    if len(run.time) == 0:
        raise IkNodeError(f"{recording} holds no tick: the arm had not been seen yet")
    path = _picture(output or str(recording.with_suffix(".png")))
    _write(lambda: draw_run(path, run, recording.name), path)
    Console(stderr=True).print(f"wrote {path}")


def _picture(name: str) -> Path:
    path = Path(name)
    if path.suffix.lower() not in PICTURES:
        raise ConfigurationError("--output", f"'{name}' has no ending of a picture", ".png or .svg")
    if not path.parent.is_dir():
        raise ConfigurationError("--output", f"folder '{path.parent}' is missing", "make it first")
    return path


def _write(draw: Callable[[], None], path: Path) -> None:
    try:
        draw()
    except OSError as error:
        raise ConfigurationError(
            "--output", f"{path} cannot be written: {error.strerror}", "name another file"
        ) from None


def _arm(name: str, xacro: tuple[str, ...]) -> JointGroup:
    arguments = {}
    for given in xacro:
        key, found, value = given.partition(":=")
        if not found:
            raise ConfigurationError("--xacro", f"'{given}' has no ':='", "write name:=value")
        arguments[key] = value
    return load_arm(find_arm(name), arguments)


def _without_limits(arm: JointGroup) -> JointGroup:
    """The same arm, its turning joints free; a slide ends where its rail does."""
    slides = [arm.model.joints[name].kind is JointKind.PRISMATIC for name in arm.joint_names]
    return replace(
        arm,
        lower=np.where(slides, arm.lower, np.minimum(arm.lower, -np.pi)),
        upper=np.where(slides, arm.upper, np.maximum(arm.upper, np.pi)),
    )


def _progress(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def _solve(arm: JointGroup, window: Window, progress: Progress) -> list[Section]:
    total = SWEEPS * len(branches_of(arm)) * len(window.along)
    rows = progress.track(sections(arm, window), total, description="solving with joint limits")
    return list({section.branch: section for section in rows}.values())


def main() -> None:
    """Run the command; a mistake is one line on stderr and exit code 2, Ctrl-C is 130."""
    stop_signals.listen(lambda number: SystemExit(128 + number), (signal.SIGINT,))
    try:
        cli.main(prog_name="ik_arm", standalone_mode=True)
    except IkNodeError as error:
        print(f"ik_arm: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
