"""Every fault of the emulated bus, alone or with another, while an arm goes round in a circle.

    python test/dynamixel/fault_trials.py --table docs/faults.md     each fault alone, as a table
    python test/dynamixel/fault_trials.py --pairs                    all 190 pairs
    python test/dynamixel/fault_trials.py --minutes 30               pairs by chance, and memory

The arm is the package's OpenMANIPULATOR-X with its gravity, its tracker and its driver. A trial
starts from an arm that follows, puts the faults in, lets them hold until `/diagnostics`, looked at
once a second, has named them, takes them back, and waits until the arm follows again without a
restart. Of two faults one may hide the other; so the one that was told ends first, and then the
other one must be told. In every cycle no reading may be old or impossible, and no joint be sent
further than its limit allows.

The servos are in this process, under a clock that only waiting moves, so that the figures are the
driver's and not the machine's; with `--real`, and where minutes are given, they are a process on a
pseudo-terminal, in real time.
"""

from __future__ import annotations

import argparse
import itertools
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from bus_rig import EmulatedBus, Rig, flat_servos, in_service
from circling_arm import URDF, CirclingArm, bus_entries
from troubles import TROUBLES, Trouble
from virtual_rig import VirtualBus, VirtualRig

from ik_node.cli.emulated_arm import attach_arm
from ik_node.control import StatusCode
from ik_node.dynamixel.report import DriverReport
from ik_node.dynamixel.servos_yaml import bus_config_from_parameters, load_servos_yaml

PATIENCE, REAL_PATIENCE = 30.0, 120.0
"""A fault must be told, and must have mended, within this time [s]; it is a bound, not a figure:
in real time a busy machine adds what it likes."""

HIDDEN = 2.0
"""How long a second fault may stay untold behind the first one before that is ended [s]."""

DIAGNOSTICS_PERIOD = 1.0
WITHOUT_COMMAND = (StatusCode.FAULT, StatusCode.STALE_STATE, StatusCode.WAITING_FOR_STATE)
TRUE = 0.02  # rad or m, between a reading and where the joint really is
LEAK = 8  # MB


@dataclass(frozen=True)
class Outcome:
    """What a trial showed.

    `told` holds a sentence for each fault, '' for a missed one; `heard` is the share of readings
    that arrived while the faults held, `recovery` the time until the arm followed again [s].
    """

    troubles: tuple[Trouble, ...]
    told: Mapping[Trouble, str]
    heard: float
    recovery: float

    @property
    def missed(self) -> list[str]:
        """Faults that `/diagnostics` has not named."""
        return [trouble.kind for trouble in self.troubles if not self.told[trouble]]


