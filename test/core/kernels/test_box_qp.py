"""The box minimiser: exact, never lost, warm or cold."""

import itertools

import numpy as np
import pytest
from strategies import examples

from ik_node.core.kernels.box_qp import solve_box_qp


def solve(H, g, lower, upper, active=None):
    n = len(g)
    x = np.full(n, np.nan)
    warm = np.zeros(n, np.int8) if active is None else active
    pivots = solve_box_qp(H, g, lower, upper, x, warm, np.empty((n + 2, n)))
    return x, pivots


def residual(H, g, lower, upper, x):
    """The KKT residual: how far x is from its projected gradient step."""
    return np.abs(x - np.clip(x - (H @ x + g), lower, upper)).max()


def random_problem(rng, conditioned=True):
    n = int(rng.integers(1, 8))
    A = rng.standard_normal((int(rng.integers(1, 9)), n))
    damping = rng.uniform(0.05, 1.0) if conditioned else 10.0 ** rng.uniform(-4, -2)
    H = A.T @ A + damping**2 * np.eye(n)
    g = rng.standard_normal(n) * 10.0 ** rng.uniform(-2, 1)
    width = 10.0 ** rng.uniform(-3, 1)
    lower, upper = -rng.uniform(0, width, n), rng.uniform(0, width, n)
    if rng.random() < 0.1:
        upper[:] = lower + rng.uniform(0, 1e-3, n)
    if rng.random() < 0.1:
        joint = rng.integers(n)
        lower[joint] = upper[joint]
    if rng.random() < 0.2:
        lower[rng.integers(n)] = -np.inf
    return H, g, lower, upper


def exhaustive(H, g, lower, upper):
    """The minimiser by trying every set of active bounds."""
    n = len(g)
    best, least = None, np.inf
    for choice in itertools.product((-1, 0, 1), repeat=n):
        free = np.array([c == 0 for c in choice])
        x = np.where(np.array(choice) < 0, lower, upper)
        if not np.isfinite(x[~free]).all():
            continue
        x[free] = 0.0
        if free.any():
            x[free] = np.linalg.solve(H[np.ix_(free, free)], -(g + H @ x)[free])
        inside = np.all(x >= lower - 1e-12) and np.all(x <= upper + 1e-12)
        if inside and 0.5 * x @ H @ x + g @ x < least:
            best, least = x, 0.5 * x @ H @ x + g @ x
    return best, least


def test_every_one_of_ten_thousand_random_problems_is_solved_exactly():
    rng = np.random.default_rng(0)
    for _ in range(examples(10_000)):
        H, g, lower, upper = random_problem(rng)
        x, pivots = solve(H, g, lower, upper, rng.integers(-1, 2, len(g)).astype(np.int8))
        assert pivots > 0
        assert np.all(x >= lower)
        assert np.all(x <= upper)
        assert residual(H, g, lower, upper, x) <= 1e-12


def test_the_minimiser_is_the_one_that_trying_every_active_set_finds():
    rng = np.random.default_rng(1)
    tried = 0
    while tried < examples(200):
        H, g, lower, upper = random_problem(rng)
        if len(g) > 5:
            continue
        tried += 1
        x, _ = solve(H, g, lower, upper)
        best, least = exhaustive(H, g, lower, upper)
        assert 0.5 * x @ H @ x + g @ x <= least + 1e-12 * max(1.0, abs(least))
        np.testing.assert_allclose(x, best, atol=1e-9)


def test_nearly_singular_problems_are_solved_to_rounding():
    rng = np.random.default_rng(2)
    for _ in range(examples(1000)):
        H, g, lower, upper = random_problem(rng, conditioned=False)
        x, pivots = solve(H, g, lower, upper)
        assert pivots > 0
        assert residual(H, g, lower, upper, x) <= 1e-12 * max(1.0, np.abs(H).max())


def test_a_warm_start_from_the_solution_takes_one_pivot():
    rng = np.random.default_rng(3)
    for _ in range(examples(100)):
        H, g, lower, upper = random_problem(rng)
        active = np.zeros(len(g), np.int8)
        first, _ = solve(H, g, lower, upper, active)
        again, pivots = solve(H, g, lower, upper, active)
        assert pivots == 1
        np.testing.assert_array_equal(first, again)


def test_a_singular_matrix_still_gives_a_minimiser_in_the_box():
    H = np.ones((3, 3))
    x, pivots = solve(H, np.array([-1.0, -1.0, -1.0]), -np.ones(3), np.ones(3))
    assert pivots > 0
    assert x.sum() == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("poison", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_told_and_answered_inside_the_box(poison):
    H, g = np.eye(3), np.array([1.0, poison, 1.0])
    x, pivots = solve(H, g, np.array([0.1, -1, -1.0]), np.ones(3))
    assert pivots == -1
    np.testing.assert_array_equal(x, [0.1, 0.0, 0.0])
