"""ik_demo: an arm driven to targets by real processes over real topics, with a table at the end."""

from __future__ import annotations

import signal
import sys

import click
from rich.console import Console

from ik_node import stop_signals
from ik_node.cli.arms import find_arm
from ik_node.errors import IkNodeError

_HELP = """Drive an arm to five targets it can reach and one it cannot, and print what came of it.

Without --port the arm is emulated: a servo bus on a pseudo-terminal, the driver and ik_node run as
processes of their own, and the targets go over the topics that any ROS 2 client uses. Look on in a
browser at the address it prints; after the table it stays, for dragging the target, until Ctrl-C
(not with --headless, nor where no terminal is). Or look on from another terminal:

\b
  ros2 topic echo /ik_node/status
  ros2 topic echo /joint_states

\b
Examples:
  ik_demo --arm planar_2r
  ik_demo --arm open_manipulator_x --port /dev/ttyUSB0    (moves a real arm, after asking)

Exit code 0: every reachable target was reached within 1 mm (5 mm on hardware) and the unreachable
one was reported as such, the arm at rest. 1: not so. 2: it could not run.
"""


@click.command(help=_HELP)
@click.option(
    "--arm",
    default="open_manipulator_x",
    show_default=True,
    metavar="ARM",
    help="planar_2r, open_manipulator_x, wx200, wx250s, or a folder with the same three files.",
)
@click.option("--port", metavar="PORT", help="Serial port of a real arm; without it, emulated.")
@click.option("--headless", is_flag=True, help="Without the view in a browser.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Chooses the targets.",
)
@click.option("--yes", is_flag=True, help="Do not ask before a real arm moves.")
def cli(arm: str, port: str | None, headless: bool, seed: int, yes: bool) -> None:
    """Run the demo; `_HELP` is what the user reads."""
    files = find_arm(arm)
    console = Console()
    if port is not None and not yes:
        _ask(console, arm, port)
    from ik_node.cli.demo import run_demo  # rclpy and numba, which --help need not wait for

    sys.exit(0 if run_demo(console, files, port, seed, not headless) else 1)


def _ask(console: Console, arm: str, port: str) -> None:
    """Let the user look at the arm first; an answer other than yes ends the program."""
    console.print(
        f"[bold]The {arm} on {port} is going to move.[/bold] It holds where it stands, then goes "
        "to six places, in front of its base if it gets there. Clear its reach, hold the power "
        "switch in your hand, and check that the arm stands where its URDF shows it at the "
        "reported joint positions."
    )
    if not sys.stdin.isatty():
        raise IkNodeError("nobody is there to be asked: add --yes if the arm may move")
    click.confirm("Move it?", abort=True)


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> None:
    """Run the command; a mistake is one line on stderr and exit code 2."""
    stop_signals.listen(lambda number: SystemExit(128 + number), SIGNALS)
    try:
        cli.main(prog_name="ik_demo", standalone_mode=True)
    except IkNodeError as error:
        print(f"ik_demo: {error}", file=sys.stderr)
        sys.exit(2)
