"""The emulator as a process, and the SDK as its maker ships it, for tests on a real pty."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dynamixel_sdk import COMM_SUCCESS, GroupSyncRead, PacketHandler, PortHandler
from processes import Process, wait_until

from ik_node.dynamixel.emulator.control import send


def servos_yaml(models: Sequence[str], baud: int = 1_000_000) -> str:
    """servos.yaml text: joints j1, j2, ... with IDs 1, 2, ..."""
    lines = ["/**:", "  ros__parameters:", "    port: unused", f"    baud: {baud}", "    servos:"]
    for i, model in enumerate(models, start=1):
        lines.append(f"      j{i}: {{id: {i}, model: {model}}}")
    return "\n".join(lines) + "\n"


class EmulatedServos:
    """A running `emulated_dynamixel`."""

    def __init__(self, folder: Path, models: Sequence[str], *options: str, baud: int = 1_000_000):
        config = folder / "servos.yaml"
        config.write_text(servos_yaml(models, baud))
        self.link = folder / "port"
        arguments = ("--config", str(config), "--link", str(self.link), *options)
        self.process = Process("emulated_dynamixel", *arguments)
        self.process.wait_for_line("ready:")

    def fault(self, kind: str, servo: str | None = None, **options: Any) -> None:
        send(self.link, {"do": "fault", "kind": kind, "servo": servo, **options})

    def clear(self, kind: str | None = None) -> int:
        return send(self.link, {"do": "clear", "kind": kind})["cleared"]

    def status(self) -> dict[str, Any]:
        return send(self.link, {"do": "status"})

    def stop(self, sig: int = signal.SIGINT) -> int:
        return self.process.stop(sig)


@contextmanager
def emulated_servos(
    folder: Path, models: Sequence[str], *options: str, baud: int = 1_000_000
) -> Iterator[EmulatedServos]:
    """Run the emulator for a while."""
    emulator = EmulatedServos(folder, models, *options, baud=baud)
    try:
        yield emulator
    finally:
        emulator.stop()


class Sdk:
    """The unmodified SDK on a port."""

    def __init__(self, port: Path, baud: int = 1_000_000) -> None:
        self.port = PortHandler(str(port))
        self.packets = PacketHandler(2.0)
        assert self.port.setBaudRate(baud)

    def close(self) -> None:
        self.port.closePort()

    def ping(self, servo: int) -> int:
        """The result of a ping (0 is success)."""
        return self.packets.ping(self.port, servo)[1]

    def read(self, servo: int, address: int, size: int) -> tuple[int, int, int]:
        """Value, result, error byte; the value is signed."""
        reader = {1: "read1ByteTxRx", 2: "read2ByteTxRx", 4: "read4ByteTxRx"}[size]
        value, result, error = getattr(self.packets, reader)(self.port, servo, address)
        half = 1 << (8 * size - 1)
        return (value ^ half) - half, result, error

    def write(self, servo: int, address: int, size: int, value: int) -> tuple[int, int]:
        """Result and error byte."""
        writer = {1: "write1ByteTxRx", 2: "write2ByteTxRx", 4: "write4ByteTxRx"}[size]
        return getattr(self.packets, writer)(self.port, servo, address, value & 0xFFFFFFFF)

    def positions(self, *servos: int, fast: bool = False) -> tuple[int, list[int]]:
        """Result of a (fast) sync read of the present positions, and what arrived."""
        group = GroupSyncRead(self.port, self.packets, 132, 4)
        for servo in servos:
            group.addParam(servo)
        result = group.fastSyncRead() if fast else group.txRxPacket()
        read = [servo for servo in servos if len(group.data_dict[servo]) == 4]
        return result, [group.getData(s, 132, 4) for s in read] if result == 0 else []

    def eventually(self, condition: Callable[[], bool], what: str) -> None:
        """Wait until `condition` holds: a loaded machine may lose a reply by itself."""
        wait_until(condition, 30.0, lambda: f"never happened: {what}")

    def must_write(self, servo: int, address: int, size: int, value: int, error: int = 0) -> None:
        """Write until the servo has answered with `error`."""
        self.eventually(
            lambda: self.write(servo, address, size, value) == (COMM_SUCCESS, error),
            f"servo {servo} answers the write of {value} at {address} with {error}",
        )

    def must_read(self, servo: int, address: int, size: int, value: int, error: int = 0) -> None:
        """Read until the servo has answered with `value` and `error`."""
        self.eventually(
            lambda: self.read(servo, address, size) == (value, COMM_SUCCESS, error),
            f"servo {servo} has {value} at {address} and answers with {error}",
        )

    def answers(self, servo: int) -> None:
        """Wait until the servo answers a ping."""
        self.eventually(lambda: self.ping(servo) == COMM_SUCCESS, f"a reply of servo {servo}")
