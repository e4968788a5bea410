"""The emulator at work: the port, the bus and the control socket in one loop.

The clock is handed in. Nothing spins: the loop sleeps until a byte comes or a reply is due.
"""

from __future__ import annotations

import heapq
import os
import selectors
from collections.abc import Callable
from itertools import count
from math import inf
from pathlib import Path

from ik_node.dynamixel.emulator.bus import Bus
from ik_node.dynamixel.emulator.control import Connection, Control, ControlSocket
from ik_node.dynamixel.emulator.injector import Injector
from ik_node.dynamixel.emulator.pty import Pty
from ik_node.dynamixel.emulator.punctual import Punctual, be_woken_on_time
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
        self._watched = -1
        self._punctual = Punctual(clock)

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
        be_woken_on_time()
        with selectors.SelectSelector() as selector:  # epoll rounds up to whole milliseconds
            selector.register(self._wake, selectors.EVENT_READ)
            selector.register(self.socket.listener, selectors.EVENT_READ)
            while self._running:
                now = self._clock()
                if now >= self._bus.due or now - self._bus.time >= IDLE_PERIOD:
                    self._bus.advance(now)
                self.injector.end_expired(now)
                self._plug(selector)
                wake = self._next()
                events = selector.select(max(0.0, min(IDLE_PERIOD, wake - self._clock())))
                if self._due and not events and wake < self._bus.due:
                    self._punctual.woke(wake)
                for key, _ in events:
                    if key.fd == self.port.master:
                        self._receive()
                    elif key.fileobj is self.socket.listener:
                        self._welcome(selector)
                    elif isinstance(key.data, Connection):
                        self._talk(key.data, selector)
                self._deliver()
            for key in [key for key in selector.get_map().values() if key.data is not None]:
                key.data.client.close()

    def _welcome(self, selector: selectors.BaseSelector) -> None:
        connection = self.socket.accept()
        if connection is not None:
            selector.register(connection.client, selectors.EVENT_READ, connection)

    def _talk(self, connection: Connection, selector: selectors.BaseSelector) -> None:
        now = self._clock()
        if connection.serve(lambda request: self._control.handle(request, now)):
            selector.unregister(connection.client)
            connection.client.close()

    def _next(self) -> float:
        """When there is something to do without being told [s]; inf for nothing."""
        reply = self._punctual.early(self._due[0][0]) if self._due else inf
        return min(reply, self._bus.due)

    def _receive(self) -> None:
        data = self.port.read()
        if not data:
            return
        deliveries = self._bus.receive(data, self._clock(), self.port.baud())
        for delivery in in_frames(deliveries, USB_FRAME):
            heapq.heappush(self._due, (delivery.due, next(self._order), delivery.data))

    def _deliver(self) -> None:
        while self._due and self._punctual.early(self._due[0][0]) <= self._clock():
            data = heapq.heappop(self._due)[2]
            if self.port.plugged:
                self.port.write(data)

    def _plug(self, selector: selectors.BaseSelector) -> None:
        """Follow the faults unplug and replug."""
        wanted = self.injector.plugged
        replug = wanted and self.injector.take_replug()
        if wanted == self.port.plugged and not replug and self.port.master == self._watched:
            return
        self._due.clear()
        if self._watched >= 0:
            selector.unregister(self._watched)
        if not wanted:
            self.port.close()
        elif replug or not self.port.plugged:
            self.port.open()
        self._watched = self.port.master
        if self._watched >= 0:
            selector.register(self._watched, selectors.EVENT_READ)
