"""What a node says to `--help`, and to an argument that nobody would read."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from textwrap import TextWrapper

from rclpy.utilities import remove_ros_args

from ik_node.ros.parameters import Parameter


@dataclass(frozen=True)
class Usage:
    """A node for its user: what it does, an example, its parameters, and where more is said."""

    does: str
    example: str
    page: str
    parameters: Iterable[Parameter] = field(default=())

    def check(self, name: str, arguments: Sequence[str] | None) -> None:
        """Answer `--help`, and refuse what is not ROS's or names no file; all end the program.

        Args:
            name: the executable.
            arguments: the command line with the program first; None takes sys.argv.
        """
        parser = argparse.ArgumentParser(
            prog=name,
            usage=f"{name} [--help] --ros-args [--params-file FILE] [-p NAME:=VALUE] "
            "[-r NAME:=NEW_NAME] [-r __ns:=NAMESPACE]",
            description=self.does,
            epilog="\n".join(self._lines()),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        for word, file in pairwise(sys.argv if arguments is None else arguments):
            if word == "--params-file" and not Path(file).is_file():
                parser.error(f"--params-file: '{file}' is not a file; correct the path")
        parser.parse_args(remove_ros_args(arguments)[1:])

    def _lines(self) -> Iterator[str]:
        yield "example:"
        yield from (f"  {line}" for line in self.example.splitlines())
        wrapped = TextWrapper(width=96, initial_indent=" " * 6, subsequent_indent=" " * 6)
        for i, parameter in enumerate(self.parameters):
            if i == 0:
                yield "\nparameters (-p NAME:=VALUE, or in a parameter file):"
            yield f"  {parameter.name}{_default(parameter)}"
            yield wrapped.fill(parameter.full_description())
        yield f"\nmore: {self.page}"


def _default(parameter: Parameter) -> str:
    default = parameter.default
    if isinstance(default, bool):
        return f" = {str(default).lower()}"
    return "" if default in ("", []) else f" = {default}"
