"""All twenty faults alone, and twenty pairs of them, on one bus that is never restarted."""

from __future__ import annotations

from pathlib import Path

import pytest
from fault_trials import Trials, seeded_pairs, virtual_trials
from troubles import TROUBLES, Trouble

from ik_node.dynamixel.emulator.faults import KINDS

SEED = 4
RATE = 50.0


HURRIED = 500.0
"""Cycles a second between which this wire hardly rests."""
ON_THE_WIRE = [
    trouble
    for trouble in TROUBLES
    if trouble.kind.partition("_")[0] in ("drop", "corrupt", "truncate", "duplicate", "noise")
]


@pytest.fixture(scope="module")
def bench() -> Trials:
    return virtual_trials(RATE)


@pytest.fixture(scope="module")
def hurried_bench() -> Trials:
    return virtual_trials(HURRIED)


def test_there_is_a_trial_for_every_fault_that_the_emulator_has() -> None:
    assert {trouble.kind for trouble in TROUBLES} == set(KINDS)


def test_the_table_in_the_documentation_has_every_fault() -> None:
    text = (Path(__file__).parents[2] / "docs" / "faults.md").read_text(encoding="utf-8")
    assert all(f"| {trouble.kind}" in text for trouble in TROUBLES)


@pytest.mark.parametrize("trouble", TROUBLES, ids=str)
def test_a_fault_is_told_and_mends_without_a_restart(bench: Trials, trouble: Trouble) -> None:
    assert not bench.run([trouble]).missed


@pytest.mark.parametrize("trouble", ON_THE_WIRE, ids=str)
def test_so_does_a_fault_of_the_wire_on_a_bus_without_pauses(
    hurried_bench: Trials, trouble: Trouble
) -> None:
    assert not hurried_bench.run([trouble]).missed


@pytest.mark.parametrize("pair", seeded_pairs(20, SEED), ids=lambda pair: "-".join(map(str, pair)))
def test_two_faults_at_once_are_told_and_mend_without_a_restart(
    bench: Trials, pair: tuple[Trouble, Trouble]
) -> None:
    assert not bench.run(pair).missed
