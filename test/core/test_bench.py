"""What `python -m bench.solver` saves and shows; how fast it is, is for a quiet machine."""

import json

import pytest

from bench.solver import run
from bench.solver_measure import HARD, KERNEL, OURS, RANDOM, STEP, TICK, TRACKING
from bench.solver_report import full_table, promises, short_table

ARM = "open_manipulator_x"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    file = tmp_path_factory.mktemp("bench") / "solver.json"
    run([ARM], 0.002, file)
    return json.loads(file.read_text())


def columns(table):
    return {line.count("|") for line in table.splitlines() if line.startswith("|")}


def test_the_saved_file_has_machine_versions_and_percentiles(saved):
    assert set(saved) == {"machine", "results"}
    assert {"cpu", "python", "numpy"} <= set(saved["machine"])
    assert all(isinstance(version, str) for version in saved["machine"].values())
    kinds = saved["results"][ARM]
    assert list(kinds) == [RANDOM, TRACKING, STEP, TICK, HARD]
    for kind, solvers in kinds.items():
        assert OURS in solvers
        assert KERNEL in solvers or kind in (TICK, HARD)
        for numbers in solvers.values():
            assert numbers["count"] >= 2
            assert 0.0 < numbers["p50"] <= numbers["p95"] <= numbers["p99"]
        if kind in (RANDOM, TRACKING):
            assert solvers[OURS]["right_percent"] == 100.0
    assert kinds[TRACKING][OURS]["leaps_percent"] == 0.0


def test_its_tables_are_markdown(saved):
    short = short_table(saved, ARM)
    assert short.startswith(f"| {ARM}: median us (right) |")
    assert "(100 %)" in short
    assert saved["machine"]["cpu"] in short
    assert len(columns(short)) == 1
    results = saved["results"]
    assert len(columns(full_table(ARM, results, results))) == 1
    assert len(columns(promises(results))) == 1
