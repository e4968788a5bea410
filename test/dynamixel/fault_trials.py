"""Every fault of the emulated bus, alone or with another, while three joints move to and fro.

    python test/dynamixel/fault_trials.py --table docs/faults.md     each fault alone, as a table
    python test/dynamixel/fault_trials.py --pairs                    all pairs
    python test/dynamixel/fault_trials.py --minutes 30               pairs by chance, and memory

A trial starts from a bus in service, puts the fault in, cycles on, takes it back, and waits until
every servo serves again without a restart. The rig checks in every cycle that no reading is old or
impossible and that no joint is sent further than its limit allows.
"""

from __future__ import annotations

import argparse
import itertools
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bus_rig import THREE, EmulatedBus, Rig, in_service

from ik_node.dynamixel.servos_yaml import load_servos_yaml


@dataclass(frozen=True)
class Trouble:
    """A fault as it is put in, and a word by which the driver must name it ('' : counted only)."""

    kind: str
    servo: str | None
    named: str
    options: dict[str, Any]


def _trouble(kind: str, servo: str | None, named: str, **options: Any) -> Trouble:
    return Trouble(kind, servo, named, options)


TROUBLES = (
    _trouble("drop_request", None, "", probability=0.2),
    _trouble("drop_reply", None, "", probability=0.2),
    _trouble("corrupt_request", None, "", probability=0.2),
    _trouble("corrupt_reply", None, "", probability=0.2),
    _trouble("truncate", None, "", probability=0.2),
    _trouble("duplicate", None, "", probability=0.3),
    _trouble("noise", None, "", probability=0.3),
    _trouble("delay", None, "", probability=0.1, value=0.06),
    _trouble("mute", "joint2", "does not answer"),
    _trouble("mute_all", None, "does not answer"),
    _trouble("unplug", None, "is lost"),
    _trouble("replug", None, "is lost", value=0.3),
    _trouble("wrong_baud", "joint2", "does not answer", value=57600),
    _trouble("same_id", "joint2", "damaged packets", value=13),
    _trouble("overload", "joint2", "overload"),
    _trouble("over_temperature", "joint2", "overheating"),
    _trouble("voltage_sag", None, "input voltage", value=5.0),
    _trouble("reboot", "joint2", "it restarted, or lost power"),
    _trouble("stuck", "joint2", "does not follow its goal"),
    _trouble("no_fast_read", None, "fast sync read fails"),
)
"""One of each kind."""

CALM = frozenset({"duplicate"})
"""A reply that comes twice is the same reply: there is nothing to notice."""


@dataclass(frozen=True)
class Outcome:
    """What a trial showed; `heard` is the share of readings that arrived while the fault held."""

    troubles: tuple[Trouble, ...]
    heard: float
    sentences: tuple[str, ...]
    counted: int
    recovery: float

    def unnamed(self) -> list[str]:
        """Faults that the driver neither named nor counted."""
        told = " / ".join(self.sentences)
        return [
            trouble.kind
            for trouble in self.troubles
            if trouble.kind not in CALM
            and not (trouble.named in told if trouble.named else self.counted)
        ]


