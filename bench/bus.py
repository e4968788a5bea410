"""How fast the driver turns a servo bus, beside the wire's own limit and beside the stock SDK.

    python -m bench.bus             the cases that matter
    python -m bench.bus --all       1 to 12 servos, 3 bauds, 2 return delays, 3 latency timers

A cycle is one write of goals and one read of states of all servos. The bus is the emulated one, a
process that takes the wire's time for every byte. `limit` is what the bytes of this driver's cycle
allow. `bus` is the driver's write and read alone, as `stock` is the SDK's GroupSyncWrite and
GroupSyncRead of the same servos, with 10 bytes each from present current on; `driver` is the whole
cycle, with commands checked, states judged and a report made. Medians tell: the 99th percentile is
the machine's scheduler.
"""

from __future__ import annotations

import argparse
import itertools
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml
from dynamixel_sdk import COMM_SUCCESS, GroupSyncRead, GroupSyncWrite, PacketHandler, PortHandler

from ik_node.dynamixel.block import indirect_block
from ik_node.dynamixel.driver import Driver
from ik_node.dynamixel.emulator.replies import USB_PACKET
from ik_node.dynamixel.packet import Leave
from ik_node.dynamixel.packets import Status
from ik_node.dynamixel.registers import MODELS
from ik_node.dynamixel.servos_yaml import load_servos_yaml
from ik_node.dynamixel.state_reader import StateReader

MODEL = "XM430-W350"
PACED_HZ = 100.0


@dataclass(frozen=True)
class Case:
    """One bus: delays in s."""

    servos: int
    baud: int
    return_delay: float
    latency: float

    def limit(self) -> float:
        """Cycles a second that the bytes of the driver's cycle allow."""
        size = indirect_block(MODELS[MODEL]).short
        write = 14 + 5 * self.servos
        if self.servos > 1:  # fast sync read: one reply for all
            ask, reply = 14 + self.servos, 8 + self.servos * (size + 4)
        else:
            ask, reply = 14, 11 + size
        byte = 10.0 / self.baud
        # The adapter passes full packets at once; the rest waits for its timer, started by them.
        full = reply // USB_PACKET * USB_PACKET
        held = max(1, full) * byte + self.latency if reply > full else 0.0
        return 1.0 / ((write + ask) * byte + self.return_delay + max(reply * byte, held))


@dataclass(frozen=True)
class Figures:
    """Cycles a second by the median, 99th percentile [ms], share of one core at 100 Hz."""

    hz: float
    p99: float
    cpu: float


HABITUAL = [
    *(Case(n, 1_000_000, 0.0, 0.0) for n in (1, 2, 4, 6, 12)),
    Case(6, 57_600, 0.0, 0.0),
    Case(6, 57_600, 500e-6, 0.0),
    Case(6, 1_000_000, 500e-6, 0.0),
    Case(6, 1_000_000, 0.0, 0.001),
    Case(6, 1_000_000, 0.0, 0.016),
    Case(6, 3_000_000, 0.0, 0.0),
]


def everything() -> list[Case]:
    """The whole grid."""
    grid = itertools.product(
        (1, 2, 4, 6, 8, 12), (57_600, 1_000_000, 3_000_000), (0.0, 500e-6), (0.0, 0.001, 0.016)
    )
    return [Case(*values) for values in grid]


@contextmanager
def emulated(case: Case) -> Iterator[Path]:
    """The configuration file of a running emulated bus; its port is the link beside it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        link, file = folder / "bus", folder / "servos.yaml"
        servos = {f"joint{i}": {"id": i, "model": MODEL} for i in range(1, case.servos + 1)}
        tree = {
            "port": str(link),
            "baud": case.baud,
            "rate_hz": PACED_HZ,
            "return_delay": case.return_delay,
            "bus_watchdog": 0.0,
            "reply_slack": 0.03 + case.latency,
            "servos": servos,
        }
        file.write_text(yaml.safe_dump({"/**": {"ros__parameters": tree}}))
        command = ["-m", "ik_node.cli.emulated_dynamixel", "--config", str(file)]
        process = subprocess.Popen(
            [sys.executable, *command, "--link", str(link), "--latency", str(case.latency * 1e3)],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield file
        finally:
            process.terminate()
            process.wait(10.0)


def measure(cycle: Callable[[], bool], seconds: float) -> Figures:
    """Run `cycle` flat out, then at 100 Hz for its CPU time; it tells whether all was read."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or not times:
        started = time.perf_counter()
        if cycle():
            times.append(time.perf_counter() - started)
    times.sort()
    used, started = time.process_time(), time.perf_counter()
    for i in range(int(PACED_HZ * seconds)):
        cycle()
        time.sleep(max(0.0, started + (i + 1) / PACED_HZ - time.perf_counter()))
    cpu = (time.process_time() - used) / (time.perf_counter() - started)
    return Figures(1.0 / statistics.median(times), times[int(0.99 * len(times))] * 1e3, cpu)


