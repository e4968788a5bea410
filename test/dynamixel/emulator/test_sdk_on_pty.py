from __future__ import annotations

from pathlib import Path

import pytest
from dynamixel_sdk import (
    COMM_RX_TIMEOUT,
    GroupBulkRead,
    GroupBulkWrite,
    GroupSyncWrite,
)
from emulated_servos import EmulatedServos, Sdk

MODELS = ("XM430-W350", "XM430-W350", "XL430-W250")


def test_the_sdk_scans_the_bus(sdk: Sdk):
    found: dict[int, list[int]] = {}

    def all_found() -> bool:
        found.update(sdk.packets.broadcastPing(sdk.port)[0])
        return len(found) == 3

    sdk.eventually(all_found, "three servos by broadcast ping")
    assert {servo: data[0] for servo, data in found.items()} == {1: 1020, 2: 1020, 3: 1060}


@pytest.mark.parametrize("baud", [57600, 115200, 2_000_000, 4_000_000])
def test_a_wrong_baud_meets_silence(emulator: EmulatedServos, sdk: Sdk, baud: int):
    assert sdk.port.setBaudRate(baud)
    assert sdk.ping(1) == COMM_RX_TIMEOUT
    assert sdk.port.setBaudRate(1_000_000)
    sdk.answers(1)


def test_a_servo_follows_its_baud_register(sdk: Sdk):
    sdk.write(1, 8, 1, 1)
    assert sdk.ping(1) == COMM_RX_TIMEOUT
    sdk.port.setBaudRate(57600)
    sdk.answers(1)
    sdk.write(1, 8, 1, 3)
    sdk.port.setBaudRate(1_000_000)
    sdk.answers(1)


def test_values_of_every_size_go_there_and_back(sdk: Sdk):
    for address, size, value in [(65, 1, 1), (84, 2, 640), (112, 4, 123)]:
        sdk.must_write(1, address, size, value)
        sdk.must_read(1, address, size, value)


def test_sync_write_moves_and_sync_read_tells(sdk: Sdk):
    goals = {1: 2300, 2: 1800, 3: 2048}
    writer = GroupSyncWrite(sdk.port, sdk.packets, 116, 4)
    for servo, goal in goals.items():
        sdk.must_write(servo, 112, 4, 0)
        sdk.must_write(servo, 64, 1, 1)
        writer.addParam(servo, goal.to_bytes(4, "little"))
    assert writer.txPacket() == 0

    def arrived() -> bool:
        result, positions = sdk.positions(1, 2, 3)
        wanted = list(goals.values())
        return result == 0 and all(abs(p - g) <= 1 for p, g in zip(positions, wanted, strict=True))

    sdk.eventually(arrived, "all servos in their goals")


def sdk_position(sdk: Sdk, servo: int) -> int:
    """The position of one servo at rest."""
    read: list[int] = []

    def arrived() -> bool:
        value, result, _ = sdk.read(servo, 132, 4)
        read[:] = [value]
        return result == 0

    sdk.eventually(arrived, f"the position of servo {servo}")
    return read[0]


def test_a_fast_sync_read_gives_the_same(sdk: Sdk):
    for fast in (False, True):
        seen: list[int] = []

        def read(fast: bool = fast, seen: list[int] = seen) -> bool:
            result, seen[:] = sdk.positions(1, 3, fast=fast)
            return result == 0

        sdk.eventually(read, f"a read, fast: {fast}")
        assert seen == [sdk_position(sdk, 1), sdk_position(sdk, 3)]


def test_bulk_write_and_bulk_read_mix_registers(sdk: Sdk):
    writer = GroupBulkWrite(sdk.port, sdk.packets)
    writer.addParam(1, 65, 1, b"\x01")
    writer.addParam(2, 112, 4, (55).to_bytes(4, "little"))
    assert writer.txPacket() == 0
    reader = GroupBulkRead(sdk.port, sdk.packets)
    reader.addParam(1, 65, 1)
    reader.addParam(2, 112, 4)
    sdk.eventually(lambda: reader.txRxPacket() == 0, "a bulk read")
    assert reader.getData(1, 65, 1) == 1
    assert reader.getData(2, 112, 4) == 55
    sdk.eventually(lambda: reader.fastBulkRead() == 0, "a fast bulk read")
    assert reader.getData(2, 112, 4) == 55


def test_reg_write_and_action(sdk: Sdk):
    packets, port = sdk.packets, sdk.port
    sdk.eventually(
        lambda: packets.regWriteTxRx(port, 1, 84, 2, [0x2C, 0x01]) == (0, 0), "a registered write"
    )
    assert packets.action(port, 254) == 0
    sdk.must_read(1, 84, 2, 300)


def test_reboot_clear_and_factory_reset_are_understood(sdk: Sdk):
    packets, port = sdk.packets, sdk.port
    sdk.eventually(lambda: packets.clearMultiTurn(port, 1) == (0, 0), "clear")
    sdk.must_write(1, 84, 2, 333)
    sdk.must_write(2, 84, 2, 333)
    packets.reboot(port, 1)
    sdk.must_read(1, 84, 2, 800)
    packets.factoryReset(port, 2, 0x02)
    sdk.must_read(2, 84, 2, 800)


def test_error_numbers_arrive(sdk: Sdk):
    sdk.must_write(1, 64, 1, 1)
    sdk.must_write(1, 7, 1, 9, error=7)
    sdk.must_write(1, 116, 4, 5000, error=6)
    sdk.must_write(1, 84, 2, 20000, error=4)


def test_a_second_emulator_on_the_link_is_refused(emulator: EmulatedServos, tmp_path: Path):
    from processes import Process

    config = emulator.link.with_name("servos.yaml")
    second = Process("emulated_dynamixel", "--config", str(config), "--link", str(emulator.link))
    assert second.wait() == 2
    assert "busy" in second.output
    assert "Traceback" not in second.output
    assert emulator.link.exists()
