"""lerobot's motor bus, unmodified; stand-ins serve the learning libraries that it only imports."""

from __future__ import annotations

import sys
import time
from types import ModuleType


class StandIn(ModuleType):
    """A library that is imported for its names alone."""

    def __getattr__(self, name):
        return object


for library in ("torch", "accelerate", "datasets", "datasets.utils", "datasets.utils.logging"):
    sys.modules[library] = StandIn(library)

from lerobot.motors import Motor, MotorNormMode  # noqa: E402
from lerobot.motors.dynamixel import DynamixelMotorsBus, OperatingMode  # noqa: E402

MOTORS = {
    "shoulder": Motor(1, "xm430-w350", MotorNormMode.RANGE_M100_100),
    "elbow": Motor(2, "xl430-w250", MotorNormMode.RANGE_M100_100),
    "wrist": Motor(3, "xl330-m288", MotorNormMode.RANGE_M100_100),
}
GOALS = {"shoulder": 2300, "elbow": 1800, "wrist": 2200}


def patiently(action, *arguments, tries=20):
    """Do it until it works: not all of the bus's calls repeat when a loaded machine is late."""
    for _ in range(tries - 1):
        try:
            return action(*arguments)
        except ConnectionError:
            time.sleep(0.05)
    return action(*arguments)


def main(link):
    assert 1_000_000 in DynamixelMotorsBus.scan_port(link)
    bus = DynamixelMotorsBus(link, MOTORS)
    bus.connect(handshake=False)
    patiently(bus._handshake)
    assert bus.broadcast_ping(num_retry=5) == {1: 1020, 2: 1060, 3: 1200}
    with bus.torque_disabled():
        patiently(bus.configure_motors)
        for motor in MOTORS:
            bus.write("Operating_Mode", motor, OperatingMode.EXTENDED_POSITION.value, num_retry=5)
            bus.write("Profile_Velocity", motor, 150, num_retry=5)
    for motor in MOTORS:
        assert bus.read("Profile_Velocity", motor, normalize=False, num_retry=5) == 150
    bus.sync_write("Goal_Position", GOALS, normalize=False)
    for _ in range(300):
        read = bus.sync_read("Present_Position", normalize=False, num_retry=5)
        if all(abs(read[motor] - goal) <= 1 for motor, goal in GOALS.items()):
            break
        time.sleep(0.02)
    else:
        raise SystemExit(f"the motors never arrived: {read}")
    bus.disable_torque(num_retry=5)
    homings = patiently(bus.set_half_turn_homings)
    read = bus.sync_read("Present_Position", normalize=False, num_retry=5)
    assert all(abs(position - 2047) <= 1 for position in read.values()), (homings, read)
    assert patiently(bus.read_calibration)["elbow"].homing_offset == homings["elbow"]
    bus.disconnect()
    print("scan, handshake, configure, read, write, sync read and write, homing, calibration")


main(sys.argv[1])
