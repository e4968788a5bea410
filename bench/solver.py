"""How fast and how exact the solver is, beside other solvers, on the same problems.

    python -m bench.solver                   every arm; peers where they are installed
    python -m bench.solver --arms wx200      some arms
    python -m bench.solver --quick           a tenth of the problems
    python -m bench.solver --markdown        the table of README.md, of what was saved

Each answer is judged by pinocchio's forward kinematics (this package's own where pinocchio is not
installed): within 1e-5 m, 1e-4 rad and the limits. `kernel` is the compiled part alone. `one tick`
is a tracker's step with its limits; the peers' one is their step with limits, integrated. The
result is saved, and compared with the last one. A peer that is slow is asked less (`count`).
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from bench import peers
from bench.robots import ROOT, robots
from bench.solver_measure import measure
from bench.solver_report import about, full_table, promises, short_table
from ik_node.core import warm_up

SAVED = ROOT / "build" / "bench" / "solver.json"
SHOWN = "wx250s"


def run(arms: Iterable[str] | None, share: float, file: Path) -> dict[str, Any]:
    """Measure, print, compare with `file` and save there; return what was saved."""
    before = json.loads(file.read_text())["results"] if file.is_file() else {}
    machine, results = machine_and_versions(), {}
    print(about(machine))
    for name, arm in robots():
        if arms is None or name in arms:
            warm_up(arm)
            results[name] = measure(arm, share)
            print(f"\n{full_table(name, results, before)}", flush=True)
    print(f"\n{promises(results)}")
    saved = {"machine": machine, "results": {**before, **results}}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(saved, indent=1))
    print(f"\nsaved in {file}")
    return saved


def machine_and_versions() -> dict[str, str]:
    """What the figures depend on."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        names = [line for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0].partition(":")[2].strip() if names else model
    return {
        "cpu": model,
        "python": platform.python_version(),
        "numpy": np.__version__,
        **peers.versions(),
    }


def main() -> None:
    """Measure or show."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", nargs="*", help="only these")
    parser.add_argument("--quick", action="store_true", help="a tenth of the problems")
    parser.add_argument("--markdown", nargs="?", const=SHOWN, metavar="ARM", help="measure nothing")
    asked = parser.parse_args()
    if asked.markdown is None:
        run(asked.arms, 0.1 if asked.quick else 1.0, SAVED)
    elif SAVED.is_file():
        print(short_table(json.loads(SAVED.read_text()), asked.markdown))
    else:
        parser.error("nothing is saved yet: run it without --markdown first")


if __name__ == "__main__":
    main()
