"""A perfect arm under a tracker, and the invariants that every tick has to keep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
from strategies import FIXED_ARMS, arm_of

from ik_node.control import PoseTracker, StatusCode, TrackerConfig, TrackerOutput
from ik_node.control.searches import INTERPRETED_SHARE
from ik_node.core import JointGroup
from ik_node.core.kernels.jit import COMPILED

DT = 0.01


@cache
def fixed_arm(name: str) -> JointGroup:
    return arm_of(FIXED_ARMS[name])


READY = {
    "planar_2r": [0.5, 1.2],
    "omx": [0.3, -0.4, 0.3, 0.6],
    "wx200": [0.3, -0.4, 0.4, 0.5, 0.2],
    "wx250s": [0.3, -0.4, 0.4, 0.3, 0.6, 0.2],
    "ur5": [0.3, -1.2, 1.4, -0.6, -1.2, 0.2],
    "panda": [0.2, -0.3, 0.1, -1.8, 0.2, 1.6, 0.3],
    "scara": [0.3, 0.9, 0.05, 0.2],
}
"""Configurations in the middle of the workspace, the elbow bent."""


def with_all_iterations(config: TrackerConfig) -> TrackerConfig:
    """The law is tested here, not how many ticks an interpreter needs for it."""
    if COMPILED:
        return config
    return replace(config, search_iterations=config.search_iterations * INTERPRETED_SHARE)


@dataclass
class Simulation:
    """A tracker and an arm that does at once what it is told; keeps the invariants' record.

    `droop` (n,) is by how much the arm hangs below what it is told, at every tick but the first.
    """

    arm: JointGroup
    q: np.ndarray
    config: TrackerConfig = field(default_factory=TrackerConfig)
    droop: np.ndarray | float = 0.0

    def __post_init__(self) -> None:
        self.config = with_all_iterations(self.config)
        self.q = np.array(self.q, dtype=float)
        self.tracker = PoseTracker(self.arm, self.config)
        self.now = 0.0
        self.speed = np.where(
            np.isfinite(self.arm.velocity), self.arm.velocity, self.config.default_velocity
        )
        self.acceleration = self.speed / self.config.acceleration_time
        self.v = np.zeros(self.arm.size)
        self.trace: list[np.ndarray] = []
        self.outputs: list[TrackerOutput] = []

    @classmethod
    def ready(cls, name: str, **settings: Any) -> Simulation:
        return cls(fixed_arm(name), np.array(READY[name]), TrackerConfig(**settings))

    @property
    def last(self) -> TrackerOutput:
        return self.outputs[-1]

    @property
    def tool(self) -> np.ndarray:
        return self.arm.forward_kinematics(self.q)

    def tools(self) -> np.ndarray:
        """Return the places (ticks, 3) where the tool has been."""
        return np.array([self.arm.forward_kinematics(q)[:3, 3] for q in self.trace])

    def tick(self, target: Any, dt: float = DT, check: bool = True) -> TrackerOutput:
        self.now += dt
        measured = self.q - (self.droop if self.outputs else 0.0)
        out = self.tracker.step(measured, target, self.now, dt)
        self.outputs.append(out)
        if out.q_command is not None:
            if check:
                self.check(out.q_command, dt)
            self.v = (out.q_command - self.q) / dt
            self.q = out.q_command.copy()
        self.trace.append(self.q.copy())
        return out

    def check(self, command: np.ndarray, dt: float) -> None:
        v = (command - self.q) / dt
        assert np.isfinite(command).all()
        assert np.all(np.abs(v) <= self.speed * (1 + 1e-9)), "velocity"
        change = np.abs(v - self.v)
        assert np.all(change <= self.acceleration * dt * (1 + 1e-6) + 1e-9), "acceleration"
        above = (command > self.arm.upper) & (command > self.q)
        below = (command < self.arm.lower) & (command < self.q)
        assert not above.any() and not below.any(), "outside a limit and moving out"

    def run(
        self,
        target: Any,
        seconds: float,
        until: Callable[[TrackerOutput], bool] = lambda out: False,
        dt: float = DT,
    ) -> TrackerOutput:
        for _ in range(round(seconds / dt)):
            if until(self.tick(target, dt)):
                break
        return self.last

    def run_to_rest(self, target: Any, seconds: float = 12.0, dt: float = DT) -> TrackerOutput:
        """Until the command has rested for a while at where it wants to be."""
        still = 0
        for _ in range(round(seconds / dt)):
            out = self.tick(target, dt)
            moving = StatusCode.TRACKING in out.status.codes or np.any(out.dq != 0.0)
            still = 0 if moving else still + 1
            if still > 5:
                return out
        raise AssertionError(f"still moving after {seconds} s: {self.last.status}")


def off_the_line(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> float:
    """Return the largest distance [m] of points (N, k) from the line."""
    way = (end - start) / np.linalg.norm(end - start)
    offset = points - start
    return float(np.linalg.norm(offset - np.outer(offset @ way, way), axis=1).max())


def at(x: float, y: float, z: float) -> np.ndarray:
    return np.array([x, y, z])


def moved(pose: np.ndarray, by: Any) -> np.ndarray:
    new = pose.copy()
    new[:3, 3] += by
    return new
