from __future__ import annotations

import pytest
from virtual_bus import VirtualClient, make_bus

from ik_node.dynamixel.emulator.protocol import (
    Error,
    Instruction,
    Parser,
    crc16,
    instruction_packet,
)

POSITIONS = b"\x84\x00\x04\x00"


@pytest.fixture
def client() -> VirtualClient:
    return VirtualClient(make_bus("XM430-W350", "XM430-W350", "XL330-M288"))


def test_a_ping_tells_model_and_firmware(client):
    (reply,) = client.ping(1)
    assert reply.data == (1020).to_bytes(2, "little") + bytes([46])
    assert client.ping(7) == []


def test_a_broadcast_ping_is_answered_by_all_in_order(client):
    assert [reply.id for reply in client.ping(0xFE)] == [1, 2, 3]


def test_nobody_answers_a_broadcast_read_or_write(client):
    assert client.send(0xFE, Instruction.READ, POSITIONS) == []
    assert client.send(0xFE, Instruction.WRITE, b"\x41\x00\x01") == []
    assert client.get(1, "led") == client.get(3, "led") == 1


def test_a_sync_read_is_answered_in_the_order_of_the_list(client):
    replies = client.send(0xFE, Instruction.SYNC_READ, POSITIONS + b"\x03\x01\x02")
    assert [reply.id for reply in replies] == [3, 1, 2]
    assert all(int.from_bytes(reply.data, "little") == 2048 for reply in replies)


def test_behind_a_missing_servo_nobody_answers_a_group_read(client):
    replies = client.send(0xFE, Instruction.SYNC_READ, POSITIONS + b"\x01\x09\x02")
    assert [reply.id for reply in replies] == [1]
    client.inject("mute", "j2")
    replies = client.send(0xFE, Instruction.SYNC_READ, POSITIONS + b"\x01\x02\x03")
    assert [reply.id for reply in replies] == [1]


def test_a_group_read_of_what_one_servo_lacks_is_its_error_alone():
    client = VirtualClient(make_bus("XM430-W350", "XL430-W250"))
    replies = client.send(0xFE, Instruction.SYNC_READ, b"\x26\x00\x02\x00\x01\x02")
    assert [(reply.error, len(reply.data)) for reply in replies] == [(0, 2), (Error.ACCESS, 0)]


def test_a_bulk_read_asks_each_servo_for_something_else(client):
    spans = b"\x01\x84\x00\x04\x00" + b"\x03\x92\x00\x01\x00"
    replies = client.send(0xFE, Instruction.BULK_READ, spans)
    assert [(reply.id, len(reply.data)) for reply in replies] == [(1, 4), (3, 1)]


def test_sync_and_bulk_writes_reach_their_servos_silently(client):
    values = b"\x74\x00\x04\x00" + b"\x01\xe8\x03\x00\x00" + b"\x02\xd0\x07\x00\x00"
    assert client.send(0xFE, Instruction.SYNC_WRITE, values) == []
    assert client.get(1, "goal_position") == 1000
    assert client.get(2, "goal_position") == 2000
    bulk = b"\x01\x41\x00\x01\x00\x01" + b"\x03\x74\x00\x04\x00\xf4\x01\x00\x00"
    assert client.send(0xFE, Instruction.BULK_WRITE, bulk) == []
    assert client.get(1, "led") == 1
    assert client.get(3, "goal_position") == 500
    too_far = b"\x74\x00\x04\x00" + b"\x01\x88\x13\x00\x00"
    assert client.send(0xFE, Instruction.SYNC_WRITE, too_far) == []
    assert client.get(1, "goal_position") == 1000, "refused without a word"


def fast_read(client: VirtualClient, instruction: int, parameters: bytes) -> bytes:
    return client.raw(instruction_packet(0xFE, instruction, parameters))


def test_a_fast_sync_read_is_one_packet_with_the_data_of_all(client):
    data = fast_read(client, Instruction.FAST_SYNC_READ, POSITIONS + b"\x02\x01\x03")
    assert data[:8] == bytes.fromhex("FFFFFD00FE 1900 55")
    (packet,) = Parser().feed(data)
    assert packet.intact
    assert [data[8 + 8 * i + 1] for i in range(3)] == [2, 1, 3]
    assert int.from_bytes(data[10:14], "little") == 2048


def test_a_fast_bulk_read_mixes_spans(client):
    spans = b"\x01\x84\x00\x04\x00" + b"\x02\x92\x00\x01\x00"
    data = fast_read(client, Instruction.FAST_BULK_READ, spans)
    (packet,) = Parser().feed(data)
    assert packet.intact
    assert int.from_bytes(data[5:7], "little") == 1 + (4 + 4) + (1 + 4)


