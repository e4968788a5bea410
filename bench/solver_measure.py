"""The same problems for every solver, and what each takes for them."""

from __future__ import annotations

import itertools
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import peers as others
from bench.robots import bounds
from bench.solver_kernels import search_time, step_time
from ik_node.control import PoseTracker, TrackerConfig
from ik_node.core import JointGroup, search, solve_ik

Array = NDArray[np.float64]
Numbers = dict[str, float]
OURS, KERNEL = "ik_node", "ik_node, kernel"
RANDOM, TRACKING, STEP, TICK, HARD = (
    "random seed", "tracking seed", "one step", "one tick", "tick, out of reach",
)  # fmt: skip
PROBLEMS, PEER_PROBLEMS, TICKS = 2000, 500, 3000
PATIENCE = 2.0
"""s, that a peer may spend on one kind of problem; then it is asked no more."""
WARM = 10
BLOCK = 20
LEAP = 0.5
"""rad, by which no joint should move where the seed is next to the answer."""
HELD, STREAMED = 20, 3
"""Ticks for which a target in reach stands, and one out of reach."""
DT = 0.01


def measure(arm: JointGroup, share: float = 1.0, seed: int = 0) -> dict[str, dict[str, Numbers]]:
    """All figures of one arm: kind of problem to solver to numbers, times in us.

    Solvers take turns, so that a noisy machine is noisy for all, a block of problems each, so that
    none pays for the caches that another one leaves behind. `share` of the problems are posed; the
    peers answer fewer, and only what they are asked is timed.
    """
    position_only = arm.size < 5
    rows = "position" if position_only else "auto"
    competitors = list(others.peers(arm, position_only))
    rng = np.random.default_rng(seed)
    count, peer_count = max(5, round(share * PROBLEMS)), max(2, round(share * PEER_PROBLEMS))
    results = {
        kind: _searches(arm, kind, rows, competitors, count, peer_count, rng)
        for kind in (RANDOM, TRACKING)
    }
    results[STEP] = _steps(arm, rows, competitors, peer_count, rng)
    ticks, peer_ticks = max(60, round(share * TICKS)), max(60, round(share * TICKS / 3))
    results[TICK] = _ticks(arm, competitors, ticks, peer_ticks, rng)
    hard = list(itertools.islice(_own_ticks(arm, STREAMED, 2.0, rng), ticks))
    results[HARD] = {OURS: _summary(hard[WARM:])}
    return results


def _searches(
    arm: JointGroup,
    kind: str,
    rows: str,
    competitors: list[others.Peer],
    count: int,
    peer_count: int,
    rng: np.random.Generator,
) -> dict[str, Numbers]:
    pose = others.judge(arm)
    lower, upper = bounds(arm)
    times: dict[str, list[float]] = defaultdict(list)
    answered: dict[str, int] = defaultdict(int)
    good: dict[str, int] = defaultdict(int)
    leaps: dict[str, int] = defaultdict(int)

    patience = PATIENCE * 1e6 * count / PROBLEMS

    def right(q: Array, target: Array) -> bool:
        T = pose(np.asarray(q, dtype=float))
        turn = np.linalg.norm(T[:3, :3] - target[:3, :3]) / np.sqrt(2.0)
        inside = np.all(q >= lower - 1e-9) and np.all(q <= upper + 1e-9)
        near = np.linalg.norm(T[:3, 3] - target[:3, 3]) <= others.POSITION
        return bool(inside and near and (rows == "position" or turn <= others.ANGLE))

    def ours(target: Array, start: Array) -> Array:
        return search(arm, target, start, rows=rows).q

    problems = [_problem(arm, kind, pose, rng) for _ in range(count)]
    solvers = [(OURS, ours), *((peer.name, peer.solve) for peer in competitors if peer.solve)]
    for target, start in problems[:WARM]:
        for _, call in solvers:
            call(target, start)
    for first in range(0, count, BLOCK):
        block = problems[first : first + BLOCK]
        for name, call in solvers:
            if name != OURS and (first >= peer_count or sum(times[name]) > patience):
                continue
            for target, start in block:
                answer, took = _timed(call, target, start)
                times[name] += [took] * (first < peer_count)
                answered[name] += 1
                good[name] += right(answer, target)
                leaps[name] += bool(np.abs(answer - start).max() > LEAP)
        for target, start in block if first < peer_count else ():
            times[KERNEL].append(search_time(lambda t=target, s=start: ours(t, s)))
    results = {name: _summary(taken) for name, taken in times.items()}
    for name, number in answered.items():
        results[name]["count"] = number
        results[name]["right_percent"] = round(100.0 * good[name] / number, 2)
        if kind == TRACKING:
            results[name]["leaps_percent"] = round(100.0 * leaps[name] / number, 2)
    return results


