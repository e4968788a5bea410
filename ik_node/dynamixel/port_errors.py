"""Why a serial port cannot be used, and what to do about it, in one sentence each."""

from __future__ import annotations

import errno
import grp
import os
from collections.abc import Sequence
from pathlib import Path

from ik_node.dynamixel.devices import serial_devices
from ik_node.errors import PortError


def open_failed(port: str, error: Exception) -> PortError:
    """The `PortError` for an exception raised while opening `port`."""
    number = getattr(error, "errno", None) or _number_in(error)
    if number in (errno.ENOENT, errno.ENXIO, errno.ENODEV):
        return PortError(port, "missing", _missing(port))
    if number in (errno.EACCES, errno.EPERM):
        group = _group(port)
        return PortError(
            port,
            "forbidden",
            f"join its group and log in again: sudo usermod -aG {group} $USER",
        )
    if number in (errno.EBUSY, errno.EAGAIN):
        return PortError(port, "busy", f"another program holds it{_holders(port)}; end that first")
    if number in (errno.EIO,):
        return lost(port)
    return PortError(port, "refused", f"it does not act as a serial device ({error})")


def refused_baud(port: str, baud: int) -> PortError:
    """The `PortError` for a speed that the port does not take."""
    return PortError(port, "refused", f"it does not take {baud} bit/s")


def lost(port: str, detail: str = "") -> PortError:
    """The `PortError` for a device that went away while open."""
    why = f"{detail}; " if detail else ""
    return PortError(port, "lost", f"{why}plug the adapter in again, it is looked for")


def _missing(port: str) -> str:
    found = serial_devices()
    if not found:
        return "plug the adapter in (no serial adapter is present)"
    return f"plug the adapter in, or set port to one of: {', '.join(found)}"


def _group(port: str) -> str:
    try:
        group = grp.getgrgid(Path(port).stat().st_gid).gr_name
    except (OSError, KeyError):
        return "dialout"
    return "dialout" if group == "root" else group


def _holders(port: str) -> str:
    """Programs that have `port` open, as far as this user may see, as ' (name, pid N)'."""
    target = os.path.realpath(port)
    names = []
    for entry in Path("/proc").glob("[0-9]*"):
        if int(entry.name) == os.getpid():
            continue
        try:
            if any(os.path.realpath(fd) == target for fd in (entry / "fd").iterdir()):
                arguments = (entry / "cmdline").read_text(errors="replace").split("\0")
                name = program(arguments) or (entry / "comm").read_text().strip()
                names.append(f"{name}, pid {entry.name}")
        except OSError:
            continue
    return f" ({'; '.join(names)})" if names else ""


def program(arguments: Sequence[str]) -> str:
    """The script or module that a Python runs with `arguments`, '' for another program."""
    interpreter, *rest = arguments
    if not Path(interpreter).name.startswith("python"):
        return ""
    words = iter(rest)
    for word in words:
        if not word.startswith("-"):
            return Path(word).name
        if word.endswith("m"):
            return next(words, "")
        if word.endswith("c"):
            return ""
        if word in ("-W", "-X"):
            next(words, "")
    return ""


def _number_in(error: Exception) -> int | None:
    # pyserial wraps termios.error without its number: "Could not configure port: (5, '...')".
    return next((arg for arg in error.args if isinstance(arg, int)), None) or (
        errno.EIO if "(5," in str(error) else None
    )
