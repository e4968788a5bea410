from __future__ import annotations

import pytest
from virtual_bus import VirtualClient, make_bus

from ik_node.dynamixel.emulator.protocol import Error, Instruction
from ik_node.dynamixel.registers import MODELS


@pytest.fixture
def client() -> VirtualClient:
    return VirtualClient(make_bus("XM430-W350", "XL430-W250", "XL330-M288"))


def test_the_factory_values_are_the_models(client):
    assert client.get(1, "model_number") == 1020
    assert client.get(1, "return_delay_time") == 250
    assert client.get(1, "current_limit") == 1193
    assert client.get(2, "temperature_limit") == 72
    assert client.get(3, "shutdown") == 53
    assert client.get(3, "indirect_address_1") == 208


def test_torque_locks_the_eeprom_and_nothing_else(client):
    client.must_set(1, torque_enable=1)
    assert client.set(1, "velocity_limit", 100) == Error.ACCESS
    assert client.set(1, "position_p_gain", 700) == Error.NONE
    client.must_set(1, torque_enable=0, velocity_limit=100)
    assert client.get(1, "velocity_limit") == 100


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("model_number", 1, Error.ACCESS),
        ("present_position", 1, Error.ACCESS),
        ("id", 253, Error.DATA_RANGE),
        ("baud_rate", 8, Error.DATA_RANGE),
        ("operating_mode", 2, Error.DATA_RANGE),
        ("drive_mode", 0x10, Error.DATA_RANGE),
        ("homing_offset", 1_044_480, Error.DATA_RANGE),
        ("position_p_gain", 16_384, Error.DATA_RANGE),
        ("bus_watchdog", 128, Error.DATA_RANGE),
        ("max_voltage_limit", 161, Error.DATA_RANGE),
        ("torque_enable", 2, Error.DATA_RANGE),
        ("goal_position", 4096, Error.DATA_LIMIT),
        ("goal_position", -1, Error.DATA_LIMIT),
        ("goal_velocity", 201, Error.DATA_LIMIT),
        ("goal_velocity", -201, Error.DATA_LIMIT),
        ("goal_pwm", 886, Error.DATA_RANGE),
        ("goal_current", -1193, Error.NONE),
        ("indirect_address_1", 63, Error.DATA_RANGE),
        ("goal_position", 4095, Error.NONE),
        ("secondary_id", 255, Error.NONE),
    ],
)
def test_a_value_out_of_place_is_refused_with_the_right_number(client, name, value, error):
    before = client.get(1, name)
    assert client.set(1, name, value) == error
    if error:
        assert client.get(1, name) == before


def test_ranges_are_those_of_the_model(client):
    assert client.set(2, "operating_mode", 5) == Error.DATA_RANGE
    assert client.set(2, "operating_mode", 4) == Error.NONE
    assert client.set(3, "baud_rate", 7) == Error.DATA_RANGE
    assert client.set(3, "max_voltage_limit", 71) == Error.DATA_RANGE
    assert client.set(3, "min_voltage_limit", 31) == Error.NONE
    assert client.set(3, "goal_position", 4095) == Error.NONE


def test_a_narrower_limit_binds_the_goal(client):
    client.must_set(1, max_position_limit=3000, pwm_limit=400)
    assert client.set(1, "goal_position", 3001) == Error.DATA_LIMIT
    assert client.set(1, "goal_pwm", 401) == Error.DATA_LIMIT
    client.must_set(1, operating_mode=4)
    assert client.set(1, "goal_position", 3001) == Error.NONE
    assert client.set(1, "goal_position", -1_048_575) == Error.NONE


def test_a_part_of_a_register_is_a_length_error(client):
    assert client.write_raw(1, 116, b"\x00\x08").error == Error.DATA_LENGTH
    assert client.write_raw(1, 116, b"\x00\x08\x00\x00\x01").error == Error.ACCESS
    assert client.write_raw(1, 112, bytes(8)).error == Error.NONE


