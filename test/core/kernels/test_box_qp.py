"""The box minimiser: exact, never lost, warm or cold."""

import itertools
from typing import NamedTuple

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


def cost(H, g, x):
    return 0.5 * x @ H @ x + g @ x


def residual(H, g, lower, upper, x):
    """The KKT residual: how far x is from its projected gradient step."""
    return np.abs(x - np.clip(x - (H @ x + g), lower, upper)).max()


KINDS = ("plain", "deficient", "twins", "nearly", "corner", "equal", "tiny", "open", "narrow")


def random_problem(rng, kind):
    """A problem of 2 to 7 variables: H, g, lower, upper."""
    n = int(rng.integers(2, 8))
    A = rng.standard_normal((int(rng.integers(1, 9)), n))
    damping = rng.uniform(0.05, 1.0)
    if kind == "deficient":
        A, damping = A[: n - 1], 0.0
    elif kind == "twins":
        one, other = rng.choice(n, 2, replace=False)
        A[:, one] = A[:, other]
        damping = 0.0
    elif kind == "nearly":
        damping = 10.0 ** rng.uniform(-5, -2)
    H = A.T @ A + damping**2 * np.eye(n)
    g = rng.standard_normal(n) if damping else A.T @ rng.standard_normal(len(A))
    g *= 10.0 ** rng.uniform(-2, 1)
    width = 10.0 ** rng.uniform(-3, 1)
    lower, upper = -rng.uniform(0, width, n), rng.uniform(0, width, n)
    some = rng.random(n) < 0.5
    if kind == "corner":  # bounds that are touched with no force
        g = -H @ np.where(some, lower, np.where(rng.random(n) < 0.5, upper, 0.0))
    elif kind == "equal":
        upper[some] = lower[some]
    elif kind == "tiny":
        upper = lower + 10.0 ** rng.uniform(-12, -5) * rng.random(n)
    elif kind == "narrow":
        upper = lower + rng.uniform(0, 1e-3, n)
    elif kind == "open":
        lower[some] = -np.inf
        upper[rng.random(n) < 0.5] = np.inf
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
        if inside and cost(H, g, x) < least:
            best, least = x, cost(H, g, x)
    return best, least


class Solved(NamedTuple):
    kind: str
    problem: tuple[np.ndarray, ...]
    x: np.ndarray
    pivots: int


@pytest.fixture(scope="module")
def solved():
    """Ten thousand problems of every kind, each from a random guess of the active set."""
    rng = np.random.default_rng(0)
    found = []
    for trial in range(examples(10_000)):
        kind = KINDS[trial % len(KINDS)]
        problem = random_problem(rng, kind)
        guess = rng.integers(-1, 2, len(problem[1])).astype(np.int8)
        found.append(Solved(kind, problem, *solve(*problem, guess)))
    return found


def test_every_one_of_ten_thousand_random_problems_is_solved_exactly(solved):
    for _, (H, g, lower, upper), x, pivots in solved:
        assert pivots > 0
        assert np.all(x >= lower)
        assert np.all(x <= upper)
        assert residual(H, g, lower, upper, x) <= 1e-12 * max(1.0, np.abs(x).max())


def test_no_minimum_of_daqp_is_lower_and_none_differs(solved):
    """Its points are brought into the box first, out of which they may be by its tolerance.

    Where H has no full rank it takes proximal steps, and may end above the minimum.
    """
    reference = pytest.importorskip("qpsolvers", reason="needs qpsolvers and daqp")
    pytest.importorskip("daqp", reason="needs qpsolvers and daqp")
    answered = 0
    for kind, (H, g, lower, upper), x, _ in solved:
        proximal = 1e-6 if kind in ("deficient", "twins") else 0.0
        y = reference.solve_qp(
            H, g, lb=lower, ub=upper, solver="daqp", primal_tol=1e-13, dual_tol=1e-13,
            eps_prox=proximal,
        )  # fmt: skip
        if y is None:
            continue
        answered += 1
        y = np.clip(y, lower, upper)
        above = cost(H, g, y) - cost(H, g, x)
        assert above >= -1e-9
        assert above <= 1e-9 or proximal or kind == "nearly"
    assert answered > 0.99 * len(solved)


def test_the_minimiser_is_the_one_that_trying_every_active_set_finds():
    rng = np.random.default_rng(1)
    tried = 0
    while tried < examples(200):
        H, g, lower, upper = random_problem(rng, "plain" if tried % 2 else "equal")
        if len(g) > 5:
            continue
        tried += 1
        x, _ = solve(H, g, lower, upper)
        best, least = exhaustive(H, g, lower, upper)
        assert cost(H, g, x) <= least + 1e-12 * max(1.0, abs(least))
        np.testing.assert_allclose(x, best, atol=1e-9)


def test_a_warm_start_from_the_solution_takes_one_pivot():
    rng = np.random.default_rng(3)
    for _ in range(examples(100)):
        H, g, lower, upper = random_problem(rng, "plain")
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