def own_figures(file: Path, seconds: float) -> tuple[Figures, Figures]:
    """The driver of this package: write and read alone, then whole cycles."""
    config = load_servos_yaml(file)
    driver = Driver(config, time.monotonic)
    deadline = time.monotonic() + 20.0
    while any(s.stage != "ready" for s in driver.cycle(time.monotonic()).servos):
        if time.monotonic() > deadline:
            raise SystemExit("the servos do not come into service")
    turns = itertools.cycle(0.001 * i for i in range(200))
    joints = config.joints

    def cycle() -> bool:
        goals = dict.fromkeys(joints, next(turns))
        return len(driver.cycle(time.monotonic(), goals).readings) == len(joints)

    for _ in range(30):
        cycle()
    whole = measure(cycle, seconds)
    reader = StateReader(driver.bus, allow_fast=True, say=print)
    goal = MODELS[MODEL].register("goal_position")

    ended = -math.inf

    def write_and_read() -> bool:
        nonlocal ended
        ticks = goal.encode(2048 + round(1000.0 * next(turns)))
        leave = Leave.after(time.monotonic() - ended)
        driver.bus.sync_write(goal.address, {servo.id: ticks for servo in driver.servos}, leave)
        replies = reader.read(driver.servos, time.monotonic(), long=False)
        ended = time.monotonic()
        return all(isinstance(reply, Status) for reply in replies.values())

    bus = measure(write_and_read, seconds)
    driver.wind_down(time.monotonic())
    return bus, whole


def stock_figures(file: Path, case: Case, seconds: float) -> Figures:
    """The SDK's own classes, as its examples use them."""
    port = PortHandler(str(file.with_name("bus")))
    port.setBaudRate(case.baud)
    handler = PacketHandler(2.0)
    write, read = GroupSyncWrite(port, handler, 116, 4), GroupSyncRead(port, handler, 126, 10)
    for servo_id in range(1, case.servos + 1):
        write.addParam(servo_id, [0, 8, 0, 0])
        read.addParam(servo_id)

    def cycle() -> bool:
        write.txPacket()
        port.is_using = False
        return bool(read.txRxPacket() == COMM_SUCCESS)

    figures = measure(cycle, seconds)
    port.closePort()
    return figures


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="the whole grid of 108 cases")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each measurement")
    options = parser.parse_args()
    columns = " |    Hz  of limit p99 ms   CPU" * 3
    print(f"{'limit':>32} | {'bus':^27} | {'driver':^27} | {'stock SDK':^27}")
    print(f"servos     baud delay timer    Hz{columns}")
    for case in everything() if options.all else HABITUAL:
        with emulated(case) as file:
            bus, whole = own_figures(file, options.seconds)
            stock = stock_figures(file, case, options.seconds)
        limit = case.limit()
        row = f"{case.servos:6d} {case.baud:8d} {case.return_delay * 1e6:3.0f}us "
        row += f"{case.latency * 1e3:3.0f}ms {limit:6.0f}"
        for figures in (bus, whole, stock):
            row += f" | {figures.hz:5.0f} {figures.hz / limit:8.0%} {figures.p99:7.1f}"
            row += f" {figures.cpu:5.1%}"
        print(row, flush=True)
    print("CPU: share of one core at 100 cycles a second, emulator not included")


if __name__ == "__main__":
    main()
