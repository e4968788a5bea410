"""What one servo does on each instruction that is meant for it.

Source: ROBOTIS e-manual, Protocol 2.0, instruction details.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ik_node.dynamixel.emulator import rules
from ik_node.dynamixel.emulator.memory import Change
from ik_node.dynamixel.emulator.protocol import Error, Instruction
from ik_node.dynamixel.emulator.servo import Servo

_CLEAR_KEY = b"\x01DXL\x22"
_BACKUP_KEY = b"CTRL"
_NEVER_BACKED_UP = frozenset({"torque_enable", "bus_watchdog", "goal_position"})
"""What is of the moment only."""


@dataclass(frozen=True)
class Answer:
    """Error number and parameters of a reply, before the alert bit is added."""

    error: Error
    parameters: bytes = b""


def read(servo: Servo, address: int, length: int) -> Answer:
    """The bytes of a span, the present values as of the servo's own time."""
    servo.refresh()
    error, data = servo.memory.read(address, length)
    return Answer(error, data)


def write(servo: Servo, address: int, data: bytes, *, secondary: bool = False) -> Answer:
    """Write a span, all of it or, if any of it is refused, nothing.

    A servo that is addressed by its secondary ID leaves its EEPROM alone.
    """
    error, changes = _changes(servo, address, data, secondary)
    if error:
        return Answer(error)
    for change in changes:
        servo.memory.apply(change)
    kept = {change.register.name: change.value for change in changes if change.register.eeprom}
    if kept:
        servo.eeprom.write(servo.name, kept)
    servo.written({change.register.name for change in changes})
    return Answer(Error.NONE)


def register_write(servo: Servo, address: int, data: bytes, *, secondary: bool = False) -> Answer:
    """Keep a span that `write` would take until the instruction Action."""
    error, _ = _changes(servo, address, data, secondary)
    if not error:
        servo.registered = (address, data)
        servo.memory.set("registered_instruction", 1)
    return Answer(error)


def obey(servo: Servo, instruction: int, data: bytes, now: float) -> None:
    """Do what came for the secondary ID: write, but to the EEPROM, and without a word."""
    if instruction == Instruction.ACTION:
        _action(servo, data, now)
    elif len(data) > 2 and instruction == Instruction.WRITE:
        write(servo, _word(data, 0), data[2:], secondary=True)
    elif len(data) > 2 and instruction == Instruction.REG_WRITE:
        register_write(servo, _word(data, 0), data[2:], secondary=True)


def _changes(
    servo: Servo, address: int, data: bytes, secondary: bool
) -> tuple[Error, list[Change]]:
    """What a write would change, or the error number of what refuses it."""
    error, changes = servo.memory.changes(address, data)
    for change in changes:
        if secondary and change.register.eeprom:
            return Error.ACCESS, []
        error = rules.refusal(servo.memory, change, torque=servo.torque, tripped=servo.tripped)
        if error:
            return error, []
    return error, changes


def _word(data: bytes, at: int) -> int:
    return data[at] | data[at + 1] << 8


def _ping(servo: Servo, data: bytes, now: float) -> Answer:
    servo.refresh()
    number = servo.model.number.to_bytes(2, "little")
    return Answer(Error.NONE, number + bytes((servo.firmware,)))


def _read(servo: Servo, data: bytes, now: float) -> Answer:
    if len(data) != 4:
        return Answer(Error.DATA_LENGTH)
    return read(servo, _word(data, 0), _word(data, 2))


def _write(servo: Servo, data: bytes, now: float) -> Answer:
    if len(data) < 3:
        return Answer(Error.DATA_LENGTH)
    return write(servo, _word(data, 0), data[2:])


def _reg_write(servo: Servo, data: bytes, now: float) -> Answer:
    if len(data) < 3:
        return Answer(Error.DATA_LENGTH)
    return register_write(servo, _word(data, 0), data[2:])


def _action(servo: Servo, data: bytes, now: float) -> Answer:
    if servo.registered is None:
        return Answer(Error.INSTRUCTION)
    address, values = servo.registered
    servo.registered = None
    servo.memory.set("registered_instruction", 0)
    return write(servo, address, values)


def _factory_reset(servo: Servo, data: bytes, now: float) -> Answer:
    kept_by_option: Mapping[bytes, tuple[str, ...]] = {
        b"\xff": (),
        b"\x01": ("id",),
        b"\x02": ("id", "baud_rate"),
    }
    if data not in kept_by_option:
        return Answer(Error.DATA_RANGE)
    values = {
        register.name: register.initial
        for register in servo.model.registers.values()
        if register.eeprom and register.writable and register.name not in kept_by_option[data]
    }
    for name, value in values.items():
        servo.memory.set(name, value)
    servo.eeprom.write(servo.name, values)
    servo.reboot(now)
    return Answer(Error.NONE)


def _reboot(servo: Servo, data: bytes, now: float) -> Answer:
    servo.reboot(now)
    return Answer(Error.NONE)


def _clear(servo: Servo, data: bytes, now: float) -> Answer:
    servo.refresh()
    if data != _CLEAR_KEY:
        return Answer(Error.DATA_RANGE)
    if servo.memory.get("moving"):
        return Answer(Error.RESULT_FAIL)
    servo.effects.clear_turns()
    return Answer(Error.NONE)


def _backup(servo: Servo, data: bytes, now: float) -> Answer:
    if data[1:] != _BACKUP_KEY or data[0] not in (1, 2):
        return Answer(Error.DATA_RANGE)
    if servo.torque:
        return Answer(Error.RESULT_FAIL)
    names = [
        register.name
        for register in servo.model.registers.values()
        if register.writable and register.name not in _NEVER_BACKED_UP
    ]
    if data[0] == 1:
        servo.eeprom.write_backup(servo.name, {name: servo.memory.get(name) for name in names})
        servo.memory.set("backup_ready", 1)
        return Answer(Error.NONE)
    stored = servo.eeprom.backup(servo.name)
    if stored is None:
        return Answer(Error.RESULT_FAIL)
    for name, value in stored.items():
        servo.memory.set(name, value)
    registers = servo.model.registers
    servo.eeprom.write(
        servo.name, {name: value for name, value in stored.items() if registers[name].eeprom}
    )
    servo.effects.restored()
    return Answer(Error.NONE)


EXECUTE: Mapping[int, Callable[[Servo, bytes, float], Answer]] = {
    Instruction.PING: _ping,
    Instruction.READ: _read,
    Instruction.WRITE: _write,
    Instruction.REG_WRITE: _reg_write,
    Instruction.ACTION: _action,
    Instruction.FACTORY_RESET: _factory_reset,
    Instruction.REBOOT: _reboot,
    Instruction.CLEAR: _clear,
    Instruction.BACKUP: _backup,
}
"""Instructions to a single servo; all others go to many at once."""


def execute(servo: Servo, instruction: int, parameters: bytes, now: float) -> Answer:
    """Let `servo` do an instruction; an unknown one is error 2."""
    action = EXECUTE.get(instruction)
    return Answer(Error.INSTRUCTION) if action is None else action(servo, parameters, now)
