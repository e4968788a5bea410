"""The parts of the view that need no browser."""

from __future__ import annotations

import math
import socket
import threading

import numpy as np
import pytest
from processes import wait_until

from ik_node.errors import ConfigurationError
from ik_node.viewer.address import free_address
from ik_node.viewer.latest import Latest
from ik_node.viewer.link_lengths import lengths_of
from ik_node.viewer.travel import MOST, Travel


def test_a_port_that_is_taken_is_told_and_the_next_one_used() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        address = free_address("127.0.0.1", port)
    assert address.port > port
    assert f"port {port} is taken" in address.remark and "parameter port" in address.remark


def test_a_foreign_host_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no address of this machine"):
        free_address("192.0.2.1", 8080)


def test_joint_travel_is_told_per_centimetre_of_the_tool() -> None:
    travel = Travel()
    values = [
        travel.add(0.1 * i, np.array([math.radians(2.0 * i)]), np.array([0.01 * i, 0.0, 0.0]))
        for i in range(5)
    ]
    assert values[0] is None
    assert values[1:] == pytest.approx([2.0] * 4)


def test_an_arm_that_rests_has_no_travel_and_one_that_turns_in_place_the_most() -> None:
    still, turning = Travel(), Travel()
    for i in range(5):
        rest = still.add(0.1 * i, np.zeros(2), np.zeros(3))
        most = turning.add(0.1 * i, np.full(2, 0.1 * i), np.zeros(3))
    assert rest is None
    assert most == MOST


def test_of_several_requests_only_the_newest_is_computed() -> None:
    failures: list[Exception] = []
    latest: Latest[int] = Latest("test", failures.append)
    begun, go = threading.Event(), threading.Event()

    def slow() -> int:
        begun.set()
        go.wait()
        return 1

    done: list[int] = []
    latest.ask(slow)
    begun.wait()
    latest.ask(lambda: done.append(2) or 2)
    latest.ask(lambda: done.append(3) or 3)
    go.set()
    wait_until(lambda: not latest.busy)
    assert (latest.take(), latest.take()) == (3, None)
    assert done == [3]
    latest.ask(lambda: 1 // 0)
    wait_until(lambda: bool(failures))
    assert isinstance(failures[0], ZeroDivisionError)
    latest.close()


def test_link_lengths_are_found_in_the_xacro_file(root: object) -> None:
    file = f"{root}/config/planar_2r/arm.urdf.xacro"
    assert lengths_of(file, {}) == {"l1": 0.3, "l2": 0.25}
    assert lengths_of(file, {"l2": "0.2"}) == {"l1": 0.3, "l2": 0.2}
    assert lengths_of(f"{root}/config/wx200/arm.urdf.xacro", {}) == {}
