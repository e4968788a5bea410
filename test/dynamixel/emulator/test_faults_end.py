"""What is left of faults that have ended: nothing, and not less than what still holds."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from virtual_bus import VirtualClient, make_bus

from ik_node.dynamixel.emulator.faults import KINDS, Fault

ON_A_SERVO = sorted(kind for kind in KINDS if KINDS[kind].needs_servo and kind != "reboot")
VALUES = {
    "wrong_baud": (57600, 115200, None),
    "same_id": (1, 3, None),
    "over_temperature": (100, 120, None),
}


def new_client() -> VirtualClient:
    return VirtualClient(make_bus("XM430-W350", "XM430-W350", "XM430-W350"))


def condition(client: VirtualClient) -> tuple[object, ...]:
    """What faults change of servo j2, beside what it reports."""
    servo = client.bus.servo("j2")
    return servo.id, servo.baud, servo.drive.jammed, servo.health.hot, servo.health.forced


FAULTS = st.sampled_from(ON_A_SERVO).flatmap(
    lambda kind: st.tuples(st.just(kind), st.sampled_from(VALUES.get(kind, (None,))))
)


@given(st.lists(FAULTS, min_size=1, max_size=5), st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_a_servo_is_as_before_when_its_faults_have_ended_in_any_order(drawn, rng):
    client = new_client()
    before = condition(client)
    faults = [Fault(kind, "j2", value=value) for kind, value in drawn]
    for fault in faults:
        client.injector.begin(fault, client.now)
    rng.shuffle(faults)
    for fault in faults:
        client.injector.end(fault)
    assert condition(client) == before


@given(st.lists(FAULTS, min_size=1, max_size=5), st.data())
@settings(max_examples=100)
def test_the_end_of_a_fault_leaves_those_that_hold(drawn, data):
    """As if it had never been put in."""
    ended, alone = new_client(), new_client()
    gone = data.draw(st.integers(0, len(drawn) - 1))
    for place, (kind, value) in enumerate(drawn):
        fault = Fault(kind, "j2", value=value)
        ended.injector.begin(fault, ended.now)
        if place == gone:
            first = fault
        elif value is not None or kind not in VALUES:
            alone.injector.begin(Fault(kind, "j2", value=value), alone.now)
        else:
            alone.injector.begin(Fault(kind, "j2", value=fault.value), alone.now)
    ended.injector.end(first)
    assert condition(ended) == condition(alone)


@pytest.mark.parametrize("order", permutations(("stuck", "overload", "over_temperature")))
def test_a_fault_that_is_over_by_itself_leaves_its_like(order):
    client = new_client()
    for kind in order:
        client.inject(kind, "j2", until=0.1)
        client.inject(kind, "j2")
    held = condition(client)
    client.wait(0.2)
    client.injector.end_expired(client.now)
    assert [fault.kind for fault in client.bus.faults] == list(order)
    assert condition(client) == held


@pytest.mark.parametrize(
    ("kind", "value", "register", "written"),
    [("wrong_baud", 57600, "baud_rate", 2), ("same_id", 9, "id", 30)],
)
def test_what_a_client_wrote_during_the_fault_stays(kind, value, register, written):
    client = new_client()
    client.inject(kind, "j2", value=value)
    client.baud = client.bus.servo("j2").baud
    client.must_set(client.bus.servo("j2").id, **{register: written})
    client.injector.clear()
    assert client.bus.servo("j2").memory.get(register) == written
