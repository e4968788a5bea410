"""The register memory of one servo: bytes, what may be read, and what a write would change."""

from __future__ import annotations

from dataclasses import dataclass

from ik_node.dynamixel.control_table import Model, Register
from ik_node.dynamixel.emulator.protocol import Error


@dataclass(frozen=True)
class Change:
    """One register and the value that a write gives it."""

    register: Register
    value: int


class Memory:
    """Bytes of a control table, with the indirect addresses applied.

    A span may cross gaps between registers (they read as 0), but neither begin in one nor leave
    the table.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        last = max(model.registers.values(), key=lambda register: register.address)
        self.bytes = bytearray(last.address + last.size)
        self._owner: list[Register | None] = [None] * len(self.bytes)
        self._places = {
            register.name: (register.address, register.address + register.size, register.signed)
            for register in model.registers.values()
        }
        for register in model.registers.values():
            for address in range(register.address, register.address + register.size):
                self._owner[address] = register
            self.set(register.name, register.initial)
        self._indirect = {data: word for word, data in model.indirect_entries}
        self._words = set(self._indirect.values())
        self._spans: dict[tuple[int, int], tuple[int, ...] | None] = {}

    def get(self, name: str) -> int:
        """Value of the register called `name`."""
        start, end, signed = self._places[name]
        return int.from_bytes(self.bytes[start:end], "little", signed=signed)

    def set(self, name: str, value: int) -> None:
        """Set a register, without any rule."""
        register = self.model.registers[name]
        self._store(register, value)

    def read(self, address: int, length: int) -> tuple[Error, bytes]:
        """Return the bytes at `address`, or the error number of a span that cannot be read."""
        targets = self._targets(address, length)
        if targets is None:
            return Error.ACCESS, b""
        if not targets:
            return Error.NONE, bytes(self.bytes[address : address + length])
        return Error.NONE, bytes([self.bytes[target] for target in targets])

    def changes(self, address: int, data: bytes) -> tuple[Error, list[Change]]:
        """What writing `data` at `address` would change; nothing is written.

        Returns error 7 for a register that is undefined or read-only, and 5 for one that the data
        covers in part (indirect data may do that).
        """
        targets = self._targets(address, len(data))
        if targets is None or not data:
            return (Error.ACCESS if data else Error.DATA_LENGTH), []
        direct = not targets
        whole = self._owner[address]
        if direct and whole and (whole.address, whole.size) == (address, len(data)):
            change = Change(whole, whole.decode(data))
            return (Error.NONE, [change]) if whole.writable else (Error.ACCESS, [])
        if direct:
            targets = tuple(range(address, address + len(data)))
        new = dict(zip(targets, data, strict=True))
        registers = []
        for target in targets:
            register = self._owner[target]
            if register is None or not register.writable:
                return Error.ACCESS, []
            if register not in registers:
                registers.append(register)
        changes = []
        for register in registers:
            span = range(register.address, register.address + register.size)
            if direct and not all(byte in new for byte in span):
                return Error.DATA_LENGTH, []
            value = register.decode(bytes([new.get(byte, self.bytes[byte]) for byte in span]))
            changes.append(Change(register, value))
        return Error.NONE, changes

    def apply(self, change: Change) -> None:
        """Store a change that passed every rule."""
        self._store(change.register, change.value)
        if change.register.address in self._words:
            self._spans.clear()

    def _store(self, register: Register, value: int) -> None:
        end = register.address + register.size
        self.bytes[register.address : end] = register.encode(value)

    def _targets(self, address: int, length: int) -> tuple[int, ...] | None:
        """Where the bytes of a span really are: () for in place, None for out of the table."""
        key = (address, length)
        if key not in self._spans:
            self._spans[key] = self._resolve(address, length)
        return self._spans[key]

    def _resolve(self, address: int, length: int) -> tuple[int, ...] | None:
        span = range(address, address + length)
        if length < 1 or span.stop > len(self.bytes) or self._owner[address] is None:
            return None
        if not any(byte in self._indirect for byte in span):
            return ()
        return tuple(self._through(byte) for byte in span)

    def _through(self, byte: int) -> int:
        word = self._indirect.get(byte)
        if word is None:
            return byte
        return self.bytes[word] | self.bytes[word + 1] << 8
