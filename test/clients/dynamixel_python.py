"""dynamixel-python: a client with protocol code of its own."""

from __future__ import annotations

import sys
import time

from dxl2.v2 import BulkParams, MotorBus, SyncParams

SERVOS = {1: 1020, 2: 1060, 3: 1200}
GOALS = {1: 2300, 2: 1800, 3: 2200}


def main(link):
    bus = MotorBus(link, 1_000_000, timeout=0.2)
    bus.connect()
    found = bus.scan([57600, 1_000_000])
    assert set(found) == {1_000_000}, found
    assert set(found[1_000_000]) == set(SERVOS), found
    bus.set_baudrate(1_000_000)
    for servo in SERVOS:
        assert bus.ping(servo).ok
        assert bus.write(servo, 11, 1, 4).ok, "extended position"
        assert bus.write(servo, 112, 4, 150).ok
        assert bus.write(servo, 64, 1, 1).ok
        locked = bus.write(servo, 44, 4, 100)
        assert locked.valid, locked
        assert locked.error == 7, locked
        assert bus.read(servo, 112, 4).data == 150
    goals = SyncParams(116, 4)
    for servo, goal in GOALS.items():
        goals.add_value(servo, goal)
    bus.sync_write(goals)
    positions = SyncParams(132, 4, signed=True)
    for servo in SERVOS:
        positions.add_motor(servo)
    for _ in range(300):
        answer = bus.sync_read(positions)
        read = list(answer.data.values()) if isinstance(answer.data, dict) else answer.data
        if read and all(abs(p - g) <= 1 for p, g in zip(read, GOALS.values(), strict=True)):
            break
        time.sleep(0.02)
    else:
        raise SystemExit(f"the servos never arrived: {answer}")
    fast = bus.fast_sync_read(positions)
    assert fast.ok, fast
    mixed = BulkParams()
    mixed.add_address(1, 144, 2)
    mixed.add_address(3, 146, 1)
    assert bus.bulk_read(mixed).ok
    assert bus.fast_bulk_read(mixed).ok
    assert bus.reg_write(1, 84, 2, 640).ok
    assert bus.action(1).ok
    assert bus.read(1, 84, 2).data == 640
    assert bus.write(1, 64, 1, 0).ok
    assert bus.control_table_backup(1).ok
    assert bus.control_table_restore(1).ok
    assert bus.clear_position(1).ok
    assert bus.reboot(1).ok
    bus.disconnect()
    print("scan, configure, read, write, sync, bulk, fast reads, reg write, backup, clear, reboot")


main(sys.argv[1])
