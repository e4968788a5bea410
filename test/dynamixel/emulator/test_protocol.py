from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ik_node.dynamixel.emulator.protocol import (
    Instruction,
    Packet,
    Parser,
    crc16,
    fast_status_pieces,
    instruction_packet,
    status_packet,
    stuff,
    unstuff,
)

# The e-manual's example packets (Protocol 2.0, instruction details): all but two carry a right CRC.
# Its Control Table Restore prints 92 F5 and its Fast Bulk Read 20 F2, where the CRC gives 9E F5
# and DA 2D, as the SDK's own code does.
INSTRUCTIONS = [
    (1, Instruction.PING, "", "FF FF FD 00 01 03 00 01 19 4E"),
    (0xFE, Instruction.PING, "", "FF FF FD 00 FE 03 00 01 31 42"),
    (1, Instruction.READ, "84 00 04 00", "FF FF FD 00 01 07 00 02 84 00 04 00 1D 15"),
    (
        1,
        Instruction.WRITE,
        "74 00 00 02 00 00",
        "FF FF FD 00 01 09 00 03 74 00 00 02 00 00 CA 89",
    ),
    (
        1,
        Instruction.REG_WRITE,
        "68 00 C8 00 00 00",
        "FF FF FD 00 01 09 00 04 68 00 C8 00 00 00 AE 8E",
    ),
    (1, Instruction.ACTION, "", "FF FF FD 00 01 03 00 05 02 CE"),
    (1, Instruction.FACTORY_RESET, "01", "FF FF FD 00 01 04 00 06 01 A1 E6"),
    (1, Instruction.REBOOT, "", "FF FF FD 00 01 03 00 08 2F 4E"),
    (1, Instruction.CLEAR, "01 44 58 4C 22", "FF FF FD 00 01 08 00 10 01 44 58 4C 22 B1 DC"),
    (
        0xFE,
        Instruction.SYNC_READ,
        "84 00 04 00 01 02",
        "FF FF FD 00 FE 09 00 82 84 00 04 00 01 02 CE FA",
    ),
    (
        0xFE,
        Instruction.SYNC_WRITE,
        "74 00 04 00 01 96 00 00 00 02 AA 00 00 00",
        "FF FF FD 00 FE 11 00 83 74 00 04 00 01 96 00 00 00 02 AA 00 00 00 82 87",
    ),
    (
        0xFE,
        Instruction.BULK_READ,
        "01 90 00 02 00 02 92 00 01 00",
        "FF FF FD 00 FE 0D 00 92 01 90 00 02 00 02 92 00 01 00 1A 05",
    ),
    (
        0xFE,
        Instruction.BULK_WRITE,
        "01 20 00 02 00 A0 00 02 1F 00 01 00 50",
        "FF FF FD 00 FE 10 00 93 01 20 00 02 00 A0 00 02 1F 00 01 00 50 B7 68",
    ),
    (1, Instruction.BACKUP, "02 43 54 52 4C", "FF FF FD 00 01 08 00 20 02 43 54 52 4C 9E F5"),
]

STATUSES = [
    (1, "06 04 26", "FF FF FD 00 01 07 00 55 00 06 04 26 65 5D"),
    (2, "06 04 26", "FF FF FD 00 02 07 00 55 00 06 04 26 6F 6D"),
    (1, "A6 00 00 00", "FF FF FD 00 01 08 00 55 00 A6 00 00 00 8C C0"),
    (2, "1F 08 00 00", "FF FF FD 00 02 08 00 55 00 1F 08 00 00 BA BE"),
    (1, "", "FF FF FD 00 01 04 00 55 00 A1 0C"),
    (1, "77 00", "FF FF FD 00 01 06 00 55 00 77 00 C3 69"),
    (2, "24", "FF FF FD 00 02 05 00 55 00 24 8B A9"),
]


@pytest.mark.parametrize(("servo_id", "instruction", "parameters", "example"), INSTRUCTIONS)
def test_instructions_are_the_manuals_bytes(servo_id, instruction, parameters, example):
    data = bytes.fromhex(parameters)
    assert instruction_packet(servo_id, instruction, data) == bytes.fromhex(example)
    assert Parser().feed(bytes.fromhex(example)) == [Packet(servo_id, instruction, data)]


@pytest.mark.parametrize(("servo_id", "parameters", "example"), STATUSES)
def test_replies_are_the_manuals_bytes(servo_id, parameters, example):
    assert status_packet(servo_id, 0, bytes.fromhex(parameters)) == bytes.fromhex(example)


def test_a_fast_reply_grows_by_the_manuals_pieces():
    answers = [
        (3, 0, bytes.fromhex("A6000000")),
        (7, 0, bytes.fromhex("1F080000")),
        (4, 0, bytes.fromhex("FF030000")),
    ]
    first, second, third = fast_status_pieces(answers, 24)
    assert first == bytes.fromhex("FFFFFD00FE190055 0003A6000000 8408")
    assert second == bytes.fromhex("00071F080000 16CA")
    assert third == bytes.fromhex("0004FF030000 D19E")


@given(st.binary(max_size=40))
def test_the_crc_of_a_packet_with_its_crc_is_zero(data):
    crc = crc16(data)
    assert crc16(bytes((crc >> 8, crc & 0xFF)), crc) == 0


HEADERS = st.lists(st.sampled_from([b"\xff", b"\xfd", b"\x00", b"\xff\xff\xfd", b"a"])).map(
    b"".join
)


@given(HEADERS)
def test_stuffing_hides_every_header_and_comes_off_again(body):
    stuffed = stuff(body)
    assert b"\xff\xff\xfd\x00" not in stuffed
    assert unstuff(stuffed) == body


@given(HEADERS, st.data())
@settings(max_examples=50)
def test_a_packet_is_found_however_the_bytes_come(parameters, data):
    packet = instruction_packet(7, Instruction.WRITE, parameters)
    cuts = data.draw(st.lists(st.integers(0, len(packet)), max_size=4).map(sorted))
    parser = Parser()
    found = []
    for start, end in zip([0, *cuts], [*cuts, len(packet)], strict=True):
        found += parser.feed(packet[start:end])
    assert found == [Packet(7, Instruction.WRITE, parameters)]
    assert parser.pending == 0


@given(st.binary(max_size=200), HEADERS)
@settings(max_examples=200)
def test_noise_never_raises_and_never_makes_a_packet(noise, headers):
    parser = Parser()
    for packet in parser.feed(noise + headers):
        assert not packet.intact
    parser.reset()
    assert [p for p in parser.feed(instruction_packet(1, 1)) if p.intact] == [Packet(1, 1, b"")]


def test_a_bad_crc_is_reported_and_the_next_packet_found():
    bad = bytearray(instruction_packet(5, Instruction.READ, b"\x84\x00\x04\x00"))
    bad[9] ^= 0x10
    good = instruction_packet(6, Instruction.PING)
    packets = Parser().feed(bytes(bad) + good)
    assert packets == [
        Packet(5, Instruction.READ, b"", intact=False),
        Packet(6, Instruction.PING, b""),
    ]
