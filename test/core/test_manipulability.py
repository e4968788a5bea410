from __future__ import annotations

import gc
import math
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import FIXED_ARMS, JointText, arm_of, arms, examples, fixed_joint, planar_2r, urdf

from ik_node.core import JointGroup, manipulability
from ik_node.core.manipulability import scale_of
from ik_node.errors import SizeError, UnknownNameError

seeds = st.integers(0, 2**31)


@settings(deadline=None, max_examples=examples(50))
@given(st.floats(-3.0, 3.0), st.floats(-2.6, 2.6))
def test_it_is_l1_l2_sine_of_the_elbow_on_a_planar_arm(shoulder: float, elbow: float) -> None:
    arm = arm_of(planar_2r(0.3, 0.25))
    m = manipulability(arm, [shoulder, elbow])
    assert m.yoshikawa == pytest.approx(abs(0.3 * 0.25 * math.sin(elbow)), abs=1e-12)
    assert m.relative == pytest.approx(abs(math.sin(elbow)), abs=1e-4)


def by_numpy(arm: JointGroup, q: np.ndarray, rows: int, rank: int) -> np.ndarray:
    A = arm.jacobian(q)[:rows]
    A[3:] *= arm.characteristic_length
    return np.linalg.svd(A, compute_uv=False)[:rank]


@settings(deadline=None, max_examples=examples(50))
@given(arms(), seeds, st.sampled_from(["pose", "position", "position_then_orientation"]))
def test_it_agrees_with_the_singular_values_of_the_controlled_rows(
    arm: JointGroup, seed: int, rows: str
) -> None:
    q = arm.random_configurations(1, np.random.default_rng(seed))[0]
    sigma = by_numpy(arm, q, 6 if rows == "pose" else 3, scale_of(arm, rows).rank)
    m = manipulability(arm, q, rows)
    assert m.yoshikawa == pytest.approx(sigma.prod(), rel=1e-9, abs=1e-15)
    assert m.sigma_min == pytest.approx(sigma[-1], abs=1e-12)
    if sigma[-1] > 1e-6 * sigma[0]:
        assert m.condition == pytest.approx(sigma[0] / sigma[-1], rel=1e-6)


@settings(deadline=None, max_examples=examples(10))
@given(arms(), seeds)
def test_nothing_in_the_workspace_is_much_better_than_the_best_that_was_found(
    arm: JointGroup, seed: int
) -> None:
    samples = arm.random_configurations(examples(200), np.random.default_rng(seed))
    scale = scale_of(arm)
    products = np.array([scale.measure(q).yoshikawa for q in samples])
    assert products.max() < 1.05 * scale.best
    assert all(0.0 <= manipulability(arm, q).relative <= 1.0 for q in samples[:10])


def test_the_rank_is_the_one_that_the_arm_has_in_general() -> None:
    ranks = {name: scale_of(arm_of(text)).rank for name, text in FIXED_ARMS.items()}
    assert ranks == {
        "planar_2r": 2, "omx": 3, "wx200": 3, "wx250s": 6, "ur5": 6, "panda": 6, "scara": 3,
    }  # fmt: skip
    assert scale_of(arm_of(planar_2r()), "pose").rank == 2


def test_an_exactly_straight_arm_has_none() -> None:
    m = manipulability(arm_of(planar_2r()), [0.3, 0.0])
    assert (m.yoshikawa, m.sigma_min, m.relative) == pytest.approx((0.0, 0.0, 0.0), abs=1e-15)
    assert m.condition > 1e12


def test_an_arm_that_cannot_move_its_tip_is_told_so_without_an_error() -> None:
    spinner = arm_of(urdf([JointText("spin"), fixed_joint((0, 0, 0.1))]))
    m = manipulability(spinner, [0.2])
    assert (m.yoshikawa, m.relative) == (0.0, 0.0)
    assert m.condition == math.inf


def test_the_same_arm_gives_the_same_number_every_time() -> None:
    q = [0.1, 0.2, 0.3, 0.4]
    first, second = (manipulability(arm_of(FIXED_ARMS["omx"]), q) for _ in range(2))
    assert first == second


def test_an_arm_that_nobody_holds_is_forgotten() -> None:
    arm = arm_of(planar_2r())
    manipulability(arm, [0.0, 1.0])
    gone = weakref.ref(arm)
    del arm
    gc.collect()
    assert gone() is None


def test_wrong_sizes_and_rows_are_refused() -> None:
    arm = arm_of(planar_2r())
    with pytest.raises(SizeError, match=r"q must be \(2,\) for shoulder, elbow"):
        manipulability(arm, [0.0])
    with pytest.raises(UnknownNameError, match="unknown rows 'posse': did you mean 'pose'"):
        manipulability(arm, [0.0, 0.0], rows="posse")
