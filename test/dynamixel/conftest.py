"""Fixtures: an emulated bus, and a driver on it; both end with the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from bus_rig import TWO, EmulatedBus, Rig, flat_servos
from hypothesis import HealthCheck, settings
from virtual_rig import VirtualBus, VirtualRig

from ik_node.dynamixel.servos_yaml import bus_config_from_parameters, load_servos_yaml

# A busy machine is slow, which is no property of the code.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

SLACK = 0.04
"""Patience with the emulator on a busy machine [s]; the driver's own is for real servos."""


@pytest.fixture
def emulate(tmp_path: Path) -> Iterator[Callable[..., EmulatedBus]]:
    """Start an emulated bus: `emulate(servos, *options, **bus_entries)`."""
    running: list[EmulatedBus] = []

    def start(servos: Mapping[str, Any] = TWO, *options: str, **entries: Any) -> EmulatedBus:
        tree = {"port": str(tmp_path / "bus"), "servos": dict(servos), **entries}
        running.append(EmulatedBus(tmp_path, tree, options))
        return running[-1]

    yield start
    for bus in running:
        bus.stop()


@pytest.fixture
def real_rig(emulate: Callable[..., EmulatedBus]) -> Iterator[Callable[..., Rig]]:
    """As `rig`, on an emulator that is a process on a pseudo-terminal, in real time."""
    made: list[Rig] = []

    def make(
        servos: Mapping[str, Any] = TWO,
        *options: str,
        drive: Mapping[str, Any] | None = None,
        **entries: Any,
    ) -> Rig:
        bus = emulate(servos, *options, **entries)
        made.append(Rig(bus, load_servos_yaml(bus.file, {"reply_slack": SLACK, **(drive or {})})))
        return made[-1]

    yield make
    for each in made:
        each.driver.close()


@pytest.fixture
def rig() -> Callable[..., VirtualRig]:
    """Make a bus and its driver: `rig(servos, *options, drive={...}, **bus_entries)`.

    Both are in this process, under a clock of their own. `drive` holds entries that the driver's
    configuration has and the emulator's has not.
    """

    def make(
        servos: Mapping[str, Any] = TWO,
        *options: str,
        drive: Mapping[str, Any] | None = None,
        **entries: Any,
    ) -> VirtualRig:
        flat = {"port": "/dev/virtual", **flat_servos(servos), **entries}
        bus = VirtualBus(bus_config_from_parameters(flat), *options)
        return VirtualRig(bus, bus_config_from_parameters({**flat, **(drive or {})}))

    return make
