"""Other people's solvers, each behind the questions that are asked of all.

`solve(target, seed)` returns a configuration; `step(q, target)` one differential step; `tick(q,
target)` the next configuration, limits kept; `prepare(q, target)` and then `kernel()` the compiled
part of a step. A solver that is not installed is left out.
"""

from __future__ import annotations

import importlib.metadata
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.robots import SPEED, bounds, plain_urdf
from ik_node.core import JointGroup

Array = NDArray[np.float64]
POSITION, ANGLE = 1e-5, 1e-4
TICK = 0.01
"""s."""


@dataclass(frozen=True)
class Peer:
    """One solver on one arm; what it does not offer is None."""

    name: str
    solve: Callable[[Array, Array], Array] | None = None
    step: Callable[[Array, Array], Any] | None = None
    tick: Callable[[Array, Array], Array] | None = None
    prepare: Callable[[Array, Array], None] | None = None
    kernel: Callable[[], Any] | None = None


def versions() -> dict[str, str]:
    """What is installed of the peers."""
    found = {}
    names = (
        "numba",
        "roboticstoolbox-python",
        "placo",
        "pin",
        "pin-pink",
        "mink",
        "mujoco",
        "daqp",
    )
    for package in names:
        with suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found


def judge(arm: JointGroup) -> Callable[[Array], Array]:
    """Pinocchio's forward kinematics of the arm, or this package's own without pinocchio."""
    try:
        import pinocchio
    except ImportError:
        return lambda q: arm.forward_kinematics(q)
    model = pinocchio.buildModelFromXML(plain_urdf(arm))
    data, frame = model.createData(), model.getFrameId("tool")

    def pose(q: Array) -> Array:
        pinocchio.framesForwardKinematics(model, data, q)
        return np.array(data.oMf[frame].homogeneous)

    return pose


def peers(arm: JointGroup, position_only: bool) -> Iterator[Peer]:
    """Every solver that is installed, ready for the arm."""
    for make in (_roboticstoolbox, _pinocchio, _placo, _pink, _mink):
        with suppress(ImportError):
            yield make(arm, position_only)


def _roboticstoolbox(arm: JointGroup, position_only: bool) -> Peer:
    from roboticstoolbox import ET, ETS

    lower, upper = bounds(arm)
    parts = []
    for i, row in enumerate(arm.chain):
        origin = np.eye(4)
        origin[:3, :3], origin[:3, 3] = row[0:9].reshape(3, 3), row[9:12]
        parts.append(ET.SE3(origin))
        if i < arm.size:
            parts.append(ET.Rz(qlim=[lower[i], upper[i]]))
    chain = ETS(parts)
    mask = np.array([1.0, 1, 1, 0, 0, 0]) if position_only else None
    tolerance = 0.5 * (0.3 * POSITION) ** 2

    def solve(target: Array, seed: Array) -> Array:
        return np.asarray(chain.ik_LM(target, q0=seed, tol=tolerance, mask=mask)[0])

    return Peer("roboticstoolbox", solve)


def _loop(
    step: Callable[[Array, Array], Array],
    pose: Callable[[Array], Array],
    arm: JointGroup,
    position_only: bool,
) -> Callable[[Array, Array], Array]:
    """At most 100 steps from one start: what a user of a differential solver writes."""
    lower, upper = bounds(arm)

    def solve(target: Array, seed: Array) -> Array:
        q = seed
        for _ in range(100):
            T = pose(q)
            turn = 0.0 if position_only else 0.5 * np.linalg.norm(T[:3, :3] - target[:3, :3])
            if np.linalg.norm(T[:3, 3] - target[:3, 3]) < 0.3 * POSITION and turn < 0.3 * ANGLE:
                break
            q = np.clip(q + step(q, target), lower, upper)
        return q

    return solve


def _pinocchio(arm: JointGroup, position_only: bool) -> Peer:
    """The damped least squares of pinocchio's own example, with numpy."""
    import pinocchio

    model = pinocchio.buildModelFromXML(plain_urdf(arm))
    data, frame = model.createData(), model.getFrameId("tool")

    def step(q: Array, target: Array) -> Array:
        pinocchio.framesForwardKinematics(model, data, q)
        goal = pinocchio.SE3(target)
        here = data.oMf[frame]
        J = pinocchio.computeFrameJacobian(model, data, q, frame, pinocchio.LOCAL)
        if position_only:
            J, error = J[:3], here.rotation.T @ (goal.translation - here.translation)
        else:
            error = pinocchio.log6(here.actInv(goal)).vector
        damped = J @ J.T + 1e-6 * np.eye(len(J))
        return J.T @ np.linalg.solve(damped, error)

    def pose(q: Array) -> Array:
        pinocchio.framesForwardKinematics(model, data, q)
        return np.array(data.oMf[frame].homogeneous)

    return Peer("pinocchio + numpy", _loop(step, pose, arm, position_only), step)


