"""How the tool gets there: straight, smooth, the same at every rate of targets."""

from __future__ import annotations

import numpy as np
import pytest
from control.simulation import READY, Simulation, moved, off_the_line

from ik_node.control import StatusCode, TwistTarget

SPATIAL = [name for name in READY if name != "planar_2r"]


@pytest.mark.parametrize("dt", [0.005, 0.01, 0.02])
@pytest.mark.parametrize("name", SPATIAL)
def test_a_10_cm_move_is_straight_within_a_millimetre(name: str, dt: float) -> None:
    simulation = Simulation.ready(name)
    start = simulation.tool[:3, 3].copy()
    inward = -np.array([start[0], start[1], 0.0]) / np.linalg.norm(start[:2])
    end = start + 0.1 * inward + ([0, 0, 0] if name == "scara" else [0, 0, 0.02])
    end = start + 0.1 * (end - start) / np.linalg.norm(end - start)
    out = simulation.run_to_rest(end, dt=dt)
    assert StatusCode.REACHED in out.status.codes
    assert not any(StatusCode.DETOUR in o.status.codes for o in simulation.outputs)
    assert off_the_line(simulation.tools(), start, end) < 1e-3


@pytest.mark.parametrize("name", ["ur5", "wx250s", "panda"])
def test_a_full_pose_is_reached_in_position_and_orientation(name: str) -> None:
    simulation = Simulation.ready(name)
    target = simulation.arm.forward_kinematics(simulation.q + 0.2)
    out = simulation.run_to_rest(target)
    assert StatusCode.REACHED in out.status.codes
    np.testing.assert_allclose(simulation.tool, target, atol=1e-5)


@pytest.mark.parametrize("name", READY)
def test_repeating_the_target_at_5_30_or_200_hz_gives_the_same_motion(name: str) -> None:
    paths = []
    for rate in (5.0, 30.0, 200.0):
        simulation = Simulation.ready(name)
        pose = simulation.arm.forward_kinematics(simulation.q + 0.25)
        target, sent = pose, 0.0
        for k in range(200):
            if k * 0.005 - sent >= 1.0 / rate - 1e-9:
                target, sent = pose.copy(), k * 0.005
            simulation.tick(target, 0.005)
        paths.append(np.array(simulation.trace))
    np.testing.assert_array_equal(paths[0], paths[1])
    np.testing.assert_array_equal(paths[0], paths[2])


def test_a_target_moving_on_a_line_is_followed_closely_at_every_rate() -> None:
    paths = []
    for rate in (30.0, 200.0):
        simulation = Simulation.ready("wx250s")
        start = simulation.tool.copy()
        target, sent = start, -1.0
        for k in range(600):
            time = k * 0.005
            if time - sent >= 1.0 / rate - 1e-9:
                target, sent = moved(start, [0.0, 0.05 * time, 0.0]), time
            simulation.tick(target, 0.005)
        paths.append(simulation.tools())
        assert off_the_line(paths[-1], start[:3, 3], target[:3, 3]) < 1e-3
    assert np.abs(paths[0] - paths[1]).max() < 0.01 * 0.15 + 0.05 / 30.0


@pytest.mark.parametrize("name", READY)
def test_a_nearly_straight_arm_moves_inward_in_bounded_steps_and_arrives(name: str) -> None:
    simulation = Simulation.ready(name, branch_margin=0.002)
    elbow = simulation.arm.elbow
    if elbow is None:
        pytest.skip("no elbow")
    sign = elbow.sign_of(simulation.q)
    simulation.q[elbow.index] = elbow.straight + 0.005 * sign
    simulation.q = np.clip(simulation.q, simulation.arm.lower, simulation.arm.upper)
    base = simulation.arm.joint_axes(simulation.q)[min(1, simulation.arm.size - 1), :3]
    target = base + 0.95 * (simulation.tool[:3, 3] - base)
    out = simulation.run_to_rest(target)
    steps = np.abs(np.diff(np.array(simulation.trace), axis=0)).max()
    assert steps <= 0.05
    assert StatusCode.REACHED in out.status.codes


@pytest.mark.parametrize("name", ["planar_2r", "omx", "wx200", "wx250s", "ur5"])
def test_an_exactly_straight_arm_moves_away_within_half_a_second(name: str) -> None:
    simulation = Simulation.ready(name)
    elbow = simulation.arm.elbow
    assert elbow is not None
    simulation.q[elbow.index] = elbow.straight
    base = simulation.arm.joint_axes(simulation.q)[min(1, simulation.arm.size - 1), :3]
    start = simulation.tool[:3, 3].copy()
    target = base + 0.8 * (start - base)
    simulation.run(target, 0.5)
    assert np.linalg.norm(simulation.tool[:3, 3] - start) > 0.2 * np.linalg.norm(target - start)


@pytest.mark.parametrize("name", ["omx", "wx200", "wx250s"])
def test_out_of_a_corner_of_limits_the_arm_leaves_in_the_next_tick(name: str) -> None:
    simulation = Simulation.ready(name)
    pushed = simulation.q.copy()
    pushed[1:3] = simulation.arm.upper[1:3]
    simulation.run_to_rest(simulation.arm.forward_kinematics(pushed)[:3, 3] + [0.5, 0.0, -0.5])
    home = simulation.arm.forward_kinematics(READY[name])[:3, 3]
    simulation.tick(home)
    simulation.tick(home)
    assert np.any(simulation.last.dq != 0.0)
    out = simulation.run_to_rest(home)
    assert StatusCode.REACHED in out.status.codes


@pytest.mark.parametrize("name", READY)
def test_a_twist_moves_the_tool_along_itself_and_stops_when_it_stops_coming(name: str) -> None:
    simulation = Simulation.ready(name)
    start = simulation.tool.copy()
    direction = np.array([0.0, 0.0, -1.0]) if name != "scara" else np.array([0.0, 1.0, 0.0])
    if name == "planar_2r":
        direction = np.array([-1.0, 0.0, 0.0])
    for _ in range(100):
        simulation.tick(TwistTarget(0.05 * direction))
    went = simulation.tool[:3, 3] - start[:3, 3]
    assert went @ direction == pytest.approx(0.05, abs=0.01)
    assert np.linalg.norm(went - (went @ direction) * direction) < 1e-3
    twist = TwistTarget(0.05 * direction, received=simulation.now)
    out = simulation.run(twist, 1.0)
    assert StatusCode.STALE_TARGET in out.status.codes
    assert np.all(out.dq == 0.0)


def test_a_twist_without_turning_keeps_the_orientation_of_a_six_joint_arm() -> None:
    simulation = Simulation.ready("ur5")
    before = simulation.tool[:3, :3].copy()
    for _ in range(200):
        simulation.tick(TwistTarget([-0.05, 0.0, 0.02]))
    assert np.abs(simulation.tool[:3, :3] - before).max() < 1e-3


def test_the_tool_keeps_its_speed_ceiling() -> None:
    simulation = Simulation.ready("ur5", tool_speed=0.1)
    target = simulation.arm.forward_kinematics(simulation.q + 0.4)
    simulation.run_to_rest(target, 30.0)
    points = simulation.tools()
    assert np.linalg.norm(np.diff(points, axis=0), axis=1).max() <= 0.1 * 0.01 * 1.02
