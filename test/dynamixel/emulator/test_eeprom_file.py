"""The file of the EEPROMs: what the servos wrote loads again, whatever else it holds is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from virtual_bus import VirtualClient, make_bus

from ik_node.dynamixel.emulator.protocol import Instruction
from ik_node.errors import ConfigurationError

MODEL = "XM430-W350"
EMPTY: dict[str, Any] = {"registers": {}, "writes": {}, "backup": None}


def start(folder: Path, content: object) -> None:
    """Start a bus on a state file with `content`."""
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / "state.json").write_text(text)
    make_bus(MODEL, state=folder / "state.json")


def with_servo(**parts: Any) -> dict[str, Any]:
    return {"servos": {"j1": {**EMPTY, **parts}}}


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("nonsense", "no EEPROM file"),
        ("[" * 100_000, "no EEPROM file"),
        ([], "no EEPROM file"),
        ({}, "no EEPROM file"),
        ({"servos": []}, "no EEPROM file"),
        ({"servos": {"j1": {}}}, "servo j1: registers"),
        ({"servos": {"j1": 5}}, "servo j1: registers"),
        ({"servos": {"j1": {"registers": {}, "writes": {}}}}, "servo j1: backup"),
        (with_servo(registers=[]), "servo j1: registers"),
        (with_servo(writes={"id": "often"}), "servo j1: writes: id"),
        *(
            (with_servo(**{part: {name: value}}), f"servo j1: {part}: {name}")
            for part in ("registers", "backup")
            for name, value in [
                ("id", "7"),
                ("id", 7.0),
                ("id", True),
                ("id", None),
                ("id", 300),
                ("baud_rate", 9),
                ("operating_mode", 99),
                ("operating_mode", 2),
                ("protocol_type", 7),
                ("drive_mode", 2),
                ("model_number", 1020),
                ("pwm_slope", 140),
                ("nothing", 1),
            ]
        ),
        (with_servo(registers={"led": 1}), "servo j1: registers: led"),
        (with_servo(backup={"indirect_address_1": 9999}), "servo j1: backup: indirect_address_1"),
    ],
)
def test_a_file_that_cannot_be_is_one_sentence_with_its_place_and_remedy(
    tmp_path: Path, content: object, named: str
):
    with pytest.raises(ConfigurationError) as caught:
        start(tmp_path, content)
    sentence = str(caught.value)
    assert str(tmp_path / "state.json") in sentence
    assert named in sentence
    assert "delete the file" in sentence
    assert "\n" not in sentence


@pytest.mark.parametrize("place", ["", ".", "no/such/folder/state.json", "/proc/state.json"])
def test_a_place_that_cannot_be_written_is_told_at_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError, match=r"name a file|choose a writable place"):
        make_bus(MODEL, state=Path(place))


def test_servos_of_another_bus_may_share_the_file(tmp_path: Path):
    start(tmp_path, {"servos": {"other": {**EMPTY, "registers": {"pwm_slope": 140}}}})


WRITES = st.lists(
    st.tuples(
        st.sampled_from(sorted(make_bus(MODEL).servos[0].model.registers)),
        st.integers(-(1 << 31), (1 << 31) - 1) | st.integers(-5, 300),
    ),
    max_size=12,
)


@given(WRITES, st.floats(0.0, 2.0))
@settings(max_examples=50)
def test_whatever_a_client_writes_and_backs_up_loads_again(tmp_path_factory, writes, pause):
    state = tmp_path_factory.mktemp("state") / "state.json"
    client = VirtualClient(make_bus(MODEL, state=state))
    servo = client.bus.servos[0]
    for name, value in writes:
        register = servo.model.register(name)
        data = register.address.to_bytes(2, "little") + register.encode(value)
        client.send(0xFE, Instruction.WRITE, data)
    client.wait(pause)
    client.send(0xFE, Instruction.WRITE, b"\x40\x00\x00")
    client.send(0xFE, Instruction.BACKUP, b"\x01CTRL")
    again = make_bus(MODEL, state=state).servos[0]
    for register in servo.model.registers.values():
        if register.eeprom:
            assert again.memory.get(register.name) == servo.memory.get(register.name)