def _file(arm: JointGroup) -> str:
    folder = Path(tempfile.mkdtemp(prefix="ik_node_bench_"))
    path = folder / "robot.urdf"
    path.write_text(plain_urdf(arm))
    return str(path)


def _placo(arm: JointGroup, position_only: bool) -> Peer:
    import placo

    robot = placo.RobotWrapper(_file(arm), placo.Flags.ignore_collisions)
    n = arm.size

    def solver_with(limits: bool) -> tuple[Any, Any]:
        solver = placo.KinematicsSolver(robot)
        solver.mask_fbase(True)
        solver.enable_velocity_limits(limits)
        solver.dt = TICK
        if position_only:
            task = solver.add_position_task("tool", np.zeros(3))
        else:
            task = solver.add_frame_task("tool", np.eye(4))
            task.configure("tool", "soft", 1.0, 1.0)
        solver.add_regularization_task(1e-6)
        return solver, task

    solver, task = solver_with(False)
    limited, limited_task = solver_with(True)

    def ask(task: Any, q: Array, target: Array) -> None:
        robot.state.q[-n:] = q
        if position_only:
            task.target_world = target[:3, 3]
        else:
            task.T_world_frame = target

    def kernel() -> Any:
        robot.update_kinematics()
        return solver.solve(False)

    def step(q: Array, target: Array) -> Array:
        ask(task, q, target)
        return np.asarray(kernel())[-n:]

    def tick(q: Array, target: Array) -> Array:
        ask(limited_task, q, target)
        robot.update_kinematics()
        limited.solve(True)
        return np.array(robot.state.q[-n:])

    def pose(q: Array) -> Array:
        robot.state.q[-n:] = q
        robot.update_kinematics()
        return np.asarray(robot.get_T_world_frame("tool"))

    def prepare(q: Array, target: Array) -> None:
        ask(task, q, target)

    return Peer("placo", _loop(step, pose, arm, position_only), step, tick, prepare, kernel)


def _pink(arm: JointGroup, position_only: bool) -> Peer:
    import pinocchio
    from pink import Configuration, solve_ik
    from pink.tasks import FrameTask

    model = pinocchio.buildModelFromXML(plain_urdf(arm))
    configuration = Configuration(model, model.createData(), 0.5 * sum(bounds(arm)))
    task = FrameTask("tool", position_cost=1.0, orientation_cost=0.0 if position_only else 1.0)

    def velocity(q: Array, target: Array, dt: float) -> Array:
        configuration.update(q)
        task.set_target(pinocchio.SE3(target))
        return np.asarray(solve_ik(configuration, [task], dt, solver="daqp", damping=1e-6))

    def step(q: Array, target: Array) -> Array:
        return velocity(q, target, 1.0)

    def tick(q: Array, target: Array) -> Array:
        return np.asarray(configuration.integrate(velocity(q, target, TICK), TICK))

    def pose(q: Array) -> Array:
        configuration.update(q)
        return np.asarray(configuration.get_transform_frame_to_world("tool").homogeneous)

    return Peer("pink", _loop(step, pose, arm, position_only), step, tick)


def _mink(arm: JointGroup, position_only: bool) -> Peer:
    import mink
    import mujoco

    text = plain_urdf(arm).replace(
        '<robot name="arm">',
        '<robot name="arm"><mujoco><compiler fusestatic="false" discardvisual="false"/></mujoco>',
    )
    configuration = mink.Configuration(mujoco.MjModel.from_xml_string(text))
    task = mink.FrameTask("tool", "body", 1.0, 0.0 if position_only else 1.0)
    ranges = [mink.ConfigurationLimit(configuration.model)]
    speeds = dict.fromkeys(arm.joint_names, SPEED)
    limits = [*ranges, mink.VelocityLimit(configuration.model, speeds)]

    def velocity(q: Array, target: Array, dt: float, limits: list[Any]) -> Array:
        configuration.update(q)
        task.set_target(mink.SE3.from_matrix(target))
        return np.asarray(
            mink.solve_ik(configuration, [task], dt, "daqp", damping=1e-6, limits=limits)
        )

    def step(q: Array, target: Array) -> Array:
        return velocity(q, target, 1.0, ranges)

    def tick(q: Array, target: Array) -> Array:
        return np.asarray(configuration.integrate(velocity(q, target, TICK, limits), TICK))

    def pose(q: Array) -> Array:
        configuration.update(q)
        return configuration.get_transform_frame_to_world("tool", "body").as_matrix()

    return Peer("mink", _loop(step, pose, arm, position_only), step, tick)
