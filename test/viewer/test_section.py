"""The reachable region of a planar arm is the annulus that geometry says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ik_node.core import JointGroup, RobotModel
from ik_node.core.section import Plane
from ik_node.core.xacro_file import load_description
from ik_node.viewer.section import reachable_region

L1, L2, FOLDED = 0.3, 0.25, 3.1
PLANE = Plane(np.zeros(3), np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]))


@pytest.fixture(scope="module")
def planar(root: object) -> JointGroup:
    text = load_description(f"{root}/config/planar_2r/arm.urdf.xacro")
    return RobotModel.from_urdf(text).joint_group("base_link", "tool")


def test_the_rim_lies_on_both_circles(planar: JointGroup) -> None:
    region = reachable_region(planar, PLANE, turning=False)
    assert region is not None
    radius = np.linalg.norm(region.vertices[np.unique(region.rim)], axis=1)
    hole = math.sqrt(L1**2 + L2**2 + 2.0 * L1 * L2 * math.cos(FOLDED))
    off = np.minimum(np.abs(radius - L1 - L2), np.abs(radius - hole))
    assert off.max() < 1e-4
    assert (radius < 0.3).any() and (radius > 0.3).any()


def test_its_area_is_that_of_the_annulus(planar: JointGroup) -> None:
    region = reachable_region(planar, PLANE, turning=False)
    assert region is not None
    a, b, c = (region.vertices[region.faces[:, i]] for i in range(3))
    u, v = b - a, c - a
    area = 0.5 * float(np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]).sum())
    hole = L1**2 + L2**2 + 2.0 * L1 * L2 * math.cos(FOLDED)
    assert area == pytest.approx(math.pi * ((L1 + L2) ** 2 - hole), rel=0.03)


def test_a_section_of_a_spatial_arm_holds_only_what_it_can_reach(root: object) -> None:
    text = load_description(f"{root}/config/open_manipulator_x/arm.urdf.xacro")
    arm = RobotModel.from_urdf(text).joint_group("base_link", "end_effector_link")
    axis = arm.joint_axes(np.zeros(4))[0]
    plane = Plane(axis[:3], np.array([1.0, 0.0, 0.0]), axis[3:])
    region = reachable_region(arm, plane, turning=True)
    assert region is not None and len(region.faces) > 300
    shoulder = arm.joint_axes(np.zeros(4))[1, :3]
    away = np.linalg.norm(
        plane.origin
        + region.vertices[:, :1] * plane.across
        + region.vertices[:, 1:] * plane.along
        - shoulder,
        axis=1,
    )
    assert away.max() < arm.reach


def test_what_is_not_wanted_any_more_is_given_up(planar: JointGroup) -> None:
    assert reachable_region(planar, PLANE, turning=False, wanted=lambda: False) is None
