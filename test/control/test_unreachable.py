"""Targets out of reach: the nearest pose, the distance said, no motion there, a way back."""

from __future__ import annotations

import numpy as np
import pytest
from control.simulation import READY, Simulation, at, fixed_arm, moved

from ik_node.control import StatusCode, TrackerConfig
from ik_node.core import search, two_link
from ik_node.core.branch import branch_limits
from ik_node.core.se3 import exp

SPATIAL = [name for name in READY if name != "planar_2r"]


@pytest.mark.parametrize("name", READY)
def test_a_target_far_away_is_held_at_the_nearest_pose_without_any_motion(name: str) -> None:
    simulation = Simulation.ready(name)
    target = at(3.0, 0.0, 2.0)
    out = simulation.run_to_rest(target)
    assert StatusCode.UNREACHABLE in out.status.codes
    left = float(np.linalg.norm(simulation.tool[:3, 3] - target))
    assert out.status.distance == pytest.approx(left, abs=1e-9)
    before = simulation.q.copy()
    simulation.run(target, 1.0)
    assert np.abs(simulation.q - before).max() <= 1e-6


def test_the_nearest_pose_of_a_planar_arm_is_that_of_the_closed_form() -> None:
    simulation = Simulation.ready("planar_2r", branch_margin=1e-4)
    out = simulation.run_to_rest(at(0.6, 0.0, 0.6))
    closed = two_link.inverse_kinematics(0.6, 0.6, 0.30, 0.25)
    assert not closed.reachable
    assert out.status.distance == pytest.approx(closed.radius - 0.55, abs=1e-5)


@pytest.mark.parametrize("name", READY)
def test_sweeping_out_past_full_stretch_and_back_keeps_limits_and_returns(name: str) -> None:
    simulation = Simulation.ready(name)
    start = simulation.tool[:3, 3].copy()
    axis = simulation.arm.joint_axes(simulation.q)[0, :3]
    way = (start - axis) / np.linalg.norm(start - axis)
    reach = simulation.arm.reach
    for share in [*np.linspace(0, 1, 60), *np.linspace(1, 0, 60)]:
        simulation.run(start + share * reach * way, 0.05)
    out = simulation.run_to_rest(start)
    assert StatusCode.REACHED in out.status.codes
    assert np.linalg.norm(simulation.tool[:3, 3] - start) < 1e-5


def test_across_the_hole_the_arm_arrives_by_the_joint_space_way_and_says_so() -> None:
    simulation = Simulation.ready("planar_2r")
    target = -simulation.tool[:3, 3]
    out = simulation.run_to_rest(target)
    assert StatusCode.REACHED in out.status.codes
    assert np.linalg.norm(simulation.tool[:3, 3] - target) < 1e-5
    assert any(StatusCode.DETOUR in o.status.codes for o in simulation.outputs)


def test_a_target_that_moves_on_during_a_detour_does_not_make_it_last_for_ever() -> None:
    simulation = Simulation.ready("planar_2r")
    target = -simulation.tool[:3, 3]
    simulation.run(target, 12.0, until=lambda out: StatusCode.DETOUR in out.status.codes)
    for step in range(600):
        out = simulation.tick(target + 1e-5 * step * np.array([1.0, 0.0, 0.0]))
    assert StatusCode.DETOUR not in out.status.codes
    assert out.status.distance < 1e-3


def test_without_detours_the_arm_holds_instead_and_says_what_is_needed() -> None:
    simulation = Simulation.ready("planar_2r", detour=False)
    out = simulation.run_to_rest(-simulation.tool[:3, 3])
    assert StatusCode.BLOCKED in out.status.codes
    assert "detour" in out.status.sentence
    assert not any(StatusCode.DETOUR in o.status.codes for o in simulation.outputs)


def test_a_detour_that_would_dip_below_the_floor_is_blocked() -> None:
    simulation = Simulation.ready("planar_2r", floor_height=-0.05)
    # Both ends are above the floor; the shortest turn of the shoulder between them is below it.
    simulation.q = np.array([-0.1, 0.6])
    target = simulation.arm.forward_kinematics([-np.pi + 0.1 - 0.6, 0.6])[:3, 3]
    for _ in range(600):
        out = simulation.tick(target)
        if StatusCode.BLOCKED in out.status.codes:
            break
    if StatusCode.BLOCKED in out.status.codes:
        assert "floor" in out.status.sentence
    lowest = min(simulation.arm.forward_kinematics(q)[2, 3] for q in simulation.trace)
    assert lowest > -0.2


