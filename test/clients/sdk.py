"""The manufacturer's SDK, any version: scan, configure, read, write, group reads and writes."""

from __future__ import annotations

import sys
import time

from dynamixel_sdk import (
    COMM_SUCCESS,
    GroupBulkRead,
    GroupSyncRead,
    GroupSyncWrite,
    PacketHandler,
    PortHandler,
)

SERVOS = {1: 1020, 2: 1060, 3: 1200}
GOALS = {1: 2300, 2: 1800, 3: 2200}


def patiently(port, question, wanted, tries=20):
    """Ask until the answer is as wanted: a loaded machine may be late with a reply.

    Up to 4.0.3 the SDK then takes the late reply for that of the next question, or trips over its
    length; so the line is emptied before every try.
    """
    answer = None
    for _ in range(tries):
        try:
            answer = question()
        except IndexError as error:
            answer = error
        if answer == wanted:
            return
        time.sleep(0.05)
        port.ser.reset_input_buffer()
    raise SystemExit(f"wanted {wanted}, got {answer}")


def main(link):
    port, packets = PortHandler(link), PacketHandler(2.0)
    assert port.setBaudRate(1_000_000)
    for servo, model in SERVOS.items():
        patiently(port, lambda s=servo: packets.ping(port, s), (model, COMM_SUCCESS, 0))
    patiently(
        port,
        lambda: {servo: data[0] for servo, data in packets.broadcastPing(port)[0].items()},
        SERVOS,
    )
    for servo in SERVOS:
        for write, address, value in (
            (packets.write1ByteTxRx, 64, 0),
            (packets.write1ByteTxRx, 9, 0),
            (packets.write1ByteTxRx, 11, 4),
            (packets.write4ByteTxRx, 108, 20),
            (packets.write4ByteTxRx, 112, 150),
            (packets.write1ByteTxRx, 64, 1),
        ):
            patiently(port, lambda s=servo, w=write, a=address, v=value: w(port, s, a, v), (0, 0))
        patiently(port, lambda s=servo: packets.write1ByteTxRx(port, s, 11, 3), (0, 7))
        patiently(port, lambda s=servo: packets.read4ByteTxRx(port, s, 112), (150, 0, 0))
    writer = GroupSyncWrite(port, packets, 116, 4)
    for servo, goal in GOALS.items():
        writer.addParam(servo, list(goal.to_bytes(4, "little")))
    assert writer.txPacket() == COMM_SUCCESS
    reader = GroupSyncRead(port, packets, 132, 4)
    for servo in SERVOS:
        reader.addParam(servo)

    def far_off():
        if reader.txRxPacket() != COMM_SUCCESS:
            return True
        return any(abs(reader.getData(s, 132, 4) - goal) > 1 for s, goal in GOALS.items())

    patiently(port, far_off, False, tries=300)
    bulk = GroupBulkRead(port, packets)
    bulk.addParam(1, 132, 4)
    bulk.addParam(3, 146, 1)
    patiently(
        port,
        lambda: bulk.txRxPacket() == COMM_SUCCESS and 20 <= bulk.getData(3, 146, 1) <= 60,
        True,
    )
    if hasattr(reader, "fastSyncRead"):
        patiently(
            port,
            lambda: (
                reader.fastSyncRead() == COMM_SUCCESS
                and abs(reader.getData(2, 132, 4) - GOALS[2]) <= 1
            ),
            True,
        )
    patiently(port, lambda: packets.reboot(port, 1), (0, 0))
    patiently(port, lambda: packets.ping(port, 1), (1020, 0, 0))
    port.closePort()
    print("ping, scan, configure, read, write, sync, bulk, fast read, reboot")


main(sys.argv[1])
