from __future__ import annotations

import numpy as np
import pytest
from visualization_msgs.msg import InteractiveMarkerControl as Control

from ik_node.ros.conversions import rotation_matrix
from ik_node.ros.target_marker import target_marker

AXES = [np.array(axis, float) for axis in ([1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, 0.6, -0.8])]


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("turns", [False, True])
def test_a_control_drags_along_or_about_its_axis(axis: np.ndarray, turns: bool) -> None:
    arrows, rings = (np.empty((0, 3)), axis[None]) if turns else (axis[None], np.empty((0, 3)))
    _, control = target_marker("base_link", np.eye(4), 0.2, arrows, rings).controls
    np.testing.assert_allclose(rotation_matrix(control.orientation)[:, 0], axis, atol=1e-9)
    assert control.interaction_mode == (Control.ROTATE_AXIS if turns else Control.MOVE_AXIS)
    assert control.orientation_mode == (Control.INHERIT if turns else Control.FIXED)


def test_the_ball_of_a_planar_arm_stays_in_its_plane() -> None:
    plane = np.array([[1.0, 0, 0], [0, 0, 1.0]])
    ball = target_marker("base_link", np.eye(4), 0.2, plane, np.empty((0, 3))).controls[0]
    assert ball.interaction_mode == Control.MOVE_PLANE
    normal = rotation_matrix(ball.orientation)[:, 0]
    np.testing.assert_allclose(np.abs(normal), [0, 1, 0], atol=1e-9)


def test_the_marker_has_no_stamp_so_that_rviz_keeps_its_frame() -> None:
    marker = target_marker("base_link", np.eye(4), 0.2, np.eye(3), np.eye(3))
    assert marker.header.frame_id == "base_link"
    assert (marker.header.stamp.sec, marker.header.stamp.nanosec) == (0, 0)
    assert len(marker.controls) == 7


def test_what_is_wrong_stands_above_the_marker_and_colours_the_ball() -> None:
    def colour(sentence: str) -> tuple[float, float, float]:
        marker = target_marker("b", np.eye(4), 0.2, np.eye(3), np.eye(3), sentence)
        assert marker.description == sentence
        made = marker.controls[0].markers[0].color
        return (made.r, made.g, made.b)

    assert colour("") != colour("12 mm out of reach")
