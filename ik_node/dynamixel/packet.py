"""Packets on their way out: their bytes, and when they leave."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache

from ik_node.dynamixel.packets import HEADER, Instruction, crc16, stuff
from ik_node.errors import BusError

LONGEST = 1024
"""Bytes of a packet that a servo can take in, as the SDK has it."""

HURRY = 0.001
"""A bus that rests less than this [s] between two cycles has none to waste."""


class Leave(Enum):
    """When a write that nobody answers leaves.

    WITH_NEXT saves a system call and a USB transfer, and the wire is never idle between the two.
    BEHIND_NEXT is for a bus without pauses: while these bytes are on their way, the reply that came
    before them is looked at and the next request is made.
    """

    AT_ONCE = "at once"
    WITH_NEXT = "in one go with the next packet"
    BEHIND_NEXT = "right behind the reply to the next packet"

    @classmethod
    def after(cls, rest: float) -> Leave:
        """When to leave on a bus that has rested for so long [s] since the last reply."""
        return cls.BEHIND_NEXT if rest < HURRY else cls.WITH_NEXT


@lru_cache(maxsize=64)  # a bus is asked the same thing in every cycle
def instruction_packet(servo_id: int, instruction: Instruction, parameters: bytes) -> bytes:
    """The bytes of an instruction packet; raises BusError for one that is too long."""
    body = stuff(instruction.to_bytes(1, "little") + parameters)
    length = len(body) + 2
    packet = HEADER + bytes((servo_id, length & 0xFF, length >> 8)) + body
    if len(packet) + 2 > LONGEST:
        raise BusError(f"a packet of {len(packet) + 2} bytes is too long for the bus")
    return packet + crc16(packet).to_bytes(2, "little")
