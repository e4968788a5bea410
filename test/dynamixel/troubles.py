"""Every fault of the emulated bus, and the words by which `/diagnostics` must name it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ik_node.dynamixel.report import DriverReport


@dataclass(frozen=True, eq=False)
class Trouble:
    """A fault as it is put in, and how it must be told.

    Attributes:
        words: what a sentence about `teller` must hold.
        teller: a joint, or a topic: `bus`, `driver`; `all` for every servo.
        counters: one of these must have grown since the fault came in.
    """

    kind: str
    servo: str | None
    teller: str
    words: str
    counters: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.kind

    def told(self, report: DriverReport, before: Mapping[str, int], since: float) -> str:
        """The sentence in `report` that names it, or ''.

        Args:
            report: what the driver says now; all of it is in `/diagnostics`.
            before: the bus's counters when the fault came in.
            since: when that was [s].
        """
        counters = report.bus.counters
        if self.counters and all(counters[name] <= before[name] for name in self.counters):
            return ""
        if self.teller == "all":
            silent = all(self.words in servo.reason for servo in report.servos)
            return report.servos[0].reason if silent else ""
        return next((s for s in self._sentences(report, since) if self.words in s), "")

    def _sentences(self, report: DriverReport, since: float) -> Iterator[str]:
        if self.teller == "bus":
            yield report.bus.trouble or ""
            if not report.bus.fast_sync_read:
                yield "fast_sync_read: false"
        for servo in report.servos:
            if servo.joint == self.teller:
                yield f"{servo.stage}: {servo.reason or ', '.join(servo.errors)}"
        if self.teller == "driver":
            yield report.message
        named = "" if self.teller in ("bus", "driver") else self.teller
        for event in report.recent:
            if event.time >= since and event.sentence.startswith(named):
                yield event.sentence


def _by_chance(kind: str, words: str, *counters: str, **options: float) -> Trouble:
    return Trouble(kind, None, "bus", words, counters, {"probability": 0.2, **options})


TROUBLES = (
    _by_chance("drop_request", "without a reply", "silences"),
    _by_chance("drop_reply", "without a reply", "silences"),
    _by_chance("corrupt_request", "exchanges on", "garbled", "silences"),
    _by_chance("corrupt_reply", "damaged reply", "damaged"),
    _by_chance("truncate", "damaged reply", "damaged"),
    _by_chance("duplicate", "answered twice", "duplicates"),
    _by_chance("noise", "bytes of noise", "noise"),
    _by_chance("delay", "with a late reply", "late", probability=0.02, value=0.06),
    Trouble("mute", "joint2", "joint2", "does not answer"),
    Trouble("mute_all", None, "all", "does not answer"),
    Trouble("unplug", None, "driver", "is lost"),
    Trouble("replug", None, "driver", "is lost", (), {"value": 0.3}),
    Trouble("wrong_baud", "joint2", "joint2", "bit/s", (), {"value": 57600}),
    Trouble("same_id", "joint2", "joint3", "damaged packets", (), {"value": 13}),
    Trouble("overload", "joint2", "joint2", "overload"),
    Trouble("over_temperature", "joint2", "joint2", "overheating"),
    Trouble("voltage_sag", None, "joint1", "input voltage", (), {"value": 5.0}),
    Trouble("reboot", "joint2", "joint2", "restarted, or lost power"),
    Trouble("stuck", "joint1", "joint1", "not follow its goal"),
    Trouble("no_fast_read", None, "bus", "fast_sync_read: false"),
)
"""One of each kind; what strikes by chance strikes often."""
