"""servos.yaml: what is right loads, what is wrong is named with its remedy."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import yaml

from ik_node.dynamixel.config import BusConfig, ServoConfig
from ik_node.dynamixel.fields import BUS_FIELDS, SERVO_FIELDS, Field
from ik_node.dynamixel.servos_yaml import bus_config_from_parameters, load_servos_yaml
from ik_node.errors import ConfigurationError, IkNodeError, UnknownNameError

GOOD = {
    "port": "/dev/ttyUSB0",
    "baud": 1_000_000,
    "servos.joint1.id": 11,
    "servos.joint1.model": "XM430-W350",
    "servos.joint2.id": 12,
    "servos.joint2.model": "XL330-M288",
}


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "servos.yaml"
    path.write_text(text)
    return path


def test_a_file_and_the_same_as_flat_parameters_are_one_configuration(tmp_path: Path) -> None:
    servos = {
        "joint1": {"id": 11, "model": "XM430-W350"},
        "joint2": {"id": 12, "model": "XL330-M288"},
    }
    tree = {"port": "/dev/ttyUSB0", "baud": 1_000_000, "servos": servos}
    path = written(tmp_path, yaml.safe_dump({"/**": {"ros__parameters": tree}}))
    assert load_servos_yaml(path) == bus_config_from_parameters(GOOD)


def test_overrides_replace_entries_of_the_file(tmp_path: Path) -> None:
    text = "/**: {ros__parameters: {port: a, servos: {j: {id: 1, model: XM430-W350}}}}"
    config = load_servos_yaml(written(tmp_path, text), {"port": "b", "servos.j.zero": 100})
    assert config.port == "b"
    assert config.servo("j").zero == 100


def test_every_default_of_the_tables_is_the_default_of_the_dataclasses() -> None:
    bus = BusConfig("/dev/x", (ServoConfig("j", 1, "XM430-W350"),))
    servo = bus.servos[0]
    for entries, made in ((BUS_FIELDS, bus), (SERVO_FIELDS, servo)):
        for entry in entries:
            if entry.default is not None:
                default = getattr(made, entry.name)
                assert default == entry.default or (math.isnan(default) and entry.name == "park")


def test_integers_serve_as_numbers() -> None:
    config = bus_config_from_parameters({**GOOD, "rate_hz": 50, "servos.joint1.gear_ratio": 2})
    assert isinstance(config.rate_hz, float)
    assert config.servo("joint1").gear_ratio == 2.0


def test_the_prefix_goes_before_every_joint_and_its_shadow() -> None:
    config = bus_config_from_parameters(
        {
            **GOOD,
            "prefix": "left_",
            "servos.joint2.shadow_of": "joint1",
        }
    )
    assert config.joints == ("left_joint1",)
    assert config.servo("left_joint2").shadow_of == "left_joint1"


def test_entries_of_the_driver_node_are_left_alone() -> None:
    bus_config_from_parameters({**GOOD, "command_interface": "joint_state"})


MISTAKES = [
    ({"prot": "/dev/x"}, UnknownNameError, "did you mean 'port'"),
    ({"servos.joint1.modle": "x"}, UnknownNameError, "entry of servos.joint1 'modle': did you"),
    ({"servos.joint1.model": "XM430-W530"}, UnknownNameError, "did you mean 'XM430-W350'"),
    ({"servos.joint2.id": 11}, ConfigurationError, "11 is also the id of joint1"),
    ({"servos.joint1.id": 253}, ConfigurationError, "from 0 to 252"),
    ({"servos.joint1.id": "11"}, ConfigurationError, "write an integer"),
    ({"servos.joint1.id": True}, ConfigurationError, "write an integer"),
    ({"servos.joint1.direction": 0}, ConfigurationError, "it must be +1 or -1"),
    ({"servos.joint1.direction": 2}, ConfigurationError, "it must be +1 or -1"),
    ({"servos.joint1.direction": "left"}, ConfigurationError, "write an integer"),
    ({"servos.joint1.zero": 0.5}, ConfigurationError, "servos.joint1.zero: is 0.5"),
    ({"servos.joint1.gear_ratio": 0}, ConfigurationError, "from 0.001"),
    ({"servos.joint1.gear_ratio": math.nan}, ConfigurationError, "write a finite number"),
    ({"servos.joint1.mode": "positon"}, UnknownNameError, "did you mean 'position'"),
    (
        {"servos.joint1.model": "XL430-W250", "servos.joint1.mode": "current_based_position"},
        ConfigurationError,
        "a XL430-W250 has no mode current_based_position; it must be one of position, extended",
    ),
    ({"servos.joint1.goal_current": 0.3}, ConfigurationError, "set mode: current_based_position"),
    ({"servos.joint1.lower": 1, "servos.joint1.upper": 1}, ConfigurationError, "not below upper"),
    ({"servos.joint1.unwrap": "limits"}, ConfigurationError, "set mode: extended_position"),
    (
        {
            "servos.joint1.unwrap": "limits",
            "servos.joint1.mode": "extended_position",
            "servos.joint1.lower": -4,
            "servos.joint1.upper": 4,
        },
        ConfigurationError,
        "more than one turn",
    ),
    ({"servos.joint2.shadow_of": "joint3"}, UnknownNameError, "known are: joint1"),
    ({"servos.joint1.registers.position_p_gian": 1}, UnknownNameError, "'position_p_gain'"),
    ({"servos.joint1.registers.operating_mode": 1}, ConfigurationError, "set by the driver"),
    ({"servos.joint1.registers.present_position": 1}, ConfigurationError, "cannot be written"),
    ({"servos.joint1.registers.position_p_gain": 99999}, ConfigurationError, "0 to 16383"),
    ({"servos.joint1.registers.position_p_gain": 1.5}, ConfigurationError, "write an integer"),
    ({"servos": {}}, ConfigurationError, "holds no servos; write servos: {joint1: {id: 1, model"),
    ({"servos": None}, ConfigurationError, "holds no servos; write servos: {joint1: {id: 1"),
    ({"servos.joint1": {}}, ConfigurationError, "is empty; write {id: 1, model: ...}"),
    ({"servos.joint1": 11}, ConfigurationError, "write {id: 1, model: ...}"),
    ({"baud": 500_000}, ConfigurationError, "57600, 115200, 1000000"),
    ({"baud": 4_500_000}, ConfigurationError, "too fast for a XL330-M288"),
    ({"rate_hz": 0}, ConfigurationError, "from 1 to 1000 Hz"),
    ({"bus_watchdog": 0.02}, ConfigurationError, "under three cycles"),
    ({"shutdown": "drop"}, UnknownNameError, "hold, torque_off, park"),
    ({"shutdown": "park"}, ConfigurationError, "give servos.<joint>.park"),
    ({"port": ""}, ConfigurationError, "name the serial device"),
    ({"fast_sync_read": 1}, ConfigurationError, "write true or false"),
]


@pytest.mark.parametrize(("change", "kind", "sentence"), MISTAKES)
def test_a_mistake_is_named_with_its_remedy(
    change: dict[str, object], kind: type[IkNodeError], sentence: str
) -> None:
    with pytest.raises(kind) as caught:
        bus_config_from_parameters({**GOOD, **change})
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["port", "servos.joint1.id", "servos.joint1.model"])
def test_what_must_be_given_is_asked_for(name: str) -> None:
    left = {key: value for key, value in GOOD.items() if key != name}
    sentence = rf"{name}: is missing; write {name.split('.')[-1]}: \.\.\., \w+"
    with pytest.raises(ConfigurationError, match=sentence):
        bus_config_from_parameters(left)


def test_a_bus_without_servos_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="servos: is empty; give"):
        bus_config_from_parameters({"port": "/dev/x"})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: [", "is not YAML"),
        ("a: 1\na: 2", "'a' is given twice"),
        ("just text", "holds no parameters"),
        ("port: /dev/x", "put them under '/\\*\\*:' and 'ros__parameters:'"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        load_servos_yaml(written(tmp_path, text))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"none\.yaml: cannot be read"):
        load_servos_yaml(tmp_path / "none.yaml")


def row(entry: Field) -> str:
    """The line of `entry` in docs/servos.md."""
    default = f"`{entry.default}`"
    if entry.default is None:
        default = "(must be given)"
    elif entry.default == "":
        default = "(empty)"
    elif isinstance(entry.default, bool):
        default = default.lower()
    elif isinstance(entry.default, float) and not math.isfinite(entry.default):
        default = "none"
    words = [entry.description]
    if entry.kind is str and entry.choices:
        words.append(", ".join(f"`{choice}`" for choice in entry.choices))
    return f"| `{entry.name}` | {default} | {entry.unit} | {'; '.join(words)} |"


def test_the_documentation_names_every_entry_and_its_example_loads(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "servos.md").read_text(encoding="utf-8")
    for entry in (*BUS_FIELDS, *SERVO_FIELDS):
        assert row(entry) in text
    example = text.split("```yaml\n")[1].split("```")[0]
    assert load_servos_yaml(written(tmp_path, example)).joints == ("shoulder", "gripper")
