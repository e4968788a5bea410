"""Transpose, pseudoinverse and damped least squares in one picture and one table.

    python -m bench.methods        writes docs/methods.svg and docs/methods.md

Convergence on the six joints of wx250s, and the joint step near the straight arm of planar_2r,
where the three differ most. Every figure of the page is measured here. Needs matplotlib.
"""

from __future__ import annotations

import math
import textwrap
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.robots import ROOT, robots
from ik_node.core import JointGroup, manipulability, solve_ik
from ik_node.core.step import METHODS

Array = NDArray[np.float64]
PAGE, PICTURE = ROOT / "docs" / "methods.md", ROOT / "docs" / "methods.svg"
TRIALS, STEPS, REACHED = 100, 500, 1e-5
BENDS = np.geomspace(1e-4, 1.0, 25)
TOUCH = 0.005
STEP_MAX = 0.05
"""rad, `dq_step_max` of `solve_ik`."""
HZ = 100.0
ENDLESS = 1e6
"""s, a step so long that no speed limit is felt."""
NEWLINE = "\n"
NAMES = {"transpose": "transpose", "pinv": "pseudoinverse", "dls": "damped least squares"}


class Convergence(NamedTuple):
    """Of one method: what its runs showed.

    errors (TRIALS, STEPS + 1) m; steps (TRIALS,) to REACHED, more than STEPS where never; condition
    (TRIALS,) of the Jacobian at the goal; largest joint step, rad; how many runs left a limit or
    the elbow's side.
    """

    errors: Array
    steps: Array
    condition: Array
    largest: float
    strayed: int

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Which runs came within REACHED."""
        return self.steps <= STEPS

    @property
    def order(self) -> float:
        """Order of convergence at the end, median: 2 doubles the digits with every step.

        Where each step leaves over half of the error it is 1, linear.
        """
        orders = []
        for errors in self.errors[self.reached]:
            e = errors[(errors > 1e-13) & (errors < 1e-2)]
            fresh = e[np.append(True, np.diff(e) != 0.0)][-3:]
            if len(fresh) == 3 and fresh[0] > fresh[1] > fresh[2]:
                orders.append(math.log(fresh[2] / fresh[1]) / math.log(fresh[1] / fresh[0]))
        return 1.0 if self.kept > 0.5 else float(np.median(orders))

    @property
    def kept(self) -> float:
        """Part of the error that each of the last (up to) 100 steps left, median."""
        kept = []
        for errors in self.errors:
            last = int(np.count_nonzero(np.diff(errors)))
            span = min(100, last)
            kept.append((errors[last] / errors[last - span]) ** (1.0 / span))
        return float(np.median(kept))


def converge(arm: JointGroup, method: str) -> Convergence:
    """Follow the method to poses up to 0.5 rad a joint away, without rate limits."""
    rng = np.random.default_rng(0)
    errors, condition = np.zeros((TRIALS, STEPS + 1)), np.zeros(TRIALS)
    largest, strayed = 0.0, 0
    for trial in range(TRIALS):
        q = 0.5 * (arm.lower + arm.upper) + rng.uniform(-0.3, 0.3, arm.size) * (
            arm.upper - arm.lower
        )
        goal = np.clip(q + rng.uniform(-0.5, 0.5, arm.size), arm.lower, arm.upper)
        target, side = arm.forward_kinematics(goal), arm.elbow.angle(q)  # type: ignore[union-attr]
        condition[trial] = manipulability(arm, goal, "pose").condition
        stray = False
        for step in range(STEPS + 1):
            now = solve_ik(arm, q, target, dt=ENDLESS, method=method)
            errors[trial, step:] = now.position_error
            if now.position_error < 1e-9 and now.orientation_error < 1e-9:
                break
            q = q + now.dq
            largest = max(largest, float(np.abs(now.dq).max()))
            outside = max(float((q - arm.upper).max()), float((arm.lower - q).max()))
            crossed = side * arm.elbow.angle(q) < 0.0  # type: ignore[union-attr]
            stray = stray or outside > 1e-12 or crossed
        strayed += stray
    done = errors <= REACHED
    steps = np.where(done.any(axis=1), done.argmax(axis=1), STEPS + 1)
    return Convergence(errors, steps, condition, largest, strayed)


def near_straight(arm: JointGroup, method: str) -> Array:
    """Largest joint motion of the first step, asked 5 % inward, for each of BENDS."""
    largest = []
    for bend in BENDS:
        q = np.zeros(arm.size)
        q[arm.elbow.index] = arm.elbow.straight + bend  # type: ignore[union-attr]
        target = 0.95 * arm.forward_kinematics(q)[:3, 3]
        step = solve_ik(arm, q, target, dt=ENDLESS, method=method)
        largest.append(float(np.abs(step.dq).max()))
    return np.array(largest)


def draw(six: dict[str, Convergence], two: dict[str, Array]) -> None:
    """Write the picture."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "ik_node"
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    for method, name in NAMES.items():
        middle = np.median(six[method].errors, axis=0)
        left.loglog(np.arange(1, STEPS + 2), np.maximum(middle, 1e-10), label=name)
        right.loglog(BENDS, two[method])
    left.axhline(REACHED, color="grey", linewidth=0.8, linestyle=":")
    left.set(xlabel="step", ylabel="position error, median [m]", title="convergence, wx250s")
    right.set(
        xlabel="elbow from straight [rad]",
        ylabel="largest joint step [rad]",
        title="asked 5 % inward, planar_2r",
    )
    right.axhline(STEP_MAX, color="grey", linewidth=0.8, linestyle=":")
    speed = right.secondary_yaxis("right", functions=(lambda s: s * HZ, lambda v: v / HZ))
    speed.set_ylabel(f"joint speed at {HZ:g} Hz [rad/s]")
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.legend(loc="outside lower center", ncols=len(NAMES))
    figure.savefig(PICTURE, metadata={"Date": None})


