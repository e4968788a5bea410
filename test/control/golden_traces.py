"""Recorded inputs and outputs of the tracker.

`python test/control/golden_traces.py` records them anew: only after a change of behaviour that
is meant, and read the difference.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from control.simulation import READY, fixed_arm, moved, with_all_iterations

from ik_node.control import PoseTracker, TrackerConfig, TwistTarget

FOLDER = Path(__file__).parent / "golden"
ARMS = ("omx", "wx250s")
TICKS = 500


def inputs(name: str) -> list[dict[str, Any]]:
    """Targets by the tick from which they hold; intervals jitter."""
    tool = fixed_arm(name).forward_kinematics(READY[name])
    return [
        {"tick": 5, "pose": moved(tool, [-0.03, 0.06, 0.02]).tolist()},
        {"tick": 90, "point": (tool[:3, 3] + [-0.05, -0.1, 0.03]).tolist()},
        {"tick": 140, "point": [2.0, 0.5, 1.0]},
        {"tick": 270, "twist": [-0.1, 0.0, -0.05, 0.0, 0.5, 0.0]},
        {"tick": 330, "pose": tool.tolist()},
    ]


def target_of(event: dict[str, Any], now: float) -> Any:
    if "twist" in event:
        return TwistTarget(event["twist"][:3], event["twist"][3:], now)
    return np.array(event["pose"] if "pose" in event else event["point"])


def replay(name: str, intervals: list[float], events: list[dict[str, Any]]) -> np.ndarray:
    """Commands (ticks, n) for recorded inputs."""
    tracker = PoseTracker(fixed_arm(name), with_all_iterations(TrackerConfig()))
    starts = {event["tick"]: event for event in events}
    q, now, target = np.array(READY[name]), 0.0, None
    commands = []
    for tick, dt in enumerate(intervals):
        now += dt
        if tick in starts:
            target = target_of(starts[tick], now)
        command = tracker.step(q, target, now, dt).q_command
        assert command is not None
        q = command
        commands.append(command)
    return np.array(commands)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in ARMS:
        rng = np.random.default_rng(1)
        intervals = (0.01 * rng.uniform(0.7, 1.3, TICKS)).round(6).tolist()
        events = inputs(name)
        commands = replay(name, intervals, events).round(9).tolist()
        trace = {"intervals": intervals, "events": events, "commands": commands}
        (FOLDER / f"{name}.json").write_text(json.dumps(trace) + "\n")


if __name__ == "__main__":
    main()
