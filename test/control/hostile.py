"""Targets that no friend would send."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from control.interruptions import tune
from control.simulation import DT, Simulation

from ik_node.control import TwistTarget
from ik_node.core import JointGroup
from ik_node.errors import ConfigurationError, UnknownNameError

JITTER = 0.3, 2.0
"""Of the ticks: from what part to what multiple of the usual interval they last."""


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return R * np.sign(np.linalg.det(R))


def hostile_target(arm: JointGroup, q: np.ndarray, rng: np.random.Generator) -> Any:
    """At the base, on its axis, far, behind, across the hole, reachable; or none at all."""
    tool = arm.forward_kinematics(q)
    base = arm.joint_axes(q)[0]
    pose = np.eye(4)
    pose[:3, :3] = random_rotation(rng)
    kind = rng.integers(8)
    if kind == 0:
        pose[:3, 3] = base[:3] + 0.01 * rng.normal(size=3)
    elif kind == 1:
        pose[:3, 3] = base[:3] + base[3:] * rng.uniform(-1, 1) * arm.reach
    elif kind == 2:
        pose[:3, 3] = 5.0 * pose[:3, 0]
    elif kind == 3:
        pose[:3, 3] = tool[:3, 3] * [-1.0, -1.0, 1.0]
    elif kind == 4:
        pose[:3, 3] = -tool[:3, 3]
    elif kind == 5:
        pose[:3, 3] = rng.normal(size=3) * 0.3 * arm.reach
    else:
        pose = arm.forward_kinematics(arm.random_configurations(1, rng)[0])
    choice = rng.random()
    if choice < 0.3:
        return pose[:3, 3].copy()
    if choice < 0.45:
        return TwistTarget(rng.normal(size=3), 3.0 * rng.normal(size=3))
    if choice < 0.50:
        return None
    if choice < 0.53:
        return np.full((4, 4), np.nan)
    return pose


def patience(rng: np.random.Generator) -> int:
    """Ticks until the next target."""
    return int(rng.integers(1, 5) if rng.random() < 0.3 else rng.integers(1, 60))


def torment(
    simulation: Simulation,
    rng: np.random.Generator,
    ticks: int,
    jitter: tuple[float, float] = JITTER,
) -> None:
    """Hostile targets, looking that the elbow keeps to its side."""
    arm = simulation.arm
    margin = simulation.config.branch_margin
    sign, left, target = 0, 0, None
    for _ in range(ticks):
        if left <= 0:
            target = hostile_target(arm, simulation.q, rng)
            left = patience(rng)
        left -= 1
        simulation.tick(target, DT * rng.uniform(*jitter))
        if arm.elbow is not None:
            angle = arm.elbow.angle(simulation.q)
            if sign == 0 and abs(angle) >= margin:
                sign = arm.elbow.sign_of(simulation.q)
            assert sign == 0 or sign * angle > 0.0, "the elbow crossed its straight configuration"


WITHOUT_JERK = [{"tool_speed": [0.1, 0.5]}, {"rows": ["auto", "position"]}]
"""Parameters that change the limits of no joint."""

TUNINGS = [
    *WITHOUT_JERK,
    {"velocity_scale": [0.3, 1.0]},
    {"branch_margin": [0.03, 0.3]},
    {"fold_margin": [0.1, 1.0]},
    {"limit_margin": [0.0, 0.3]},
    {"acceleration_time": [0.2, 0.4]},
    {"jerk_limit": [0.0, 400.0]},
    {"branch": ["current", "up", "down"]},
    {"posture": ["none", "centre"]},
]


def _tune(
    simulation: Simulation, rng: np.random.Generator, tunings: Sequence[dict[str, Any]]
) -> None:
    """Another value for one parameter, unless it is refused."""
    ((name, values),) = tunings[int(rng.integers(len(tunings)))].items()
    with suppress(ConfigurationError, UnknownNameError):
        tune(simulation, **{name: values[int(rng.integers(2))]})


def pester(
    simulation: Simulation,
    rng: np.random.Generator,
    ticks: int,
    jitter: tuple[float, float] = JITTER,
    tunings: Sequence[dict[str, Any]] = TUNINGS,
) -> None:
    """Hostile targets with holds, pauses, tuning and changes of branch in between."""
    target = None
    for _ in range(ticks):
        act, tracker = rng.random(), simulation.tracker
        if act < 0.05:
            target = hostile_target(simulation.arm, simulation.q, rng)
        elif act < 0.06:
            tracker.hold()
        elif act < 0.08:
            tracker.enable(bool(rng.random() < 0.6))
        elif act < 0.09 and tracker.branches:
            tracker.request_branch(tracker.branches[int(rng.integers(2))])
        elif act < 0.11:
            _tune(simulation, rng, tunings)
        out = simulation.tick(target, DT * rng.uniform(*jitter))
        if out.q_command is None:
            simulation.v[:] = 0.0
