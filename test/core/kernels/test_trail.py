"""A command that trails its plan: the plan's average, exactly, inside the limits of every tick."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ik_node.core.kernels.trail import begin_trail, follow_plan

FREE = np.array([[-np.inf] * 2, [np.inf] * 2, [1e9] * 2, [1e9] * 2])
"""Limits that limit nothing."""


class Follower:
    """A command of two joints behind a plan, from `q` (2,) and `v` (2,) on."""

    def __init__(self, q, v, window, limits=FREE, points=400):
        self.q, self.v = np.array(q, float), np.array(v, float)
        self.plan = self.q.copy()
        self.window, self.limits = window, limits
        self.path, self.spans = np.zeros((points, 2)), np.full(points, window)
        begin_trail(self.plan, self.v, window, limits, self.path, self.spans)
        self.newest, self.work = 1, np.zeros((3, 2))

    def follow(self, plan, dt):
        self.newest = follow_plan(
            np.array(plan, float),
            self.q,
            self.v,
            dt,
            self.window,
            self.limits,
            self.path,
            self.spans,
            self.newest,
            self.work,
        )
        return self.q.copy()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.005, 0.5))
def test_it_is_where_the_plan_was_on_average(seed, window):
    rng = np.random.default_rng(seed)
    follower = Follower(rng.normal(size=2), np.zeros(2), window)
    times, points = [-window, 0.0], [follower.plan, follower.plan]
    for _ in range(60):
        dt = rng.uniform(0.001, 0.03)
        times.append(times[-1] + dt)
        points.append(points[-1] + 0.1 * rng.normal(size=2))
        q = follower.follow(points[-1], dt)
        fine = times[-1] - window * (np.arange(4000) + 0.5) / 4000
        mean = [np.interp(fine, times, np.array(points)[:, i]).mean() for i in range(2)]
        np.testing.assert_allclose(q, mean, atol=1e-4)


def test_it_comes_to_exactly_where_the_plan_rests_one_window_later():
    follower = Follower([0.1, -3.0], np.zeros(2), 0.2)
    for _ in range(20):
        before = follower.follow([0.7, 1.1], 0.01)
    assert not np.array_equal(before, [0.7, 1.1])
    for _ in range(3):
        after = follower.follow([0.7, 1.1], 0.01)
    np.testing.assert_array_equal(after, [0.7, 1.1])
    assert not follower.v.any()


def test_a_start_in_motion_has_the_plan_half_a_window_ahead_and_goes_on_evenly():
    follower = Follower([0.5, 0.0], [1.0, -0.5], 0.2)
    np.testing.assert_allclose(follower.plan, [0.6, -0.05])
    for tick in range(1, 60):
        q = follower.follow(follower.plan + 0.01 * tick * np.array([1.0, -0.5]), 0.01)
        np.testing.assert_allclose(q, [0.5 + 0.01 * tick, -0.005 * tick], atol=1e-12)


def test_a_start_towards_a_wall_is_as_fast_as_plan_and_command_can_brake():
    limits = np.array([[-1.0] * 2, [1.0] * 2, [3.0] * 2, [10.0] * 2])
    follower = Follower([0.95, 0.0], [3.0, 3.0], 0.2, limits)
    v, plan = follower.v, follower.plan
    assert 0.0 < v[0] < 1.0
    assert v[1] == pytest.approx(3.0)
    assert plan[0] + v[0] ** 2 / (2.0 * limits[3, 0]) <= 1.0 + 1e-12


def test_a_plan_that_jumps_is_followed_no_faster_than_the_limits_allow():
    limits = np.array([[-1.0] * 2, [1.0] * 2, [3.0] * 2, [10.0] * 2])
    follower = Follower([0.0, 0.0], [0.0, 0.0], 0.1, limits)
    rng = np.random.default_rng(0)
    for tick in range(400):
        dt = 0.01 * rng.uniform(0.3, 2.0)
        speed = follower.v.copy()
        q = follower.follow([1.0, -1.0] if tick % 97 < 50 else [-1.0, 1.0], dt)
        assert np.all(np.abs(q) <= 1.0)
        assert np.all(np.abs(follower.v) <= 3.0 + 1e-12)
        assert np.all(np.abs(follower.v - speed) <= 10.0 * dt + 1e-12)
