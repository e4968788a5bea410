"""Where the browser finds the view: a free port, and one sentence when it is not the one asked."""

from __future__ import annotations

import errno
import socket
from dataclasses import dataclass

from ik_node.errors import ConfigurationError

ATTEMPTS = 20


@dataclass(frozen=True)
class Address:
    """What to listen on; `remark` says why it is not the port that was asked for."""

    host: str
    port: int
    remark: str = ""

    @property
    def url(self) -> str:
        """What to type into a browser on this machine."""
        name = "localhost" if self.host in ("0.0.0.0", "::") else self.host
        return f"http://{name}:{self.port}"


def free_address(host: str, port: int) -> Address:
    """Choose the port, or the next one that is free.

    Raises:
        ConfigurationError: the host is not one of this machine's, or 20 ports in a row are taken.
    """
    for candidate in range(port, min(port + ATTEMPTS, 65536)):
        if _free(host, candidate):
            remark = f"port {port} is taken, so the view is on port {candidate}; "
            remark += "parameter port chooses another"
            return Address(host, candidate, "" if candidate == port else remark)
    last = min(port + ATTEMPTS, 65536) - 1
    raise ConfigurationError(
        f"port {port}", f"is taken, and so are those up to {last}", "set parameter port"
    )


def _free(host: str, port: int) -> bool:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except PermissionError:
        return False
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return False
        raise ConfigurationError(
            "parameter host", f"is '{host}', which is no address of this machine", "use 127.0.0.1"
        ) from None
    return True
