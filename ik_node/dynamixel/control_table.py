"""What a control table is made of: registers, indirect blocks, and the model that has them.

Source of units and codes: ROBOTIS e-manual, pages of the X series.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import pi

from ik_node.errors import UnknownNameError

VELOCITY_UNIT = 0.229 * 2.0 * pi / 60.0
"""One unit of a velocity register [rad/s] (0.229 rev/min)."""

ACCELERATION_UNIT = 214.577 * 2.0 * pi / 3600.0
"""One unit of a profile acceleration [rad/s^2] (214.577 rev/min^2)."""

PWM_UNIT = 1.0 / 885.0
"""One unit of a PWM register, as a share of the full voltage."""

BAUD_RATES: Mapping[int, int] = {
    0: 9600,
    1: 57600,
    2: 115200,
    3: 1_000_000,
    4: 2_000_000,
    5: 3_000_000,
    6: 4_000_000,
    7: 4_500_000,
}
"""Register `baud_rate` to bits per second."""

HARDWARE_ERRORS: Mapping[int, str] = {
    0: "input voltage",
    2: "overheating",
    3: "motor encoder",
    4: "electrical shock",
    5: "overload",
}
"""Bit of register `hardware_error_status` to what it means."""


@dataclass(frozen=True)
class Register:
    """One item of a control table; `minimum` and `maximum` are None where any value fits.

    `access` is R or RW; an `eeprom` register survives a power cycle and can be written only while
    torque is off. `initial` is the factory value.
    """

    name: str
    address: int
    size: int
    access: str
    eeprom: bool
    signed: bool
    initial: int
    minimum: int | None
    maximum: int | None

    @property
    def writable(self) -> bool:
        """Whether a client may write it at all."""
        return self.access == "RW"

    def decode(self, data: bytes | bytearray) -> int:
        """The number in `data`, little-endian, with this register's sign."""
        return int.from_bytes(data, "little", signed=self.signed)

    def encode(self, value: int) -> bytes:
        """`value` as this register's bytes; it wraps as the servo's own arithmetic does."""
        return (value & ((1 << (8 * self.size)) - 1)).to_bytes(self.size, "little")


@dataclass(frozen=True)
class IndirectBlock:
    """`entries` address words from `address` on, and as many data bytes from `data` on."""

    address: int
    data: int
    entries: int


@dataclass(frozen=True)
class Motor:
    """What the data sheet says of the gear motor at `voltage` [V].

    `stall_torque` [N m] and `stall_current` [A] belong together; `no_load_speed` [rad/s].
    """

    voltage: float
    stall_torque: float
    stall_current: float
    no_load_speed: float

    @property
    def torque_constant(self) -> float:
        """Stall torque over stall current [N m / A]: an estimate, no data sheet names it."""
        return self.stall_torque / self.stall_current


@dataclass(frozen=True)
class Model:
    """One servo model; `current_unit` [A] is None where the servo reports load [0.1 %] instead.

    `fast_read_firmware` is the first firmware that answers fast sync and bulk reads, or None.
    `firmware` is the one that the table is of; from `successor.firmware` on that table holds.
    """

    number: int
    name: str
    registers: Mapping[str, Register] = field(compare=False, repr=False)
    current_unit: float | None
    indirect: tuple[IndirectBlock, ...]
    operating_modes: frozenset[int]
    motor: Motor
    firmware: int
    fast_read_firmware: int | None
    velocity_unit: float = VELOCITY_UNIT
    acceleration_unit: float = ACCELERATION_UNIT
    ticks_per_revolution: int = 4096
    successor: Model | None = field(default=None, compare=False, repr=False)

    def at_firmware(self, firmware: int) -> Model:
        """The table of this model as a servo with `firmware` has it."""
        later = self.successor
        return later if later is not None and firmware >= later.firmware else self

    def register(self, name: str) -> Register:
        """The register called `name`; raises UnknownNameError listing this model's registers."""
        try:
            return self.registers[name]
        except KeyError:
            known = (known for known in self.registers if not known.startswith("indirect_"))
            raise UnknownNameError(f"register of {self.name}", name, known) from None

    @property
    def indirect_entries(self) -> tuple[tuple[int, int], ...]:
        """(address word, data byte) of every indirect entry, in order."""
        return tuple(
            (block.address + 2 * i, block.data + i)
            for block in self.indirect
            for i in range(block.entries)
        )

    @property
    def effort_register(self) -> str:
        """`present_current`, or `present_load` where the model has no current sensor."""
        return "present_load" if self.current_unit is None else "present_current"

    def fast_read(self, firmware: int) -> bool:
        """Whether a servo of this model with `firmware` answers fast sync and bulk reads."""
        return self.fast_read_firmware is not None and firmware >= self.fast_read_firmware


def baud_code(rate: int) -> int:
    """Value of register `baud_rate` for `rate` [bit/s]; raises UnknownNameError."""
    for code, known in BAUD_RATES.items():
        if known == rate:
            return code
    raise UnknownNameError("baud rate", str(rate), map(str, BAUD_RATES.values()))
