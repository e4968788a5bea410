"""What `/diagnostics` says of the wire."""

from __future__ import annotations

from dataclasses import replace

import pytest
from diagnostic_msgs.msg import DiagnosticStatus

from ik_node.dynamixel.report import BusHealth
from ik_node.ros.driver_output import bus_status

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
