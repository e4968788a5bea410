"""The one thread that owns the servo bus: a cycle at the rate, requests between cycles."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from queue import Empty, SimpleQueue

from ik_node.dynamixel.config import BusConfig
from ik_node.dynamixel.driver import Driver
from ik_node.dynamixel.report import DriverReport, DriverState

Request = Callable[[Driver, float], str]

REPLY_TIMEOUT = 2.0
"""Seconds that a service waits for the bus."""


class BusThread:
    """Runs a `Driver` until `stop`."""

    def __init__(
        self,
        config: BusConfig,
        take_goals: Callable[[], Mapping[str, float]],
        publish: Callable[[DriverReport], None],
    ) -> None:
        """Prepare; both functions are called in the thread, once a cycle.

        Args:
            config: the bus.
            take_goals: gives the goals that have come, rad or m by joint.
            publish: takes what the driver reports.
        """
        self._config = config
        self._take_goals = take_goals
        self._publish = publish
        self._driver = Driver(config, time.monotonic)
        self._requests: SimpleQueue[tuple[Request, Future[str]]] = SimpleQueue()
        self._stopping = threading.Event()
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="servo bus", daemon=True)

    def start(self) -> None:
        """Begin to cycle."""
        self._thread.start()

    def stop(self) -> None:
        """Leave the arm as the configuration's `shutdown` says, and end."""
        self._stopping.set()
        self._thread.join()

    def check(self) -> None:
        """Raise what ended the thread against all expectation, if anything did."""
        if self._error is not None:
            raise self._error

    def ask(self, request: Request) -> str:
        """Run `request(driver, now)` between two cycles and return its sentence.

        Raises:
            TimeoutError: the bus was too busy.
        """
        reply: Future[str] = Future()
        self._requests.put((request, reply))
        return reply.result(REPLY_TIMEOUT)

    def _run(self) -> None:
        try:
            self._cycle_until_stopped()
        except Exception as error:
            self._error = error
        finally:
            self._driver.close()

    def _cycle_until_stopped(self) -> None:
        period = 1.0 / self._config.rate_hz
        due = time.monotonic()
        while not self._stopping.is_set():
            self._answer_requests()
            self._publish(self._driver.cycle(time.monotonic(), self._take_goals()))
            due = max(due + period, time.monotonic() - period)
            time.sleep(max(0.0, due - time.monotonic()))
        while True:
            report = self._driver.wind_down(time.monotonic())
            self._publish(report)
            if report.state is DriverState.STOPPED:
                return
            time.sleep(period)

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
