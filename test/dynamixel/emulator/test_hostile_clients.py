"""Whatever comes over the wire, the bus answers well-formed packets or nothing, and lives on."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from virtual_bus import VirtualClient, make_bus

from ik_node.dynamixel.emulator.faults import KINDS, Fault
from ik_node.dynamixel.emulator.protocol import Instruction, Parser, instruction_packet

CLIENT = VirtualClient(make_bus("XM430-W350", "XL430-W250", "XL330-M288"))

IDS = st.sampled_from([1, 2, 3, 50, 252, 254])
PARAMETERS = st.one_of(
    st.binary(max_size=30),
    st.builds(
        lambda address, data: address.to_bytes(2, "little") + data,
        st.integers(0, 700),
        st.binary(max_size=12),
    ),
)


def still_alive() -> None:
    """Bring the bus back to where all answer, and see that they do."""
    for servo, number in zip(CLIENT.bus.servos, (1, 2, 3), strict=True):
        servo.reboot(CLIENT.now)
        for register in servo.model.registers.values():
            if register.eeprom:
                servo.memory.set(register.name, register.initial)
        servo.memory.set("id", number)
        servo.memory.set("baud_rate", 3)
    CLIENT.wait(0.5)
    assert [reply.id for reply in CLIENT.ping(0xFE)] == [1, 2, 3]


@given(st.lists(st.tuples(IDS, st.sampled_from(list(Instruction)), PARAMETERS), max_size=8))
@settings(max_examples=150, deadline=None)
def test_no_instruction_breaks_the_bus(instructions):
    for servo_id, instruction, parameters in instructions:
        fast = instruction in (Instruction.FAST_SYNC_READ, Instruction.FAST_BULK_READ)
        reply = CLIENT.raw(instruction_packet(servo_id, instruction, parameters))
        parser = Parser()
        found = parser.feed(reply)
        if not fast:
            assert all(packet.instruction == 0x55 for packet in found if packet.intact)
            assert bool(found) == bool(reply)
        CLIENT.wait(0.01)
    still_alive()


JOINTS = st.sampled_from(["j1", "j2", "j3"])
OF_THE_BUS = sorted(name for name, kind in KINDS.items() if kind.of_the_bus)
FAULTS = (
    st.builds(Fault, kind=st.sampled_from(OF_THE_BUS))
    | st.builds(Fault, kind=st.sampled_from(sorted(KINDS.keys() - OF_THE_BUS)), servo=JOINTS)
    | st.builds(
        Fault,
        kind=st.sampled_from(sorted(name for name, kind in KINDS.items() if kind.wire)),
        servo=JOINTS,
        probability=st.sampled_from([0.3, 1.0]),
        remaining=st.sampled_from([None, 1, 3]),
    )
)


@given(st.lists(FAULTS, min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_no_combination_of_faults_breaks_the_bus(faults):
    for fault in faults:
        CLIENT.injector.begin(fault, CLIENT.now)
    spans = b"\x84\x00\x04\x00\x01\x02\x03"
    for instruction in (Instruction.SYNC_READ, Instruction.FAST_SYNC_READ, Instruction.PING):
        CLIENT.raw(instruction_packet(0xFE, instruction, spans[: 7 * (instruction != 1)]))
        CLIENT.wait(0.05)
        CLIENT.injector.end_expired(CLIENT.now)
    CLIENT.injector.clear()
    assert not list(CLIENT.bus.faults)
    still_alive()


def test_a_port_without_a_speed_is_silent():
    assert CLIENT.bus.receive(instruction_packet(1, Instruction.PING), CLIENT.now, 0) == []


@given(st.lists(st.binary(max_size=64), max_size=5))
@settings(max_examples=50, deadline=None)
def test_noise_on_the_wire_is_no_instruction(chunks):
    for chunk in chunks:
        CLIENT.raw(chunk)
    CLIENT.wait(0.05)
    still_alive()


@given(st.lists(st.tuples(st.floats(0.0, 0.3), st.integers(0, 4095)), min_size=1, max_size=20))
@settings(max_examples=40, deadline=None)
def test_no_sequence_of_goals_makes_the_horn_run_away(goals):
    client = VirtualClient(make_bus("XM430-W350"))
    client.must_set(1, profile_velocity=150, profile_acceleration=30, torque_enable=1)
    fastest = client.servo(1).model.motor.no_load_speed
    for pause, goal in goals:
        before = client.servo(1).joint_position
        client.must_set(1, goal_position=goal)
        start = client.now
        client.wait(pause)
        moved = abs(client.servo(1).joint_position - before)
        assert moved <= 1.3 * fastest * (client.now - start + 0.002) + 1e-3
    client.wait(8.0)
    assert abs(client.get(1, "present_position") - goals[-1][1]) <= 1


SPANS = st.tuples(st.integers(0, 700) | st.integers(0, 0xFFFF), st.integers(0, 0xFFFF))


@given(st.lists(st.tuples(IDS, SPANS), min_size=1, max_size=4), st.booleans(), st.booleans())
@settings(max_examples=100)
def test_a_group_read_of_any_length_is_answered_whole_or_not_at_all(asked, fast, sync):
    words = [[number.to_bytes(2, "little") for number in span] for _, span in asked]
    ids = [servo for servo, _ in asked]
    if sync:
        instruction = Instruction.FAST_SYNC_READ if fast else Instruction.SYNC_READ
        parameters = b"".join(words[0]) + bytes(ids)
    else:
        instruction = Instruction.FAST_BULK_READ if fast else Instruction.BULK_READ
        parameters = b"".join(
            bytes([servo, *address, *length])
            for servo, (address, length) in zip(ids, words, strict=True)
        )
    reply = CLIENT.raw(instruction_packet(0xFE, instruction, parameters))
    if fast and reply and set(ids) <= {1, 2, 3}:
        assert len(reply) == 7 + int.from_bytes(reply[5:7], "little")
    still_alive()


EFFORTS = st.sampled_from([0.0, 1.0, -5.0, 1e3, -1e9, 1e300, -1e300])


@given(
    st.sampled_from(["XM430-W350", "XL430-W250", "XL330-M288", "XH430-V210", "MX-106"]),
    st.sampled_from([1, 3, 4, 16]),
    EFFORTS,
    st.none() | st.sampled_from([0.0, 1e-300, 0.1, 5.0, 60.0]),
    st.booleans(),
)
@settings(max_examples=150)
def test_no_load_and_no_supply_makes_a_servo_unreadable(model, mode, effort, sag, torque):
    client = VirtualClient(make_bus(model))
    client.bus.load = lambda positions: dict.fromkeys(positions, effort)
    client.must_set(1, operating_mode=mode, shutdown=0, torque_enable=torque)
    if sag is not None:
        client.inject("voltage_sag", value=sag)
    for pause in (0.01, 1.0, 30.0):
        client.wait(pause)
        for name in ("realtime_tick", "present_position", "present_input_voltage"):
            client.get(1, name)
    assert 0 <= client.get(1, "present_input_voltage") <= 600
