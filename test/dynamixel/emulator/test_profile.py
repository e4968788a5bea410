from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik_node.dynamixel.emulator.profile import Profile, Shape, time_based, velocity_based

POSITION = st.floats(-5000.0, 5000.0)
VELOCITY = st.floats(-3000.0, 3000.0)
FASTEST = st.floats(10.0, 3000.0)
ACCELERATION = st.floats(100.0, 1e5)


def _is_smooth(profile: Profile, position: float, velocity: float) -> None:
    """From its start on, position and velocity are continuous, and it ends at rest in the goal."""
    for piece in profile.pieces:
        assert piece.position == pytest.approx(position, abs=1e-6)
        assert piece.velocity == pytest.approx(velocity, abs=1e-6)
        assert piece.duration >= 0.0
        position, velocity = piece.at(piece.duration)
    assert position == pytest.approx(profile.goal, abs=1e-5)
    assert velocity == pytest.approx(0.0, abs=1e-5)
    assert profile.at(profile.duration + 1.0) == (profile.goal, 0.0)


@given(POSITION, VELOCITY, POSITION, FASTEST, ACCELERATION)
def test_a_trapezoid_joins_any_state_with_any_goal(position, velocity, goal, fastest, acceleration):
    profile = velocity_based(position, velocity, goal, fastest, acceleration)
    _is_smooth(profile, position, velocity)
    for piece in profile.pieces:
        assert abs(piece.acceleration) == pytest.approx(acceleration) or piece.acceleration == 0.0
    assert abs(profile.pieces[1].velocity) <= fastest + 1e-6


@given(POSITION, VELOCITY, POSITION, st.floats(0.01, 5.0), st.floats(0.001, 5.0))
def test_a_time_based_profile_ends_on_time(position, velocity, goal, total, ramp):
    profile = time_based(position, velocity, goal, total, ramp)
    assert profile.duration == pytest.approx(total)
    _is_smooth(profile, position, velocity)


def test_the_shape_is_told():
    assert velocity_based(0, 0, 100, 0, 500).shape is Shape.STEP
    assert velocity_based(0, 0, 100, 50, 0).shape is Shape.RECTANGLE
    assert velocity_based(0, 0, 1, 1000, 500).shape is Shape.TRIANGLE
    assert velocity_based(0, 0, 5000, 1000, 5000).shape is Shape.TRAPEZOID
    assert time_based(0, 0, 100, 0, 0).shape is Shape.STEP
    assert time_based(0, 0, 100, 1, 0).shape is Shape.RECTANGLE
    assert time_based(0, 0, 100, 1, 1).shape is Shape.TRIANGLE
    assert time_based(0, 0, 100, 1, 0.2).shape is Shape.TRAPEZOID