def test_what_does_not_exist_cannot_be_read_or_written(client):
    assert client.read_raw(1, 3000, 1).error == Error.ACCESS
    assert client.read_raw(1, 14, 1).error == Error.ACCESS
    assert client.write_raw(1, 14, b"\x00").error == Error.ACCESS
    assert client.read_raw(2, 38, 2).error == Error.ACCESS, "an XL430 has no current limit"
    assert client.read_raw(2, 102, 2).error == Error.ACCESS
    assert client.read_raw(3, 578, 2).error == Error.ACCESS, "an X330 has one indirect block"


def test_gaps_between_registers_read_as_zero(client):
    status = client.read_raw(1, 65, 6)
    assert status.error == Error.NONE
    assert status.data == bytes([0, 0, 0, 2, 0, 0])


def test_a_refused_span_leaves_everything_as_it_was(client):
    span = MODELS["XM430-W350"].register("profile_velocity").encode(77) + (5000).to_bytes(
        4, "little"
    )
    assert client.write_raw(1, 112, span).error == Error.DATA_LIMIT
    assert client.get(1, "profile_velocity") == 0


@pytest.mark.parametrize(("servo_id", "entry"), [(1, 1), (1, 28), (1, 29), (1, 56), (3, 20)])
def test_indirect_data_is_the_register_that_its_address_names(client, servo_id, entry):
    client.must_set(servo_id, **{f"indirect_address_{entry}": 65})
    client.must_set(servo_id, **{f"indirect_data_{entry}": 1})
    assert client.get(servo_id, "led") == 1
    client.must_set(servo_id, led=0)
    assert client.get(servo_id, f"indirect_data_{entry}") == 0


def test_an_indirect_block_gathers_scattered_bytes(client):
    wanted = [132, 133, 134, 135, 70, 146]
    for entry, address in enumerate(wanted, start=1):
        client.must_set(1, **{f"indirect_address_{entry}": address})
    data = client.read_raw(1, 224, 6).data
    assert int.from_bytes(data[:4], "little") == 2048
    assert data[4] == 0
    assert 20 <= data[5] <= 40


def test_a_goal_can_be_written_through_indirect_data(client):
    for entry, address in enumerate(range(116, 120), start=1):
        client.must_set(1, **{f"indirect_address_{entry}": address})
    client.must_set(1, torque_enable=1)
    assert client.write_raw(1, 224, (3000).to_bytes(4, "little")).error == Error.NONE
    assert client.write_raw(1, 224, (5000).to_bytes(4, "little")).error == Error.DATA_LIMIT
    client.wait(1.0)
    assert abs(client.get(1, "present_position") - 3000) <= 1


def test_a_mode_change_resets_profile_gains_and_limits(client):
    client.must_set(1, profile_velocity=50, profile_acceleration=5, position_p_gain=500)
    client.must_set(1, goal_pwm=100, goal_current=100, operating_mode=5)
    for name, value in {
        "profile_velocity": 0,
        "profile_acceleration": 0,
        "position_p_gain": 800,
        "goal_pwm": 885,
        "goal_current": 1193,
    }.items():
        assert client.get(1, name) == value, name


def test_reg_write_waits_for_action(client):
    goal = (116).to_bytes(2, "little") + (1000).to_bytes(4, "little")
    assert client.one(1, Instruction.ACTION).error == Error.INSTRUCTION
    assert client.one(1, Instruction.REG_WRITE, goal).error == Error.NONE
    assert client.get(1, "registered_instruction") == 1
    assert client.get(1, "goal_position") == 2048
    assert client.send(0xFE, Instruction.ACTION) == []
    assert client.get(1, "goal_position") == 1000
    assert client.get(1, "registered_instruction") == 0
    too_far = (116).to_bytes(2, "little") + (5000).to_bytes(4, "little")
    assert client.one(1, Instruction.REG_WRITE, too_far).error == Error.DATA_LIMIT


