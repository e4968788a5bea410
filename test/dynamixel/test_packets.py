"""Packets by their bytes, both ways, and a parser that survives anything."""

from __future__ import annotations

import random

import pytest
from dynamixel_sdk import Protocol2PacketHandler
from hypothesis import given, settings
from hypothesis import strategies as st

from ik_node.dynamixel.packet import instruction_packet
from ik_node.dynamixel.packets import (
    BROADCAST,
    HEADER,
    FastReply,
    Instruction,
    Status,
    crc16,
    longest_status,
    stuff,
    take_status,
    unstuff,
)
from ik_node.errors import BusError

# Bytes as they come from real tables: mostly the ones that need stuffing.
awkward = st.lists(st.sampled_from([0xFF, 0xFF, 0xFD, 0x00, 0x55, 0x01]), max_size=24).map(bytes)
payloads = awkward | st.binary(max_size=40)
fast_parts = st.dictionaries(
    st.integers(0, 252), st.binary(min_size=4, max_size=4), min_size=1, max_size=6
)


class Paper:
    """As much of a port as the SDK's `txPacket` needs; keeps what was sent."""

    def __init__(self) -> None:
        self.is_using = False
        self.sent = b""

    def clearPort(self) -> None:
        pass

    def writePort(self, packet: list[int]) -> int:
        self.sent = bytes(packet)
        return len(packet)


def status(servo_id: int, error: int, data: bytes) -> bytes:
    body = stuff(bytes([0x55, error]) + data)
    head = HEADER + bytes([servo_id]) + (len(body) + 2).to_bytes(2, "little")
    return head + body + crc16(head + body).to_bytes(2, "little")


def fast_packet(parts: dict[int, bytes]) -> bytes:
    """Four bytes of each servo by its ID, in one packet."""
    length = 1 + sum(len(data) + 4 for data in parts.values())
    packet = HEADER + bytes([BROADCAST]) + length.to_bytes(2, "little") + bytes([0x55])
    for servo_id, data in parts.items():
        packet += bytes([0, servo_id]) + data
        packet += crc16(packet).to_bytes(2, "little")
    return packet


def test_ping_is_the_packet_of_the_manual() -> None:
    assert instruction_packet(1, Instruction.PING, b"") == bytes.fromhex("FFFFFD000103000119 4E")


def test_read_is_the_packet_of_the_manual() -> None:
    assert instruction_packet(
        1, Instruction.READ, bytes([0x84, 0x00, 0x04, 0x00])
    ) == bytes.fromhex("FFFFFD000107000284000400 1D15")


@given(st.integers(0, 254), st.sampled_from(Instruction), payloads)
def test_an_instruction_without_stuffing_is_the_packet_of_the_sdk(
    servo_id: int, instruction: Instruction, parameters: bytes
) -> None:
    parameters = parameters.replace(b"\xfd", b"")
    paper = Paper()
    head = [0, 0, 0, 0, servo_id, len(parameters) + 3, 0, instruction]
    Protocol2PacketHandler().txPacket(paper, [*head, *parameters, 0, 0])
    assert instruction_packet(servo_id, instruction, parameters) == paper.sent


def test_a_packet_that_no_servo_can_take_in_is_refused() -> None:
    with pytest.raises(BusError, match="1025 bytes is too long"):
        instruction_packet(BROADCAST, Instruction.SYNC_WRITE, bytes(1015))
    assert len(instruction_packet(BROADCAST, Instruction.SYNC_WRITE, bytes(1014))) == 1024


def test_payload_that_looks_like_a_header_is_stuffed() -> None:
    packet = instruction_packet(1, Instruction.WRITE, b"\x74\x00" + b"\xff\xff\xfd\xff")
    assert b"\xff\xff\xfd\xfd\xff" in packet
    assert packet[5] | packet[6] << 8 == 3 + 2 + 4 + 1
    assert crc16(packet[:-2]) == int.from_bytes(packet[-2:], "little")


@given(payloads)
def test_unstuffing_is_the_exact_inverse_of_stuffing(payload: bytes) -> None:
    assert HEADER[:3] + b"\x00" not in stuff(payload)
    assert unstuff(stuff(payload)) == payload


@given(payloads)
def test_crc_is_the_one_of_the_sdk(payload: bytes) -> None:
    assert crc16(payload) == Protocol2PacketHandler().updateCRC(0, payload, len(payload))


@given(st.integers(0, 252), st.integers(0, 255), payloads)
def test_a_status_packet_comes_back_whole(servo_id: int, error: int, data: bytes) -> None:
    buffer = bytearray(status(servo_id, error, data))
    assert take_status(buffer, longest_status(len(data))) == Status(servo_id, error, data)
    assert not buffer


@given(st.binary(max_size=30), payloads)
def test_a_packet_behind_noise_is_found_once_nothing_more_comes(noise: bytes, data: bytes) -> None:
    buffer = bytearray(noise + status(7, 0, data))
    longest = longest_status(len(data))
    found = take_status(buffer, longest) or take_status(buffer, longest, complete=True)
    assert found == Status(7, 0, data)


