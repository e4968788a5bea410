"""The smallest singular value that counts, and what follows from it."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import FIXED_ARMS, arm_of, examples

from ik_node.core.damping import Damping
from ik_node.core.kernels.damping import smallest_singular


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(1, 6), st.integers(1, 7), st.integers(0, 10**6))
def test_singular_values_are_those_of_numpy(m, n, seed):
    A = np.random.default_rng(seed).standard_normal((m, n))
    values = np.linalg.svd(A, compute_uv=False)
    for rank in range(1, min(m, n) + 1):
        found = smallest_singular(A, rank, np.empty((12, 7)))
        np.testing.assert_allclose(found, values[rank - 1], atol=1e-10)


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(2, 7), st.floats(0.0, 0.02), st.floats(1.0, 3.0), st.integers(0, 10**6))
@example(2, 1.8e-87, 1.0, 0)
@example(3, 1e-60, 1.0, 0)
@example(4, 0.0, 1.0, 0)
def test_next_to_a_singularity_too_and_next_to_two_at_once(n, least, times, seed):
    A = np.random.default_rng(seed).standard_normal((6, n))
    U, values, V = np.linalg.svd(A, full_matrices=False)
    values[-1], values[-2] = least, times * least
    A = np.ascontiguousarray(U * values @ V)
    found = smallest_singular(A, min(6, n), np.empty((12, 7)))
    np.testing.assert_allclose(found**2, least**2, rtol=1e-9, atol=1e-13)


def test_damping_is_nothing_away_from_singularities_and_rises_to_the_ceiling():
    damping = Damping(0.01, 0.02)
    assert damping.at(0.02) == 0.0
    assert damping.at(1.0) == 0.0
    assert damping.at(0.0) == 0.01
    levels = [damping.at(sigma) for sigma in np.linspace(0.02, 0.0, 20)]
    assert levels == sorted(levels)


def test_damping_from_speeds_is_the_formula():
    arm = arm_of(FIXED_ARMS["omx"])
    damping = Damping.from_speeds(arm, tool_speed=0.5, slow_down=8.0)
    assert damping.ceiling == 0.5 / (2 * 8 * 4.8)
    assert damping.threshold == 2 * damping.ceiling