class Trials:
    """Trials one after the other on one bus with one driver and one tracker."""

    def __init__(self, rig: Rig, patience: float = PATIENCE) -> None:
        self._rig = rig
        self._patience = patience
        self.clock = rig.clock
        self._arm = CirclingArm()
        self._seen: DriverReport | None = None
        rig.until(in_service, timeout=patience)
        self._until(self._following)

    def run(self, troubles: Iterable[Trouble], at_least: float = 0.0) -> Outcome:
        """One trial, the faults held for `at_least` [s].

        Raises AssertionError where something happens that must not.
        """
        rig, troubles = self._rig, tuple(troubles)
        rig.reports.clear()
        self._seen = None
        began = rig.clock()
        before = dict(rig.driver.bus.counters.__dict__)
        told = dict.fromkeys(troubles, "")
        # A reboot in the moment after an overload would mend that before anybody could see it.
        for trouble in sorted(troubles, key=lambda trouble: trouble.kind != "reboot"):
            rig.bus.fault(trouble.kind, trouble.servo, **trouble.options)

        def listen() -> bool:
            report = self._look()
            for trouble in troubles if report else ():
                told[trouble] = told[trouble] or trouble.told(report, before, began)
            return all(told.values())

        self._until(lambda: listen() | any(told.values()))
        self._until(listen, HIDDEN)
        self._until(lambda: rig.clock() >= began + at_least)
        during = list(rig.reports)
        if not all(told.values()):
            for trouble in troubles:
                if told[trouble]:
                    rig.bus.clear(trouble.kind)
            self._until(lambda: listen() or self._reboot_seen())
        rig.bus.clear()
        ended = rig.clock()
        self._until(lambda: self._following() or self._reboot())
        recovery = rig.clock() - ended
        self._compare_with_truth()
        self._go_home_if_lost()
        joints = len(rig.config.joints)
        heard = sum(len(report.readings) for report in during) / (joints * len(during))
        return Outcome(troubles, told, heard, recovery)

    def _until(self, condition: Callable[[], bool], patience: float | None = None) -> None:
        """Cycle until `condition` holds; that it never does is told by what is asserted next."""
        end = self.clock() + (self._patience if patience is None else patience)
        while self.clock() < end:
            self._cycle()
            if condition():
                return

    def _reboot(self) -> bool:
        """Do what the operator is told to: reboot servos in error."""
        report = self._rig.reports[-1]
        if any(servo.stage == "fault" for servo in report.servos):
            self._rig.driver.reboot(report.now)
        return False

    def _reboot_seen(self) -> bool:
        """As `_reboot`, once `/diagnostics` has said so."""
        return self._seen is self._rig.reports[-1] and self._reboot()

    def _cycle(self) -> None:
        rig = self._rig
        goals = self._arm.goals(rig.reports[-1], rig.clock()) if rig.reports else {}
        rig.cycle(goals)

    def _look(self) -> DriverReport | None:
        """The newest report when `/diagnostics` is due, else None."""
        report = self._rig.reports[-1]
        if self._seen is not None and report.now - self._seen.now < DIAGNOSTICS_PERIOD:
            return None
        self._seen = report
        return report

    def _following(self) -> bool:
        """Whether every servo serves and the tracker, on whichever branch it was left, commands."""
        report, output = self._rig.reports[-1], self._arm.output
        whole = in_service(report) and len(report.readings) == len(self._rig.config.joints)
        return whole and output is not None and output.status.code not in WITHOUT_COMMAND

    def _go_home_if_lost(self) -> None:
        """Lead an arm that fell to where the circle is out of reach back, as somebody would."""
        output = self._arm.output
        if output is not None and output.status.code is StatusCode.TRACKING:
            return
        home = dict.fromkeys(self._arm.joints, 0.0)
        self._rig.until(lambda r: all(abs(r.sent.get(j, 9.0)) < 1e-6 for j in home), home)
        self._arm = CirclingArm()
        self._until(self._following)

    def _compare_with_truth(self) -> None:
        """What the driver says of every joint is where it is.

        In real time the arm moves on between two looks, so a few are allowed; and a servo that
        a busy machine makes silent is no news of where it is.
        """
        rig = self._rig
        assert self._following(), (rig.reports[-1].message, self._arm.output)
        for joint in rig.config.joints:
            assert any(self._true(joint) for _ in range(20)), joint

    def _read(self) -> dict[str, float]:
        return {reading.name: reading.position for reading in self._rig.reports[-1].readings}

    def _true(self, joint: str) -> bool:
        self._until(lambda: joint in self._read())
        before = self._read()[joint]
        true: float = self._rig.bus.servo(joint)["position"]
        self._cycle()
        after = self._read().get(joint, before)
        return min(before, after) - TRUE < true < max(before, after) + TRUE


def seeded_pairs(count: int, seed: int) -> list[tuple[Trouble, Trouble]]:
    """`count` of the 190 pairs."""
    pairs = list(itertools.combinations(TROUBLES, 2))
    return random.Random(seed).sample(pairs, count)


def virtual_trials(rate: float = 100.0) -> Trials:
    """Trials under a virtual clock, so many cycles a second."""
    entries = bus_entries()
    servos = flat_servos(entries.pop("servos"))
    config = bus_config_from_parameters({**entries, **servos, "rate_hz": rate})
    bus = VirtualBus(config)
    attach_arm(bus.wire, URDF, {}, "")
    return Trials(VirtualRig(bus, config))


@contextmanager
def real_trials(slack: float = 0.04) -> Iterator[Trials]:
    """Trials in real time, on an emulator of their own."""
    with tempfile.TemporaryDirectory() as folder:
        tree = {**bus_entries(), "port": str(Path(folder) / "bus")}
        bus = EmulatedBus(Path(folder), tree, ("--urdf", str(URDF)))
        rig = Rig(bus, load_servos_yaml(bus.file, {"reply_slack": slack}))
        try:
            yield Trials(rig, REAL_PATIENCE)
        finally:
            rig.driver.close()
            bus.stop()


