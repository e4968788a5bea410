"""Other people's solvers, each behind the two questions that are asked of all.

`solve(target, seed)` returns a configuration; `step(q, target)` returns one differential step. A
solver that is not installed is left out.
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

from bench.robots import bounds, plain_urdf
from ik_node.core import JointGroup

Array = NDArray[np.float64]
POSITION, ANGLE = 1e-5, 1e-4


@dataclass(frozen=True)
class Peer:
    """One solver on one arm; what it does not offer is None."""

    name: str
    solve: Callable[[Array, Array], Array] | None
    step: Callable[[Array, Array], Any] | None


def versions() -> dict[str, str]:
    """What is installed of the peers."""
    found = {}
    for package in ("roboticstoolbox-python", "placo", "pin", "pin-pink", "mink", "mujoco"):
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
    parts, after = [], np.eye(4)
    for i, row in enumerate(arm.chain):
        origin = np.eye(4)
        origin[:3, :3], origin[:3, 3] = row[0:9].reshape(3, 3), row[9:12]
        if i == len(arm.chain) - 1:
            parts.append(ET.SE3(after @ origin))
            break
        turn = np.eye(4)
        turn[:3, :3] = _onto_z(row[12:15])
        parts += [ET.SE3(after @ origin @ turn), ET.Rz(qlim=[lower[i], upper[i]])]
        after = np.linalg.inv(turn)
    chain = ETS(parts)
    mask = np.array([1.0, 1, 1, 0, 0, 0]) if position_only else None
    tolerance = 0.5 * (0.3 * POSITION) ** 2

    def solve(target: Array, seed: Array) -> Array:
        return np.asarray(chain.ik_LM(target, q0=seed, tol=tolerance, mask=mask)[0])

    return Peer("roboticstoolbox", solve, None)


def _onto_z(axis: Array) -> Array:
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = np.cross(helper, axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def _loop(step: Callable[[Array, Array], Array], pose: Callable[[Array], Array], arm: JointGroup):
    lower, upper = bounds(arm)

    def solve(target: Array, seed: Array) -> Array:
        q = seed
        for _ in range(100):
            T = pose(q)
            turn = 0.5 * np.linalg.norm(T[:3, :3] - target[:3, :3])
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
    rows = 3 if position_only else 6

    def step(q: Array, target: Array) -> Array:
        pinocchio.framesForwardKinematics(model, data, q)
        goal = pinocchio.SE3(target)
        here = data.oMf[frame]
        error = pinocchio.log6(here.actInv(goal)).vector[:rows]
        J = pinocchio.computeFrameJacobian(model, data, q, frame, pinocchio.LOCAL)[:rows]
        damped = J @ J.T + 1e-6 * np.eye(rows)
        return J.T @ np.linalg.solve(damped, error)

    def pose(q: Array) -> Array:
        pinocchio.framesForwardKinematics(model, data, q)
        return np.array(data.oMf[frame].homogeneous)

    return Peer("pinocchio + numpy", _loop(step, pose, arm) if not position_only else None, step)


def _file(arm: JointGroup) -> str:
    folder = Path(tempfile.mkdtemp(prefix="ik_node_bench_"))
    path = folder / "robot.urdf"
    path.write_text(plain_urdf(arm))
    return str(path)


def _placo(arm: JointGroup, position_only: bool) -> Peer:
    import placo

    robot = placo.RobotWrapper(_file(arm), placo.Flags.ignore_collisions)
    solver = placo.KinematicsSolver(robot)
    solver.mask_fbase(True)
    solver.enable_velocity_limits(False)
    task = (
        solver.add_position_task("tool", np.zeros(3))
        if position_only
        else solver.add_frame_task("tool", np.eye(4))
    )
    if not position_only:
        task.configure("tool", "soft", 1.0, 1.0)
    solver.add_regularization_task(1e-6)
    n = arm.size

    def step(q: Array, target: Array) -> Array:
        robot.state.q[-n:] = q
        robot.update_kinematics()
        if position_only:
            task.target_world = target[:3, 3]
        else:
            task.T_world_frame = target
        return np.asarray(solver.solve(False))[-n:]

    def pose(q: Array) -> Array:
        robot.state.q[-n:] = q
        robot.update_kinematics()
        return np.asarray(robot.get_T_world_frame("tool"))

    return Peer("placo", _loop(step, pose, arm) if not position_only else None, step)


def _pink(arm: JointGroup, position_only: bool) -> Peer:
    import pinocchio
    from pink import Configuration, solve_ik
    from pink.tasks import FrameTask

    model = pinocchio.buildModelFromXML(plain_urdf(arm))
    configuration = Configuration(model, model.createData(), np.zeros(arm.size))
    task = FrameTask("tool", position_cost=1.0, orientation_cost=0.0 if position_only else 1.0)

    def step(q: Array, target: Array) -> Array:
        configuration.update(q)
        task.set_target(pinocchio.SE3(target))
        return np.asarray(solve_ik(configuration, [task], 1.0, solver="daqp", damping=1e-6))

    return Peer("pink", None, step)


def _mink(arm: JointGroup, position_only: bool) -> Peer:
    import mink
    import mujoco

    text = plain_urdf(arm).replace(
        '<robot name="arm">',
        '<robot name="arm"><mujoco><compiler fusestatic="false" discardvisual="false"/></mujoco>',
    )
    configuration = mink.Configuration(mujoco.MjModel.from_xml_string(text))
    task = mink.FrameTask("tool", "body", 1.0, 0.0 if position_only else 1.0)
    limits = [mink.ConfigurationLimit(configuration.model)]

    def step(q: Array, target: Array) -> Array:
        configuration.update(q)
        task.set_target(mink.SE3.from_matrix(target))
        return np.asarray(
            mink.solve_ik(configuration, [task], 1.0, "daqp", damping=1e-6, limits=limits)
        )

    return Peer("mink", None, step)
