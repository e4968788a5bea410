from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ik_node.core.kernels.bounds import integrate, step_bounds, wall_speed

positive = st.floats(1e-3, 1e3)


@settings(deadline=None)
@given(st.floats(0.0, 1e3), positive, st.floats(1e-3, 0.1))
def test_the_wall_speed_can_brake_before_the_wall_and_no_larger_one_can(
    distance: float, acceleration: float, dt: float
) -> None:
    v = wall_speed(distance, acceleration, dt)
    assert math.isclose(v * dt + v * v / (2 * acceleration), distance, rel_tol=1e-9, abs_tol=1e-15)


def test_a_continuous_joint_has_no_wall() -> None:
    assert wall_speed(math.inf, 1.0, 0.01) == math.inf


def test_past_the_wall_nothing_goes_further() -> None:
    assert wall_speed(-0.1, 1.0, 0.01) == 0.0


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_any_choice_in_the_box_stays_viable_for_any_later_interval(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 4
    walls = np.vstack([-rng.uniform(0.01, 2.0, n), rng.uniform(0.01, 2.0, n)])
    walls[:, 0] = -np.inf, np.inf
    speed, acceleration = rng.uniform(0.5, 5.0, n), rng.uniform(0.5, 50.0, n)
    q, v = np.zeros(n), np.zeros(n)
    lower, upper = np.empty(n), np.empty(n)
    push = rng.choice([-1.0, 1.0], n)
    for _ in range(300):
        dt = rng.uniform(1e-4, 0.1)
        step_bounds(q, v, dt, walls, speed, acceleration, lower, upper)
        assert np.all(lower <= upper)
        push = np.where(rng.random(n) < 0.05, -push, push)
        share = rng.choice([0.0, 0.5, 1.0], n)
        edge = np.where(push > 0, upper, lower)
        before = v.copy()
        integrate(q, v, edge + share * (0.5 * (lower + upper) - edge), dt, walls)
        assert np.all((q >= walls[0]) & (q <= walls[1]))
        assert np.all(np.abs(v) <= speed + 1e-9)
        assert np.all(np.abs(v - before) <= acceleration * dt + 1e-9)


@settings(max_examples=60, deadline=None)
@given(st.floats(0.001, 3.0), st.floats(-2.0, 0.0), st.floats(1e-3, 0.1))
def test_outside_a_limit_the_joint_moves_inward_or_stands(
    outside: float, v: float, dt: float
) -> None:
    walls = np.array([[-1.0], [1.0]])
    q, velocity = np.array([1.0 + outside]), np.array([v])
    lower, upper = np.empty(1), np.empty(1)
    step_bounds(q, velocity, dt, walls, np.array([2.0]), np.array([10.0]), lower, upper)
    assert lower[0] <= upper[0] <= 0.0


def test_a_speed_limit_lowered_in_motion_is_met_by_braking_not_by_a_jump() -> None:
    walls = np.array([[-np.inf], [np.inf]])
    lower, upper = np.empty(1), np.empty(1)
    step_bounds(
        np.zeros(1), np.array([3.0]), 0.01, walls, np.ones(1), np.full(1, 10.0), lower, upper
    )
    assert lower[0] == upper[0]
    assert math.isclose(lower[0], (3.0 - 0.1) * 0.01)
