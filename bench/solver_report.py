"""The saved figures as Markdown, and beside what was promised."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench.solver_measure import HARD, KERNEL, OURS, RANDOM, STEP, TICK, TRACKING

Results = dict[str, dict[str, dict[str, dict[str, float]]]]
TOOLBOX, PINOCCHIO, PLACO = "roboticstoolbox", "pinocchio + numpy", "placo, kernel"
PUBLIC = (OURS, TOOLBOX, "placo", PINOCCHIO, "pink", "mink")
NOTE = "placo, pinocchio, pink and mink offer steps: 100 of them from one start at most."
TICK_US, HARD_US = 40.0, 1000.0


def full_table(arm: str, results: Results, before: Results) -> str:
    """Every figure of an arm, with the last run's median beside."""
    lines = [
        f"### {arm}\n",
        "| problem | solver | count | p50 us | p95 us | p99 us | right % | leaps % | last p50 |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for kind, solvers in results[arm].items():
        for name, n in solvers.items():
            last = before.get(arm, {}).get(kind, {}).get(name, {}).get("p50", "")
            right, leaps = n.get("right_percent", ""), n.get("leaps_percent", "")
            numbers = f"{n['count']} | {n['p50']} | {n['p95']} | {n['p99']}"
            lines.append(f"| {kind} | {name} | {numbers} | {right} | {leaps} | {last} |")
    return "\n".join(lines)


def short_table(saved: dict[str, Any], arm: str) -> str:
    """The table of README.md: public calls, medians of one arm, how many answers were right."""
    kinds = saved["results"][arm]
    columns = (RANDOM, TRACKING, STEP, TICK)
    lines = [
        f"| {arm}: median us (right) | {' | '.join(columns)} |",
        f"|---{'|---' * len(columns)}|",
    ]
    for name in PUBLIC:
        cells = [_cell(kinds[kind].get(name)) for kind in columns]
        if any(cell != "-" for cell in cells):
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", f"{about(saved['machine'])}. {NOTE}"])


def _cell(numbers: dict[str, float] | None) -> str:
    if numbers is None:
        return "-"
    right = numbers.get("right_percent")
    time = numbers["p50"]
    text = f"{time:.0f}" if time >= 20 else f"{time:.1f}"
    return text if right is None else f"{text} ({right:g} %)"


def about(machine: dict[str, str]) -> str:
    """What the figures depend on, in a line."""
    return ", ".join(f"{key} {value}" for key, value in machine.items())


def promises(results: Results) -> str:
    """What was promised beside what was measured, arm by arm."""
    lines = ["| arm | promise | measured | kept |", "|---|---|---|---|"]
    for arm, kinds in results.items():
        for words, measured, most in _promises(kinds, arm):
            kept = "yes" if measured <= most else "**no**"
            lines.append(f"| {arm} | {words} | {measured:.3g} | {kept} |")
    return "\n".join(lines)


def _promises(
    kinds: dict[str, dict[str, dict[str, float]]], arm: str
) -> Iterator[tuple[str, float, float]]:
    """Words, the figure, and the most that it may be."""
    for kind in (RANDOM, TRACKING):
        yield f"{kind}: wrong answers <= 0 %", 100.0 - kinds[kind][OURS]["right_percent"], 0.0
    yield f"{TRACKING}: leaps <= 0 %", kinds[TRACKING][OURS]["leaps_percent"], 0.0
    for kind, ours, theirs, most in (
        (RANDOM, OURS, TOOLBOX, 1 / 3),
        (TRACKING, OURS, TOOLBOX, 1 / 2),
        (TRACKING, KERNEL, TOOLBOX, 1 / 4),
        (STEP, OURS, PINOCCHIO, 1.0),
        (STEP, KERNEL, PLACO, 1.0),
    ):
        if theirs in kinds[kind]:
            share = kinds[kind][ours]["p50"] / kinds[kind][theirs]["p50"]
            yield f"{kind}: {ours} <= {most:.2g} of {theirs}", share, most
    yield f"{TICK}: median <= {TICK_US:g} us", kinds[TICK][OURS]["p50"], TICK_US
    yield f"{HARD}: p99 <= {HARD_US:g} us", kinds[HARD][OURS]["p99"], HARD_US
