"""A serial port for dynamixel_sdk that blocks instead of spinning and fails in one way only.

The SDK's own port handler polls at full CPU, waits 34 ms for a reply that will not come, may be
opened by two processes at once, reads the wall clock, and lets four unrelated exception types
escape when the adapter is pulled out. This one waits in `select`, takes the slack as a parameter,
locks the device, takes its clock from the caller, and raises `PortError` for every failure.
"""

from __future__ import annotations

import contextlib
import os
import select
import termios
from collections.abc import Callable

import serial
from dynamixel_sdk import PortHandler

from ik_node.dynamixel.latency_timer import read_latency_timer
from ik_node.dynamixel.port_errors import lost, open_failed, refused_baud
from ik_node.errors import PortError

BITS_PER_BYTE = 10
REPLY_MARGIN = 0.005
"""Scheduling delay [s] that a reply may suffer on top of wire time and latency timer."""

STUCK = 0.1
"""An adapter that takes no data for this long [s] is lost."""

# What the kernel, termios (whose error is no OSError) and `select` raise when a device goes away.
_LOSSES = (OSError, termios.error, ValueError)


class SerialPort(PortHandler):  # type: ignore[misc]
    """One serial device, opened exclusively.

    Args:
        path: the device, best below /dev/serial/by-id.
        clock: a monotonic clock [s].
        slack: how late a reply may be [s], beyond the time on the wire; 0 takes the adapter's
            latency timer plus a margin.

    Attributes:
        stale: what was thrown away when the last packet went out.
    """

    def __init__(self, path: str, clock: Callable[[], float], slack: float = 0.0) -> None:
        super().__init__(path)
        self.clock = clock
        self.latency_timer: float | None = None
        self.stale = b""
        self._descriptor: int | None = None
        self._wanted_slack = slack
        self._due = self._deadline = 0.0

    @property
    def slack(self) -> float:
        """How late a reply may be [s]."""
        return self._wanted_slack or (self.latency_timer or 0.001) + REPLY_MARGIN

    def open(self, baud: int) -> None:
        """Open (again) at `baud` bit/s; raises PortError with the remedy."""
        self.closePort()
        self.baudrate = baud
        self.setupPort(baud)

    def wire_time(self, length: int) -> float:
        """Seconds that `length` bytes take on the wire."""
        return length * BITS_PER_BYTE / float(self.baudrate)

    def expect(self, length: int, extra: float = 0.0) -> None:
        """Start waiting for a reply of `length` bytes; `extra` [s] for the servos' own delay."""
        self._due = self.clock() + self.wire_time(length) + extra
        self._deadline = self._due + self.slack

    def rest(self) -> None:
        """Sleep until the awaited reply can be there whole: waking for each piece of it costs."""
        select.select([], [], [], max(0.0, self._due - self.clock()))

    def expired(self) -> bool:
        """Whether the awaited reply is overdue."""
        return self.clock() > self._deadline

    def read_available(self, size: int = 4096) -> bytes:
        """Bytes as soon as there are any, b'' once the reply is overdue; raises PortError."""
        return self._read(max(0.0, self._deadline - self.clock()), size)

    def _read(self, wait: float, size: int = 4096) -> bytes:
        device = self._device()
        try:
            if not select.select([device], [], [], wait)[0]:
                return b""
            data = os.read(device, size)
        except BlockingIOError:
            return b""
        except _LOSSES as error:
            raise self._lost() from error
        if not data:
            raise self._lost()
        return data

    # The SDK's names, in its spelling; its units are milliseconds.

    def setupPort(self, cflag_baud: int) -> bool:
        """Open the device; raises PortError."""
        try:
            self.ser = serial.Serial(
                port=self.port_name, baudrate=cflag_baud, timeout=0, exclusive=True
            )
        except (OSError, ValueError, termios.error) as error:
            raise open_failed(self.port_name, error) from None
        self._descriptor = self.ser.fileno()
        self.is_open = True
        self.is_using = False
        self.tx_time_per_byte = 1000.0 * BITS_PER_BYTE / cflag_baud
        self._prefer_low_latency()
        self.latency_timer = read_latency_timer(self.port_name)
        self.clearPort()
        return True

    def getCFlagBaud(self, baudrate: int) -> int:
        """Any positive baud; the SDK's list lacks 4.5 Mbit/s."""
        if baudrate <= 0:
            raise refused_baud(self.port_name, baudrate)
        return baudrate

    def closePort(self) -> None:
        """Close, whatever state the device is in."""
        self.is_open = False
        self.is_using = False
        self._descriptor = None
        if self.ser is not None:
            with contextlib.suppress(*_LOSSES):
                self.ser.close()
            self.ser = None

    def clearPort(self) -> None:
        """Set aside what has been received."""
        self.stale = b""
        while data := self._read(0.0):
            self.stale += data

    def writePort(self, packet: list[int] | bytes) -> int:
        """Send `packet` whole."""
        device = self._device()
        data = bytes(packet)
        sent = 0
        try:
            while True:
                sent += _write_some(device, data[sent:])
                if sent == len(data):
                    return sent
                if not select.select([], [device], [], STUCK)[1]:
                    raise self._lost("it takes no more data")
        except _LOSSES as error:
            raise self._lost() from error

    def readPort(self, length: int) -> bytes:
        """Up to `length` bytes, see `read_available`."""
        return self.read_available(length) if length > 0 else b""

    def setPacketTimeout(self, packet_length: int) -> None:
        """See `expect`."""
        self.expect(packet_length)

    def setPacketTimeoutMillis(self, msec: float) -> None:
        """Start waiting for `msec` milliseconds."""
        self._deadline = self.clock() + msec / 1000.0

    def isPacketTimeout(self) -> bool:
        """See `expired`."""
        return self.expired()

    def getCurrentTime(self) -> float:
        """The caller's clock [ms]."""
        return self.clock() * 1000.0

    def _prefer_low_latency(self) -> None:
        # Best effort: a pseudo-terminal and some adapters have no such mode.
        with contextlib.suppress(OSError, ValueError, AttributeError, NotImplementedError):
            self.ser.set_low_latency_mode(True)

    def _device(self) -> int:
        if self._descriptor is None:
            raise lost(self.port_name)
        return self._descriptor

    def _lost(self, detail: str = "") -> PortError:
        self.closePort()
        return lost(self.port_name, detail)


def _write_some(device: int, data: bytes) -> int:
    try:
        return os.write(device, data)
    except BlockingIOError:
        return 0
