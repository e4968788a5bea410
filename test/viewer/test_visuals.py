"""Shapes are read from URDF; what cannot be drawn is named."""

from __future__ import annotations

import numpy as np
import pytest

from ik_node.core.xacro_file import load_description
from ik_node.errors import UrdfError
from ik_node.viewer.visuals import GREY, Shape, read_visuals


def robot(*visuals: str, rest: str = "") -> str:
    inside = "".join(f"<visual>{visual}</visual>" for visual in visuals)
    return f'<robot name="r">{rest}<link name="a">{inside}</link></robot>'


BOX = '<geometry><box size="0.1 0.2 0.3"/></geometry>'


def test_boxes_cylinders_and_spheres_have_their_sizes_and_places() -> None:
    cylinder = '<geometry><cylinder radius="0.02" length="0.5"/></geometry>'
    sphere = '<geometry><sphere radius="0.1"/></geometry>'
    moved = '<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>'
    box, round_, ball = read_visuals(robot(moved + BOX, cylinder, sphere)).shapes["a"]
    assert (box.shape, box.size) == (Shape.BOX, (0.1, 0.2, 0.3))
    assert (round_.shape, round_.size) == (Shape.CYLINDER, (0.02, 0.5))
    assert (ball.shape, ball.size) == (Shape.SPHERE, (0.1,))
    np.testing.assert_allclose(box.origin[:3, 3], (1.0, 2.0, 3.0))
    np.testing.assert_allclose(box.origin[:3, :3] @ (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), atol=1e-12)


def test_colours_come_from_the_visual_or_by_name_from_the_robot() -> None:
    red = '<material name="red"><color rgba="1 0 0 1"/></material>'
    named = '<material name="red"/>'
    own = '<material name="x"><color rgba="0 1 0 1"/></material>'
    found = read_visuals(robot(BOX + named, BOX + own, BOX, rest=red)).shapes["a"]
    assert [visual.colour for visual in found] == [(255, 0, 0), (0, 255, 0), GREY]


def test_a_mesh_is_left_out_and_its_link_named() -> None:
    mesh = '<geometry><mesh filename="package://x/y.stl"/></geometry>'
    found = read_visuals(robot(mesh, BOX))
    assert found.left_out == ("a",)
    assert len(found.shapes["a"]) == 1


@pytest.mark.parametrize("size", ["", "1 2", "1 2 x", "1 2 nan"])
def test_a_size_that_is_none_is_refused_by_the_link_s_name(size: str) -> None:
    with pytest.raises(UrdfError, match="link 'a' has a visual whose <box>"):
        read_visuals(robot(f'<geometry><box size="{size}"/></geometry>'))


@pytest.mark.parametrize("arm", ["planar_2r", "open_manipulator_x", "wx200", "wx250s"])
def test_every_arm_that_ships_can_be_drawn_whole(arm: str, root: object) -> None:
    urdf = load_description(f"{root}/config/{arm}/arm.urdf.xacro")
    found = read_visuals(urdf)
    assert found.left_out == ()
    assert sum(map(len, found.shapes.values())) > 3
