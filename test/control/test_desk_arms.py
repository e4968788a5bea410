"""What the known arms show holds for random arms of their kind: nothing is tuned to the known."""

from __future__ import annotations

import numpy as np
import pytest
from control.desk_arms import bent, desk_arm
from control.simulation import Simulation, off_the_line
from scipy.spatial.transform import Rotation
from strategies import examples

from ik_node.control import StatusCode, TrackerConfig, TrackerOutput
from ik_node.core import JointGroup, manipulability, search
from ik_node.core.branch import branch_limits
from ik_node.core.kernels.jit import COMPILED
from ik_node.core.limits import Box

SIZES = range(2, 8) if COMPILED else (3, 6)
MODES = frozenset(
    {StatusCode.DETOUR, StatusCode.UNREACHABLE, StatusCode.OTHER_BRANCH, StatusCode.BLOCKED}
)


def some_arm(size: int, rng: np.random.Generator) -> tuple[JointGroup, np.ndarray]:
    arm = desk_arm(size, rng)
    return arm, bent(arm, rng)


def walls(arm: JointGroup, q: np.ndarray) -> Box:
    assert arm.elbow is not None
    config = TrackerConfig()
    sign = arm.elbow.sign_of(q)
    return branch_limits(arm, arm.elbow, sign, config.branch_margin, config.fold_margin)


def shoulder(arm: JointGroup, q: np.ndarray) -> np.ndarray:
    return arm.joint_axes(q)[1 if arm.size > 2 else 0, :3]


def roomy_line(arm: JointGroup, q: np.ndarray, way: np.ndarray) -> bool:
    """Whether the tool can go along `way` far from limits, singularities and straight."""
    start, box = arm.forward_kinematics(q)[:3, 3], walls(arm, q)
    for share in np.linspace(0.0, 1.0, 6):
        found = search(arm, start + share * way, q, rows="position", restarts=0)
        room = np.minimum(found.q - box.lower, box.upper - found.q).min()
        far = np.abs(found.q - q).max() > 0.5
        q = found.q
        if not found.converged or far or room < 0.1:
            return False
        if manipulability(arm, q, "position").relative < 0.2 or abs(arm.elbow.angle(q)) < 0.3:
            return False
    return True


@pytest.mark.parametrize("size", SIZES)
def test_a_10_cm_move_is_straight_within_a_millimetre(size: int) -> None:
    rng = np.random.default_rng(size)
    while True:
        arm, q = some_arm(size, rng)
        way = rng.normal(size=3) * ([1, 0, 1] if size == 2 else [1, 1, 1])
        way *= 0.1 / np.linalg.norm(way)
        if roomy_line(arm, q, way):
            break
    simulation = Simulation(arm, q)
    start = simulation.tool[:3, 3].copy()
    out = simulation.run_to_rest(start + way)
    assert StatusCode.REACHED in out.status.codes
    assert not any(StatusCode.DETOUR in o.status.codes for o in simulation.outputs)
    assert off_the_line(simulation.tools(), start, start + way) < 1e-3


def straightened(
    size: int, angle: float, rng: np.random.Generator
) -> tuple[JointGroup, np.ndarray]:
    """An arm whose elbow is `angle` from straight on a side with room."""
    while True:
        arm, q = some_arm(size, rng)
        elbow = arm.elbow
        assert elbow is not None
        side = float(rng.choice([-1.0, 1.0]))
        ends = elbow.straight + side * np.array([angle, 1.0])
        if arm.lower[elbow.index] < ends.min() and ends.max() < arm.upper[elbow.index]:
            q[elbow.index] = ends[0]
            return arm, q


@pytest.mark.parametrize("margin", [0.002, 0.03])
@pytest.mark.parametrize("size", SIZES)
def test_a_nearly_straight_arm_moves_inward_in_bounded_steps_and_arrives(
    size: int, margin: float
) -> None:
    arm, q = straightened(size, 0.005, np.random.default_rng(size))
    simulation = Simulation(arm, q, TrackerConfig(branch_margin=margin))
    base = shoulder(arm, q)
    out = simulation.run_to_rest(base + 0.95 * (simulation.tool[:3, 3] - base))
    assert np.abs(np.diff([q, *simulation.trace], axis=0)).max() <= 0.05
    assert StatusCode.REACHED in out.status.codes


@pytest.mark.parametrize("size", SIZES)
def test_an_exactly_straight_arm_moves_away_within_half_a_second(size: int) -> None:
    arm, q = straightened(size, 0.0, np.random.default_rng(size))
    simulation = Simulation(arm, q)
    base, start = shoulder(arm, q), simulation.tool[:3, 3].copy()
    target = base + 0.9 * (start - base)
    simulation.run(target, 0.5)
    gone = np.linalg.norm(simulation.tool[:3, 3] - start)
    assert gone > 0.2 * np.linalg.norm(target - start)


def modes(out: TrackerOutput) -> frozenset[StatusCode]:
    return MODES & frozenset(out.status.codes)


