from __future__ import annotations

import numpy as np
import pytest
from simulation import DT, READY, Simulation

from ik_node.core import search
from ik_node.core.branch import branch_limits

RADIUS = 0.02
FEW = 3
"""Solver iterations a tick, less than any target needs; as many as there are without numba."""


@pytest.mark.parametrize("name", ["planar_2r", "omx", "wx200", "wx250s", "ur5"])
def test_a_target_that_moves_every_tick_is_followed_however_few_iterations_a_tick_has(name):
    sim = Simulation.ready(name, search_iterations=FEW)
    start = sim.arm.forward_kinematics(np.array(READY[name]))
    away = []
    for tick in range(300):
        target = start.copy()
        turn = 0.5 * tick * DT
        target[:3, 3] += [RADIUS * (np.cos(turn) - 1.0), 0.0, RADIUS * np.sin(turn)]
        sim.tick(target)
        away.append(np.linalg.norm(sim.tool[:3, 3] - target[:3, 3]))
    assert max(away[100:]) < 0.25 * RADIUS


@pytest.mark.parametrize("name", ["omx", "wx250s"])
def test_a_target_that_leaves_the_reach_ever_further_is_pointed_at_all_the_way(name):
    sim = Simulation.ready(name, search_iterations=FEW)
    target = sim.tool
    outward = target[:3, 3] / np.linalg.norm(target[:3, 3])
    for _ in range(250):
        target = target.copy()
        target[:3, 3] += 0.002 * outward
        sim.tick(target)
    for _ in range(300):
        sim.tick(target)
    assert sim.last.status.distance < np.linalg.norm(target[:3, 3]) - 0.5 * sim.arm.reach
    assert np.linalg.norm(sim.trace[-1] - sim.trace[-2]) < 1e-6


@pytest.mark.parametrize("name", ["planar_2r", "omx", "wx250s"])
def test_a_straight_arm_decides_its_branch_for_a_target_that_moves_every_tick(name):
    sim = Simulation.ready(name)
    sim.q[sim.arm.elbow.index] = sim.arm.elbow.straight
    target = sim.arm.forward_kinematics(np.array(READY[name]))
    assert sim.tracker.branch == "undecided"
    for _ in range(300):
        target = target.copy()
        target[2, 3] -= 0.01 * DT
        sim.tick(target)
    assert sim.tracker.branch != "undecided"
    assert np.linalg.norm(sim.tool[:3, 3] - target[:3, 3]) < 1e-3


@pytest.mark.parametrize(("name", "plane"), [("planar_2r", 2), ("omx", 1)])
def test_a_target_that_circles_out_of_reach_is_pointed_at_beyond_the_end_of_a_joint_too(
    name, plane
):
    sim = Simulation.ready(name)
    box = branch_limits(sim.arm, sim.arm.elbow, sim.arm.elbow.sign_of(sim.q))
    dt, target = 2 * DT, np.zeros(3)
    for turn in np.arange(0.9 * np.pi, np.pi + 2.6, 0.4 * dt):
        target = np.zeros(3)
        target[[0, plane]] = np.cos(turn), np.sin(turn)
        target *= 1.2 * sim.arm.reach
        sim.tick(target, dt)
    nearest = search(sim.arm, target, sim.q, limits=box).position_error
    assert np.linalg.norm(sim.tool[:3, 3] - target) < nearest + 2e-3
