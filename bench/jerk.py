"""What a jerk limit brings and costs on the shipped arms: `python -m bench.jerk`.

Every arm goes 10 cm level towards its base and back at 100 Hz, and does at once what it is told.
The jerk is the third difference of the commands, so without a limit it grows with the rate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from ik_node.cli.arms import find_arm
from ik_node.cli.demo import load_arm
from ik_node.control import PoseTracker, StatusCode, TrackerConfig
from ik_node.core import JointGroup

Array = NDArray[np.float64]

DT = 0.01
LENGTH = 0.1
STARTS = {
    "planar_2r": (0.5, 1.2),
    "open_manipulator_x": (0.3, -0.4, 0.3, 0.6),
    "wx200": (0.3, -0.4, 0.4, 0.5, 0.2),
    "wx250s": (0.3, -0.4, 0.4, 0.3, 0.6, 0.2),
}
LIMITS = (0.0, 500.0, 250.0, 125.0)


@dataclass(frozen=True)
class Result:
    """Of one arm with one limit: rad/s^3, s and m."""

    arm: str
    limit: float
    peak: float
    time: float
    off_the_line: float


def results() -> Iterator[Result]:
    """Measure every arm with every limit."""
    for name, start in STARTS.items():
        arm = load_arm(find_arm(name))
        here = arm.forward_kinematics(start)[:3, 3]
        inward = -here * [1.0, 1.0, 0.0]
        there = here + LENGTH * inward / np.linalg.norm(inward)
        for limit in LIMITS:
            commands, ticks = _drive(arm, np.array(start), (there, here), limit)
            still = np.repeat(commands[:1], 2, axis=0)
            jerk = np.abs(np.diff(np.vstack([still, commands]), 3, axis=0)).max() / DT**3
            places = np.array([arm.forward_kinematics(q)[:3, 3] for q in commands])
            way = (there - here) / LENGTH
            offset = places - here
            off = np.linalg.norm(offset - np.outer(offset @ way, way), axis=1).max()
            yield Result(name, limit, float(jerk), ticks * DT / 2.0, float(off))


def _drive(arm: JointGroup, q: Array, points: tuple[Array, ...], limit: float) -> tuple[Array, int]:
    """Go from point to point; return the commands (k, n) and how many ticks it took."""
    tracker = PoseTracker(arm, TrackerConfig(jerk_limit=limit))
    commands, tick = [q], 0
    for point in points:
        while True:
            tick += 1
            output = tracker.step(commands[-1], point, tick * DT, DT)
            if output.q_command is None or tick * DT > 60.0:
                raise SystemExit(f"bench.jerk: no way to the point: {output.status}")
            commands.append(output.q_command)
            if StatusCode.REACHED in output.status.codes:
                break
    return np.array(commands), tick


def main() -> None:
    """Print the table."""
    heads = ("arm", "jerk_limit", "peak jerk", "to the target", "off the line")
    table = Table(*heads, title="in rad/s^3, s and mm")
    for r in results():
        limit = f"{r.limit:.0f}" if r.limit else "0 (none)"
        line = f"{1e3 * r.off_the_line:.1f}"
        table.add_row(r.arm, limit, f"{r.peak:.0f}", f"{r.time:.2f}", line)
    Console().print(table)


if __name__ == "__main__":
    main()
