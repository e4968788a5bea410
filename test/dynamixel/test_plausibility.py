"""A position counts only where the joint's speed allows it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ik_node.dynamixel.plausibility import OVERSPEED, REPEATS, TOLERANCE, PositionFilter, Verdict

FASTEST = 3000.0  # ticks/s
readings = st.lists(st.tuples(st.integers(-5000, 5000), st.floats(0.001, 0.1)), max_size=80)


@given(readings)
def test_what_is_accepted_never_moved_faster_than_the_motor(
    sequence: list[tuple[int, float]],
) -> None:
    judge = PositionFilter(FASTEST)
    judge.restart(0, 0.0)
    now, last = 0.0, (0, 0.0)
    for ticks, dt in sequence:
        now += dt
        if judge.judge(ticks, now) is Verdict.PLAUSIBLE:
            allowed = TOLERANCE + OVERSPEED * FASTEST * (now - last[1])
            assert abs(ticks - last[0]) <= allowed
            last = (ticks, now)


@given(st.floats(-1.0, 1.0), st.integers(1, 200))
def test_a_joint_that_moves_is_always_believed(speed: float, steps: int) -> None:
    judge = PositionFilter(FASTEST)
    for i in range(steps):
        ticks = round(speed * FASTEST * 0.01 * i)
        assert judge.judge(ticks, 0.01 * i) is Verdict.PLAUSIBLE


def test_a_jump_that_stays_is_told_as_a_displacement_and_not_believed() -> None:
    judge = PositionFilter(FASTEST)
    judge.restart(0, 0.0)
    verdicts = [judge.judge(4000, 0.01 * i) for i in range(1, REPEATS + 1)]
    assert verdicts == [Verdict.IMPLAUSIBLE] * (REPEATS - 1) + [Verdict.DISPLACED]


def test_single_strays_change_nothing() -> None:
    judge = PositionFilter(FASTEST)
    judge.restart(0, 0.0)
    for i in range(1, 40):
        stray = i % 2 == 0
        expected = Verdict.IMPLAUSIBLE if stray else Verdict.PLAUSIBLE
        assert judge.judge((-1) ** (i // 2) * 3000 if stray else 0, 0.001 * i) is expected