def test_an_unknown_instruction_is_error_two(client):
    assert client.one(1, 0x77).error == Error.INSTRUCTION


def test_an_instruction_without_its_parameters_is_a_length_error(client):
    assert client.one(1, Instruction.READ, b"\x84\x00").error == Error.DATA_LENGTH
    assert client.one(1, Instruction.WRITE, b"\x74\x00").error == Error.DATA_LENGTH


@pytest.mark.parametrize(
    ("option", "servo_id", "baud"), [(b"\x02", 1, 3), (b"\x01", 1, 1), (b"\xff", 1, 1)]
)
def test_a_factory_reset_keeps_what_it_should(option, servo_id, baud):
    client = VirtualClient(make_bus("XM430-W350", first_id=9))
    client.must_set(9, velocity_limit=77, return_delay_time=0)
    assert client.one(9, Instruction.FACTORY_RESET, option).error == Error.NONE
    kept_id = servo_id if option == b"\xff" else 9
    client.baud = 57600 if baud == 1 else 1_000_000
    assert client.ping(kept_id) == [], "away while it boots"
    client.wait(0.5)
    assert client.get(kept_id, "velocity_limit") == 200
    assert client.get(kept_id, "return_delay_time") == 250


def test_a_broadcast_factory_reset_of_everything_is_ignored(client):
    client.must_set(1, velocity_limit=77)
    assert client.send(0xFE, Instruction.FACTORY_RESET, b"\xff") == []
    assert client.get(1, "velocity_limit") == 77


def test_backup_and_restore_bring_the_control_table_back(client):
    client.must_set(1, velocity_limit=77, position_p_gain=600)
    assert client.get(1, "backup_ready") == 0
    assert client.one(1, Instruction.BACKUP, b"\x02CTRL").error == Error.RESULT_FAIL
    assert client.one(1, Instruction.BACKUP, b"\x01CTRL").error == Error.NONE
    assert client.get(1, "backup_ready") == 1
    client.must_set(1, velocity_limit=99, position_p_gain=700, torque_enable=1)
    assert client.one(1, Instruction.BACKUP, b"\x02CTRL").error == Error.RESULT_FAIL
    client.must_set(1, torque_enable=0)
    assert client.one(1, Instruction.BACKUP, b"\x02CTRL").error == Error.NONE
    assert client.get(1, "velocity_limit") == 77
    assert client.get(1, "position_p_gain") == 600


def test_startup_configuration_restores_the_ram_and_turns_torque_on(client):
    client.must_set(1, position_p_gain=600, startup_configuration=3)
    assert client.one(1, Instruction.BACKUP, b"\x01CTRL").error == Error.NONE
    client.one(1, Instruction.REBOOT)
    client.wait(0.5)
    assert client.get(1, "position_p_gain") == 600
    assert client.get(1, "torque_enable") == 1


def test_a_reboot_loses_the_ram_and_keeps_the_eeprom(client):
    client.must_set(1, velocity_limit=77, position_p_gain=600, torque_enable=1)
    assert client.one(1, Instruction.REBOOT).error == Error.NONE
    assert client.ping(1) == []
    client.wait(0.3)
    assert client.get(1, "velocity_limit") == 77
    assert client.get(1, "position_p_gain") == 800
    assert client.get(1, "torque_enable") == 0


EEPROM = [
    register
    for register in MODELS["XM430-W350"].registers.values()
    if register.eeprom and register.writable
]