def test_a_fast_read_stops_where_the_firmware_does_not_know_it():
    models = ["XM430-W350", "XM430-W350", "XL330-M288"]
    client = VirtualClient(make_bus(*models, firmwares={"j2": 44}))
    assert client.ping(2)[0].data[2] == 44
    data = fast_read(client, Instruction.FAST_SYNC_READ, POSITIONS + b"\x01\x02\x03")
    assert len(data) == 16, "the piece of the first servo only"
    assert fast_read(client, Instruction.FAST_SYNC_READ, POSITIONS + b"\x02\x01") == b""


@pytest.mark.parametrize(
    ("level", "pings", "reads", "writes"), [(0, 1, 0, 0), (1, 1, 1, 0), (2, 1, 1, 1)]
)
def test_the_status_return_level_says_who_gets_an_answer(client, level, pings, reads, writes):
    client.must_set(1, status_return_level=2)
    client.send(1, Instruction.WRITE, b"\x44\x00" + bytes([level]))
    assert len(client.ping(1)) == pings
    assert len(client.send(1, Instruction.READ, POSITIONS)) == reads
    assert len(client.send(1, Instruction.WRITE, b"\x41\x00\x01")) == writes


def test_a_servo_obeys_its_secondary_id_without_a_word(client):
    client.must_set(1, secondary_id=50)
    client.must_set(2, secondary_id=50)
    assert client.send(50, Instruction.WRITE, b"\x41\x00\x01") == []
    assert client.get(1, "led") == client.get(2, "led") == 1
    assert client.send(50, Instruction.WRITE, b"\x2c\x00\x4d\x00\x00\x00") == []
    assert client.get(1, "velocity_limit") == 200, "no EEPROM by the secondary ID"
    client.send(0xFE, Instruction.SYNC_WRITE, b"\x74\x00\x04\x00" + b"\x32\xe8\x03\x00\x00")
    assert client.get(1, "goal_position") == client.get(2, "goal_position") == 1000
    assert client.send(50, Instruction.READ, POSITIONS) == []


@pytest.mark.parametrize(
    ("servo_id", "instruction", "parameters"),
    [
        (1, Instruction.READ, POSITIONS),
        (1, Instruction.PING, b""),
        (0xFE, Instruction.SYNC_READ, POSITIONS + b"\x01"),
        (0xFE, Instruction.FAST_SYNC_READ, POSITIONS + b"\x01\x03"),
        (0xFE, Instruction.FAST_SYNC_READ, POSITIONS + b"\x03\x01"),
        (0xFE, Instruction.FAST_BULK_READ, b"\x01\x84\x00\x04\x00\x03\x92\x00\x01\x00"),
    ],
)
def test_two_servos_on_one_id_garble_each_other(client, servo_id, instruction, parameters):
    client.inject("same_id", "j2", value=1)
    data = client.raw(instruction_packet(servo_id, instruction, parameters))
    assert data
    assert not [packet for packet in Parser().feed(data) if packet.intact]
    client.injector.clear()
    assert client.get(2, "id") == 2


def test_a_servo_with_another_baud_is_deaf_until_the_client_changes(client):
    client.must_set(1, baud_rate=1)
    assert client.ping(1) == []
    assert client.ping(2) != []
    client.baud = 57600
    assert client.ping(1) != []
    assert client.ping(2) == []


def test_a_new_id_answers_from_then_on(client):
    client.must_set(1, id=40)
    assert client.ping(1) == []
    assert client.get(40, "id") == 40


def test_a_servo_set_to_protocol_one_is_lost_to_this_one(client):
    assert client.set(1, "protocol_type", 1) == Error.NONE
    assert client.ping(1) == []


def test_a_bad_crc_is_answered_with_error_three(client):
    packet = bytearray(instruction_packet(1, Instruction.READ, POSITIONS))
    packet[-1] ^= 0xFF
    (reply,) = Parser().feed(client.raw(bytes(packet)))
    assert reply.parameters[0] == Error.CRC


def test_half_a_packet_is_given_up(client):
    packet = instruction_packet(1, Instruction.READ, POSITIONS)
    assert client.raw(packet[:9]) == b""
    client.wait(0.03)
    assert client.ping(1) != []


