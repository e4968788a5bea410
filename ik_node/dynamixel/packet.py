"""Packets on their way out: made by the SDK, and when they leave."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import lru_cache

from dynamixel_sdk import COMM_SUCCESS

from ik_node.dynamixel.packets import Instruction, PacketHandler, instruction_packet
from ik_node.errors import BusError


class Leave(Enum):
    """When a write that nobody answers leaves.

    WITH_NEXT saves a system call and a USB transfer, and the wire is never idle between the two.
    BEHIND_NEXT is for a bus without pauses: while these bytes are on their way, the reply that came
    before them is looked at and the next request is made.
    """

    AT_ONCE = "at once"
    WITH_NEXT = "in one go with the next packet"
    BEHIND_NEXT = "right behind the reply to the next packet"


class _Paper:
    """Stands where the SDK expects a port: what it sends is written down."""

    def __init__(self) -> None:
        self.is_using = False
        self.text = b""

    def clearPort(self) -> None:
        """Nothing is received here."""

    def writePort(self, packet: Sequence[int]) -> int:
        """Take a packet."""
        self.text = bytes(packet)
        return len(packet)


_HANDLER = PacketHandler()


@lru_cache(maxsize=64)  # a bus is asked the same thing in every cycle
def packet(servo_id: int, instruction: Instruction, parameters: bytes) -> bytes:
    """The bytes of an instruction packet; raises BusError for one that is too long."""
    paper = _Paper()
    fields = instruction_packet(servo_id, instruction, parameters)
    if _HANDLER.txPacket(paper, fields) != COMM_SUCCESS:
        raise BusError(f"a packet of {len(fields)} bytes is too long for the bus")
    return paper.text
