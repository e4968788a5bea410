"""How fast and how exact the solver is, beside other solvers, on the same problems.

    python -m bench.solver                 every arm; peers where they are installed
    python -m bench.solver --arms wx200    some arms
    python -m bench.solver --quick         a tenth of the problems

Each answer is judged by pinocchio's forward kinematics (this package's own where pinocchio is not
installed): within 1e-5 m, 1e-4 rad and the limits. Solvers take turns on every problem, so that a
noisy machine is noisy for all. The result is saved, and compared with the last one.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import peers as others
from bench.robots import ROOT, bounds, robots
from ik_node.control import PoseTracker, TrackerConfig
from ik_node.core import JointGroup, search, solve_ik, warm_up

Array = NDArray[np.float64]
SAVED = ROOT / "build" / "bench" / "solver.json"
OURS = "ik_node"
PROBLEMS = {"random seed": 2000, "tracking seed": 2000, "one step": 2000}
PEER_PROBLEMS = 300
WARM = 20
TICKS = 3000


def timed(call: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """The result and the microseconds that it took."""
    start = time.perf_counter()
    result = call(*arguments)
    return result, (time.perf_counter() - start) * 1e6


def summary(times: list[float]) -> dict[str, float]:
    """Percentiles in us."""
    p50, p95, p99 = np.percentile(times, [50, 95, 99])
    return {"p50": round(p50, 2), "p95": round(p95, 2), "p99": round(p99, 2)}


def measure(arm: JointGroup, quick: int, seed: int = 0) -> dict[str, dict[str, dict[str, float]]]:
    """All figures of one arm: kind of problem to solver to numbers."""
    position_only = arm.size < 5
    rows = "position" if position_only else "auto"
    pose = others.judge(arm)
    lower, upper = bounds(arm)
    competitors = list(others.peers(arm, position_only))
    rng = np.random.default_rng(seed)
    results: dict[str, dict[str, dict[str, float]]] = {}

    own: dict[bool, Callable[[Array, Array], Any]] = {
        True: lambda q, target: solve_ik(arm, q, target, rows=rows),
        False: lambda target, seed: search(arm, target, seed, rows=rows).q,
    }

    def right(q: Array, target: Array) -> bool:
        T = pose(np.asarray(q, dtype=float))
        turn = np.linalg.norm(T[:3, :3] - target[:3, :3]) / np.sqrt(2.0)
        inside = np.all(q >= lower - 1e-9) and np.all(q <= upper + 1e-9)
        near = np.linalg.norm(T[:3, 3] - target[:3, 3]) <= others.POSITION
        return bool(inside and near and (position_only or turn <= others.ANGLE))

    for kind, count in PROBLEMS.items():
        times: dict[str, list[float]] = defaultdict(list)
        good: dict[str, int] = defaultdict(int)
        leaps: dict[str, int] = defaultdict(int)
        for number in range(-WARM, count // quick):
            goal = rng.uniform(lower, upper)
            start = rng.uniform(lower, upper)
            if kind != "random seed":
                offset = rng.uniform(0.02, 0.05, arm.size) * rng.choice([-1, 1], arm.size)
                start = np.clip(goal + offset, lower, upper)
            target = np.ascontiguousarray(pose(goal))
            stepping = kind == "one step"
            asked: list[tuple[str, Callable[[Array, Array], Any] | None]] = [(OURS, own[stepping])]
            if number < PEER_PROBLEMS // quick:
                asked += [
                    (peer.name, peer.step if stepping else peer.solve) for peer in competitors
                ]
            for name, call in asked:
                if call is None:
                    continue
                first, second = (start, target) if stepping else (target, start)
                answer, took = timed(call, first, second)
                if number < 0:
                    continue
                times[name].append(took)
                if not stepping:
                    good[name] += right(answer, target)
                    leaps[name] += bool(np.abs(answer - start).max() > 0.5)
        results[kind] = {}
        for name, list_of_times in times.items():
            numbers = summary(list_of_times)
            if kind != "one step":
                numbers["right_percent"] = round(100.0 * good[name] / len(list_of_times), 2)
            if kind == "tracking seed":
                numbers["leaps_percent"] = round(100.0 * leaps[name] / len(list_of_times), 2)
            results[kind][name] = numbers
    results["one tick"] = {OURS: summary(ticks(arm, TICKS // quick, rng))}
    return results


def ticks(arm: JointGroup, count: int, rng: np.random.Generator) -> list[float]:
    """Times of `PoseTracker.step` on a stream of targets, half of them out of reach."""
    tracker = PoseTracker(arm, TrackerConfig())
    lower, upper = bounds(arm)
    q = 0.5 * (lower + upper)
    target, times = None, []
    for tick in range(count):
        if tick % 20 == 0:
            target = arm.forward_kinematics(rng.uniform(lower, upper))
            if tick % 40:
                target[:3, 3] *= 2.0
        out, took = timed(tracker.step, q, target, 0.01 * tick, 0.01)
        if tick > WARM:
            times.append(took)
        if out.q_command is not None:
            q = np.array(out.q_command)
    return times


def machine() -> dict[str, str]:
    """What the figures depend on."""
    import numba

    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        names = [line for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0].partition(":")[2].strip() if names else model
    return {
        "cpu": model,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        **others.versions(),
    }


def show(results: dict[str, Any], before: dict[str, Any]) -> None:
    """Print a table, with the last run's median beside."""
    for arm, kinds in results.items():
        print(f"\n### {arm}\n")
        print("| problem | solver | p50 us | p95 us | p99 us | right % | leaps % | last p50 |")
        print("|---|---|---|---|---|---|---|---|")
        for kind, solvers in kinds.items():
            for name, n in solvers.items():
                last = before.get(arm, {}).get(kind, {}).get(name, {}).get("p50", "")
                right, leaps = n.get("right_percent", ""), n.get("leaps_percent", "")
                print(
                    f"| {kind} | {name} | {n['p50']} | {n['p95']} | {n['p99']} | {right} | {leaps} "
                    f"| {last} |"
                )


def main() -> None:
    """Measure, print, compare and save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", nargs="*", help="only these")
    parser.add_argument("--quick", action="store_true", help="a tenth of the problems")
    asked = parser.parse_args()
    about = machine()
    print(", ".join(f"{key} {value}" for key, value in about.items()))
    before = json.loads(SAVED.read_text())["results"] if SAVED.is_file() else {}
    results = {}
    for name, arm in robots():
        if asked.arms and name not in asked.arms:
            continue
        warm_up(arm)
        results[name] = measure(arm, 10 if asked.quick else 1)
        show({name: results[name]}, before)
    SAVED.parent.mkdir(parents=True, exist_ok=True)
    SAVED.write_text(json.dumps({"machine": about, "results": {**before, **results}}, indent=1))
    print(f"\nsaved in {SAVED.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
