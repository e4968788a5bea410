"""What `--help` shows of every command: its examples as they are to be typed."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from ik_node.cli import emulated_dynamixel, ik_arm, ik_demo

PROGRAMS = {"emulated_dynamixel": emulated_dynamixel, "ik_arm": ik_arm, "ik_demo": ik_demo}


def commands(command: click.Command, *path: str) -> Iterator[tuple[click.Command, list[str]]]:
    """A command and all that are under it, with the words that lead there."""
    yield command, list(path[1:])
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, *path, name)


def kept_lines(text: str) -> list[str]:
    """The lines of paragraphs that must not be wrapped: those behind a backspace character."""
    paragraphs = text.split("\n\n")
    return [
        line.strip()
        for paragraph in paragraphs
        if paragraph.startswith("\b")
        for line in paragraph.splitlines()[1:]
    ]


@pytest.mark.parametrize(
    ("program", "path"),
    [
        pytest.param(module.cli, path, id=" ".join([name, *path]))
        for name, module in PROGRAMS.items()
        for _, path in commands(module.cli, name)
    ],
)
def test_the_help_shows_every_example_on_a_line_of_its_own(
    program: click.Command, path: list[str]
) -> None:
    shown = CliRunner().invoke(program, [*path, "--help"], terminal_width=80).output
    assert "\\b" not in shown and "\b" not in shown
    command = next(found for found, words in commands(program, "") if words == path)
    lines = [line.strip() for line in shown.splitlines()]
    for example in kept_lines(command.help or ""):
        assert example in lines


def test_the_help_gives_examples() -> None:
    assert "ik_arm map --arm open_manipulator_x" in kept_lines(ik_arm.cli.commands["map"].help)
    assert any("save_recording" in line for line in kept_lines(ik_arm.cli.commands["plot"].help))
    assert "ik_demo --arm planar_2r" in kept_lines(ik_demo.cli.help)
    assert len(kept_lines(emulated_dynamixel.cli.help)) > 4
