"""What one cycle reads of a servo, as one run of bytes.

Through the servo's indirect addresses the scattered registers become neighbours: 12 bytes every
cycle (position, velocity, current or load, hardware error, torque), 20 now and then (also bus
watchdog, voltage, temperature, goal). A servo that does not take the mapping is read directly,
with everything from torque to temperature in one piece of 83 bytes.

The torque byte doubles as a sentinel: a servo that restarted has lost the mapping and reads 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from struct import Struct
from typing import NamedTuple

from ik_node.dynamixel.registers import Model, Register

EVERY_CYCLE = ("present_position", "present_velocity", "effort", "hardware_error", "torque_enable")
NOW_AND_THEN = ("bus_watchdog", "voltage", "temperature", "goal_position")

_REGISTERS = {
    "hardware_error": "hardware_error_status",
    "voltage": "present_input_voltage",
    "temperature": "present_temperature",
}

_LETTERS = {1: "b", 2: "h", 4: "i"}


class SlowState(NamedTuple):
    """The part that is read now and then: raw numbers, as the registers have them."""

    bus_watchdog: int
    voltage: int
    temperature: int
    goal_position: int


class RawState(NamedTuple):
    """One servo as read: raw numbers; `slow` is None where only the short block was read."""

    position: int
    velocity: int
    effort: int
    hardware_error: int
    torque_enable: int
    slow: SlowState | None


class _Layout:
    """Registers at `places` in a run of bytes; decoded in the order given."""

    def __init__(self, places: Sequence[tuple[int, Register]]) -> None:
        ascending = sorted(places, key=lambda place: place[0])
        code, end = "<", 0
        for start, register in ascending:
            letter = _LETTERS[register.size]
            code += f"{start - end}x{letter if register.signed else letter.upper()}"
            end = start + register.size
        self._struct = Struct(code)
        self._order = itemgetter(*(ascending.index(place) for place in places))

    def values(self, data: bytes) -> tuple[int, ...]:
        """The registers' values."""
        values: tuple[int, ...] = self._order(self._struct.unpack(data))
        return values


@dataclass(frozen=True)
class Block:
    """Where the state of a servo is read: `short` bytes from `address`, or `long` with the rest."""

    address: int
    short: int
    long: int
    every_cycle: _Layout = field(compare=False)
    everything: _Layout = field(compare=False)

    def decode(self, data: bytes) -> RawState:
        """The state in `data`, which is `short` or `long` bytes."""
        if len(data) != self.long:
            return RawState._make((*self.every_cycle.values(data), None))
        values = self.everything.values(data)
        fast = len(EVERY_CYCLE)
        return RawState._make((*values[:fast], SlowState._make(values[fast:])))


def state_registers(model: Model) -> list[Register]:
    """The registers of the block, in its order."""
    names = {"effort": model.effort_register, **_REGISTERS}
    return [model.register(names.get(name, name)) for name in (*EVERY_CYCLE, *NOW_AND_THEN)]


def indirect_block(model: Model) -> Block:
    """The block as it appears in the indirect data of `model`."""
    places = []
    start = 0
    for register in state_registers(model):
        places.append((start, register))
        start += register.size
    short = places[len(EVERY_CYCLE)][0]
    fast = _Layout(places[: len(EVERY_CYCLE)])
    return Block(model.indirect[0].data, short, start, fast, _Layout(places))


def indirect_mapping(model: Model) -> tuple[int, bytes]:
    """Address and content of the indirect address words that make `indirect_block`."""
    words = bytearray()
    for register in state_registers(model):
        for i in range(register.size):
            words += (register.address + i).to_bytes(2, "little")
    return model.indirect[0].address, bytes(words)


def direct_block(model: Model) -> Block:
    """The block read from the registers themselves, in one piece."""
    registers = state_registers(model)
    first = min(register.address for register in registers)
    size = max(register.address + register.size for register in registers) - first
    layout = _Layout([(register.address - first, register) for register in registers])
    return Block(first, size, size, layout, layout)
