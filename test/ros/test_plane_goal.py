from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ik_node.core import se3
from ik_node.ros.plane_goal import heading, with_plane_goal


def turned(x: float, y: float, z: float) -> np.ndarray:
    return (
        se3.exp(np.array([0.0, 0.0, z]))
        @ se3.exp(np.array([0.0, y, 0.0]))
        @ se3.exp(np.array([x, 0.0, 0.0]))
    )


angles = st.floats(-3.0, 3.0)
places = st.tuples(*[st.floats(-1.0, 1.0)] * 3)


@settings(deadline=None, max_examples=50)
@given(angles, st.floats(-1.3, 1.3), angles, places, places)
def test_place_and_heading_come_from_the_goal_and_height_and_tilt_stay(
    roll: float, pitch: float, yaw: float, place: tuple[float, ...], goal: tuple[float, ...]
) -> None:
    T = se3.pose(turned(roll, pitch, 0.5), np.array(place))
    G = se3.pose(turned(0.0, 0.0, yaw), np.array([*goal[:2], 0.0]))
    moved = with_plane_goal(T, G)
    np.testing.assert_allclose(moved[:3, 3], [goal[0], goal[1], place[2]])
    np.testing.assert_allclose(moved[2, :3], T[2, :3], atol=1e-9)
    assert math.cos(heading(moved) - yaw) > 1.0 - 1e-9


def test_a_tool_that_points_straight_down_has_its_heading_by_another_axis() -> None:
    T = se3.pose(turned(0.0, math.pi / 2, 0.7), np.zeros(3))
    assert abs(heading(T) - 0.7) < 1e-9
