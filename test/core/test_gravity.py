from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import JointText, arm_texts, examples, fixed_joint, planar_2r, urdf

from ik_node.core import RobotModel, gravity_torque


def energy(model: RobotModel, positions: dict[str, float], gravity: np.ndarray) -> float:
    """Potential energy [J] of all links."""
    total = 0.0
    for link in model.links.values():
        T = model.frame_pose(link.name, positions)
        total -= link.mass * float(gravity @ (T[:3, :3] @ link.com + T[:3, 3]))
    return total


@settings(deadline=None, max_examples=examples(25))
@given(arm_texts(1, 5), st.integers(0, 2**31))
def test_the_torque_is_the_slope_of_the_potential_energy(text: str, seed: int) -> None:
    model = RobotModel.from_urdf(text)
    rng = np.random.default_rng(seed)
    gravity = rng.normal(size=3)
    names = [j.name for j in model.joints.values() if j.moves and not j.mimic]
    q = {name: float(value) for name, value in zip(names, rng.normal(size=9), strict=False)}
    torque = gravity_torque(model, q, gravity)
    assert list(torque) == names
    h = 1e-5
    for name in names:
        ahead, behind = ({**q, name: q[name] + d} for d in (h, -h))
        slope = (energy(model, ahead, gravity) - energy(model, behind, gravity)) / (2 * h)
        assert torque[name] == pytest.approx(slope, abs=1e-7)


def test_a_level_arm_is_heaviest_and_a_hanging_one_weighs_nothing() -> None:
    text = planar_2r(0.3, 0.25)
    model = RobotModel.from_urdf(text)
    level = gravity_torque(model, {"shoulder": 0.0, "elbow": 0.0})
    # 0.1 kg each, 0.02 m out from the shoulder, from the elbow and from the tool's frame.
    masses = 0.1 * 9.81 * np.array([0.02, 0.32, 0.57])
    assert level["shoulder"] == pytest.approx(masses.sum())
    hanging = gravity_torque(model, {"shoulder": -np.pi / 2})
    assert hanging["shoulder"] == pytest.approx(0.0, abs=1e-12)


def test_branches_beside_the_arm_count() -> None:
    limit = '<limit lower="-1" upper="1" velocity="1" effort="1"/>'
    text = '<robot name="t"><link name="base"/>' + "".join(
        f'<link name="{child}"><inertial><mass value="1"/></inertial></link>'
        f'<joint name="{child}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{x} 0 0"/><axis xyz="0 -1 0"/>{limit}</joint>'
        for parent, child, kind, x in (
            ("base", "arm", "revolute", 0.0),
            ("arm", "left", "fixed", 1.0),
            ("arm", "right", "revolute", -3.0),
        )
    )
    torque = gravity_torque(RobotModel.from_urdf(text + "</robot>"), {}, (0, 0, -1))
    assert torque == pytest.approx({"arm": 1.0 - 3.0, "right": 0.0})


def test_a_vertical_slide_carries_the_weight() -> None:
    slide = JointText("slide", "prismatic", lower=0.0, upper=1.0, mass=2.0)
    model = RobotModel.from_urdf(urdf([slide, fixed_joint((0, 0, 0))]))
    assert gravity_torque(model, {})["slide"] == pytest.approx(2.1 * 9.81)
