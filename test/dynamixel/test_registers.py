from __future__ import annotations

from pathlib import Path

import pytest

from ik_node.dynamixel.registers import MODELS, Model, model_by_name, model_by_number
from ik_node.errors import UnknownNameError

MODEL_IDS = list(MODELS)


@pytest.fixture(params=MODEL_IDS)
def model(request: pytest.FixtureRequest) -> Model:
    return MODELS[request.param]


def test_registers_of_a_model_do_not_overlap(model: Model):
    taken: dict[int, str] = {}
    for register in model.registers.values():
        for address in range(register.address, register.address + register.size):
            assert address not in taken, (register.name, taken[address])
            taken[address] = register.name


def test_initial_values_lie_in_their_ranges(model: Model):
    for register in model.registers.values():
        if register.minimum is not None and register.maximum is not None:
            if (register.name, register.initial) == ("secondary_id", 255):
                continue
            assert register.minimum <= register.initial <= register.maximum, register


def test_every_value_survives_encoding(model: Model):
    for register in model.registers.values():
        values = {register.initial, register.minimum, register.maximum} - {None}
        for value in values:
            assert register.decode(register.encode(value)) == value


def test_indirect_words_name_their_own_data_byte_at_the_factory(model: Model):
    for number, (address, data) in enumerate(model.indirect_entries, start=1):
        assert model.register(f"indirect_address_{number}").address == address
        assert model.register(f"indirect_address_{number}").initial == data
        assert model.register(f"indirect_data_{number}").address == data
    assert len(model.indirect_entries) == (20 if "330" in model.name else 56)


def test_models_without_a_current_sensor_report_load():
    for name in ("XL430-W250", "2XL430-W250", "XC430-W150", "XC430-W240", "2XC430-W250", "MX-28"):
        model = MODELS[name]
        assert model.current_unit is None
        assert model.effort_register == "present_load"
        assert model.register("present_load").address == 126
        assert "current_limit" not in model.registers
        assert "goal_current" not in model.registers
        assert model.operating_modes == {1, 3, 4, 16}


def test_a_model_is_found_by_the_number_that_it_answers(model: Model):
    assert model_by_number(model.number) is model
    assert hash(model) == hash(MODELS[model.name])


def test_the_wrong_model_name_lists_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'XM430-W350'"):
        model_by_name("XM430W350")
    with pytest.raises(UnknownNameError, match="1020 \\(XM430-W350\\)"):
        model_by_number(1021)
    with pytest.raises(UnknownNameError, match="did you mean 'goal_position'"):
        MODELS["MX-28"].register("goal_positon")


def test_fast_read_depends_on_the_firmware():
    assert MODELS["XM430-W350"].fast_read(45)
    assert not MODELS["XM430-W350"].fast_read(44)
    assert not MODELS["XL330-M288"].fast_read(45)
    assert not MODELS["2XL430-W250"].fast_read(99)


def test_newer_x330_firmware_has_more_indirect_addresses():
    model = MODELS["XL330-M288"]
    assert model.at_firmware(52) is model
    later = model.at_firmware(53)
    assert later.register("indirect_address_1").initial == 224
    assert len(later.indirect_entries) == 28
    assert later.number == model.number
    assert MODELS["XM430-W350"].at_firmware(99) is MODELS["XM430-W350"]


@pytest.fixture(scope="module")
def manufacturers_tables() -> Path:
    """The control tables that the SDK's wheel carries from 4.1.0 on."""
    easy_sdk = pytest.importorskip("dynamixel_easy_sdk", reason="dynamixel-sdk before 4.1.0")
    return Path(easy_sdk.__file__).parent / "control_table"


def test_addresses_and_sizes_agree_with_the_sdk(model: Model, manufacturers_tables: Path):
    stem = model.name.lower().replace("-", "_")
    newest = manufacturers_tables / f"{stem}_fw52.model"
    path = newest if newest.exists() else manufacturers_tables / f"{stem}.model"
    here = {(register.address, register.size) for register in model.registers.values()}
    table = path.read_text().split("[control table]")[1].splitlines()[2:]
    there = set()
    for line in table:
        address, size, name = line.split("\t")
        if name.startswith("Indirect"):
            continue
        there.add((int(address), int(size)))
    assert there <= here
    only_here = {address for address, _ in here - there if not 168 <= address <= 661}
    assert only_here <= {60, 147}, "startup configuration and backup ready are newer than the files"
