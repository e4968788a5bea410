"""Into limits and out of them again; starts outside the limits and on the branch border."""

from __future__ import annotations

import math

import numpy as np
import pytest
from control.desk_arms import bent, desk_arm
from control.simulation import Simulation, fixed_arm, off_the_line

from ik_node.control import StatusCode
from ik_node.core import JointGroup
from ik_node.core.branch import branch_limits
from ik_node.core.kernels.jit import COMPILED
from ik_node.core.limits import Box

ARMS = ["omx", "wx200", "wx250s", "ur5", "panda", *(f"desk {size}" for size in range(2, 8))]
TRIES = 2 if COMPILED else 1
LENGTH = 0.08
"""m, of a straight move."""


def arm_by(name: str, rng: np.random.Generator) -> JointGroup:
    return desk_arm(int(name[-1]), rng) if name.startswith("desk") else fixed_arm(name)


def walls(simulation: Simulation) -> Box:
    """The limits on the branch that the arm is on."""
    arm, config = simulation.arm, simulation.config
    assert arm.elbow is not None
    sign = arm.elbow.sign_of(simulation.q)
    return branch_limits(arm, arm.elbow, sign, config.branch_margin, config.fold_margin)


def pushed(box: Box, q: np.ndarray, rng: np.random.Generator, count: int) -> np.ndarray:
    """Put `count` joints of q at a limit; return the way out of the box, (n,) of -1, 0, 1."""
    away = np.zeros(len(q))
    for joint in rng.choice(np.flatnonzero(np.isfinite(box.lower)), count, replace=False):
        away[joint] = rng.choice([-1.0, 1.0])
        q[joint] = (box.upper if away[joint] > 0.0 else box.lower)[joint] - 1e-6 * away[joint]
    return away


@pytest.mark.parametrize("limits", [1, 2])
@pytest.mark.parametrize("name", ARMS)
def test_pressed_into_limits_the_arm_leaves_in_the_next_tick(name: str, limits: int) -> None:
    rng = np.random.default_rng(limits)
    tried = 0
    while tried < TRIES:
        arm = arm_by(name, rng)
        simulation = Simulation(arm, bent(arm, rng))
        box = walls(simulation)
        corner = simulation.q.copy()
        away = pushed(box, corner, rng, limits)
        simulation.q = corner - 0.3 * away
        home = simulation.tool[:3, 3]
        beyond = arm.forward_kinematics(corner)[:3, 3] + 0.2 * arm.jacobian(corner)[:3] @ away
        if not box.contains(simulation.q) or np.linalg.norm(beyond - home) < 0.03:
            continue
        tried += 1
        simulation.run_to_rest(beyond, 20.0)
        simulation.tick(home)
        assert np.any(simulation.last.dq != 0.0)
        out = simulation.run_to_rest(home, 20.0)
        assert StatusCode.REACHED in out.status.codes


def others_follow(
    arm: JointGroup, box: Box, q: np.ndarray, free: np.ndarray, way: np.ndarray
) -> bool:
    """Whether the free joints alone bring the tool along `way`, well inside everything."""
    q = q.copy()
    start = arm.forward_kinematics(q)[:3, 3]
    for share in np.linspace(0.1, 1.0, 10):
        for _ in range(20):
            J = arm.jacobian(q)[:3, free]
            gap = start + share * way - arm.forward_kinematics(q)[:3, 3]
            q[free] += np.linalg.pinv(J) @ gap
        room = np.minimum(q - box.lower, box.upper - q)[free].min()
        if np.linalg.norm(gap) > 1e-9 or np.linalg.svd(J)[1][-1] < 0.06 or room < 0.05:
            return False
    return True


