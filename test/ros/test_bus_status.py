"""What `/diagnostics` says of the wire, and of a servo."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from diagnostic_msgs.msg import DiagnosticStatus

from ik_node.datatypes import Severity
from ik_node.dynamixel.report import BusHealth, Event
from ik_node.ros.driver_output import bus_status, recent, servo_sentence

GOOD = BusHealth(
    port="/dev/ttyUSB0",
    baud=1_000_000,
    cycle_p50=0.003,
    cycle_p99=0.004,
    error_rate=0.0,
    counters={"transactions": 1000, "silences": 0, "noise": 0},
    trouble=None,
    latency_timer=0.001,
    latency_warning=None,
    fast_sync_read=True,
)


def test_a_good_wire_is_told_with_its_port_and_speed() -> None:
    status = bus_status("driver", GOOD)
    assert status.level == DiagnosticStatus.OK
    assert status.message == "/dev/ttyUSB0 at 1000000 bit/s"
    assert {v.key: v.value for v in status.values}["transactions"] == "1000"


@pytest.mark.parametrize("late", [None, "the latency timer is 16 ms"])
def test_a_bad_wire_is_told_before_a_slow_adapter(late: str | None) -> None:
    trouble = "9 without a reply; check cables"
    status = bus_status("driver", replace(GOOD, trouble=trouble, latency_warning=late))
    assert status.level == DiagnosticStatus.WARN
    assert status.message == trouble


def test_a_slow_adapter_is_told_where_the_wire_is_good() -> None:
    status = bus_status("driver", replace(GOOD, latency_warning="the latency timer is 16 ms"))
    assert status.level == DiagnosticStatus.WARN
    assert status.message == "the latency timer is 16 ms"


def test_what_came_and_went_between_two_messages_is_still_told() -> None:
    events = (
        Event(Severity.ERROR, "port /dev/ttyUSB0 is lost", 12.0),
        Event(Severity.WARN, "joint2 restarted", 19.0),
    )
    report = SimpleNamespace(now=20.0, recent=events)
    assert recent(report) == {
        "recent": "8 s ago: port /dev/ttyUSB0 is lost; 1 s ago: joint2 restarted"
    }


@pytest.mark.parametrize(
    ("stage", "reason", "errors", "sentence"),
    [
        ("ready", "", (), "ready"),
        ("ready", "", ("input voltage",), "ready: input voltage"),
        ("starting", "its settings are compared", (), "starting: its settings are compared"),
        ("fault", "overload; call reboot", ("overload",), "fault: overload; call reboot"),
        ("relaxed", "as asked", ("overload", "shock"), "relaxed: as asked: overload, shock"),
    ],
)
def test_a_servo_s_errors_are_told_once(
    stage: str, reason: str, errors: tuple[str, ...], sentence: str
) -> None:
    assert servo_sentence(SimpleNamespace(stage=stage, reason=reason, errors=errors)) == sentence