class Trials:
    """Trials one after the other on one bus with one driver."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._rig.start()

    def run(self, troubles: Iterable[Trouble], seconds: float = 0.5) -> Outcome:
        """One trial; raises AssertionError where something must never happen."""
        rig = self._rig
        troubles = tuple(troubles)
        rig.reports.clear()
        before = _counts(rig)
        for trouble in troubles:
            rig.bus.fault(trouble.kind, trouble.servo, **trouble.options)
        self._move(seconds)
        during = list(rig.reports)
        rig.bus.clear()
        ended = time.monotonic()
        self._until_in_service()
        recovery = time.monotonic() - ended
        # Everything that was wrong has been said by now.
        self._move(0.1)
        return Outcome(
            troubles,
            sum(len(report.readings) for report in during) / (3 * max(1, len(during))),
            tuple(event.sentence for event in rig.events)
            + tuple({s.reason for report in rig.reports for s in report.servos}),
            _counts(rig) - before,
            recovery,
        )

    def _move(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._cycle()

    def _cycle(self) -> None:
        angle = 0.5 * abs(time.monotonic() % 2.0 - 1.0)
        self._rig.cycle(dict.fromkeys(THREE, angle))

    def _until_in_service(self) -> None:
        """As the operator would: reboot what reports an error, otherwise wait."""
        rig = self._rig
        end = time.monotonic() + 20.0
        while time.monotonic() < end:
            self._cycle()
            report = rig.reports[-1]
            in_error = any(s.stage == "fault" or s.errors for s in report.servos)
            if in_error:
                rig.driver.reboot(report.now)
            elif in_service(report) and len(report.readings) == 3:
                return
        raise AssertionError(f"not back in service: {rig.reports[-1].message}")


def _counts(rig: Rig) -> int:
    counters = rig.driver.bus.counters
    retries = sum(servo.retries for servo in rig.driver.servos)
    implausible = sum(servo.implausible for servo in rig.driver.servos)
    wire = counters.silences + counters.damaged + counters.refusals + counters.noise
    return wire + retries + implausible


def seeded_pairs(count: int, seed: int) -> list[tuple[Trouble, Trouble]]:
    """`count` of the 190 pairs."""
    pairs = list(itertools.combinations(TROUBLES, 2))
    return random.Random(seed).sample(pairs, count)


def table(outcomes: Iterable[Outcome]) -> str:
    """The outcomes as a Markdown table."""
    lines = [
        "# Faults of the servo bus, and what the driver does",
        "",
        "Made by `python test/dynamixel/fault_trials.py --table docs/faults.md`: three emulated",
        "servos at 1 Mbit/s move while one fault holds for 1.3 s. In no trial was a",
        "reading old or impossible, or a joint sent further than its speed allows.",
        "",
        "| fault | readings that still came | told as | back in service after |",
        "| --- | --- | --- | --- |",
    ]
    for outcome in outcomes:
        trouble = outcome.troubles[0]
        told = next((s for s in outcome.sentences if trouble.named and trouble.named in s), "")
        words = told or ("counted in the diagnostics" if outcome.counted else "nothing to tell")
        servo = f" ({trouble.servo})" if trouble.servo else ""
        lines.append(
            f"| {trouble.kind}{servo} | {outcome.heard:.0%} | {_without_paths(words)} "
            f"| {outcome.recovery:.1f} s |"
        )
    return "\n".join(lines) + "\n"


def _without_paths(sentence: str) -> str:
    words = ("/dev/ttyUSB0" if word.startswith("/") else word for word in sentence.split())
    return " ".join(words)


@contextmanager
def trials(slack: float = 0.04) -> Iterator[Trials]:
    """Trials on a bus of their own."""
    with tempfile.TemporaryDirectory() as folder:
        tree = {"port": str(Path(folder) / "bus"), "servos": THREE}
        bus = EmulatedBus(Path(folder), tree, ())
        rig = Rig(bus, load_servos_yaml(bus.file, {"reply_slack": slack}))
        try:
            yield Trials(rig)
        finally:
            rig.driver.close()
            bus.stop()


def _soak(minutes: float, seed: int) -> None:
    chance = random.Random(seed)
    end = time.monotonic() + 60.0 * minutes
    done, first = 0, 0
    with trials() as bench:
        while time.monotonic() < end:
            outcome = bench.run(chance.sample(TROUBLES, 2), chance.uniform(0.2, 2.0))
            done += 1
            _tell(outcome)
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            first = first or (memory if done == 50 else 0)
    print(f"{done} trials; memory {first} MB after 50, {memory} MB at the end")


def _tell(outcome: Outcome) -> None:
    kinds = " + ".join(trouble.kind for trouble in outcome.troubles)
    missed = f", not told: {outcome.unnamed()}" if outcome.unnamed() else ""
    print(
        f"{kinds}: {outcome.heard:.0%} heard, back in {outcome.recovery:.1f} s{missed}", flush=True
    )


def main() -> int:
    """Run trials from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", type=Path, help="each fault alone, as a table in this file")
    parser.add_argument("--pairs", action="store_true", help="all 190 pairs")
    parser.add_argument("--minutes", type=float, help="pairs by chance for so long")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.minutes:
        _soak(options.minutes, options.seed)
        return 0
    chosen = seeded_pairs(190, options.seed) if options.pairs else [(t,) for t in TROUBLES]
    outcomes = []
    with trials() as bench:
        for troubles in chosen:
            outcomes.append(bench.run(troubles, 1.3))
            _tell(outcomes[-1])
    if options.table:
        options.table.write_text(table(outcomes), encoding="utf-8")
    # Of two faults one may hide the other: a servo behind a port that is gone cannot be heard.
    return int(not options.pairs and any(outcome.unnamed() for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
