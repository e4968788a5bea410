"""Packets made by the SDK, kept until they leave together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from dynamixel_sdk import COMM_SUCCESS

from ik_node.dynamixel.packets import Instruction, PacketHandler, instruction_packet
from ik_node.errors import BusError


class Outbox:
    """Takes packets until they are wanted."""

    def __init__(self) -> None:
        self._packets: list[bytes] = []

    def put(self, servo_id: int, instruction: Instruction, parameters: bytes) -> None:
        """Add a packet; raises BusError for one that is too long."""
        self._packets.append(_packet(servo_id, instruction, parameters))

    def take(self) -> bytes:
        """Everything since the last call."""
        data = b"".join(self._packets)
        self._packets.clear()
        return data


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
def _packet(servo_id: int, instruction: Instruction, parameters: bytes) -> bytes:
    paper = _Paper()
    packet = instruction_packet(servo_id, instruction, parameters)
    if _HANDLER.txPacket(paper, packet) != COMM_SUCCESS:
        raise BusError(f"a packet of {len(packet)} bytes is too long for the bus")
    return paper.text
