"""A real emulated bus (a process on a pseudo-terminal) and a driver that runs on it."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from ik_node.dynamixel.config import BusConfig
from ik_node.dynamixel.driver import Driver
from ik_node.dynamixel.emulator.control import send
from ik_node.dynamixel.report import DriverReport, Event

TWO = {
    "joint1": {"id": 11, "model": "XM430-W350"},
    "joint2": {"id": 12, "model": "XM430-W350", "direction": -1},
}
THREE = {**TWO, "joint3": {"id": 13, "model": "XM430-W350"}}

STAMMER = re.compile(r"(\w{4,})\W+(it is )?(re)?\1|is fault")


def flat_servos(servos: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The entry `servos` as a ROS node gets it: by dotted names."""
    flat = {}
    for joint, entries in servos.items():
        for name, value in entries.items():
            parts = value.items() if isinstance(value, Mapping) else [(None, value)]
            for part, leaf in parts:
                flat[".".join(filter(None, ("servos", joint, name, part)))] = leaf
    return flat


class EmulatedBus:
    """An `emulated_dynamixel` process; faults go in by its control socket."""

    def __init__(self, folder: Path, tree: Mapping[str, Any], options: tuple[str, ...]) -> None:
        self.link = folder / "bus"
        self.file = folder / "servos.yaml"
        self.file.write_text(yaml.safe_dump({"/**": {"ros__parameters": dict(tree)}}))
        command = ["-m", "ik_node.cli.emulated_dynamixel", "--config", str(self.file)]
        self.process = subprocess.Popen(
            [sys.executable, *command, "--link", str(self.link), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("ready"), line + self.process.stdout.read()

    def fault(self, kind: str, servo: str | None = None, **more: Any) -> None:
        send(self.link, {"do": "fault", "kind": kind, "servo": servo, **more})

    def clear(self, kind: str | None = None) -> None:
        send(self.link, {"do": "clear", "kind": kind})

    def servo(self, joint: str) -> dict[str, Any]:
        servos: dict[str, dict[str, Any]] = send(self.link, {"do": "status"})["servos"]
        return servos[joint]

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(60.0)
        finally:
            self.process.kill()
            self.process.wait()
            assert self.process.stdout is not None
            self.process.stdout.close()


class Rig:
    """A driver run at its rate; keeps every report and checks what must always hold.

    In every cycle: readings are fresh, no reading jumps by more than a joint can move, no joint is
    sent further than its speed limit allows, and no sentence says a thing twice.
    """

    def __init__(
        self,
        bus: Any,
        config: BusConfig,
        driver: Driver | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.bus = bus
        self.config = config
        self.clock = clock
        self.driver = driver or Driver(config, clock)
        self.reports: list[DriverReport] = []
        self._seen: dict[str, tuple[float, float]] = {}
        self._sent: dict[str, float] = {}
        self._next = clock()

    def wait_until(self, moment: float) -> None:
        """Let time pass without a word on the bus."""
        time.sleep(max(0.0, moment - self.clock()))

    def pause(self, seconds: float) -> None:
        """See `wait_until`."""
        self.wait_until(self.clock() + seconds)

    def again(self) -> Rig:
        """Another driver on the same bus, as after a restart."""
        return Rig(self.bus, self.config)

    def cycle(self, goals: Mapping[str, float] | None = None) -> DriverReport:
        self.wait_until(self._next)
        now = self.clock()
        self._next = max(now, self._next + 1.0 / self.config.rate_hz)
        report = self.driver.cycle(now, goals)
        self._check(report)
        self.reports.append(report)
        return report

    def run(self, seconds: float, goals: Mapping[str, float] | None = None) -> DriverReport:
        end = self.clock() + seconds
        while self.clock() < end:
            report = self.cycle(goals)
        return report

    def until(
        self,
        condition: Callable[[DriverReport], bool],
        goals: Mapping[str, float] | None = None,
        timeout: float = 15.0,
    ) -> DriverReport:
        end = self.clock() + timeout
        while self.clock() < end:
            report = self.cycle(goals)
            if condition(report):
                return report
        told = [event.sentence for event in self.events]
        pytest.fail(f"not within {timeout} s; last: {report.message}; events: {told}")

    def start(self) -> DriverReport:
        return self.until(in_service)

    @property
    def events(self) -> list[Event]:
        return [event for report in self.reports for event in report.events]

    def told(self, words: str) -> bool:
        return any(words in event.sentence for event in self.events)

    def positions(self) -> dict[str, float]:
        """The newest reading of every joint (a disturbed cycle may lack one)."""
        return {joint: position for joint, (position, _) in self._seen.items()}

    def _check(self, report: DriverReport) -> None:
        for said in (report.message, *(f"{s.stage}: {s.reason}" for s in report.servos)):
            assert not STAMMER.search(said), said
        for reading in report.readings:
            assert reading.stamp == report.now
            before = self._seen.get(reading.name)
            if before is not None:
                allowed = 0.05 + 12.0 * (report.now - before[1])
                assert abs(reading.position - before[0]) < allowed, reading
            self._seen[reading.name] = (reading.position, report.now)
        for joint, goal in report.sent.items():
            if joint in self._sent:
                step = self.config.servo(joint).max_velocity or 4.9
                assert abs(goal - self._sent[joint]) <= step * 2.0 / self.config.rate_hz + 1e-9
        self._sent = dict(report.sent)


def in_service(report: DriverReport) -> bool:
    return all(servo.stage == "ready" for servo in report.servos)
