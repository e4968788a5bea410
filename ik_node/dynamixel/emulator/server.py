"""The emulator at work: the port, the bus and the control socket in one loop.

The clock is handed in. Nothing spins: the loop sleeps until a byte comes or a reply is due.
"""

from __future__ import annotations

import heapq
import os
import selectors
from collections.abc import Callable
from itertools import count
from pathlib import Path

from ik_node.dynamixel.emulator.bus import Bus
from ik_node.dynamixel.emulator.control import Control, ControlSocket
from ik_node.dynamixel.emulator.injector import Injector
from ik_node.dynamixel.emulator.pty import Pty
from ik_node.dynamixel.emulator.replies import in_frames

IDLE_PERIOD = 0.1
"""How often the servos move on when nobody asks [s]."""

USB_FRAME = 0.0005
"""Replies that end within this time of each other arrive together, as they do over USB [s]."""


class Server:
    """Serves `bus` at `link`, with the control socket beside it, until `stop`; then `close` it.

    Raises PortError when the link cannot be made or another emulator serves it.
    """

    def __init__(self, bus: Bus, link: Path, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._bus = bus
        self.socket = ControlSocket(link)
        try:
            self.port = Pty(link)
        except BaseException:
            self.socket.close()
            raise
        self.injector = Injector(bus)
        self._control = Control(bus, self.injector, self.port)
        self._wake, self._waker = os.pipe()
        self._running = True
        self._due: list[tuple[float, int, bytes]] = []
        self._order = count()

    def stop(self) -> None:
        """End `serve`; safe to call from a signal handler."""
        self._running = False
        os.write(self._waker, b"x")

    def close(self) -> None:
        """Remove the link and the socket."""
        self.port.close()
        self.socket.close()
        os.close(self._wake)
        os.close(self._waker)

    def serve(self) -> None:
        """Run until `stop`."""
        selector = selectors.DefaultSelector()
        selector.register(self._wake, selectors.EVENT_READ)
        selector.register(self.socket.listener, selectors.EVENT_READ)
        watched = -1
        try:
            while self._running:
                now = self._clock()
                if now - self._bus.time >= IDLE_PERIOD:
                    self._bus.advance(now)
                self.injector.end_expired(now)
                self._plug()
                if watched != self.port.master:
                    if watched >= 0:
                        selector.unregister(watched)
                    watched = self.port.master
                    if watched >= 0:
                        selector.register(watched, selectors.EVENT_READ)
                for key, _ in selector.select(self._timeout()):
                    if key.fd == watched:
                        self._receive()
                    elif key.fd == self.socket.listener.fileno():
                        self.socket.answer(self._control.handle, self._clock())
                self._deliver()
        finally:
            selector.close()

    def _timeout(self) -> float:
        if not self._due:
            return IDLE_PERIOD
        return max(0.0, min(IDLE_PERIOD, self._due[0][0] - self._clock()))

    def _receive(self) -> None:
        data = self.port.read()
        if not data:
            return
        deliveries = self._bus.receive(data, self._clock(), self.port.baud())
        for delivery in in_frames(deliveries, USB_FRAME):
            heapq.heappush(self._due, (delivery.due, next(self._order), delivery.data))

    def _deliver(self) -> None:
        while self._due and self._due[0][0] <= self._clock():
            data = heapq.heappop(self._due)[2]
            if self.port.plugged:
                self.port.write(data)

    def _plug(self) -> None:
        """Follow the faults unplug and replug."""
        wanted = self.injector.plugged
        if self.port.plugged and not wanted:
            self._due.clear()
            self.port.close()
        elif wanted and (self.injector.take_replug() or not self.port.plugged):
            self._due.clear()
            self.port.open()