def _problem(
    arm: JointGroup, kind: str, pose: Callable[[Array], Array], rng: np.random.Generator
) -> tuple[Array, Array]:
    """A pose that a random configuration has, and where to start."""
    lower, upper = bounds(arm)
    goal, start = rng.uniform(lower, upper, (2, arm.size))
    if kind == TRACKING:
        offset = rng.uniform(0.02, 0.05, arm.size) * rng.choice([-1, 1], arm.size)
        start = np.clip(goal + offset, lower, upper)
    return np.ascontiguousarray(pose(goal)), start


def _steps(
    arm: JointGroup,
    rows: str,
    competitors: list[others.Peer],
    count: int,
    rng: np.random.Generator,
) -> dict[str, Numbers]:
    lower, upper = bounds(arm)
    times: dict[str, list[float]] = defaultdict(list)

    def ours(q: Array, target: Array) -> Any:
        return solve_ik(arm, q, target, rows=rows)

    solvers = [(OURS, ours), *((peer.name, peer.step) for peer in competitors if peer.step)]
    for first in range(-BLOCK, count, BLOCK):
        goals = rng.uniform(lower, upper, (BLOCK, arm.size))
        starts = np.clip(goals + rng.uniform(-0.05, 0.05, goals.shape), lower, upper)
        targets = [arm.forward_kinematics(goal) for goal in goals]
        block = list(zip(starts, targets, strict=True))
        taken: dict[str, list[float]] = defaultdict(list)
        for name, call in solvers:
            taken[name] = [_timed(call, start, target)[1] for start, target in block]
        for start, target in block:
            taken[KERNEL].append(step_time(lambda q=start, T=target: ours(q, T)))
        for peer in competitors:
            for start, target in block if peer.prepare and peer.kernel else ():
                peer.prepare(start, target)
                taken[f"{peer.name}, kernel"].append(_timed(peer.kernel)[1])
        for name, those in taken.items():
            times[name] += those * (first >= 0)
    return {name: _summary(taken) for name, taken in times.items()}


def _ticks(
    arm: JointGroup,
    competitors: list[others.Peer],
    own_count: int,
    peer_count: int,
    rng: np.random.Generator,
) -> dict[str, Numbers]:
    streams = {OURS: _own_ticks(arm, HELD, 1.0, rng)}
    streams |= {peer.name: _peer_ticks(arm, peer.tick, rng) for peer in competitors if peer.tick}
    times: dict[str, list[float]] = defaultdict(list)
    blocks = peer_count // HELD
    for _ in range(blocks):
        for name, stream in streams.items():
            times[name] += itertools.islice(
                stream, (own_count if name == OURS else peer_count) // blocks
            )
    return {name: _summary(taken[WARM:]) for name, taken in times.items()}


def _own_ticks(
    arm: JointGroup, ticks: int, stretch: float, rng: np.random.Generator
) -> Iterator[float]:
    """Times of `PoseTracker.step` where every so many ticks another target comes.

    `stretch` over 1 puts most of them out of reach.
    """
    tracker = PoseTracker(arm, TrackerConfig())
    lower, upper = bounds(arm)
    q, target = 0.5 * (lower + upper), None
    for tick in itertools.count():
        if tick % ticks == 0:
            target = arm.forward_kinematics(rng.uniform(lower, upper))
            if stretch > 1.0:
                target[:3, 3] *= stretch * arm.reach / max(np.linalg.norm(target[:3, 3]), 1e-3)
        out, took = _timed(tracker.step, q, target, DT * tick, DT)
        yield took
        if out.q_command is not None:
            q = np.array(out.q_command)


def _peer_ticks(
    arm: JointGroup, tick: Callable[..., Any], rng: np.random.Generator
) -> Iterator[float]:
    lower, upper = bounds(arm)
    q = 0.5 * (lower + upper)
    while True:
        target = arm.forward_kinematics(rng.uniform(lower, upper))
        for _ in range(HELD):
            q, took = _timed(tick, q, target)
            yield took


def _timed(call: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    result = call(*arguments)
    return result, (time.perf_counter() - start) * 1e6


def _summary(times: list[float]) -> Numbers:
    p50, p95, p99 = np.percentile(times, [50, 95, 99])
    return {
        "count": len(times),
        "p50": round(p50, 2),
        "p95": round(p95, 2),
        "p99": round(p99, 2),
    }
