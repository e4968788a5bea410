"""The view of an arm in space: its target is dragged along an axis and turned by its ring."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from browser import Window
from executables import ROOT
from live_arm import LiveArm

from ik_node.core import RobotModel
from ik_node.core.se3 import log
from ik_node.ros.conversions import pose_matrix

FOLDER = ROOT / "config" / "open_manipulator_x"
START = {"joint1": 0.0, "joint2": -0.6, "joint3": 0.6, "joint4": 0.5}
BASE, TIP = "base_link", "end_effector_link"
TURN = 0.4


@pytest.fixture(scope="module")
def live(ros: None, chromium: object) -> Iterator[LiveArm]:
    arm = LiveArm(FOLDER, START, port=8090)
    yield arm
    arm.close()


def test_an_arm_of_four_joints_follows_drags_and_turns(live: LiveArm, chromium: object) -> None:
    arm = RobotModel.from_urdf(live.urdf).joint_group(BASE, TIP)

    def q() -> np.ndarray:
        return np.array([live.arm.positions[name] for name in arm.joint_names])

    def off() -> float:
        return math.dist(arm.forward_kinematics(q())[:3, 3], live.targets[-1])

    window = Window(chromium, live.url)
    window.aim(live.urdf, BASE, TIP)
    start = arm.forward_kinematics(q())
    goal = start[:3, 3] + (0.0, 0.0, 0.06)
    window.push(start[:3, 3], (0.0, 0.0, 1.0), 0.06)
    assert math.dist(live.targets[-1], goal) < 0.004
    live.until(lambda: off() < 0.002)
    live.until_code("REACHED", "AT_JOINT_LIMIT")
    before = pose_matrix(live.poses[-1].pose)
    window.turn(before, q(), TURN)
    turned = pose_matrix(live.poses[-1].pose)
    assert np.linalg.norm(log(turned[:3, :3] @ before[:3, :3].T)) == pytest.approx(TURN, abs=0.05)
    live.until(lambda: off() < 0.002)
    window.keep("open_manipulator_x")
    window.close()
