"""A pseudo-terminal behind a stable symlink: the port that a client opens."""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import tty
from pathlib import Path

from ik_node.errors import PortError

_TCGETS2 = 0x802C542A  # termios2 holds the line speed as a number, whatever it is
_TERMIOS2 = struct.Struct("4I20B2I")


class Pty:
    """The two ends of a pseudo-terminal; `link` points to the client's end while it is open.

    Raises PortError when something else than a symlink is at `link`.
    """

    def __init__(self, link: Path) -> None:
        self.link = link
        self.master = -1
        self._client_end = -1
        self._last = ""
        self.open()

    @property
    def plugged(self) -> bool:
        """Whether the port is there."""
        return self.master >= 0

    @property
    def device(self) -> str:
        """The client's end, as /dev/pts/N."""
        return os.ttyname(self._client_end)

    def open(self) -> None:
        """Make a new pseudo-terminal and point the link to it."""
        if self.link.exists() and not self.link.is_symlink():
            raise PortError(
                str(self.link), "refused", "a file is there already, choose another path"
            )
        previous = (self.master, self._client_end)
        self.master, self._client_end = os.openpty()
        if self.device == self._last:  # coming back, it has another number
            first = (self.master, self._client_end)
            self.master, self._client_end = os.openpty()
            _close(*first)
        self._last = self.device
        _close(*previous)
        tty.setraw(self._client_end)
        os.set_blocking(self.master, False)
        aside = self.link.with_name(f".{self.link.name}.{os.getpid()}")
        try:
            aside.unlink(missing_ok=True)
            aside.symlink_to(self.device)
            aside.replace(self.link)
        except OSError as error:
            self.close()
            raise PortError(
                str(self.link), "refused", f"{error.strerror}; choose a writable place"
            ) from None

    def close(self) -> None:
        """Remove the link and both ends: a client sees an unplugged port."""
        if self.plugged and self.link.is_symlink() and str(self.link.readlink()) == self.device:
            self.link.unlink()
        _close(self.master, self._client_end)
        self.master = self._client_end = -1

    def baud(self) -> int:
        """The line speed that the client set last [bit/s]."""
        packed = fcntl.ioctl(self.master, _TCGETS2, bytes(_TERMIOS2.size))
        return int(_TERMIOS2.unpack(packed)[-1])

    def read(self) -> bytes:
        """What the client sent, or nothing."""
        try:
            return os.read(self.master, 4096)
        except BlockingIOError:
            return b""

    def write(self, data: bytes) -> None:
        """Send `data` to the client; what it never fetches is lost, as on a wire."""
        with contextlib.suppress(BlockingIOError):
            os.write(self.master, data)


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        if descriptor >= 0:
            os.close(descriptor)
