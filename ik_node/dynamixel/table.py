"""One servo's control table, read in runs without gaps.

Whether a servo answers a read across unused addresses depends on its firmware, and every read costs
a turn of the adapter (up to 16 ms). So a register is read together with its neighbours, as far as
they follow without a gap, and these are kept until something is written among them.
"""

from __future__ import annotations

from typing import NamedTuple

from ik_node.dynamixel.block import NOW_AND_THEN, RawState, SlowState, state_registers
from ik_node.dynamixel.bus import Bus
from ik_node.dynamixel.registers import Model

RETRIES = 2


class _Run(NamedTuple):
    start: int
    end: int


class Table:
    """The registers of servo `servo_id`; every call may raise BusError."""

    def __init__(self, bus: Bus, servo_id: int, model: Model) -> None:
        self._bus = bus
        self._id = servo_id
        self._model = model
        self._runs = _runs(model)
        self._kept: dict[_Run, bytes] = {}

    def read(self, name: str) -> int:
        """Value of register `name`, at most as old as this table or the last `forget`."""
        register = self._model.register(name)
        run = self._run(register.address)
        if run not in self._kept:
            self._kept[run] = self._bus.read(self._id, run.start, run.end - run.start, RETRIES)
        start = register.address - run.start
        return register.decode(self._kept[run][start : start + register.size])

    def write(self, name: str, value: int) -> None:
        """Write and wait for consent; the next read of it asks the servo."""
        register = self._model.register(name)
        self._kept.pop(self._run(register.address), None)
        self._bus.write_register(self._id, register, value, RETRIES)

    def forget(self) -> None:
        """Ask the servo again for everything."""
        self._kept.clear()

    def state(self) -> RawState:
        """The present state, straight from its registers."""
        self.forget()
        values = [self.read(register.name) for register in state_registers(self._model)]
        fast = len(values) - len(NOW_AND_THEN)
        position, velocity, effort, error, torque = values[:fast]
        return RawState(position, velocity, effort, error, torque, SlowState(*values[fast:]))

    def _run(self, address: int) -> _Run:
        return next(run for run in self._runs if run.start <= address < run.end)


def _runs(model: Model) -> list[_Run]:
    """Runs of registers that follow each other without a gap, indirect ones left out."""
    runs: list[_Run] = []
    for register in sorted(model.registers.values(), key=lambda register: register.address):
        if register.name.startswith("indirect_"):
            continue
        end = register.address + register.size
        if runs and runs[-1].end == register.address:
            runs[-1] = _Run(runs[-1].start, end)
        else:
            runs.append(_Run(register.address, end))
    return runs
