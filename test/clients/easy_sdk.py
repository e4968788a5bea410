"""The manufacturer's newer layer (dynamixel_easy_sdk), which picks its table by model number."""

from __future__ import annotations

import sys
import time

from dynamixel_easy_sdk import Connector, DxlRuntimeError, OperatingMode


def patiently(action, *arguments, tries=20):
    """Do it until it works: a loaded machine may lose a reply, and this client never repeats."""
    for _ in range(tries - 1):
        try:
            return action(*arguments)
        except DxlRuntimeError:
            time.sleep(0.02)
    return action(*arguments)


def main(link):
    connector = Connector(link, 1_000_000)
    for servo in (1, 2, 3):
        motor = patiently(connector.createMotor, servo)
        patiently(motor.disableTorque)
        patiently(motor.setOperatingMode, OperatingMode.POSITION)
        patiently(motor.enableTorque)
        patiently(motor.setGoalPosition, 2200)
        for _ in range(300):
            if abs(patiently(motor.getPresentPosition) - 2200) <= 2:
                break
            time.sleep(0.02)
        else:
            raise SystemExit(f"servo {servo} never arrived")
    print("create by model, mode, torque, goal, position")


main(sys.argv[1])
