"""An arm whose tool goes round in a circle: the package's own tracker in front of the driver.

What runs between the two in ROS messages is handed over here: readings each aged by itself, the
driver's ERROR as the tracker's fault, commands back.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from ik_node.control import PoseTracker, TrackerConfig
from ik_node.control.output import TrackerOutput
from ik_node.core import RobotModel
from ik_node.core.xacro_file import load_description
from ik_node.datatypes import Severity
from ik_node.dynamixel.report import DriverReport

ARM = Path(__file__).parents[2] / "config" / "open_manipulator_x"
URDF = ARM / "arm.urdf.xacro"
CONFIG = TrackerConfig(floor_height=0.0, search_iterations=1000)
"""Enough iterations to find each tick's new target in that tick without numba too."""

CENTRE, RADIUS, PERIOD = (0.19, 0.0, 0.17), 0.07, 4.0


def bus_entries() -> dict[str, Any]:
    """The entries of the arm's servos.yaml."""
    tree = yaml.safe_load((ARM / "servos.yaml").read_text(encoding="utf-8"))
    entries: dict[str, Any] = tree["/**"]["ros__parameters"]
    return entries


class CirclingArm:
    """Commands of an arm on its way round; `output` is what the tracker last gave."""

    def __init__(self) -> None:
        model = RobotModel.from_urdf(load_description(URDF, {}))
        self._arm = model.joint_group(base="base_link", tip="end_effector_link")
        self._tracker = PoseTracker(self._arm, CONFIG)
        self.joints = self._arm.joint_names
        self._seen: dict[str, tuple[float, float, float]] = {}
        self._last = math.nan
        self.output: TrackerOutput | None = None

    def goals(self, report: DriverReport, now: float) -> dict[str, float]:
        """What to command after `report`; nothing while the tracker waits or is in fault."""
        for reading in report.readings:
            self._seen[reading.name] = (reading.position, reading.velocity, report.now)
        names = self.joints
        missing = [name for name in names if name not in self._seen]
        joints = np.array([self._seen[name] for name in names]) if not missing else None
        self._tracker.fault(report.message if report.severity is Severity.ERROR else None)
        self.output = self._tracker.step(
            None if joints is None else joints[:, 0],
            self._target(now),
            now,
            0.0 if math.isnan(self._last) else now - self._last,
            qd_measured=None if joints is None else joints[:, 1],
            state_stamps=None if joints is None else joints[:, 2],
            missing=missing,
        )
        self._last = now
        command = self.output.q_command
        return {} if command is None else dict(zip(names, map(float, command), strict=True))

    def _target(self, now: float) -> np.ndarray:
        angle = 2.0 * math.pi * now / PERIOD
        across, up = RADIUS * math.sin(angle), RADIUS * math.cos(angle)
        return np.array(CENTRE) + np.array([0.6 * up, across, 0.8 * up])
