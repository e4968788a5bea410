"""What holds at every tick, whatever is asked."""

from __future__ import annotations

import numpy as np
import pytest
from control.hostile import hostile_target, pester, torment
from control.simulation import READY, Simulation, fixed_arm
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import arms

from ik_node.control import TrackerConfig
from ik_node.core import JointGroup

TICKS = 250


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(arms(), st.integers(0, 2**32 - 1))
def test_random_arms_keep_every_limit_and_their_branch_under_hostile_targets(
    arm: JointGroup, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    torment(Simulation(arm, arm.random_configurations(1, rng)[0]), rng, TICKS)


@pytest.mark.parametrize("name", READY)
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32 - 1))
def test_known_arms_keep_every_limit_and_their_branch_under_hostile_targets(
    name: str, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    arm = fixed_arm(name)
    torment(Simulation(arm, arm.random_configurations(1, rng)[0]), rng, TICKS)


@pytest.mark.parametrize("jerk", [0.0, 400.0])
@pytest.mark.parametrize("name", ["planar_2r", "omx", "wx200", "wx250s", "panda"])
def test_what_droop_removal_adds_does_not_hit_a_limit_at_speed(name: str, jerk: float) -> None:
    """Every joint is driven into both its limits while the arm hangs away from them."""
    rng = np.random.default_rng(0)
    config = TrackerConfig(droop_gain=8.0, droop_limit=0.1, jerk_limit=jerk)
    arm = fixed_arm(name)
    for joint in range(arm.size):
        for limit, sign in ((arm.lower, -1.0), (arm.upper, 1.0)):
            droop = np.zeros(arm.size)
            droop[joint] = sign * 0.15
            simulation = Simulation(arm, np.array(READY[name]), config, droop)
            simulation.run(None, 2.0)
            assert abs(simulation.q[joint] - READY[name][joint]) > 0.09, "no offset to test with"
            goal = simulation.q.copy()
            goal[joint] = limit[joint]
            target = arm.forward_kinematics(goal)
            for _ in range(120):
                simulation.tick(target, 0.01 * rng.uniform(0.3, 2.0))


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(READY)), st.integers(0, 2**32 - 1))
def test_pauses_holds_tuning_and_changes_of_branch_break_no_limit(name: str, seed: int) -> None:
    pester(Simulation.ready(name), np.random.default_rng(seed), TICKS)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(READY)), st.integers(0, 2**32 - 1))
def test_a_start_outside_the_limits_only_moves_inward(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    arm = fixed_arm(name)
    q = arm.random_configurations(1, rng)[0]
    joint = int(rng.integers(arm.size))
    q[joint] = (arm.upper[joint] + 0.2) if rng.random() < 0.5 else (arm.lower[joint] - 0.2)
    simulation = Simulation(arm, q)
    for _ in range(6):
        simulation.run(hostile_target(arm, simulation.q, rng), 0.3)


@pytest.mark.parametrize("jerk", [0.0, 400.0])
@pytest.mark.parametrize("dt", [0.0, -0.5, float("nan"), float("inf"), 3600.0, 1e-9])
def test_a_strange_interval_never_moves_the_arm_too_far(dt: float, jerk: float) -> None:
    simulation = Simulation.ready("wx250s", jerk_limit=jerk)
    target = simulation.arm.forward_kinematics(simulation.q + 0.3)
    simulation.run(target, 0.3)
    before = simulation.q.copy()
    out = simulation.tracker.step(simulation.q, target, simulation.now, dt)
    assert out.q_command is not None
    most = simulation.speed * simulation.config.longest_step
    allowed = most * (1 + 1e-9) if dt == 3600.0 else 0.0
    assert np.all(np.abs(out.q_command - before) <= allowed)
