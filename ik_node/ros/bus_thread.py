"""The one thread that owns the servo bus: a cycle at the rate, requests between cycles."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from queue import Empty, SimpleQueue

from ik_node.dynamixel.config import BusConfig
from ik_node.dynamixel.driver import Driver
from ik_node.dynamixel.report import DriverReport

Request = Callable[[Driver, float], str]

REPLY_TIMEOUT = 2.0
"""Seconds that a service waits for the bus."""


class BusThread:
    """Runs a `Driver` until `stop`; what it reports is handed to `publish` in this thread."""

    def __init__(self, config: BusConfig, publish: Callable[[DriverReport], None]) -> None:
        self._config = config
        self._publish = publish
        self._driver = Driver(config, time.monotonic)
        self._requests: SimpleQueue[tuple[Request, Future[str]]] = SimpleQueue()
        self._lock = threading.Lock()
        self._goals: dict[str, float] = {}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="servo bus", daemon=True)

    def start(self) -> None:
        """Begin to cycle."""
        self._thread.start()

    def stop(self) -> None:
        """End after the present cycle, as the configuration's `shutdown` says."""
        self._stopping.set()
        self._thread.join()

    def command(self, goals: Mapping[str, float]) -> None:
        """Set goals for the next cycle, rad or m by joint; the newest of each joint counts."""
        with self._lock:
            self._goals.update(goals)

    def ask(self, request: Request) -> str:
        """Run `request(driver, now)` between two cycles and return its sentence.

        Raises:
            TimeoutError: the bus was too busy.
        """
        reply: Future[str] = Future()
        self._requests.put((request, reply))
        return reply.result(REPLY_TIMEOUT)

    def _run(self) -> None:
        period = 1.0 / self._config.rate_hz
        due = time.monotonic()
        try:
            while not self._stopping.is_set():
                self._answer_requests()
                self._publish(self._driver.cycle(time.monotonic(), self._take_goals()))
                due = max(due + period, time.monotonic() - period)
                self._stopping.wait(due - time.monotonic())
        finally:
            self._driver.close()

    def _take_goals(self) -> Mapping[str, float]:
        with self._lock:
            goals, self._goals = self._goals, {}
        return goals

    def _answer_requests(self) -> None:
        while True:
            try:
                request, reply = self._requests.get_nowait()
            except Empty:
                return
            try:
                reply.set_result(request(self._driver, time.monotonic()))
            except Exception as error:
                reply.set_exception(error)
