"""The emulator as a process for all tests of a file, and the unmodified SDK on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from emulated_servos import EmulatedServos, Sdk, emulated_servos

TORQUE_ENABLE = 64


@pytest.fixture(scope="module")
def emulator(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EmulatedServos]:
    """The servos that the file lists as MODELS."""
    with emulated_servos(tmp_path_factory.mktemp("bus"), request.module.MODELS) as running:
        yield running


@pytest.fixture
def sdk(request: pytest.FixtureRequest, emulator: EmulatedServos) -> Iterator[Sdk]:
    """The SDK on limp servos that answer."""
    client = Sdk(emulator.link)
    for servo in range(1, len(request.module.MODELS) + 1):
        client.answers(servo)
        client.must_write(servo, TORQUE_ENABLE, 1, 0)
    yield client
    emulator.clear()
    client.close()