def table(outcomes: Sequence[Outcome]) -> str:
    """The outcomes as a Markdown table."""
    lines = [
        "# Faults of the servo bus, and what the driver does",
        "",
        "Made by `python test/dynamixel/fault_trials.py --table docs/faults.md`: the tool of an",
        "emulated OpenMANIPULATOR-X goes round in a circle while one fault holds until the",
        "diagnostics have named it (`unplug`: for 5 s, then the adapter is another tty behind the",
        "same link). In no trial was a reading old or impossible, or a joint sent further than its",
        "speed allows; the arm was led on without a restart. `make soak` and the",
        "tests try pairs of faults in the same way.",
        "",
        "| fault | readings that still came | `/diagnostics` says | follows again after |",
        "| --- | --- | --- | --- |",
    ]
    for outcome in outcomes:
        trouble = outcome.troubles[0]
        servo = f" ({trouble.servo})" if trouble.servo else ""
        told = _without_paths(outcome.told[trouble]) or "MISSED"
        lines.append(
            f"| {trouble.kind}{servo} | {outcome.heard:.0%} | {told} | {outcome.recovery:.1f} s |"
        )
    return "\n".join(lines) + "\n"


def _without_paths(sentence: str) -> str:
    return re.sub(r"(?<!\w)/[^\s:;,]+", "/dev/ttyUSB0", sentence)


def _held(trouble: Trouble) -> float:
    return 5.0 if trouble.kind == "unplug" else 0.0


def _tell(outcome: Outcome) -> None:
    kinds = " + ".join(trouble.kind for trouble in outcome.troubles)
    missed = f", NOT TOLD: {outcome.missed}" if outcome.missed else ""
    print(
        f"{kinds}: {outcome.heard:.0%} heard, follows again in {outcome.recovery:.1f} s{missed}",
        flush=True,
    )


def _soak(minutes: float, seed: int) -> bool:
    """Pairs by chance for so long; False where a fault was missed or memory grew."""
    chance = random.Random(seed)
    missed: list[str] = []
    with real_trials() as bench:
        bench.run(TROUBLES[:1])
        clock = bench.clock
        start = clock()
        next_word, first, done = 0.0, 0, 0
        while (gone := (clock() - start) / 60.0) < minutes:
            outcome = bench.run(chance.sample(TROUBLES, 2), chance.uniform(0.2, 2.0))
            done += 1
            missed += outcome.missed
            if outcome.missed:
                _tell(outcome)
            if done == min(10, 1 + int(minutes)):
                first = _memory()
            if gone >= next_word:
                next_word = gone + min(1.0, minutes / 10.0)
                print(
                    f"{gone:4.1f} min: {done} pairs, {len(missed)} faults missed, "
                    f"memory {_memory()} MB",
                    flush=True,
                )
    grown = _memory() - first
    print(f"{done} pairs, {len(missed)} faults missed, memory grew by {grown} MB")
    return not missed and grown <= LEAK


def _memory() -> int:
    """What this process holds in memory [MB]."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 // 1_000_000


def main() -> int:
    """Run trials from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", type=Path, help="each fault alone, as a table in this file")
    parser.add_argument("--pairs", action="store_true", help="all 190 pairs")
    parser.add_argument("--minutes", type=float, help="pairs by chance for so long")
    parser.add_argument("--real", action="store_true", help="in real time")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.minutes:
        return int(not _soak(options.minutes, options.seed))
    if options.pairs:
        outcomes = list(_run(seeded_pairs(190, options.seed), options.real))
    else:
        # Each on a bus of its own: what the wire went through is told for a while.
        outcomes = [o for t in TROUBLES for o in _run([(t,)], options.real)]
    if options.table:
        options.table.write_text(table(outcomes), encoding="utf-8")
    missed = sum(bool(outcome.missed) for outcome in outcomes)
    print(f"{len(outcomes)} trials, {missed} with a fault that was not told")
    return int(missed > 0)


def _run(chosen: Iterable[tuple[Trouble, ...]], real: bool) -> Iterator[Outcome]:
    with real_trials() if real else nullcontext(virtual_trials()) as bench:
        for troubles in chosen:
            outcome = bench.run(troubles, max(map(_held, troubles)))
            _tell(outcome)
            yield outcome


if __name__ == "__main__":
    sys.exit(main())