@pytest.mark.parametrize("baud", [57600, 115200, 1_000_000, 3_000_000])
def test_bytes_take_their_time_on_the_wire(baud):
    client = VirtualClient(make_bus("XM430-W350", "XM430-W350", baud=baud), baud)
    client.must_set(2, return_delay_time=0)
    start = client.now
    (reply,) = client.send(1, Instruction.READ, POSITIONS)
    assert reply.time - start == pytest.approx((14 + 15) * 10 / baud + 500e-6)
    start = client.now
    first, second = client.send(0xFE, Instruction.SYNC_READ, POSITIONS + b"\x02\x01")
    assert first.time - start == pytest.approx((16 + 15) * 10 / baud)
    assert second.time - first.time == pytest.approx(15 * 10 / baud + 500e-6)


def test_a_write_to_many_arrives_with_its_last_byte(client):
    values = b"\x40\x00\x01\x00" + b"\x01\x01"
    packet = instruction_packet(0xFE, Instruction.SYNC_WRITE, values)
    client.raw(packet)
    client.wait(len(packet) * 1e-5 - 1e-6)
    assert not client.servo(1).torque
    client.wait(2e-6)
    assert client.servo(1).torque


def test_a_group_read_right_behind_a_write_waits_for_the_wire(client):
    write = instruction_packet(
        0xFE, Instruction.SYNC_WRITE, b"\x74\x00\x04\x00\x01\x00\x08\x00\x00"
    )
    read = instruction_packet(0xFE, Instruction.SYNC_READ, POSITIONS + b"\x01")
    start = client.now
    assert client.bus.receive(write, start, 1_000_000) == []
    (delivery,) = client.bus.receive(read, start, 1_000_000)
    assert delivery.due - start == pytest.approx((len(write) + len(read) + 15) * 1e-5 + 500e-6)


@pytest.mark.parametrize(("latency", "expected"), [(0.0, 0.0), (0.001, 0.001), (0.016, 0.016)])
def test_a_latency_timer_delays_a_short_reply(latency, expected):
    client = VirtualClient(make_bus("XM430-W350", latency=latency))
    start = client.now
    (reply,) = client.ping(1)
    assert reply.time - start == pytest.approx((10 + 14) * 1e-5 + 500e-6 + expected)


def test_full_usb_packets_do_not_wait_for_the_latency_timer():
    client = VirtualClient(make_bus(*["XM430-W350"] * 6, latency=0.016))
    packet = instruction_packet(
        0xFE, Instruction.SYNC_READ, b"\x7e\x00\x0a\x00" + bytes(range(1, 7))
    )
    deliveries = client.bus.receive(packet, 0.0, 1_000_000)
    assert [len(delivery.data) for delivery in deliveries] == [62, 62, 2]


def test_without_pacing_everything_is_there_at_once():
    client = VirtualClient(make_bus("XM430-W350", paced=False))
    client.must_set(1, return_delay_time=0)
    (reply,) = client.ping(1)
    assert reply.time == client.now


def test_the_bus_watchdog_stops_the_servo_and_locks_its_goals(client):
    client.must_set(1, profile_velocity=50, torque_enable=1, goal_position=4000)
    client.must_set(1, bus_watchdog=5)
    client.wait(0.09)
    assert client.get(1, "bus_watchdog") == 5, "any instruction starts it anew"
    client.wait(0.09)
    client.ping(3)
    client.wait(0.09)
    client.ping(9)
    client.wait(0.11)
    stopped = client.servo(1).joint_position
    assert client.get(1, "bus_watchdog") == -1
    client.wait(1.0)
    assert client.servo(1).joint_position == pytest.approx(stopped, abs=0.02)
    assert client.set(1, "goal_position", 2000) == Error.DATA_RANGE
    assert client.get(1, "torque_enable") == 1
    client.must_set(1, bus_watchdog=0)
    assert client.set(1, "goal_position", 2000) == Error.NONE


def test_the_bus_watchdog_sleeps_while_torque_is_off(client):
    client.must_set(1, bus_watchdog=5)
    client.wait(1.0)
    assert client.get(1, "bus_watchdog") == 5


def test_data_that_looks_like_a_header_is_stuffed_on_the_wire_and_read_back(client):
    header = b"\xff\xff\xfd\x00"
    assert client.write_raw(1, 224, header).error == Error.NONE
    read = instruction_packet(1, Instruction.READ, b"\xe0\x00\x04\x00")
    assert b"\xff\xff\xfd\xfd\x00" in client.raw(read)[9:]
    assert client.read_raw(1, 224, 4).data == header


def test_a_client_that_forgets_to_stuff_is_understood(client):
    body = b"\xff\xff\xfd\x00\x01\x09\x00\x03\xe0\x00\xff\xff\xfd\x05"
    crc = crc16(body).to_bytes(2, "little")
    (reply,) = Parser().feed(client.raw(body + crc))
    assert reply.parameters == b"\x00"
    assert client.read_raw(1, 224, 4).data == b"\xff\xff\xfd\x05"
