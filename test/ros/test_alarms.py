from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ik_node.ros.complaints import Complaints
from ik_node.ros.loop_timing import LoopTiming
from ik_node.ros.manipulability_alarm import RELEASE, ManipulabilityAlarm


@given(st.lists(st.floats(0.1, 0.1 * RELEASE, exclude_max=True), max_size=50))
def test_noise_about_the_level_sounds_the_alarm_once(values):
    alarm = ManipulabilityAlarm()
    sounded = [alarm.update(value, 0.1) for value in [0.05, *values]]
    assert sounded == [True] + [False] * len(values)
    assert alarm.on


def test_the_alarm_sounds_again_after_the_arm_was_well_away():
    alarm = ManipulabilityAlarm()
    assert [alarm.update(value, 0.1) for value in (0.5, 0.09, 0.2, 0.09)] == [
        False,
        True,
        False,
        True,
    ]


def test_the_same_complaint_is_said_once_in_a_period():
    said, now = [], [0.0]
    complain = Complaints(said.append, lambda: now[0], period=10.0)
    for now[0] in (0.0, 5.0, 9.9, 10.0, 15.0):
        complain("one", f"one at {now[0]:g}")
    complain("two", "two at 15")
    assert said == ["one at 0", "one at 10", "two at 15"]


def test_timing_tells_rate_and_duration():
    timing = LoopTiming()
    assert not timing.values()
    for _ in range(10):
        timing.note(0.01, 0.001)
    values = timing.values()
    assert abs(values["rate_hz"] - 100.0) < 1e-6
    assert abs(values["tick_p50_ms"] - 1.0) < 1e-9
