"""The rows of the X series and of MX with Protocol 2.0 (both share one layout).

One table of rows common to all, one line a model with what differs: limits, factory gains, the
voltage range, and the motor. Source: ROBOTIS e-manual, pages of the models in the newest edition at
hand; where none was, the velocity limit follows the no-load speed of the data sheet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import pi
from types import MappingProxyType

from ik_node.dynamixel.control_table import IndirectBlock, Model, Motor, Register

_HOMING = 1_044_479
_MULTI_TURN = 1_048_575
_GAIN = 16_383

# name, address, bytes, access, signed, initial, minimum, maximum
_Row = tuple[str, int, int, str, bool, int, "int | None", "int | None"]


@dataclass(frozen=True)
class _Family:
    """What models of one family share."""

    current_unit: float | None
    modes: frozenset[int]
    firmware: int
    fast_read: int | None
    gains: tuple[int, int, int, int]  # velocity I and P, position D and P
    temperature: int = 80
    shutdown: int = 52
    small: bool = False  # X330: fewer indirect addresses, PWM slope, RC protocols
    pwm_slope: int = 140
    external_port: bool = False
    drive_modes: int = 13  # which bits of drive_mode may be set
    led: bool = True


_ALL = frozenset({0, 1, 3, 4, 5, 16})
_NO_CURRENT = frozenset({1, 3, 4, 16})

_XL330 = _Family(0.001, _ALL, 52, 46, (1600, 180, 0, 400), 70, 53, small=True)
_XC330T = _Family(0.001, _ALL, 52, 46, (1200, 40, 0, 900), 70, small=True, pwm_slope=255)
_XC330M = _Family(0.001, _ALL, 52, 46, (1400, 100, 500, 1200), 70, small=True)
_XL430 = _Family(None, _NO_CURRENT, 46, 45, (1000, 100, 4000, 640), 72)
_2XL430 = _Family(None, _NO_CURRENT, 46, None, (1000, 100, 4000, 640), 72)
_XC430_W150 = _Family(None, _NO_CURRENT, 46, 45, (1920, 100, 0, 460))
_XC430_W240 = _Family(None, _NO_CURRENT, 46, 45, (1920, 100, 0, 700))
_2XC430 = _Family(None, _NO_CURRENT, 46, None, (1920, 100, 0, 700))
_X430 = _Family(0.00269, _ALL, 46, 45, (1920, 100, 0, 800))
_X430V = _Family(0.00134, _ALL, 46, 45, (1920, 100, 0, 800))
_X540 = _Family(0.00269, _ALL, 46, 45, (1920, 100, 0, 800), external_port=True, drive_modes=15)
_XW540 = _Family(0.00269, _ALL, 46, 45, (1920, 100, 0, 800), drive_modes=15, led=False)
_XW430 = _Family(0.00269, _ALL, 46, 45, (1920, 100, 0, 900), led=False)
_MX28 = _Family(None, _NO_CURRENT, 45, None, (1920, 50, 0, 850))
_MX = _Family(0.00336, _ALL, 45, None, (1920, 100, 0, 850))

# name, number, family, voltage limits (low, high) [0.1 V], current limit, velocity limit,
# motor: voltage [V], stall torque [N m], stall current [A], no-load speed [rev/min]
_Line = tuple[
    str, int, _Family, tuple[int, int], "int | None", int, tuple[float, float, float, float]
]

_MODELS: tuple[_Line, ...] = (
    ("XL330-M077", 1190, _XL330, (35, 70), 1750, 1620, (5.0, 0.215, 1.47, 383.0)),
    ("XL330-M288", 1200, _XL330, (35, 70), 1750, 445, (5.0, 0.52, 1.47, 103.0)),
    ("XC330-T181", 1210, _XC330T, (55, 140), 910, 500, (12.0, 0.66, 0.88, 114.0)),
    ("XC330-T288", 1220, _XC330T, (55, 140), 910, 320, (12.0, 1.00, 0.88, 71.0)),
    ("XC330-M181", 1230, _XC330M, (35, 70), 2352, 545, (5.0, 0.60, 1.80, 129.0)),
    ("XC330-M288", 1240, _XC330M, (35, 70), 2352, 350, (5.0, 0.93, 1.80, 81.0)),
    ("XL430-W250", 1060, _XL430, (60, 140), None, 265, (12.0, 1.5, 1.4, 61.0)),
    ("2XL430-W250", 1090, _2XL430, (60, 140), None, 250, (12.0, 1.5, 1.4, 61.0)),
    ("XC430-W150", 1070, _XC430_W150, (60, 160), None, 460, (12.0, 1.6, 1.4, 106.0)),
    ("XC430-W240", 1080, _XC430_W240, (60, 160), None, 306, (12.0, 1.9, 1.4, 70.0)),
    ("2XC430-W250", 1160, _2XC430, (60, 160), None, 275, (12.0, 1.8, 1.4, 64.0)),
    ("XM430-W350", 1020, _X430, (95, 160), 1193, 200, (12.0, 4.1, 2.3, 46.0)),
    ("XM430-W210", 1030, _X430, (95, 160), 1193, 330, (12.0, 3.0, 2.3, 77.0)),
    ("XM540-W270", 1120, _X540, (95, 160), 2047, 128, (12.0, 10.6, 4.4, 30.0)),
    ("XM540-W150", 1130, _X540, (95, 160), 2047, 230, (12.0, 7.3, 4.4, 53.0)),
    ("XH430-W350", 1000, _X430, (95, 160), 648, 130, (12.0, 3.4, 1.3, 30.0)),
    ("XH430-W210", 1010, _X430, (95, 160), 648, 210, (12.0, 2.5, 1.3, 50.0)),
    ("XH430-V350", 1040, _X430V, (110, 300), 689, 135, (24.0, 3.3, 0.7, 31.0)),
    ("XH430-V210", 1050, _X430V, (110, 300), 689, 230, (24.0, 2.6, 0.7, 53.0)),
    ("XD430-T350", 1001, _X430, (95, 160), 648, 130, (12.0, 3.4, 1.3, 30.0)),
    ("XD430-T210", 1011, _X430, (95, 160), 648, 210, (12.0, 2.5, 1.3, 50.0)),
    ("XH540-W270", 1100, _X540, (95, 160), 2047, 167, (12.0, 9.9, 4.9, 39.0)),
    ("XH540-W150", 1110, _X540, (95, 160), 2047, 300, (12.0, 7.1, 4.9, 70.0)),
    ("XH540-V270", 1140, _X540, (110, 300), 1188, 145, (24.0, 9.2, 2.3, 33.0)),
    ("XH540-V150", 1150, _X540, (110, 300), 1188, 250, (24.0, 6.9, 2.3, 58.0)),
    ("XD540-T270", 1101, _X540, (95, 160), 2047, 167, (12.0, 9.9, 4.9, 39.0)),
    ("XD540-T150", 1111, _X540, (95, 160), 2047, 300, (12.0, 7.1, 4.9, 70.0)),
    ("XW540-T260", 1170, _XW540, (95, 160), 2047, 167, (12.0, 9.5, 4.9, 39.0)),
    ("XW540-T140", 1180, _XW540, (95, 160), 2047, 300, (12.0, 6.9, 4.9, 69.0)),
    ("XW540-H260", 1310, _XW540, (110, 300), 1188, 145, (24.0, 9.2, 2.3, 33.0)),
    ("XW430-T333", 1270, _XW430, (95, 160), 2047, 141, (12.0, 3.9, 2.3, 32.0)),
    ("XW430-T200", 1280, _XW430, (95, 160), 2047, 235, (12.0, 2.6, 2.3, 54.0)),
    ("MX-28", 30, _MX28, (95, 160), None, 230, (12.0, 2.5, 1.4, 55.0)),
    ("MX-64", 311, _MX, (95, 160), 1941, 285, (12.0, 6.0, 4.1, 63.0)),
    ("MX-106", 321, _MX, (95, 160), 2047, 210, (12.0, 8.4, 5.2, 45.0)),
)


_ONE_BLOCK_OF_20 = (IndirectBlock(168, 208, 20),)
_ONE_BLOCK_OF_28 = (IndirectBlock(168, 224, 28),)
_TWO_BLOCKS_OF_28 = (IndirectBlock(168, 224, 28), IndirectBlock(578, 634, 28))
_X330_WITH_28 = 53
"""First firmware of the X330 series that has 28 indirect addresses, its data somewhere else."""


def models() -> Iterator[Model]:
    """Every model of these families."""
    for line in _MODELS:
        family = line[2]
        if family.small:
            later = _model(line, _ONE_BLOCK_OF_28, _X330_WITH_28)
            yield _model(line, _ONE_BLOCK_OF_20, family.firmware, later)
        else:
            yield _model(line, _TWO_BLOCKS_OF_28, family.firmware)


def _model(
    line: _Line, indirect: tuple[IndirectBlock, ...], firmware: int, successor: Model | None = None
) -> Model:
    name, number, family, voltage, current_limit, velocity_limit, motor = line
    rows = [
        *_eeprom_rows(number, firmware, family, voltage, current_limit, velocity_limit),
        *_ram_rows(family, current_limit, velocity_limit),
        *_indirect_rows(indirect),
    ]
    volts, torque, current, rpm = motor
    return Model(
        number=number,
        name=name,
        registers=MappingProxyType({row[0]: _register(row) for row in rows}),
        current_unit=family.current_unit,
        indirect=indirect,
        operating_modes=family.modes,
        motor=Motor(volts, torque, current, rpm * 2.0 * pi / 60.0),
        firmware=firmware,
        fast_read_firmware=family.fast_read,
        successor=successor,
    )


def _register(row: _Row) -> Register:
    name, address, size, access, signed, initial, minimum, maximum = row
    eeprom = address < 64
    return Register(name, address, size, access, eeprom, signed, initial, minimum, maximum)


def _eeprom_rows(
    number: int,
    firmware: int,
    family: _Family,
    voltage: tuple[int, int],
    current_limit: int | None,
    velocity_limit: int,
) -> Iterator[_Row]:
    low, high = voltage
    lowest = (
        31 if low == 35 else low
    )  # the 5 V servos of the X330 series go below their factory limit
    yield ("model_number", 0, 2, "R", False, number, None, None)
    yield ("model_information", 2, 4, "R", False, 0, None, None)
    yield ("firmware_version", 6, 1, "R", False, firmware, None, None)
    yield ("id", 7, 1, "RW", False, 1, 0, 252)
    yield ("baud_rate", 8, 1, "RW", False, 1, 0, 6 if family.small else 7)
    yield ("return_delay_time", 9, 1, "RW", False, 250, 0, 254)
    yield ("drive_mode", 10, 1, "RW", False, 0, 0, family.drive_modes)
    yield ("operating_mode", 11, 1, "RW", False, 3, 0, 16)
    yield ("secondary_id", 12, 1, "RW", False, 255, 0, 255)
    yield (
        "protocol_type",
        13,
        1,
        "RW",
        False,
        2,
        2 if family.small else 1,
        22 if family.small else 2,
    )
    yield ("homing_offset", 20, 4, "RW", True, 0, -_HOMING, _HOMING)
    yield ("moving_threshold", 24, 4, "RW", False, 10, 0, 1023)
    yield ("temperature_limit", 31, 1, "RW", False, family.temperature, 0, 100)
    yield ("max_voltage_limit", 32, 2, "RW", False, high, lowest, high)
    yield ("min_voltage_limit", 34, 2, "RW", False, low, lowest, high)
    yield ("pwm_limit", 36, 2, "RW", False, 885, 0, 885)
    if current_limit is not None:
        yield ("current_limit", 38, 2, "RW", False, current_limit, 0, current_limit)
    if family in (_MX, _MX28):
        yield ("acceleration_limit", 40, 4, "RW", False, 32767, 0, 32767)
    yield ("velocity_limit", 44, 4, "RW", False, velocity_limit, 0, 2047 if family.small else 1023)
    yield ("max_position_limit", 48, 4, "RW", False, 4095, 0, 4095)
    yield ("min_position_limit", 52, 4, "RW", False, 0, 0, 4095)
    if family.external_port:
        for port in (1, 2, 3):
            yield (f"external_port_mode_{port}", 55 + port, 1, "RW", False, 3, 0, 3)
    yield ("startup_configuration", 60, 1, "RW", False, 0, 0, 3)
    if family.small:
        yield ("pwm_slope", 62, 1, "RW", False, family.pwm_slope, 1, 255)
    yield ("shutdown", 63, 1, "RW", False, family.shutdown, 0, 0x3D)


def _ram_rows(family: _Family, current_limit: int | None, velocity_limit: int) -> Iterator[_Row]:
    velocity_i, velocity_p, position_d, position_p = family.gains
    fastest = 2047 if family.small else 1023
    yield ("torque_enable", 64, 1, "RW", False, 0, 0, 1)
    if family.led:
        yield ("led", 65, 1, "RW", False, 0, 0, 1)
    yield ("status_return_level", 68, 1, "RW", False, 2, 0, 2)
    yield ("registered_instruction", 69, 1, "R", False, 0, 0, 1)
    yield ("hardware_error_status", 70, 1, "R", False, 0, None, None)
    yield ("velocity_i_gain", 76, 2, "RW", False, velocity_i, 0, _GAIN)
    yield ("velocity_p_gain", 78, 2, "RW", False, velocity_p, 0, _GAIN)
    yield ("position_d_gain", 80, 2, "RW", False, position_d, 0, _GAIN)
    yield ("position_i_gain", 82, 2, "RW", False, 0, 0, _GAIN)
    yield ("position_p_gain", 84, 2, "RW", False, position_p, 0, _GAIN)
    yield ("feedforward_2nd_gain", 88, 2, "RW", False, 0, 0, _GAIN)
    yield ("feedforward_1st_gain", 90, 2, "RW", False, 0, 0, _GAIN)
    yield ("bus_watchdog", 98, 1, "RW", True, 0, 0, 127)
    yield ("goal_pwm", 100, 2, "RW", True, 885, -885, 885)
    if current_limit is not None:
        yield ("goal_current", 102, 2, "RW", True, current_limit, -current_limit, current_limit)
    yield ("goal_velocity", 104, 4, "RW", True, velocity_limit, -fastest, fastest)
    yield ("profile_acceleration", 108, 4, "RW", False, 0, 0, 32767)
    yield ("profile_velocity", 112, 4, "RW", False, 0, 0, 32767)
    yield ("goal_position", 116, 4, "RW", True, 0, -_MULTI_TURN, _MULTI_TURN)
    yield ("realtime_tick", 120, 2, "R", False, 0, 0, 32767)
    yield ("moving", 122, 1, "R", False, 0, 0, 1)
    yield ("moving_status", 123, 1, "R", False, 0, None, None)
    yield ("present_pwm", 124, 2, "R", True, 0, None, None)
    effort = "present_load" if family.current_unit is None else "present_current"
    yield (effort, 126, 2, "R", True, 0, None, None)
    yield ("present_velocity", 128, 4, "R", True, 0, None, None)
    yield ("present_position", 132, 4, "R", True, 0, None, None)
    yield ("velocity_trajectory", 136, 4, "R", True, 0, None, None)
    yield ("position_trajectory", 140, 4, "R", True, 0, None, None)
    yield ("present_input_voltage", 144, 2, "R", False, 0, None, None)
    yield ("present_temperature", 146, 1, "R", False, 0, None, None)
    yield ("backup_ready", 147, 1, "R", False, 0, 0, 1)
    if family.external_port:
        for port in (1, 2, 3):
            yield (f"external_port_data_{port}", 150 + 2 * port, 2, "RW", False, 0, None, None)


def _indirect_rows(blocks: tuple[IndirectBlock, ...]) -> Iterator[_Row]:
    last = max(block.data + block.entries - 1 for block in blocks)
    number = 0
    for block in blocks:
        for i in range(block.entries):
            number += 1
            data = block.data + i
            yield (
                f"indirect_address_{number}",
                block.address + 2 * i,
                2,
                "RW",
                False,
                data,
                64,
                last,
            )
            yield (f"indirect_data_{number}", data, 1, "RW", False, 0, 0, 255)