@pytest.mark.parametrize("limits", [1, 2])
def test_along_limits_the_tool_stays_on_its_line_where_the_other_joints_can(limits: int) -> None:
    """Without the limits the joints at them would move on outward."""
    rng = np.random.default_rng(10 + limits)
    tried = 0
    while tried < 2 * TRIES:
        name = str(rng.choice(["omx", "wx200", "wx250s", "ur5", "panda", "desk 5", "desk 7"]))
        arm = arm_by(name, rng)
        if arm.size < 3 + limits:
            continue
        simulation = Simulation(arm, bent(arm, rng))
        box = walls(simulation)
        away = pushed(box, simulation.q, rng, limits)
        start = simulation.tool[:3, 3].copy()
        wish = np.linalg.pinv(arm.jacobian(simulation.q)[:3])
        way = rng.normal(size=(200, 3))
        way *= LENGTH / np.linalg.norm(way, axis=1, keepdims=True)
        outward = np.all((way @ wish.T * away)[:, away != 0.0] > 0.05 * LENGTH, axis=1)
        if not outward.any():
            continue
        way = way[np.argmax(outward)]
        if not others_follow(arm, box, simulation.q, away == 0.0, way):
            continue
        tried += 1
        out = simulation.run_to_rest(start + way)
        assert StatusCode.REACHED in out.status.codes
        assert not any(StatusCode.DETOUR in o.status.codes for o in simulation.outputs)
        assert off_the_line(simulation.tools(), start, start + way) < 1e-3
        simulation.trace.clear()
        simulation.run_to_rest(start)
        assert off_the_line(simulation.tools(), start + way, start) < 1e-3


def test_a_wall_across_the_way_costs_the_free_axes_nothing() -> None:
    simulation = Simulation.ready("scara")
    start = simulation.tool[:3, 3].copy()
    way = np.array([0.02, -0.03, -0.5])
    out = simulation.run_to_rest(start + way)
    assert StatusCode.UNREACHABLE in out.status.codes
    tools = simulation.tools()
    assert off_the_line(tools[:, :2], start[:2], (start + way)[:2]) < 1e-3
    np.testing.assert_allclose(tools[-1, :2], (start + way)[:2], atol=1e-5)


@pytest.mark.parametrize("name", ARMS)
def test_a_start_outside_a_limit_moves_inward_without_a_jump(name: str) -> None:
    rng = np.random.default_rng(20)
    for _ in range(TRIES):
        arm = arm_by(name, rng)
        simulation = Simulation(arm, bent(arm, rng))
        joint = int(rng.choice(np.flatnonzero(np.isfinite(arm.lower))))
        above = rng.random() < 0.5
        beyond = float(rng.uniform(0.01, 0.3))
        simulation.q[joint] = arm.upper[joint] + beyond if above else arm.lower[joint] - beyond
        measured = simulation.q.copy()
        np.testing.assert_array_equal(simulation.tick(None).q_command, measured)
        simulation.run(arm.forward_kinematics(bent(arm, rng)), 4.0)
        path = np.array(simulation.trace)[:, joint]
        outside = np.maximum(path - arm.upper[joint], arm.lower[joint] - path)
        assert np.all(np.diff(outside)[outside[:-1] > 0.0] <= 0.0)
        assert outside[-1] <= 0.0


ANGLES = (0.0, 1e-9, 0.001, 0.029, 0.031, math.pi - 0.05, math.pi - 1e-9)
"""rad from straight: on the border, next to it, at the margin, nearly folded."""


@pytest.mark.parametrize("name", ["planar_2r", "ur5", "desk 3", "desk 4", "desk 6"])
def test_on_the_branch_border_the_first_target_decides_and_next_to_it_the_measured_side(
    name: str,
) -> None:
    rng = np.random.default_rng(30)
    for angle in ANGLES:
        arm = arm_by(name, rng)
        elbow = arm.elbow
        assert elbow is not None
        simulation = Simulation(arm, bent(arm, rng))
        sign = int(rng.choice([-1, 1]))
        value = elbow.straight + sign * angle
        if not arm.lower[elbow.index] <= value <= arm.upper[elbow.index]:
            continue
        simulation.q[elbow.index] = value
        simulation.tick(None)
        early = simulation.tracker.branch
        undecided = angle < simulation.config.branch_margin
        assert early == ("undecided" if undecided else elbow.label(sign))
        simulation.run_to_rest(arm.forward_kinematics(bent(arm, rng)))
        late = simulation.tracker.branch
        assert late == elbow.label(elbow.sign_of(simulation.q))
        assert undecided or late == early
