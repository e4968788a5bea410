"""Transpose, pseudoinverse and damped least squares in one picture and one table.

    python -m bench.methods        writes docs/methods.svg and docs/methods.md

Convergence on the six joints of wx250s, and the joint step near the straight arm of planar_2r,
where the three differ most. Needs matplotlib.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.robots import ROOT, robots
from ik_node.core import JointGroup, solve_ik
from ik_node.core.step import METHODS

Array = NDArray[np.float64]
PAGE, PICTURE = ROOT / "docs" / "methods.md", ROOT / "docs" / "methods.svg"
TRIALS, STEPS, REACHED = 100, 500, 1e-5
BENDS = np.geomspace(1e-4, 1.0, 25)
TOUCH = 0.005
NEWLINE = "\n"
NAMES = {"transpose": "transpose", "pinv": "pseudoinverse", "dls": "damped least squares"}


class Convergence(NamedTuple):
    """Of one method: errors (TRIALS, STEPS + 1) in m, and the steps to REACHED."""

    errors: Array
    steps: Array


def converge(arm: JointGroup, method: str) -> Convergence:
    """Follow the method to poses up to 0.5 rad a joint away, without rate limits."""
    rng = np.random.default_rng(0)
    errors = np.zeros((TRIALS, STEPS + 1))
    for trial in range(TRIALS):
        q = 0.5 * (arm.lower + arm.upper) + rng.uniform(-0.3, 0.3, arm.size) * (
            arm.upper - arm.lower
        )
        goal = np.clip(q + rng.uniform(-0.5, 0.5, arm.size), arm.lower, arm.upper)
        target = arm.forward_kinematics(goal)
        for step in range(STEPS + 1):
            now = solve_ik(arm, q, target, dt=1e6, method=method)
            errors[trial, step:] = now.position_error
            if now.position_error < 1e-9 and now.orientation_error < 1e-9:
                break
            q = q + now.dq
    done = errors <= REACHED
    return Convergence(errors, np.where(done.any(axis=1), done.argmax(axis=1), STEPS + 1))


def near_straight(arm: JointGroup, method: str) -> Array:
    """Largest joint motion of the first step, asked 5 % inward, for each of BENDS."""
    largest = []
    for bend in BENDS:
        q = np.zeros(arm.size)
        q[arm.elbow.index] = arm.elbow.straight + bend  # type: ignore[union-attr]
        target = 0.95 * arm.forward_kinematics(q)[:3, 3]
        step = solve_ik(arm, q, target, dt=1e6, method=method)
        largest.append(float(np.abs(step.dq).max()))
    return np.array(largest)


def draw(six: dict[str, Convergence], two: dict[str, Array]) -> None:
    """Write the picture."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "ik_node"
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    for method, name in NAMES.items():
        middle = np.median(six[method].errors, axis=0)
        left.loglog(np.arange(1, STEPS + 2), np.maximum(middle, 1e-10), label=name)
        right.loglog(BENDS, two[method], label=name)
    left.set(xlabel="step", ylabel="position error, median [m]", title="convergence, wx250s")
    right.set(
        xlabel="elbow from straight [rad]",
        ylabel="largest joint step [rad]",
        title="asked 5 % inward, planar_2r",
    )
    right.axhline(0.05, color="grey", linewidth=0.8, linestyle=":")
    left.legend()
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(PICTURE, metadata={"Date": None})


def page(six: dict[str, Convergence], two: dict[str, Array]) -> str:
    """Return the page's text."""
    near = int(np.argmin(np.abs(BENDS - TOUCH)))
    rows = []
    for method, name in NAMES.items():
        steps = six[method].steps
        reached = steps <= STEPS
        median = f"{np.median(steps[reached]):.0f}" if reached.any() else "-"
        rows.append(
            f"| {name} (`{method}`) | {100 * reached.mean():.0f} % | {median} "
            f"| {two[method][near]:.2g} rad | {two[method].max():.2g} rad |"
        )
    return f"""\
# Transpose, pseudoinverse, damped least squares

`solve_ik(arm, q, target, method=...)` takes one step by each of the three. The node uses damped
least squares; the others are there to compare.

![convergence and joint steps of the three methods](methods.svg)

| method | reach {REACHED:g} m in {STEPS} steps | steps, median | \
joint step {BENDS[near]:.1g} rad from straight | largest joint step |
|---|---|---|---|---|
{NEWLINE.join(rows)}

Left: {TRIALS} poses on wx250s, each up to 0.5 rad a joint from its start, without rate limits. The
transpose follows the gradient and creeps where the Jacobian is badly conditioned. The
pseudoinverse converges quadratically. Damped least squares takes short steps while the error is
large, so that none exceeds `dq_step_max`, and then converges quadratically too, because its damping
falls with the error.

Right: the two-link arm almost straight and asked to pull in by 5 %. The straighter the arm, the
larger the steps that the pseudoinverse asks for; damped least squares stays under 0.05 rad at any
distance.

All three hold the joint limits, the rate limits and the elbow's side; this comparison switches the
rate limits off to show what each asks for.

Written by `python -m bench.methods`.
"""


def main() -> None:
    """Measure, draw and write."""
    arms = dict(robots())
    six = {method: converge(arms["wx250s"], method) for method in METHODS}
    two = {method: near_straight(arms["planar_2r"], method) for method in METHODS}
    PAGE.parent.mkdir(exist_ok=True)
    draw(six, two)
    text = page(six, two)
    PAGE.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
