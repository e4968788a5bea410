"""An operator on some host: sends each arm a pose and says how near its measured tool came."""

from __future__ import annotations

import math
import sys

import rclpy
from client import Client, planar_tool
from launched import START, latest_positions

TARGETS = {"left": (0.35, 0.0, 0.2), "right": (0.3, 0.0, -0.25)}
NEAR = 0.002


def operate(namespace: str) -> float:
    """Drive one planar_2r and return the distance [m] from the target at rest."""
    client = Client("operator", namespace=namespace)
    target = TARGETS[namespace]

    def distance() -> float:
        q = latest_positions(client, ("joint1", "joint2"))
        return math.dist(planar_tool(0.30, 0.25, *q), target)

    client.until(lambda: client.statuses and "HOLDING" in client.codes(), START)
    client.until_matched()
    client.send_pose(target)
    client.until(lambda: client.value("settled") == "true" and distance() < NEAR, START)
    client.close()
    return distance()


if __name__ == "__main__":
    rclpy.init(args=[])
    for name in sys.argv[1:]:
        print(f"{name}: {operate(name) * 1e3:.2f} mm", flush=True)
    rclpy.try_shutdown()