def page(six: dict[str, Convergence], two: dict[str, Array]) -> str:
    """Return the page's text."""
    near = int(np.argmin(np.abs(BENDS - TOUCH)))
    rows = []
    for method, name in NAMES.items():
        runs = six[method]
        rows.append(
            f"| {name} (`{method}`) | {100 * runs.reached.mean():.0f} % "
            f"| {np.median(runs.steps[runs.reached]):.0f} | {runs.order:.1f} "
            f"| {runs.largest:.2g} rad | {two[method][near]:.2g} rad "
            f"| {HZ * two[method][near]:.3g} rad/s |"
        )
    slow, newton, damped = (six[method] for method in NAMES)
    well, ill = (np.median(slow.condition[which]) for which in (slow.reached, ~slow.reached))
    strayed = sum(runs.strayed for runs in six.values())
    points = (
        "The transpose follows the gradient. It creeps: each of the last 100 steps leaves "
        f"{100 * slow.kept:.1f} % of the error. The median condition number of the Jacobian at the "
        f"goal is {well:.0f} where it arrives and {ill:.0f} where it does not.",
        f"The pseudoinverse converges quadratically (order {newton.order:.1f}), with joint steps "
        f"of up to {newton.largest:.2g} rad.",
        f"Damped least squares takes steps of at most `dq_step_max` ({STEP_MAX:g} rad; the largest "
        f"was {damped.largest:.3f}), which costs it steps at first. Its damping falls with the "
        f"error, so that the end is as fast (order {damped.order:.1f}).",
    )
    right = (
        "Right: the two-link arm almost straight and asked to pull in by 5 %. The pseudoinverse "
        f"asks for up to {two['pinv'].max():.2g} rad, where only a limit ends it; damped least "
        f"squares for at most {two['dls'].max():.2g} rad, whatever the bend."
    )
    kept = (
        "All three keep the joint limits and the elbow's side: of these "
        f"{len(six) * TRIALS} runs {strayed or 'none'} left them. The rate limits, which all "
        "three keep too, are switched off here to show what each asks for."
    )
    return f"""\
# Transpose, pseudoinverse, damped least squares

`solve_ik(arm, q, target, method=...)` takes one step by each of the three. The node uses damped
least squares; the others are there to compare.

![convergence and joint steps of the three methods](methods.svg)

| method | reach {REACHED:g} m in {STEPS} steps | steps, median | order at the end \
| largest joint step on the way | first step {BENDS[near]:.1g} rad from straight \
| as a speed at {HZ:g} Hz |
|---|---|---|---|---|---|---|
{NEWLINE.join(rows)}

Left: {TRIALS} poses on wx250s, each up to 0.5 rad a joint from its start, without rate limits.

{NEWLINE.join(_filled(f"* {point}", "  ") for point in points)}

{_filled(right)}

{_filled(kept)}

Written by `python -m bench.methods`.
"""


def _filled(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 100, subsequent_indent=indent, break_on_hyphens=False)


def main() -> None:
    """Measure, draw and write."""
    arms = dict(robots())
    six = {method: converge(arms["wx250s"], method) for method in METHODS}
    two = {method: near_straight(arms["planar_2r"], method) for method in METHODS}
    six, two = ({method: found[method] for method in NAMES} for found in (six, two))
    PAGE.parent.mkdir(exist_ok=True)
    draw(six, two)
    text = page(six, two)
    PAGE.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