@pytest.mark.parametrize("register", EEPROM, ids=lambda register: register.name)
def test_no_instruction_writes_the_eeprom_by_the_secondary_id(register):
    client = VirtualClient(make_bus("XM430-W350"))
    client.must_set(1, secondary_id=50)
    before = client.servo(1).memory.get(register.name)
    value = register.minimum if register.minimum != before else before + 1
    span = register.address.to_bytes(2, "little") + register.encode(value)
    length = register.size.to_bytes(2, "little")
    group = span[:2] + length + b"\x32" + span[2:]
    bulk = b"\x32" + span[:2] + length + span[2:]
    for instruction, parameters in (
        (Instruction.WRITE, span),
        (Instruction.REG_WRITE, span),
        (Instruction.FACTORY_RESET, b"\x02"),
    ):
        client.send(50, instruction, parameters)
        client.send(0xFE, Instruction.ACTION)
    client.send(0xFE, Instruction.SYNC_WRITE, group)
    client.send(0xFE, Instruction.BULK_WRITE, bulk)
    client.wait(0.5)
    assert client.servo(1).memory.get(register.name) == before


def test_an_action_follows_a_write_registered_by_the_secondary_id():
    client = VirtualClient(make_bus("XM430-W350"))
    client.must_set(1, secondary_id=50)
    client.send(50, Instruction.REG_WRITE, b"\x41\x00\x01")
    client.send(50, Instruction.ACTION)
    assert client.get(1, "led") == 1


RAM = [
    register.name
    for register in MODELS["XM430-W350"].registers.values()
    if register.writable and not register.eeprom and not register.name.startswith("indirect_data")
]
NOT_RESTORED = {"torque_enable", "bus_watchdog", "goal_position"}


@pytest.mark.parametrize("name", [name for name in RAM if name not in NOT_RESTORED])
def test_a_boot_restores_what_the_ram_held_at_the_backup(name):
    client = VirtualClient(make_bus("XM430-W350"))
    register = MODELS["XM430-W350"].register(name)
    value = (register.maximum if register.initial == register.minimum else register.minimum) or 0
    value = {"goal_velocity": 33, "goal_pwm": 200, "goal_current": 100}.get(name, value)
    client.must_set(1, startup_configuration=2)
    client.send(
        1, Instruction.WRITE, register.address.to_bytes(2, "little") + register.encode(value)
    )
    client.send(1, Instruction.BACKUP, b"\x01CTRL")
    client.send(0xFE, Instruction.REBOOT)
    client.wait(0.5)
    assert client.servo(1).memory.get(name) == value


@pytest.mark.parametrize(("mode", "goal"), [(1, "goal_velocity"), (16, "goal_pwm")])
def test_a_restored_goal_drives_the_servo_as_soon_as_torque_is_on(mode, goal):
    client = VirtualClient(make_bus("XM430-W350"))
    client.must_set(1, operating_mode=mode, startup_configuration=2, **{goal: 100})
    client.one(1, Instruction.BACKUP, b"\x01CTRL")
    client.one(1, Instruction.REBOOT)
    client.wait(0.5)
    assert client.get(1, "present_velocity") == 0
    client.must_set(1, torque_enable=1)
    client.wait(0.5)
    assert client.get(1, "present_velocity") > 10


@pytest.mark.parametrize(
    ("model", "firmware", "bits"),
    [
        ("XM430-W350", 41, 1),
        ("XM430-W350", 42, 5),
        ("XM430-W350", 44, 5),
        ("XM430-W350", 45, 13),
        ("XL430-W250", 40, 1),
        ("XM540-W270", 41, 3),
        ("XM540-W270", 45, 15),
        ("XL330-M288", 45, 5),
        ("XL330-M288", 46, 13),
        ("XL330-M288", 53, 13),
    ],
)
def test_an_old_firmware_refuses_the_drive_modes_that_it_does_not_know(model, firmware, bits):
    client = VirtualClient(make_bus(model, firmwares={"j1": firmware}))
    for bit in (1, 2, 4, 8):
        expected = Error.NONE if bits & bit else Error.DATA_RANGE
        assert client.set(1, "drive_mode", bit) == expected
        client.must_set(1, drive_mode=0)
    assert client.get(1, "firmware_version") == firmware
