"""From a dragged target to the first command: `python -m bench.drag`, or `make bench-drag`.

A real `ik_node` process follows a target that jumps while the arm rests, as the first message of a
drag does. The time is from before the target is published to after the first command that differs
has been received, both in this process, so two hops of the middleware are in it. A tick is 10 ms:
what comes between two ticks waits for the next one, half a tick on average.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import rclpy
from geometry_msgs.msg import PointStamped
from rclpy.executors import SingleThreadedExecutor
from rich.console import Console
from sensor_msgs.msg import JointState

from ik_node.cli.arms import find_arm

TICK = 0.01
ALLOWED = TICK + 0.005
"""Seconds that a dragged target may take: one tick and 5 ms."""
START = {"joint1": 0.5, "joint2": 0.9}
PLACES = ((0.3, 0.0, 0.35), (0.35, 0.0, 0.3))
REST = 0.25
"""Seconds of standing still that count as rest."""
PATIENCE = 180.0
"""Seconds until ik_node listens: a first start compiles the kernels."""


class Bench:
    """An arm that does at once what it is told, and takes the time of what it is told."""

    def __init__(self) -> None:
        self._node = rclpy.create_node("bench_drag")
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._positions = dict(START)
        self._moved = self._changed = 0.0
        self._states = self._node.create_publisher(JointState, "joint_states", 10)
        self._target = self._node.create_publisher(PointStamped, "ik_node/target_point", 1)
        self._node.create_subscription(JointState, "joint_command", self._follow, 10)
        self._node.create_timer(TICK, self._publish)
        self._heard = False

    def wait(self) -> None:
        """Wait until commands come."""
        self._spin(lambda: self._heard and self._target.get_subscription_count() > 0, PATIENCE)
        self._rest()

    def latency(self, place: tuple[float, float, float]) -> float:
        """Seconds from a target to the first command that differs, from rest."""
        message = PointStamped()
        message.point.x, message.point.y, message.point.z = place
        self._moved = 0.0
        start = time.monotonic()
        self._target.publish(message)
        self._spin(lambda: self._moved > 0.0, 5.0)
        result = self._moved - start
        self._rest()
        return result

    def close(self) -> None:
        """End the node."""
        self._executor.shutdown()
        self._node.destroy_node()

    def _rest(self) -> None:
        """Wait until the commands have stood still for a while."""
        self._changed = time.monotonic()
        self._spin(lambda: time.monotonic() - self._changed > REST, 30.0)

    def _spin(self, done: Callable[[], bool], seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not done():
            if time.monotonic() > deadline:
                raise SystemExit("bench.drag: ik_node does not answer")
            self._executor.spin_once(timeout_sec=0.05)

    def _follow(self, message: JointState) -> None:
        self._heard = True
        told = dict(zip(message.name, message.position, strict=True))
        if any(abs(told[name] - self._positions[name]) > 1e-9 for name in told):
            self._changed = time.monotonic()
            self._moved = self._moved or self._changed
        self._positions.update(told)

    def _publish(self) -> None:
        message = JointState(name=list(self._positions), position=list(self._positions.values()))
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._states.publish(message)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=40, help="how many drags")
    count = parser.parse_args().count
    os.environ.setdefault("ROS_DOMAIN_ID", "99")
    files = find_arm("planar_2r")
    command = "import sys; from ik_node.ros.ik_node import main; sys.exit(main())"
    arguments = [
        "--ros-args",
        "--params-file",
        str(files.node),
        "-p",
        f"urdf_file:={files.description}",
    ]
    node = subprocess.Popen([sys.executable, "-c", command, *arguments], cwd=Path.cwd())
    try:
        rclpy.init()
        bench = Bench()
        bench.wait()
        taken = np.array([bench.latency(PLACES[i % 2]) for i in range(count)]) * 1e3
        bench.close()
    finally:
        node.send_signal(signal.SIGINT)
        node.wait(10.0)
    within = float((taken <= ALLOWED * 1e3).mean())
    Console().print(
        f"target to command, {count} drags: median {np.median(taken):.1f} ms, "
        f"p95 {np.percentile(taken, 95):.1f} ms, worst {taken.max():.1f} ms; "
        f"{within:.0%} within one tick and 5 ms ({ALLOWED * 1e3:.0f} ms)"
    )


if __name__ == "__main__":
    main()
