"""What the three processes cost while an emulated arm follows a circle at 100 Hz.

    python -m bench.nodes                    open_manipulator_x for 10 s
    python -m bench.nodes --arm wx250s --seconds 30

The target comes at 30 Hz. Processor time and memory are the kernel's own accounting (/proc); the
start is from the command to the first joint command, with compiled kernels.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import tempfile
import time
from pathlib import Path

import numpy as np
import rclpy
from geometry_msgs.msg import PointStamped
from rclpy.node import Node
from sensor_msgs.msg import JointState

from ik_node.cli.arms import find_arm
from ik_node.cli.demo import load_arm
from ik_node.cli.demo_targets import find_room
from ik_node.cli.processes import Processes, wait_for_path
from ik_node.ros import qos

LIMITS = "under 40 % of a core together, ik_node under 250 MB and ready within 3 s"
TARGET_HZ = 30.0
TURN = 4.0
"""Seconds for a round."""


class Client(Node):
    """Sends the circle and notes the first command."""

    def __init__(self) -> None:
        super().__init__("bench")
        self.first: float | None = None
        self.commands = 0
        self.out = self.create_publisher(PointStamped, "ik_node/target_point", qos.TARGET)
        self.create_subscription(JointState, "joint_command", self._note, qos.COMMAND_IN)

    def _note(self, _: JointState) -> None:
        self.commands += 1
        self.first = self.first or time.monotonic()


def processor_seconds(pid: int) -> float:
    """User and system time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    """Resident memory [MB]."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--arm", default="open_manipulator_x")
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    files = find_arm(options.arm)
    arm = load_arm(files)
    middle = find_room(arm).middle
    centre = arm.forward_kinematics(middle)[:3, 3]
    rclpy.init()
    client = Client()
    with tempfile.TemporaryDirectory() as folder, Processes(Path(folder)) as processes:
        link = Path(folder) / "servos"
        pose = [f"--pose={n}={v:.4f}" for n, v in zip(arm.joint_names, middle, strict=True)]
        config = ("--config", str(files.servos), "--urdf", str(files.description))
        processes.start("emulated_dynamixel", *config, "--link", str(link), *pose)
        wait_for_path(link, processes, 60.0)
        ros = ("--ros-args", "--params-file")
        processes.start("dynamixel_driver", *ros, str(files.servos), "-p", f"port:={link}")
        started = time.monotonic()
        node = (str(files.node), "-p", f"urdf_file:={files.description}")
        processes.start("ik_node", *ros, *node)
        while client.first is None:
            processes.check()
            rclpy.spin_once(client, timeout_sec=0.1)
        ready = client.first - started
        follow(client, centre, 2.0)
        pids = {name: processes.pid(name) for name in processes.names}
        before = {name: processor_seconds(pid) for name, pid in pids.items()}
        commands, start = client.commands, time.monotonic()
        follow(client, centre, options.seconds)
        passed = time.monotonic() - start
        share = {n: (processor_seconds(p) - before[n]) / passed for n, p in pids.items()}
        megabytes = {name: memory(pid) for name, pid in pids.items()}
        rate = (client.commands - commands) / passed
    rclpy.shutdown()
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load "
        f"{os.getloadavg()[0]:.1f}, Python {platform.python_version()}, numpy {np.__version__}"
    )
    print(f"{options.arm}, circle at {rate:.1f} commands/s\n")
    print(f"{'process':20} {'% of a core':>12} {'MB':>8}")
    for name in pids:
        print(f"{name:20} {100.0 * share[name]:12.1f} {megabytes[name]:8.0f}")
    print(f"{'together':20} {100.0 * sum(share.values()):12.1f} {sum(megabytes.values()):8.0f}")
    print(f"\nik_node: first command {ready:.1f} s after its start, discovery included")
    print(f"meant to be {LIMITS}")


def follow(client: Client, centre: np.ndarray, seconds: float) -> None:
    """Send a circle of 3 cm radius round the centre."""
    start = time.monotonic()
    target = PointStamped()
    while (passed := time.monotonic() - start) < seconds:
        angle = 2.0 * math.pi * passed / TURN
        target.point.x = float(centre[0])
        target.point.y = float(centre[1] + 0.03 * math.sin(angle))
        target.point.z = float(centre[2] + 0.03 * (1.0 - math.cos(angle)))
        client.out.publish(target)
        until = time.monotonic() + 1.0 / TARGET_HZ
        while (left := until - time.monotonic()) > 0.0:
            rclpy.spin_once(client, timeout_sec=left)


if __name__ == "__main__":
    main()
