from __future__ import annotations

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from ik_node.ros.tick_clock import TickClock


class SimulatedClock:
    def __init__(self, ros_time_is_active=True):
        self.nanoseconds = 0
        self.ros_time_is_active = ros_time_is_active

    def now(self):
        return SimpleNamespace(nanoseconds=self.nanoseconds)


@given(st.lists(st.integers(-(10**10), 10**10), max_size=30))
def test_simulated_time_never_runs_back_and_never_leaps(steps):
    ros = SimulatedClock()
    clock = TickClock(ros, longest_step=0.1)
    last = clock.now()
    for step in steps:
        ros.nanoseconds = max(0, ros.nanoseconds + step)
        now = clock.now()
        assert 0.0 <= now - last <= 0.1 + 1e-9
        last = now


def test_simulated_time_runs_at_the_rate_of_the_simulation():
    ros = SimulatedClock()
    clock = TickClock(ros)
    ros.nanoseconds = 5_000_000_000
    start = clock.now()
    for _ in range(100):
        ros.nanoseconds += 10_000_000
        end = clock.now()
    assert abs(end - start - 1.0) < 1e-9


def test_a_paused_simulation_stands_still():
    ros = SimulatedClock()
    ros.nanoseconds = 1_000_000_000
    clock = TickClock(ros)
    assert clock.now() == clock.now() == clock.now()


def test_a_reset_is_counted_and_is_no_missing_clock():
    ros = SimulatedClock()
    clock = TickClock(ros)
    for ros.nanoseconds in (7, 9, 0, 5, 2):
        clock.now()
        assert not clock.waits_for_clock
    assert clock.resets == 2


def test_a_missing_clock_is_noticed():
    ros = SimulatedClock()
    clock = TickClock(ros)
    assert clock.waits_for_clock
    ros.nanoseconds = 1
    assert not clock.waits_for_clock


def test_real_time_runs_on_the_steady_clock():
    clock = TickClock(SimulatedClock(ros_time_is_active=False))
    first = clock.now()
    while clock.now() == first:
        pass
    assert clock.now() > first
    assert not clock.waits_for_clock
