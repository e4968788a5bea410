"""emulated_dynamixel: a bus of DYNAMIXEL servos that are not there.

Start it with the servos.yaml of the driver, open the symlink as a serial port, and every client
of Protocol 2.0 finds its servos. Faults go in and out while it runs.
"""

from __future__ import annotations

import signal
import sys
import time
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import click

from ik_node import stop_signals
from ik_node.cli.emulator_options import (
    Finite,
    fault_of,
    numbers_of,
    pairs_of,
    ranges_of,
    versions_of,
)
from ik_node.dynamixel.emulator.control import send
from ik_node.dynamixel.emulator.faults import KINDS
from ik_node.errors import IkNodeError

_HELP = """Emulate the servo bus of servos.yaml on a pseudo-terminal.

\b
  emulated_dynamixel --config config/ARM/servos.yaml --link /tmp/servos
  dynamixel_driver --ros-args --params-file config/ARM/servos.yaml -p port:=/tmp/servos

The servos start at 0 rad with the factory's settings, the IDs of the file and its baud. Bytes take
as long as on a real wire; the client has to set the right baud, as there. Ctrl-C ends it and
removes the link.

\b
While it runs, from another terminal:
  emulated_dynamixel status --link /tmp/servos
  emulated_dynamixel fault drop_reply --servo joint2 --probability 0.2 --link /tmp/servos
  emulated_dynamixel fault unplug --duration 5 --link /tmp/servos
  emulated_dynamixel clear --link /tmp/servos
"""

_ENDLESS = 1000
"""Columns of an output that is no terminal, so that nothing is cut."""

_LINK = click.option(
    "--link",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Symlink to the port; clients open it.",
)


@click.group(invoke_without_command=True, help=_HELP)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="servos.yaml: which servos, at which baud.",
)
@_LINK
@click.option(
    "--state",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep the EEPROMs in this file (with a count of writes); without it they start anew.",
)
@click.option(
    "--urdf",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="URDF or xacro of the arm: its gravity loads the servos, its limits are hard stops.",
)
@click.option("--xacro-arg", "xacro_args", multiple=True, metavar="NAME=VALUE")
@click.option(
    "--pose",
    "poses",
    multiple=True,
    metavar="JOINT=POSITION",
    help="Where a joint stands at the start [rad, m]; may be repeated.",
)
@click.option(
    "--held",
    is_flag=True,
    help="A hand holds every joint where it stands until the joint's torque first comes on.",
)
@click.option(
    "--load",
    "loads",
    multiple=True,
    metavar="JOINT=EFFORT",
    help="A constant load [N m, N] that the joint has to carry; may be repeated.",
)
@click.option(
    "--stop",
    "stops",
    multiple=True,
    metavar="JOINT=LOW:HIGH",
    help="Hard stops of a joint [rad, m]; may be repeated.",
)
@click.option(
    "--firmware",
    "firmwares",
    multiple=True,
    metavar="JOINT=VERSION",
    help="Another firmware: an old one knows no fast reads; may be repeated.",
)
@click.option("--friction", type=Finite(0.0, 1.0), help="Share of the stall torque.")
@click.option("--supply", type=Finite(1.0, 60.0), metavar="V", help="Supply voltage.")
@click.option(
    "--latency",
    type=Finite(0.0, 255.0),
    default=0.0,
    show_default=True,
    metavar="MS",
    help="Latency timer of the USB adapter: 16 as an FTDI chip is delivered, 1 as it should be.",
)
@click.option("--no-pacing", is_flag=True, help="Bytes take no time on the wire.")
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="KIND[:SERVO][,KEY=VALUE]",
    help="A fault from the start (keys: probability, count, duration, value); may be repeated.",
)
@click.option("--seed", type=int, default=0, help="Of the chance in faults.")
@click.pass_context
def cli(context: click.Context, /, **options: Any) -> None:
    """Serve, unless a subcommand talks to an emulator that serves already."""
    if context.invoked_subcommand is not None:
        context.obj = options["link"]
        return
    if options["config"] is None or options["link"] is None:
        raise click.UsageError("give --config FILE and --link PATH (--help tells more)")
    if options["xacro_args"] and options["urdf"] is None:
        raise click.UsageError("--xacro-arg is for the arm: give --urdf FILE too")
    _serve(options)


