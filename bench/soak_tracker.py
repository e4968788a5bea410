"""Torment the tracker: hostile targets on every arm, invariants counted at every tick.

    python bench/soak_tracker.py [--ticks 100000] [--arms planar_2r,omx] [--seed 0] [--jerk 0]

Prints a table; exit code 1 if any invariant was broken.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test"))

from control.hostile import hostile_target, patience
from strategies import FIXED_ARMS, arm_of

from ik_node.control import PoseTracker, TrackerConfig, warm_up
from ik_node.core import JointGroup


@dataclass
class Tally:
    """What a soak counts."""

    ticks: int = 0
    speed: float = 0.0
    acceleration: float = 0.0
    outside: float = 0.0
    crossings: int = 0
    not_finite: int = 0
    microseconds: list[float] = field(default_factory=list)
    codes: Counter[str] = field(default_factory=Counter)

    @property
    def broken(self) -> bool:
        """Whether an invariant was broken by more than rounding."""
        rates = self.speed > 1e-9 or self.acceleration > 1e-6
        return rates or self.outside > 0.0 or self.crossings > 0 or self.not_finite > 0


def soak(arm: JointGroup, ticks: int, seed: int, jerk: float) -> Tally:
    """Run one arm from a random configuration; the arm does at once what it is told."""
    rng = np.random.default_rng(seed)
    config = TrackerConfig(jerk_limit=jerk)
    tracker = PoseTracker(arm, config)
    speed = np.where(np.isfinite(arm.velocity), arm.velocity, config.default_velocity)
    acceleration = speed / config.acceleration_time
    q = arm.random_configurations(1, rng)[0]
    v = np.zeros(arm.size)
    tally, now, left, sign, target = Tally(), 0.0, 0, 0, None
    for _ in range(ticks):
        if left <= 0:
            target, left = hostile_target(arm, q, rng), patience(rng)
        left -= 1
        dt = 0.01 * rng.uniform(0.5, 1.5)
        now += dt
        started = time.thread_time_ns()
        out = tracker.step(q, target, now, dt)
        tally.microseconds.append(1e-3 * (time.thread_time_ns() - started))
        command = out.q_command
        if command is None:
            continue
        tally.ticks += 1
        tally.codes.update(code.value for code in out.status.codes)
        if not np.isfinite(command).all():
            tally.not_finite += 1
            break
        new = (command - q) / dt
        tally.speed = max(tally.speed, float((np.abs(new) / speed).max()) - 1.0)
        change = float((np.abs(new - v) / (acceleration * dt)).max()) - 1.0
        tally.acceleration = max(tally.acceleration, change)
        outside = np.maximum(arm.lower - command, command - arm.upper).max()
        tally.outside = max(tally.outside, float(outside))
        if arm.elbow is not None:
            angle = arm.elbow.angle(command)
            if sign == 0 and abs(angle) >= config.branch_margin:
                sign = arm.elbow.sign_of(command)
            tally.crossings += sign * angle < 0.0
        q, v = command, new
    return tally


def main() -> int:
    """Soak the arms asked for and print what was counted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ticks", type=int, default=100_000)
    parser.add_argument("--arms", default=",".join(FIXED_ARMS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jerk", type=float, default=0.0, help="jerk_limit, 0 for none")
    options = parser.parse_args()
    print(
        f"{'arm':<10} {'ticks':>7} {'speed':>9} {'accel':>9} {'outside':>9} {'crossed':>7} "
        f"{'nan':>4} {'p50 us':>7} {'p99 us':>7} {'p99.9':>7}  codes"
    )
    broken = False
    for name in options.arms.split(","):
        arm = arm_of(FIXED_ARMS[name])
        warm_up(arm)
        tally = soak(arm, options.ticks, options.seed, options.jerk)
        broken |= tally.broken
        p50, p99, p999 = np.percentile(tally.microseconds, [50, 99, 99.9])
        codes = " ".join(f"{code}:{count}" for code, count in tally.codes.most_common(6))
        print(
            f"{name:<10} {tally.ticks:>7} {tally.speed:>9.1e} {tally.acceleration:>9.1e} "
            f"{tally.outside:>9.1e} {tally.crossings:>7} {tally.not_finite:>4} {p50:>7.0f} "
            f"{p99:>7.0f} {p999:>7.0f}  {codes}",
            flush=True,
        )
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
