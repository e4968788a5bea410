"""Robot descriptions from files: URDF as it is, xacro expanded."""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ik_node.errors import ConfigurationError, UnknownNameError, UrdfError


def load_description(path: str | Path, args: Mapping[str, str] | None = None) -> str:
    """URDF text of a .urdf or .xacro file.

    Args:
        path: the file; every name that ends in .xacro is expanded.
        args: values for the file's <xacro:arg>s.

    Raises:
        ConfigurationError: the file cannot be read, or xacro is not installed.
        UnknownNameError: an argument that the file does not have.
        UrdfError: xacro refuses the file.
    """
    file = Path(path).expanduser()
    if not file.is_file():
        raise ConfigurationError("urdf_file", f"'{file}' is not a file", "correct the path")
    if file.suffix == ".xacro":
        return _expand(file, dict(args or {}))
    if args:
        raise UnknownNameError("xacro argument", next(iter(args)), ())
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError("urdf_file", f"'{file}' cannot be read ({error})") from error
    if not text.lstrip("\ufeff \t\r\n").startswith("<"):
        raise ConfigurationError("urdf_file", f"'{file}' is no URDF", "name the robot's URDF")
    return text


class _AskedFor(dict[str, str]):
    """Arguments that remember which of them the file asked for."""

    def __init__(self, args: Mapping[str, str]) -> None:
        super().__init__(args)
        self.names: dict[str, None] = {}

    def __contains__(self, name: object) -> bool:
        self.names[str(name)] = None
        return super().__contains__(name)


def _expand(file: Path, args: dict[str, str]) -> str:
    try:
        import xacro
    except ImportError as error:
        raise ConfigurationError(
            "urdf_file",
            f"'{file}' needs xacro, which is not installed",
            "install it with 'apt install ros-$ROS_DISTRO-xacro' or 'pip install xacro'",
        ) from error
    asked = _AskedFor({name: str(value) for name, value in args.items()})
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            document = xacro.process_file(str(file), mappings=asked)
    except Exception as error:  # xacro lets through whatever the expressions in the file raise
        raise _refused(file, xacro, error) from error
    for line in filter(None, map(str.strip, said.getvalue().splitlines())):
        logging.getLogger("ik_node").warning("xacro: %s", line)
    for name in args:
        if name not in asked.names:
            raise UnknownNameError(f"argument of {file.name}", name, asked.names)
    return str(document.toxml())


def _refused(file: Path, xacro: Any, error: Exception) -> UrdfError:
    stack = [str(name) for name in getattr(xacro, "filestack", None) or [] if name]
    inside = Path(stack[-1]).name if stack else file.name
    macros = [str(getattr(m, "name", m)) for m in getattr(error, "macros", ())]
    place = f" in macro {macros[0]}" if macros else ""
    cause = " ".join(str(error).split()) or type(error).__name__
    return UrdfError(f"file '{file}'", f"cannot be expanded by xacro: {cause} ({inside}{place})")
