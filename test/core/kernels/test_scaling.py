from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ik_node.core.kernels.scaling import LOST, braking_speed, desired_scale, scaled_step

seeds = st.integers(0, 2**32 - 1)


@settings(deadline=None)
@given(st.floats(1e-6, 10.0), st.floats(0.1, 100.0), st.floats(1e-3, 0.1))
def test_the_braking_speed_stops_exactly_at_the_distance(
    distance: float, acceleration: float, dt: float
) -> None:
    left = distance
    v = braking_speed(distance, acceleration, dt)
    for _ in range(20000):
        if v <= 0.0:
            break
        left -= v * dt
        v -= acceleration * dt
    assert math.isclose(left, 0.0, abs_tol=1e-9 * max(1.0, distance))


def test_braking_speed_is_finite_or_infinite_and_never_nan() -> None:
    assert braking_speed(math.inf, 1.0, 0.01) == math.inf
    assert braking_speed(0.0, 1.0, 0.01) == 0.0
    assert braking_speed(-1.0, 1.0, 0.01) == 0.0


@settings(max_examples=100, deadline=None)
@given(seeds)
def test_the_direction_is_kept_whenever_the_box_allows_any_multiple(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    d = rng.normal(size=n)
    lower, upper = -rng.uniform(0.0, 1.0, n), rng.uniform(0.0, 1.0, n)
    dq = np.empty(n)
    scale = scaled_step(d, 0.7, lower, upper, dq)
    assert 0.0 <= scale <= 0.7
    np.testing.assert_allclose(dq, scale * d, atol=1e-15)
    assert np.all((dq >= lower) & (dq <= upper))


@settings(max_examples=100, deadline=None)
@given(seeds)
def test_the_step_is_inside_every_box_even_one_that_excludes_standing_still(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    middle = rng.normal(size=n)
    half = rng.uniform(0.0, 0.5, n)
    lower, upper = middle - half, middle + half
    d = np.where(rng.random(n) < 0.2, 0.0, rng.normal(size=n))
    dq = np.empty(n)
    scale = scaled_step(d, float(rng.random()), lower, upper, dq)
    assert np.all((dq >= lower) & (dq <= upper))
    assert scale == LOST or 0.0 <= scale <= 1.0


def test_when_the_direction_is_lost_and_nothing_helps_the_joints_brake_fully() -> None:
    lower, upper = np.array([0.02, -0.05]), np.array([0.04, -0.03])
    dq = np.empty(2)
    assert scaled_step(np.array([-1.0, 1.0]), 1.0, lower, upper, dq) == LOST
    np.testing.assert_array_equal(dq, [0.02, -0.03])


@settings(max_examples=50, deadline=None)
@given(seeds)
def test_the_desired_scale_meets_every_speed_limit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    d, speed, acceleration = rng.normal(size=n), rng.uniform(0.1, 5, n), rng.uniform(1, 50, n)
    scale = desired_scale(d, 0.1, speed, acceleration, 0.7, 0.01)
    assert 0.0 <= scale <= 1.0
    assert np.all(np.abs(scale * d) <= speed * 0.01 * (1 + 1e-12))