@pytest.mark.parametrize(
    ("start", "way"),
    [
        ([-0.456, 1.424, 1.0, 1.534, -0.968, -0.073], [0.077, 0.997, -0.001]),
        ([-0.726, -0.683, 1.431, 1.478, 0.468, -0.708], [-0.485, 0.416, -0.769]),
    ],
)
def test_a_drag_to_where_only_a_blocked_detour_leads_is_followed_as_far_as_the_line_goes(
    start: list[float], way: list[float]
) -> None:
    simulation = Simulation(fixed_arm("wx250s"), np.array(start), TrackerConfig(floor_height=0.0))
    for step in np.linspace(0.0, 0.32, 24):
        target = moved(simulation.arm.forward_kinematics(start), step * np.array(way))
        simulation.run(target, 0.09)
    out = simulation.run_to_rest(target)
    assert StatusCode.BLOCKED in out.status.codes
    assert np.linalg.norm(target[:3, 3] - simulation.tool[:3, 3]) < 0.6 * 0.32
    before = simulation.q.copy()
    simulation.run(target, 1.0)
    assert np.abs(simulation.q - before).max() <= 1e-6


@pytest.mark.parametrize("name", SPATIAL)
def test_noise_on_an_unreachable_target_moves_nothing_and_switches_nothing(name: str) -> None:
    simulation = Simulation.ready(name)
    target = at(0.0, 2.0, 1.0)
    simulation.run_to_rest(target)
    rng = np.random.default_rng(0)
    before, codes = simulation.q.copy(), simulation.last.status.codes
    for _ in range(200):
        out = simulation.tick(target + 1e-4 * rng.uniform(-1, 1, 3))
        assert out.status.codes == codes
    assert np.abs(simulation.q - before).max() <= 1e-6


@pytest.mark.parametrize("name", ["omx", "wx200", "wx250s"])
def test_noise_on_a_target_on_the_base_axis_does_not_spin_the_waist(name: str) -> None:
    simulation = Simulation.ready(name)
    axis = simulation.arm.joint_axes(simulation.q)[0]
    target = axis[:3] + axis[3:] * 0.6 * simulation.arm.reach
    simulation.run_to_rest(target, 20.0)
    rng = np.random.default_rng(0)
    start = simulation.q.copy()
    for _ in range(300):
        simulation.tick(target + 1e-4 * rng.uniform(-1, 1, 3))
    assert np.abs(simulation.q - start).max() < 0.02


def test_an_unreachable_orientation_never_costs_an_arm_under_six_joints_its_position() -> None:
    simulation = Simulation.ready("omx")
    target = moved(simulation.tool, [0.02, 0.03, -0.02])
    target[:3, :3] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    out = simulation.run_to_rest(target)
    assert np.linalg.norm(simulation.tool[:3, 3] - target[:3, 3]) < 1e-5
    assert StatusCode.REACHED in out.status.codes
    assert "orientation" in next(
        c.sentence for c in out.status.conditions if c.code is StatusCode.REACHED
    )


TURNED_AWAY = [
    ([0.051, 0.044, 0.35], [0.28, -2.047, -0.191]),
    ([-0.037, -0.115, 0.581], [0.135, -1.507, 2.039]),
    ([-0.149, -0.26, 0.492], [0.061, -0.142, 1.13]),
]
"""Orientations that two solutions next to each other come near to, one a little nearer."""


@pytest.mark.parametrize(("place", "turn"), TURNED_AWAY)
def test_the_arm_ends_as_near_to_an_unreachable_orientation_as_its_branch_allows(
    place: list[float], turn: list[float]
) -> None:
    simulation = Simulation.ready("wx200")
    arm, config = simulation.arm, simulation.config
    target = np.eye(4)
    target[:3, :3], target[:3, 3] = exp(turn), place
    sign = arm.elbow.sign_of(simulation.q)
    box = branch_limits(arm, arm.elbow, sign, config.branch_margin, config.fold_margin)
    best = search(arm, target, simulation.q, limits=box)
    out = simulation.run_to_rest(target, 20.0)
    assert StatusCode.REACHED in out.status.codes
    assert out.status.angle <= best.orientation_error + 1e-4


@pytest.mark.parametrize("name", ["wx250s", "ur5", "panda"])
def test_a_pose_out_of_reach_is_held_as_near_as_a_search_comes_by_distance_and_turn(
    name: str,
) -> None:
    rng = np.random.default_rng(0)
    for _ in range(4):
        simulation = Simulation.ready(name)
        arm, config = simulation.arm, simulation.config
        target = arm.forward_kinematics(arm.random_configurations(1, rng)[0])
        target[:3, 3] *= 1.5 * arm.reach / np.linalg.norm(target[:3, 3])
        sign = arm.elbow.sign_of(simulation.q)
        box = branch_limits(arm, arm.elbow, sign, config.branch_margin, config.fold_margin)
        best = search(arm, target, simulation.q, limits=box)
        status = simulation.run_to_rest(target, 20.0).status
        length = arm.characteristic_length
        left = np.hypot(status.distance, length * status.angle)
        assert StatusCode.UNREACHABLE in status.codes
        assert left <= np.hypot(best.position_error, length * best.orientation_error) + 1.1e-3