@pytest.mark.parametrize("where", ["out of reach", "on the first axis", "straight"])
@pytest.mark.parametrize("size", SIZES)
def test_noise_of_a_tenth_of_a_millimetre_switches_nothing_and_nothing_creeps(
    size: int, where: str
) -> None:
    rng = np.random.default_rng(size)
    arm, q = some_arm(size, rng)
    base = arm.joint_axes(q)[0]
    target = arm.forward_kinematics(q)
    if where == "out of reach":
        way = rng.normal(size=3)
        target[:3, 3] = way / np.linalg.norm(way) * arm.reach * rng.uniform(1.1, 2.0)
    elif where == "on the first axis":
        target[:3, 3] = base[:3] + base[3:] * rng.uniform(-0.7, 0.7) * arm.reach
    else:
        stretched = q.copy()
        stretched[arm.elbow.index] = arm.elbow.straight
        target = arm.forward_kinematics(stretched)
    simulation = Simulation(arm, q)
    before = modes(simulation.run_to_rest(target, 25.0))
    rested = simulation.q.copy()
    for _ in range(examples(200)):
        noisy = target.copy()
        noisy[:3, 3] += 1e-4 * rng.uniform(-1, 1, 3)
        assert modes(simulation.tick(noisy)) == before
        assert np.abs(simulation.q - rested).max() < (1e-6 if where == "out of reach" else 0.02)


@pytest.mark.parametrize("kind", ["reachable", "out of reach", "across the base"])
@pytest.mark.parametrize("size", [2, 4, 6] if COMPILED else [4])
def test_repeating_the_target_at_5_30_or_200_hz_gives_the_same_motion(size: int, kind: str) -> None:
    rng = np.random.default_rng(size)
    arm, q = some_arm(size, rng)
    target = arm.forward_kinematics(bent(arm, rng))
    if kind == "out of reach":
        target[:3, 3] *= 3.0
    elif kind == "across the base":
        target = arm.forward_kinematics(q)[:3, 3] * [-1.0, -1.0, 1.0 if size > 2 else -1.0]
    paths = []
    for rate in (5.0, 30.0, 200.0):
        simulation, sent = Simulation(arm, q), -1.0
        for k in range(200):
            if 0.005 * k - sent >= 1.0 / rate - 1e-9:
                message, sent = target.copy(), 0.005 * k
            simulation.tick(message, 0.005)
        paths.append(np.array(simulation.trace))
    np.testing.assert_array_equal(paths[0], paths[1])
    np.testing.assert_array_equal(paths[0], paths[2])


@pytest.mark.parametrize("size", SIZES)
def test_out_past_full_stretch_and_back_the_arm_returns_on_its_branch(size: int) -> None:
    rng = np.random.default_rng(size)
    arm, q = some_arm(size, rng)
    simulation = Simulation(arm, q)
    base, start = arm.joint_axes(q)[0, :3], simulation.tool[:3, 3].copy()
    far = (start - base) / np.linalg.norm(start - base) * arm.reach
    for share in np.linspace(0.0, 1.0, 30):
        simulation.run(start + share * far, 0.05)
    simulation.run_to_rest(start + far, 20.0)
    still = simulation.q.copy()
    simulation.run(start + far, 0.3)
    assert np.abs(simulation.q - still).max() <= 1e-6
    for share in np.linspace(1.0, 0.0, 30):
        simulation.run(start + share * far, 0.05)
        assert arm.elbow.sign_of(simulation.q) == arm.elbow.sign_of(q)
    out = simulation.run_to_rest(start, 20.0)
    assert StatusCode.REACHED in out.status.codes
    assert np.linalg.norm(simulation.tool[:3, 3] - start) < 1e-5


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_across_the_base_the_arm_arrives_where_its_branch_can(size: int, streamed: bool) -> None:
    rng = np.random.default_rng(size)
    while True:
        arm, q = some_arm(size, rng)
        base, tool = arm.joint_axes(q)[0, :3], arm.forward_kinematics(q)[:3, 3]
        target = base + (tool - base) * ([-1, -1, 1] if size > 2 else [-1, -1, -1])
        if search(arm, target, q, limits=walls(arm, q), rows="position").converged:
            break
    simulation = Simulation(arm, q)
    if streamed:
        for share in np.linspace(0.0, 1.0, 40):
            simulation.run(tool + share * (target - tool), 0.05)
    out = simulation.run_to_rest(target, 25.0)
    assert StatusCode.REACHED in out.status.codes
    assert np.linalg.norm(simulation.tool[:3, 3] - target) < 1e-5
    assert arm.elbow.sign_of(simulation.q) == arm.elbow.sign_of(q)
    assert size > 2 or streamed or any(modes(o) for o in simulation.outputs), "no DETOUR said"


@pytest.mark.parametrize("size", [3, 4, 5])
def test_a_pose_under_six_joints_ends_exact_in_position_and_near_in_orientation(size: int) -> None:
    """As near as `search` finds from there, but for what is not worth another joint motion."""
    rng = np.random.default_rng(size)
    for trial in range(6 if COMPILED else 2):
        arm, q = some_arm(size, rng)
        box = walls(arm, q)
        target = arm.forward_kinematics(rng.uniform(box.lower, box.upper))
        if trial % 2:
            target[:3, :3] = Rotation.random(rng=rng).as_matrix()
        simulation = Simulation(arm, q)
        out = simulation.run_to_rest(target, 20.0)
        assert StatusCode.REACHED in out.status.codes
        assert np.linalg.norm(simulation.tool[:3, 3] - target[:3, 3]) < 1e-5
        best = search(arm, target, q, limits=box).orientation_error
        turn = Rotation.from_matrix(target[:3, :3] @ simulation.tool[:3, :3].T).magnitude()
        assert turn <= best + 0.05 + 1e-4
