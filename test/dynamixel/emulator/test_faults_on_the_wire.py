"""Every fault as the unmodified SDK meets it on the pty, put in and taken out while it runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from dynamixel_sdk import COMM_RX_CORRUPT, COMM_RX_TIMEOUT, COMM_SUCCESS
from emulated_servos import EmulatedServos, Sdk

from ik_node.dynamixel.emulator.faults import KINDS
from ik_node.errors import ConfigurationError

MODELS = ("XM430-W350", "XM430-W350", "XM430-W350")
ALERT = 0x80
CHECKS: dict[str, Callable[[EmulatedServos, Sdk], None]] = {}


def check(function: Callable[[EmulatedServos, Sdk], None]) -> Callable[..., None]:
    CHECKS[function.__name__] = function
    return function


def bytes_of_a_read(sdk: Sdk, servo: int, count: int) -> bytes:
    """Ask for the position and return the bytes that come, which must be `count`."""
    received = bytearray()
    sdk.packets.readTx(sdk.port, servo, 132, 4)

    def all_came() -> bool:
        received.extend(sdk.port.readPort(100))
        return len(received) >= count

    sdk.eventually(all_came, f"{count} bytes")
    sdk.port.is_using = False
    assert len(received) == count
    return bytes(received)


@check
def drop_request(emulator: EmulatedServos, sdk: Sdk) -> None:
    emulator.fault("drop_request", "j1")
    assert sdk.write(1, 65, 1, 1)[0] == COMM_RX_TIMEOUT
    emulator.clear()
    sdk.must_read(1, 65, 1, 0)


@check
def drop_reply(emulator: EmulatedServos, sdk: Sdk) -> None:
    emulator.fault("drop_reply", "j1", count=1)
    assert sdk.write(1, 65, 1, 1)[0] == COMM_RX_TIMEOUT
    sdk.must_read(1, 65, 1, 1)
    emulator.fault("drop_reply", "j2")
    assert sdk.positions(1, 2, 3)[0] == COMM_RX_TIMEOUT, "and nobody behind it"
    sdk.eventually(lambda: sdk.positions(1, 3)[0] == COMM_SUCCESS, "the others by themselves")


@check
def corrupt_request(emulator: EmulatedServos, sdk: Sdk) -> None:
    emulator.fault("corrupt_request", "j1")
    sdk.must_write(1, 65, 1, 0, error=3)


@check
def corrupt_reply(emulator: EmulatedServos, sdk: Sdk) -> None:
    emulator.fault("corrupt_reply", "j1", count=10)
    for _ in range(10):
        assert sdk.read(1, 132, 4)[1] != COMM_SUCCESS
    sdk.eventually(lambda: sdk.read(1, 132, 4)[1] == COMM_SUCCESS, "a good reply again")


@check
def truncate(emulator: EmulatedServos, sdk: Sdk) -> None:
    emulator.fault("truncate", "j1")
    assert sdk.read(1, 132, 4)[1] in (COMM_RX_CORRUPT, COMM_RX_TIMEOUT)


@check
def duplicate(emulator: EmulatedServos, sdk: Sdk) -> None:
    emulator.fault("duplicate", "j2", count=1)
    received = bytes_of_a_read(sdk, 2, 30)
    assert received[:15] == received[15:]
    sdk.eventually(lambda: sdk.positions(1, 2, 3)[0] == COMM_SUCCESS, "single replies again")


@check
def noise(emulator: EmulatedServos, sdk: Sdk) -> None:
    emulator.fault("noise", "j1", value=30)
    received = bytes_of_a_read(sdk, 1, 45)
    assert received[30:34] == b"\xff\xff\xfd\x00"


@check
def delay(emulator: EmulatedServos, sdk: Sdk) -> None:
    emulator.fault("delay", "j1", value=0.2)
    assert sdk.read(1, 132, 4)[1] == COMM_RX_TIMEOUT
    emulator.clear()
    sdk.answers(1)


@check
def mute(emulator: EmulatedServos, sdk: Sdk) -> None:
    emulator.fault("mute", "j2")
    assert sdk.ping(2) == COMM_RX_TIMEOUT
    sdk.answers(1)
    emulator.clear("mute")
    sdk.answers(2)


@check
def mute_all(emulator: EmulatedServos, sdk: Sdk) -> None:
    emulator.fault("mute_all")
    assert [sdk.ping(servo) for servo in (1, 2, 3)] == [COMM_RX_TIMEOUT] * 3
    emulator.clear()
    sdk.answers(3)


@check
def unplug(emulator: EmulatedServos, sdk: Sdk) -> None:
    before = emulator.status()["device"]
    emulator.fault("unplug", duration=0.3)
    assert emulator.status()["device"] is None
    assert not emulator.link.is_symlink()
    with pytest.raises(Exception, match=r"(?i)error|disconnected|readiness"):
        for _ in range(50):
            sdk.port.is_using = False
            sdk.ping(1)
    sdk.eventually(emulator.link.is_symlink, "the link again")
    assert emulator.status()["device"] != before
    sdk.port.setBaudRate(1_000_000)
    sdk.port.is_using = False
    sdk.answers(1)


@check
def replug(emulator: EmulatedServos, sdk: Sdk) -> None:
    before = emulator.link.readlink()
    emulator.fault("replug")
    sdk.eventually(lambda: emulator.link.readlink() != before, "another tty")
    again = Sdk(emulator.link)
    again.answers(1)
    again.close()


@check
def wrong_baud(emulator: EmulatedServos, sdk: Sdk) -> None:
    emulator.fault("wrong_baud", "j1", value=57600)
    assert sdk.ping(1) == COMM_RX_TIMEOUT
    sdk.port.setBaudRate(57600)
    sdk.answers(1)
    emulator.clear()
    sdk.port.setBaudRate(1_000_000)
    sdk.answers(1)


@check
def same_id(emulator: EmulatedServos, sdk: Sdk) -> None:
    emulator.fault("same_id", "j2", value=1)
    assert sdk.ping(2) == COMM_RX_TIMEOUT
    assert sdk.read(1, 132, 4)[1] != COMM_SUCCESS
    emulator.clear()
    sdk.answers(2)
    sdk.answers(1)


@check
def overload(emulator: EmulatedServos, sdk: Sdk) -> None:
    sdk.must_write(1, 64, 1, 1)
    emulator.fault("overload", "j1")
    sdk.must_read(1, 70, 1, 32, ALERT)
    sdk.must_read(1, 64, 1, 0, ALERT)
    emulator.clear()
    sdk.must_read(1, 70, 1, 32, ALERT)
    sdk.packets.reboot(sdk.port, 1)
    sdk.must_read(1, 70, 1, 0)


@check
def over_temperature(emulator: EmulatedServos, sdk: Sdk) -> None:
    emulator.fault("over_temperature", "j2")
    sdk.must_read(2, 70, 1, 4, ALERT)
    sdk.eventually(lambda: sdk.read(2, 146, 1)[0] > 80, "more than its limit")
    emulator.clear()
    sdk.packets.reboot(sdk.port, 2)
    sdk.answers(2)


@check
def voltage_sag(emulator: EmulatedServos, sdk: Sdk) -> None:
    emulator.fault("voltage_sag", value=9.0)
    sdk.must_read(3, 70, 1, 1, ALERT)
    sdk.eventually(lambda: sdk.read(3, 144, 2)[0] == 90, "9.0 V")
    emulator.clear()
    sdk.must_read(3, 70, 1, 0)


@check
def reboot(emulator: EmulatedServos, sdk: Sdk) -> None:
    sdk.must_write(1, 84, 2, 555)
    before = emulator.status()["servos"]["j1"]["boots"]
    emulator.fault("reboot", "j1")
    sdk.answers(1)
    sdk.must_read(1, 84, 2, 800)
    assert emulator.status()["servos"]["j1"]["boots"] == before + 1


@check
def stuck(emulator: EmulatedServos, sdk: Sdk) -> None:
    sdk.must_write(3, 64, 1, 1)
    emulator.fault("stuck", "j3")
    sdk.must_write(3, 116, 4, 2300)
    sdk.eventually(lambda: sdk.read(3, 124, 2)[0] > 800, "the motor pushes")
    sdk.must_read(3, 132, 4, 2048)
    emulator.clear()
    sdk.eventually(lambda: abs(sdk.read(3, 132, 4)[0] - 2300) <= 1, "the goal")


@check
def no_fast_read(emulator: EmulatedServos, sdk: Sdk) -> None:
    sdk.eventually(lambda: sdk.positions(1, 2, fast=True)[0] == COMM_SUCCESS, "a fast read")
    emulator.fault("no_fast_read", "j2")
    assert sdk.positions(1, 2, fast=True)[0] != COMM_SUCCESS
    sdk.eventually(lambda: sdk.positions(1, 2)[0] == COMM_SUCCESS, "a plain read")


def test_no_fault_is_left_out():
    assert set(CHECKS) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_the_fault_does_what_it_says(emulator: EmulatedServos, sdk: Sdk, kind: str):
    CHECKS[kind](emulator, sdk)


def test_a_share_of_the_replies_can_be_lost(emulator: EmulatedServos, sdk: Sdk):
    emulator.fault("drop_reply", "j1", probability=0.5)
    results = [sdk.ping(1) for _ in range(30)]
    assert COMM_SUCCESS in results
    assert COMM_RX_TIMEOUT in results


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        ({"kind": "mutee", "servo": "j1"}, "did you mean 'mute'"),
        ({"kind": "mute"}, "needs a servo"),
        ({"kind": "mute", "servo": "j9"}, "known are: j1, j2, j3"),
        ({"kind": "noise", "probability": 2}, "give 0 to 1"),
        ({"kind": "wrong_baud", "servo": "j1", "value": 1234}, "known are: 9600"),
    ],
)
def test_a_fault_that_cannot_be_is_refused_in_a_sentence(
    emulator: EmulatedServos, request_: dict[str, object], sentence: str
):
    with pytest.raises(ConfigurationError, match=sentence):
        emulator.fault(**request_)  # type: ignore[arg-type]


def test_the_documentation_lists_every_fault():
    text = (Path(__file__).parents[3] / "docs" / "emulator.md").read_text()
    assert all(f"| `{kind}` |" in text for kind in KINDS)
