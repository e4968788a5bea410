"""A line on the control socket, whatever it holds, is answered."""

from __future__ import annotations

import json
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st
from virtual_bus import VirtualClient, make_bus
from virtual_rig import VirtualBus

from ik_node.dynamixel.emulator.control import Connection, Control

CLIENT = VirtualClient(make_bus("XM430-W350"))


def answer(line: bytes) -> dict[str, object]:
    """What the emulator says to `line`."""
    control = Control(CLIENT.bus, CLIENT.injector, VirtualBus)  # type: ignore[arg-type]
    here, there = socket.socketpair()
    with here, there:
        connection = Connection(there)
        here.sendall(line + b"\n")
        while not connection.serve(lambda request: control.handle(request, CLIENT.now)):
            pass
        told: dict[str, object] = json.loads(here.recv(65536))
        return told


NESTED = {
    "list": lambda depth: b"[" * depth + b"]" * depth,
    "unclosed": lambda depth: b"[" * depth,
    "object": lambda depth: b'{"do":' * depth + b"1" + b"}" * depth,
    "value": lambda depth: b'{"do": "fault", "value": ' + b"[" * depth + b"]" * depth + b"}",
}


@pytest.mark.parametrize("depth", [10, *range(880, 1000, 3), 20_000])
@pytest.mark.parametrize("shape", NESTED)
def test_a_request_nested_however_deep_is_refused_with_a_sentence(shape, depth):
    told = answer(NESTED[shape](depth))
    assert told["ok"] is False
    assert told["error"]


@given(st.binary(max_size=60).filter(lambda line: b"\n" not in line))
def test_bytes_that_are_no_request_are_refused_with_a_sentence(line):
    told = answer(line)
    assert told["ok"] is False
    assert told["error"]
