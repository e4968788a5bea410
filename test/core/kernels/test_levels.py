"""Two levels in one box: the second changes nothing that the first achieves."""

import numpy as np
from scipy.optimize import minimize
from strategies import examples

from ik_node.core.kernels.levels import solve_levels

NONE = np.zeros((0, 1))


def solve(A1, b1, lam1, A2, b2, lam2, lower, upper, rest=None):
    n = A1.shape[1]
    dq = np.empty(n)
    pivots = solve_levels(
        A1, b1, lam1, A2, b2, lam2, np.zeros(n) if rest is None else rest, lower, upper, dq,
        np.zeros(n, np.int8), np.empty((3 * n + 6, n)),
    )  # fmt: skip
    assert pivots > 0
    assert np.all(dq >= lower)
    assert np.all(dq <= upper)
    return dq


def random_problem(rng, kind="plain"):
    n = int(rng.integers(4, 8)) if kind == "plain" else int(rng.integers(2, 8))
    A1, b1 = rng.standard_normal((3, n)), 0.1 * rng.standard_normal(3)
    A2, b2 = rng.standard_normal((3, n)), 0.1 * rng.standard_normal(3)
    lower, upper = -rng.uniform(0, 0.1, n), rng.uniform(0, 0.1, n)
    some = rng.random(n) < 0.5
    if kind == "nearly":
        A1[:, 0] = A1[:, -1] * (1.0 + 1e-3 * rng.standard_normal(3))
    elif kind == "singular":
        A1[2] = A1[1] * rng.uniform(-2, 2)
        A2[:, some] = A1[:, some]
    elif kind == "same":
        A2 = A1 + 10.0 ** rng.uniform(-9, -3) * rng.standard_normal((3, n))
    elif kind == "equal":
        upper[some] = lower[some]
    elif kind == "touching":
        lower[some] = 0.0
    elif kind == "tiny":
        upper = lower + 10.0 ** rng.uniform(-12, -5) * rng.random(n)
    return A1, b1, A2, b2, lower, upper


KINDS = ("plain", "nearly", "singular", "same", "equal", "touching", "tiny")


def test_level_two_never_costs_level_one_more_than_ten_nanometres():
    rng = np.random.default_rng(0)
    for trial in range(examples(4000)):
        A1, b1, A2, b2, lower, upper = random_problem(rng, KINDS[trial % len(KINDS)])
        one = solve(A1, b1, 1e-3, A2[:0], b2[:0], 0.0, lower, upper)
        both = solve(A1, b1, 1e-3, A2, b2, 1e-3, lower, upper)
        assert np.linalg.norm(A1 @ (both - one)) <= 1e-8
        assert np.linalg.norm(A1 @ both - b1) <= np.linalg.norm(A1 @ one - b1) + 1e-8


def test_level_two_is_as_good_as_a_general_optimiser_makes_it():
    rng = np.random.default_rng(1)
    for _ in range(examples(40)):
        A1, b1, A2, b2, lower, upper = random_problem(rng)
        one = solve(A1, b1, 1e-3, A2[:0], b2[:0], 0.0, lower, upper)
        both = solve(A1, b1, 1e-3, A2, b2, 1e-3, lower, upper)

        def cost(x, A2=A2, b2=b2):
            return np.sum((A2 @ x - b2) ** 2) + 1e-6 * x @ x

        other = minimize(
            cost,
            one,
            method="SLSQP",
            bounds=list(zip(lower, upper, strict=True)),
            constraints={"type": "eq", "fun": lambda x, A1=A1, one=one: A1 @ (x - one)},
            options={"ftol": 1e-14, "maxiter": 500},
        )
        assert cost(both) <= other.fun + 1e-7


def test_without_rows_the_second_level_is_the_posture():
    rng = np.random.default_rng(2)
    A1, b1, A2, b2, _, _ = random_problem(rng)
    n = A1.shape[1]
    wide = np.full(n, 10.0)
    rest = rng.standard_normal(n)
    dq = solve(A1, b1, 1e-6, A2[:0], b2[:0], 0.1, -wide, wide, rest)
    inverse = np.linalg.pinv(A1)
    np.testing.assert_allclose(dq, inverse @ b1 + (np.eye(n) - inverse @ A1) @ rest, atol=1e-6)
