"""Every arm that ships: its three files load, agree with each other, and stand up as a robot."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import yaml
from urdf_parser_py.urdf import URDF

from ik_node.core import JointGroup, RobotModel
from ik_node.core.xacro_file import load_description
from ik_node.dynamixel.config import BusConfig
from ik_node.dynamixel.servos_yaml import load_servos_yaml

ROOT = Path(__file__).resolve().parents[2]
ARMS = sorted(
    folder.name for folder in (ROOT / "config").iterdir() if (folder / "servos.yaml").exists()
)


def parameters(arm: str) -> dict[str, object]:
    document = yaml.safe_load((ROOT / "config" / arm / "ik_node.yaml").read_text())
    return dict(document["/**"]["ros__parameters"])


def model(arm: str, **arguments: str) -> RobotModel:
    return RobotModel.from_urdf(
        load_description(ROOT / "config" / arm / "arm.urdf.xacro", arguments)
    )


def group(arm: str) -> JointGroup:
    names = parameters(arm)
    return model(arm).joint_group(base=str(names["base_frame"]), tip=str(names["tip_frame"]))


def bus(arm: str) -> BusConfig:
    return load_servos_yaml(ROOT / "config" / arm / "servos.yaml")


def test_the_four_arms_are_there() -> None:
    assert ARMS == ["open_manipulator_x", "planar_2r", "wx200", "wx250s"]


@pytest.mark.parametrize("arm", ARMS)
def test_every_joint_of_the_chain_has_a_servo_that_can_reach_its_limits(arm: str) -> None:
    chain, servos = group(arm), bus(arm)
    assert set(chain.joint_names) <= set(servos.joints)
    for name, lower, upper in zip(chain.joint_names, chain.lower, chain.upper, strict=True):
        servo = servos.servo(name)
        ticks = [servo.zero + servo.direction * q * 4096 / (2 * math.pi) for q in (lower, upper)]
        assert min(ticks) > -1.0 and max(ticks) < 4097.0


@pytest.mark.parametrize("arm", ARMS)
def test_a_servo_outside_the_chain_is_a_joint_of_the_robot(arm: str) -> None:
    joints = model(arm).joints
    for name in set(bus(arm).joints) - set(group(arm).joint_names):
        servo = bus(arm).servo(name)
        assert joints[name].lower == pytest.approx(servo.lower)
        assert joints[name].upper == pytest.approx(servo.upper)


@pytest.mark.parametrize("arm", ARMS)
def test_a_prefix_and_a_world_link_are_to_be_had(arm: str) -> None:
    robot = model(arm, prefix="left_", world="true")
    names = parameters(arm)
    tip = f"left_{names['tip_frame']}"
    plain = group(arm)
    prefixed = robot.joint_group(base=f"left_{names['base_frame']}", tip=tip)
    assert prefixed.joint_names == tuple(f"left_{name}" for name in plain.joint_names)
    assert robot.joint_group(base="world", tip=tip).size == plain.size


PUBLISHED_REACH = {
    "open_manipulator_x": 0.380,
    "wx200": 0.550,
    "wx250s": 0.650,
}
"""Metres, from the makers' data sheets (shoulder or base axis to tool, arm stretched)."""


@pytest.mark.parametrize("arm", sorted(PUBLISHED_REACH))
def test_the_reach_is_the_published_one(arm: str) -> None:
    chain = group(arm)
    samples = np.random.default_rng(0).uniform(chain.lower, chain.upper, (4000, chain.size))
    reach = max(float(np.hypot(*chain.forward_kinematics(q)[:2, 3])) for q in samples)
    assert reach == pytest.approx(PUBLISHED_REACH[arm], rel=0.06)


def test_the_lengths_of_the_planar_arm_are_arguments() -> None:
    arm = model("planar_2r", l1="0.2", l2="0.15").joint_group(base="base_link", tip="tool")
    np.testing.assert_allclose(arm.forward_kinematics(np.zeros(2))[:3, 3], [0.35, 0, 0], atol=1e-12)
    raised = arm.forward_kinematics(np.array([math.pi / 2, -math.pi / 2]))[:3, 3]
    np.testing.assert_allclose(raised, [0.15, 0, 0.2], atol=1e-12)


@pytest.mark.parametrize("arm", ARMS)
def test_every_inertia_is_that_of_a_body_that_can_exist(arm: str) -> None:
    robot = URDF.from_xml_string(load_description(ROOT / "config" / arm / "arm.urdf.xacro"))
    for link in robot.links:
        if link.inertial is None:
            assert not link.visuals, link.name
            continue
        inertia = np.array(link.inertial.inertia.to_matrix(), dtype=float)
        a, b, c = np.linalg.eigvalsh(inertia)
        assert a > 0 and a + b >= c * (1 - 1e-9)
        extent = max(
            max(shape.geometry.size) for shape in link.visuals if hasattr(shape.geometry, "size")
        )
        assert math.sqrt(c / link.inertial.mass) < extent