@given(payloads, st.data())
def test_a_flipped_bit_is_never_accepted(data: bytes, choose: st.DataObject) -> None:
    packet = bytearray(status(7, 0, data))
    bit = choose.draw(st.integers(0, 8 * len(packet) - 1))
    packet[bit // 8] ^= 1 << bit % 8
    assert take_status(packet, longest_status(len(data)), complete=True) is None


def test_the_start_of_a_packet_waits_for_the_rest() -> None:
    packet = status(7, 0, b"\x01\x02")
    buffer = bytearray()
    for byte in packet[:-1]:
        buffer.append(byte)
        assert take_status(buffer, longest_status(2)) is None
    buffer.append(packet[-1])
    assert take_status(buffer, longest_status(2)) == Status(7, 0, b"\x01\x02")


def test_the_echo_of_an_instruction_is_skipped() -> None:
    echo = instruction_packet(7, Instruction.READ, bytes([0x84, 0, 4, 0]))
    buffer = bytearray(echo + status(7, 0, b"\x01\x02\x03\x04"))
    assert take_status(buffer, longest_status(4)) == Status(7, 0, b"\x01\x02\x03\x04")


def test_a_fast_reply_is_no_status_packet() -> None:
    assert take_status(bytearray(fast_packet({1: b"\x00\x08"})), 64, complete=True) is None


@given(st.binary(max_size=30), st.binary(max_size=30), fast_parts)
def test_a_fast_reply_is_found_in_noise_and_comes_back_as_it_is(
    before: bytes, behind: bytes, parts: dict[int, bytes]
) -> None:
    reply = FastReply(4, len(parts))
    buffer = bytearray(before + fast_packet(parts))
    assert reply.is_in(buffer)
    buffer += behind
    assert reply.take(buffer) == (before, [Status(i, 0, data) for i, data in parts.items()])
    assert buffer == behind


@given(st.binary(max_size=9), fast_parts, st.data())
def test_a_fast_reply_with_a_flipped_bit_or_without_its_end_is_not_taken(
    noise: bytes, parts: dict[int, bytes], choose: st.DataObject
) -> None:
    packet = bytearray(fast_packet(parts))
    bit = choose.draw(st.integers(0, 8 * len(packet) - 1))
    short = packet[: bit // 8]
    assert not FastReply(4, len(parts)).is_in(short)
    assert FastReply(4, len(parts)).take(short[:]) == (short, [])
    packet[bit // 8] ^= 1 << bit % 8
    assert FastReply(4, len(parts)).take(bytearray(noise + packet)) == (noise + packet, [])


@given(fast_parts)
def test_a_fast_reply_of_other_servos_or_another_size_is_not_taken(parts: dict[int, bytes]) -> None:
    for other in (FastReply(4, len(parts) + 1), FastReply(5, len(parts))):
        assert not other.take(bytearray(fast_packet(parts)))[1]


def test_a_million_bytes_of_noise_raise_nothing_and_yield_nothing_false() -> None:
    """Half of the noise is made of pieces of real packets, so that headers abound."""
    random_bytes = random.Random(4)
    good = [status(i, 0, random_bytes.randbytes(12)) for i in range(1, 7)]
    buffer = bytearray()
    total = 0
    while total < 1_000_000:
        piece = random_bytes.choice(good)
        cut = random_bytes.randrange(len(piece))
        noise = piece[:cut] + random_bytes.randbytes(random_bytes.randrange(40))
        total += len(noise)
        buffer += noise
        while (found := take_status(buffer, longest_status(12))) is not None:
            assert found.id in range(1, 7)
            assert status(found.id, found.error, found.data) in good
    assert len(buffer) <= longest_status(12)


def test_a_million_bytes_of_noise_yield_no_false_fast_reply() -> None:
    random_bytes = random.Random(5)
    good = fast_packet({i: random_bytes.randbytes(4) for i in range(1, 7)})
    reply = FastReply(4, 6)
    taken = 0
    for _ in range(8000):
        cut = random_bytes.randrange(len(good) + 1)
        noise = random_bytes.randbytes(random_bytes.randrange(60))
        buffer = bytearray(good[:cut] + noise + good[random_bytes.randrange(cut + 1) :])
        buffer += random_bytes.randbytes(100)
        whole = good in buffer
        taken += whole
        assert bool(reply.take(buffer)[1]) == whole
    assert 0 < taken < 4000


@settings(max_examples=300)
@given(st.binary(max_size=200), st.booleans())
def test_what_the_parser_accepts_has_the_right_crc_and_length(noise: bytes, complete: bool) -> None:
    buffer = bytearray(noise)
    while (found := take_status(buffer, 64, complete=complete)) is not None:
        assert status(found.id, found.error, found.data) in noise
