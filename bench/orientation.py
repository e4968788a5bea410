"""Arms under six joints: is the position exact, and the orientation the nearest there is?

    python -m bench.orientation                   500 targets an arm, tens of minutes
    python -m bench.orientation --targets 50

On the shipped arms and on random ones: a position that the branch reaches, with any orientation;
beside `search`, a brute force of its own kinematics (`bench.brute_force`) on the same branch.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.brute_force import Chain, nearest_orientation
from bench.robots import bounds, plain_urdf, random_arm, robots
from ik_node.core import JointGroup, search
from ik_node.core.branch import branch_limits, branch_signs
from ik_node.core.limits import Box

Array = NDArray[np.float64]
POSITION, ANGLE = 1e-5, 1e-4


class Trial(NamedTuple):
    """One target: how far `search` is from it, and the brute force's smallest angle."""

    position: float
    angle: float
    best: float

    @property
    def good(self) -> bool:
        """Exact in position and as near in orientation."""
        return self.position <= POSITION and self.angle <= self.best + ANGLE


def trials(
    arm: JointGroup, count: int, rng: np.random.Generator, samples: int = 2000
) -> Iterator[Trial]:
    """Targets on the arm's branches in turn."""
    chain = Chain.read(plain_urdf(arm), "base", "tool")
    labels = [
        None if arm.elbow is None else arm.elbow.label(sign)
        for sign in branch_signs(arm, arm.elbow, 0.0, 0.0)
    ]
    lower, upper = bounds(arm)
    for number in range(count):
        label = labels[number % len(labels)]
        box = Box(lower, upper)
        if label is not None:
            narrowed = branch_limits(arm, arm.elbow, arm.elbow.sign_from_label(label), 0.0, 0.0)
            box = Box(np.maximum(lower, narrowed.lower), np.minimum(upper, narrowed.upper))
        target = arm.forward_kinematics(rng.uniform(box.lower, box.upper))
        target[:3, :3] = _any_rotation(rng)
        found = search(arm, target, rng.uniform(box.lower, box.upper), branch=label)
        best = nearest_orientation(chain, target, box.lower, box.upper, rng, samples)
        yield Trial(found.position_error, found.orientation_error, best.angle)


def _any_rotation(rng: np.random.Generator) -> Array:
    R, triangle = np.linalg.qr(rng.standard_normal((3, 3)))
    R = R * np.sign(np.diag(triangle))
    return R * np.linalg.det(R)


def arms(rng: np.random.Generator) -> Iterator[tuple[str, JointGroup]]:
    """The shipped arms under six joints, and random ones of 2 to 5."""
    yield from ((name, arm) for name, arm in robots() if arm.size < 6)
    for size in (2, 3, 4, 4, 5, 5):
        yield f"random, {size} joints", random_arm(size, rng)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--targets", type=int, default=500, help="an arm")
    parser.add_argument("--samples", type=int, default=2000, help="of the brute force a target")
    parser.add_argument("--arms", nargs="*", help="only these")
    asked = parser.parse_args()
    print(
        "| arm | targets | position, largest | within 1e-4 rad | worst | nearer than brute force |"
    )
    print("|---|---|---|---|---|---|")
    rng = np.random.default_rng(0)
    for name, arm in arms(rng):
        if asked.arms and name not in asked.arms:
            continue
        found = list(trials(arm, asked.targets, rng, asked.samples))
        position = max(trial.position for trial in found)
        good = 100.0 * sum(trial.good for trial in found) / len(found)
        worst = max(trial.angle - trial.best for trial in found)
        nearer = 100.0 * sum(trial.angle < trial.best - ANGLE for trial in found) / len(found)
        print(
            f"| {name} | {len(found)} | {position:.1e} m | {good:.1f} % | {worst:+.1e} rad "
            f"| {nearer:.1f} % |",
            flush=True,
        )


if __name__ == "__main__":
    main()