def _serve(options: dict[str, Any]) -> None:
    from ik_node.dynamixel.emulator.build import build_bus
    from ik_node.dynamixel.emulator.server import Server
    from ik_node.dynamixel.servos_yaml import load_servos_yaml

    config = load_servos_yaml(options["config"])
    bus = build_bus(
        config,
        rng=Random(options["seed"]),
        state=options["state"],
        friction=options["friction"],
        supply=options["supply"],
        paced=not options["no_pacing"],
        latency=options["latency"] * 1e-3,
        poses=numbers_of("--pose", options["poses"]),
        loads=numbers_of("--load", options["loads"]),
        firmwares=versions_of("--firmware", options["firmwares"]),
    )
    if options["urdf"] is not None:
        from ik_node.cli.emulated_arm import attach_arm

        attach_arm(
            bus, options["urdf"], pairs_of("--xacro-arg", options["xacro_args"]), config.prefix
        )
    for name, (low, high) in ranges_of("--stop", options["stops"]).items():
        bus.servo(name).set_stops(low, high)
    for servo in bus.servos:
        servo.held = options["held"]
    faults = [fault_of(text) for text in options["faults"]]
    start = time.monotonic()
    with closing(Server(bus, options["link"], lambda: time.monotonic() - start)) as server:
        for fault in faults:
            server.injector.begin(fault, 0.0)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: server.stop())
        names = ", ".join(f"{servo.name} ({servo.id})" for servo in bus.servos)
        where = f"{options['link']} -> {server.port.device}"
        print(f"ready: {where}, {config.baud} bit/s, servos {names}", flush=True)
        server.serve()


def _link(context: click.Context, link: Path | None) -> Path:
    found: Path | None = link or context.obj
    if found is None:
        raise click.UsageError("give --link PATH, the link of the running emulator")
    return found


def _fault_list() -> str:
    width = max(map(len, KINDS))
    lines = [
        f"  {name:<{width}}  {kind.help}" + (f" (--value: {kind.value})" if kind.value else "")
        for name, kind in KINDS.items()
    ]
    return "Put a fault in.\n\n\b\n" + "\n".join(lines)


@cli.command(help=_fault_list())
@click.argument("kind")
@_LINK
@click.option("--servo", metavar="JOINT", help="Which servo; without it all of them.")
@click.option("--probability", type=Finite(0.0, 1.0), default=1.0, show_default=True)
@click.option("--count", type=click.IntRange(min=1), help="How often it strikes.")
@click.option(
    "--duration", type=Finite(min=0.0), metavar="S", help="How long it holds; else until `clear`."
)
@click.option("--value", type=Finite(min=0.0), help="See the list.")
@click.pass_context
def fault(context: click.Context, /, kind: str, link: Path | None, **options: Any) -> None:
    """Put a fault in."""
    send(_link(context, link), {"do": "fault", "kind": kind, **options})


@cli.command()
@click.argument("kind", required=False)
@_LINK
@click.option("--servo", metavar="JOINT")
@click.pass_context
def clear(context: click.Context, kind: str | None, link: Path | None, servo: str | None) -> None:
    """Take faults back: all, or those of a kind or a servo."""
    answer = send(_link(context, link), {"do": "clear", "kind": kind, "servo": servo})
    click.echo(f"{answer['cleared']} taken back")


@cli.command()
@_LINK
@click.pass_context
def status(context: click.Context, link: Path | None) -> None:
    """Show the servos and the faults that hold."""
    from rich.console import Console
    from rich.table import Table

    answer = send(_link(context, link), {"do": "status"})
    console = Console(width=None if sys.stdout.isatty() else _ENDLESS)
    table = Table(title=answer["device"] or "unplugged", title_justify="left")
    for column in ("joint", "id", "model", "position", "torque", "error", "V", "deg C", "A"):
        table.add_column(column, overflow="fold")
    for name, servo in answer["servos"].items():
        table.add_row(
            name,
            str(servo["id"]),
            servo["model"],
            f"{servo['position']:.4f}",
            "on" if servo["torque"] else "off",
            str(servo["hardware_error"]),
            f"{servo['voltage']:.1f}",
            f"{servo['temperature']:.0f}",
            f"{servo['current']:.2f}",
        )
    console.print(table)
    for held in answer["faults"]:
        left = "" if held["left"] is None else f", {held['left']:.1f} s left"
        console.print(f"{held['kind']} on {held['servo'] or 'all'}: struck {held['struck']}{left}")


def main() -> None:
    """Run the command; a mistake is one line on stderr and exit code 2, Ctrl-C is a good end."""
    stop_signals.listen(lambda _: SystemExit(0))
    try:
        cli.main(prog_name="emulated_dynamixel", standalone_mode=True)
    except IkNodeError as error:
        print(f"emulated_dynamixel: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
