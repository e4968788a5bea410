"""The executable itself: start, end, link, state file, command line."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
import serial
from click.testing import CliRunner
from emulated_servos import EmulatedServos, Sdk, emulated_servos, servos_yaml
from processes import Process

from ik_node.cli.emulated_dynamixel import cli
from ik_node.dynamixel.emulator.faults import KINDS
from ik_node.errors import ConfigurationError, IkNodeError, PortError

ONE = ("XM430-W350",)


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_and_leaves_nothing(tmp_path: Path, sig: int):
    emulator = EmulatedServos(tmp_path, ONE)
    assert emulator.link.is_symlink()
    assert emulator.stop(sig) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["servos.yaml"]
    assert emulator.process.output.count("\n") == 1, "one line, the ready line"


def test_the_remains_of_a_killed_one_are_taken_over(tmp_path: Path):
    first = EmulatedServos(tmp_path, ONE)
    first.stop(signal.SIGKILL)
    assert first.link.is_symlink()
    with emulated_servos(tmp_path, ONE) as second:
        sdk = Sdk(second.link)
        sdk.answers(1)
        sdk.close()


def test_a_client_that_dies_leaves_the_bus_working(tmp_path: Path):
    with emulated_servos(tmp_path, ONE) as emulator:
        first = serial.Serial(str(emulator.link), 1_000_000, exclusive=True)
        with pytest.raises(serial.SerialException):
            serial.Serial(str(emulator.link), 1_000_000, exclusive=True)
        first.write(b"\xff\xff\xfd\x00\x01")
        os.close(first.fd)
        first.fd = None
        first.is_open = False
        sdk = Sdk(emulator.link)
        sdk.answers(1)
        sdk.close()


def test_the_eeprom_survives_a_restart_and_counts_its_writes(tmp_path: Path):
    state = ("--state", str(tmp_path / "eeprom.json"))
    with emulated_servos(tmp_path, ONE, *state) as emulator:
        sdk = Sdk(emulator.link)
        sdk.answers(1)
        for value in (100, 120):
            sdk.must_write(1, 44, 4, value)
        sdk.must_write(1, 84, 2, 500)
        sdk.write(1, 7, 1, 21)
        sdk.answers(21)
        sdk.close()
    with emulated_servos(tmp_path, ONE, *state) as emulator:
        sdk = Sdk(emulator.link)
        sdk.answers(21)
        sdk.must_read(21, 44, 4, 120)
        sdk.must_read(21, 84, 2, 800)
        sdk.close()
        writes = emulator.status()["servos"]["j1"]["eeprom_writes"]
    assert writes["velocity_limit"] >= 2
    assert writes["id"] >= 1
    assert "position_p_gain" not in writes


def test_options_place_load_and_hurt_the_servos(tmp_path: Path):
    options = ("--pose", "j1=0.5", "--load", "j1=0.2", "--stop", "j1=0.4:0.6", "--supply", "11.1")
    options += ("--firmware", "j1=44", "--fault", "mute:j1")
    with emulated_servos(tmp_path, ONE, *options) as emulator:
        servo = emulator.status()["servos"]["j1"]
        assert 0.4 <= servo["position"] <= 0.5
        assert servo["voltage"] == pytest.approx(11.1, abs=0.1)
        sdk = Sdk(emulator.link)
        assert sdk.ping(1) != 0
        emulator.clear()
        sdk.answers(1)
        sdk.must_read(1, 6, 1, 44)
        sdk.eventually(
            lambda: emulator.status()["servos"]["j1"]["position"] == pytest.approx(0.4),
            "the limp joint at its stop",
        )
        sdk.close()


def test_an_arm_hangs_on_its_servos(tmp_path: Path):
    arm = Path(__file__).parents[3] / "config" / "open_manipulator_x"
    link = tmp_path / "port"
    process = Process(
        "emulated_dynamixel",
        *("--config", str(arm / "servos.yaml"), "--link", str(link)),
        *("--urdf", str(arm / "arm.urdf.xacro")),
    )
    process.wait_for_line("ready:", timeout=100.0)
    sdk = Sdk(link)
    sdk.answers(12)
    sdk.must_write(12, 64, 1, 1)
    sdk.eventually(lambda: abs(sdk.read(12, 126, 2)[0]) > 20, "current against gravity")
    sdk.eventually(lambda: abs(sdk.read(13, 132, 4)[0] - 2048) > 100, "a limp joint falls")
    sdk.close()
    assert process.stop() == 0


def test_a_held_joint_stands_until_its_torque_first_comes_on(tmp_path: Path):
    options = ("--load", "j1=0.2", "--held")
    with emulated_servos(tmp_path, ONE, *options) as emulator:
        sdk = Sdk(emulator.link)
        sdk.answers(1)
        sdk.must_read(1, 132, 4, 2048)
        sdk.must_write(1, 64, 1, 1)
        sdk.must_write(1, 64, 1, 0)
        sdk.eventually(lambda: abs(sdk.read(1, 132, 4)[0] - 2048) > 100, "let go, it falls")
        sdk.close()


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e999"])
@pytest.mark.parametrize(
    "option",
    [
        ("--pose", "j1="),
        ("--load", "j1="),
        ("--firmware", "j1="),
        ("--stop", "j1=-1:"),
        ("--friction", ""),
        ("--supply", ""),
        ("--latency", ""),
        ("--fault", "mute:j1,probability="),
        ("--fault", "mute:j1,count="),
        ("--fault", "mute:j1,duration="),
        ("--fault", "delay:j1,value="),
    ],
)
def test_a_number_that_is_not_finite_is_refused_in_every_option(
    tmp_path: Path, option: tuple[str, str], number: str
):
    (tmp_path / "servos.yaml").write_text(servos_yaml(ONE))
    files = ["--config", str(tmp_path / "servos.yaml"), "--link", str(tmp_path / "port")]
    result = CliRunner().invoke(cli, [*files, option[0], option[1] + number])
    assert isinstance(result.exception, SystemExit | IkNodeError)
    assert result.exit_code != 0
    assert not (tmp_path / "port").exists()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (option, value)
        for option in ("--probability", "--count", "--duration", "--value")
        for value in ("nan", "-1", "inf", "much")
    ],
)
def test_a_fault_is_put_in_with_numbers_that_can_be_only(tmp_path: Path, option: str, value: str):
    arguments = ["fault", "delay", option, value, "--link", str(tmp_path / "port")]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 2
    assert f"Invalid value for '{option}'" in result.output


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        (servos_yaml(("XM430-W351",)), (), "did you mean 'XM430-W350'"),
        (servos_yaml(ONE), ("--pose", "j7=1"), "unknown servo 'j7'"),
        (servos_yaml(ONE), ("--pose", "j1"), "write NAME=VALUE"),
        (servos_yaml(ONE), ("--load", "j1=much"), "write JOINT=NUMBER"),
        (servos_yaml(ONE), ("--stop", "j1=2"), "write JOINT=LOW:HIGH"),
        (servos_yaml(ONE), ("--stop", "j1=1:-1"), "LOW is above HIGH"),
        (servos_yaml(ONE), ("--firmware", "j1=-3"), "a version is a number 0 .. 255"),
        (servos_yaml(ONE), ("--firmware", "j1=4.5"), "a version is a number 0 .. 255"),
        (servos_yaml(ONE), ("--fault", "mut:j1"), "did you mean 'mute'"),
        (servos_yaml(ONE), ("--fault", "mute:j1,for=3"), "unknown key for"),
        (servos_yaml(ONE), ("--state", "servos.yaml"), "is no EEPROM file"),
        (servos_yaml(ONE), ("--fault", "reboot:j1,duration=5"), "leave duration out"),
        (servos_yaml(ONE), ("--load", "j1=1e300"), "give -20.5 to 20.5"),
        (servos_yaml(ONE), ("--state", ""), "name a file"),
        (servos_yaml(ONE), ("--state", "no/such/state"), "choose a writable place"),
        (servos_yaml(ONE), ("--xacro-arg", "l1=0.2"), "give --urdf FILE too"),
        (servos_yaml(ONE), ("--urdf", "nowhere.urdf"), "is not a file"),
        (servos_yaml(ONE), ("--link", "servos.yaml"), "a file is there already"),
        (servos_yaml(ONE), ("--link", "no/such/place"), "choose a writable place"),
    ],
)
def test_a_mistake_is_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    options: tuple[str, ...],
    sentence: str,
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "servos.yaml").write_text(text)
    arguments = ["--config", "servos.yaml", "--link", "port", *options]
    result = CliRunner().invoke(cli, arguments)
    said = result.output if isinstance(result.exception, SystemExit) else str(result.exception)
    assert result.exception is not None
    assert sentence in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["servos.yaml"]


def test_a_mistake_ends_the_process_with_code_two_and_no_traceback(tmp_path: Path):
    missing = str(tmp_path / "missing.yaml")
    process = Process("emulated_dynamixel", "--config", missing, "--link", str(tmp_path / "p"))
    assert process.wait() == 2
    assert missing in process.output
    assert "Traceback" not in process.output


def test_help_teaches():
    text = CliRunner().invoke(cli, ["--help"]).output
    for needed in ("--config", "--link", "dynamixel_driver", "status", "fault", "clear", "Ctrl-C"):
        assert needed in text
    listed = CliRunner().invoke(cli, ["fault", "--help"]).output
    assert all(kind in listed for kind in KINDS)


def test_the_command_line_puts_faults_in_and_takes_them_out(tmp_path: Path):
    link = str(tmp_path / "port")
    with emulated_servos(tmp_path, ONE):
        run = CliRunner().invoke
        put = run(cli, ["fault", "drop_reply", "--servo", "j1", "--link", link, "--duration", "60"])
        assert put.exit_code == 0, put.output
        shown = run(cli, ["status", "--link", link]).output
        assert "j1" in shown
        assert "drop_reply on j1" in shown
        assert "1 taken back" in run(cli, ["clear", "--link", link]).output
        assert "drop_reply" not in run(cli, ["status", "--link", link]).output


def test_clearing_a_fault_that_does_not_exist_names_the_nearest(tmp_path: Path):
    link = str(tmp_path / "port")
    with emulated_servos(tmp_path, ONE):
        for mistake, sentence in (
            (("drop_replies",), "did you mean 'drop_reply'"),
            (("nothing",), "known are: drop_request"),
            (("mute", "--servo", "j7"), "unknown servo 'j7'"),
        ):
            result = CliRunner().invoke(cli, ["clear", *mistake, "--link", link])
            assert isinstance(result.exception, ConfigurationError)
            assert sentence in str(result.exception)


def test_the_status_shows_whole_names_where_no_terminal_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("COLUMNS", "40")
    joint = "gripper_left_finger_joint"
    (tmp_path / "servos.yaml").write_text(servos_yaml(ONE).replace("j1", joint))
    files = ("--config", str(tmp_path / "servos.yaml"), "--link", str(tmp_path / "port"))
    process = Process("emulated_dynamixel", *files)
    process.wait_for_line("ready:")
    shown = CliRunner().invoke(cli, ["status", "--link", str(tmp_path / "port")]).output
    assert process.stop() == 0
    assert joint in shown
    assert "XM430-W350" in shown


def test_talking_to_nobody_says_so(tmp_path: Path):
    result = CliRunner().invoke(cli, ["status", "--link", str(tmp_path / "port")])
    assert isinstance(result.exception, PortError)
    assert "start emulated_dynamixel" in str(result.exception)


def test_the_control_socket_answers_nonsense_with_a_sentence(tmp_path: Path):
    import socket

    with emulated_servos(tmp_path, ONE) as emulator:
        for line in (
            b"nonsense\n",
            b"[1]\n",
            b'{"do": "dance"}\n',
            b'{"do": "fault", "value": []}\n',
            b'{"do": "fault", "kind": "delay", "value": "0.1"}\n',
            b'{"do": "fault", "kind": "delay", "value": true}\n',
            b'{"do": "fault", "kind": "delay", "value": -5}\n',
            b'{"do": "fault", "kind": "delay", "value": 1' + b"0" * 400 + b"}\n",
            b'{"do": "fault", "kind": "noise", "value": 1e300}\n',
            b'{"do": "fault", "kind": "same_id", "servo": "j1", "value": 4000}\n',
            b'{"do": "fault", "kind": "delay", "count": -1}\n',
            b'{"do": "fault", "kind": "delay", "count": 1.5}\n',
            b'{"do": "fault", "kind": "delay", "count": 0}\n',
            b'{"do": "fault", "kind": "delay", "duration": NaN}\n',
            b'{"do": "fault", "kind": "delay", "duration": -1}\n',
            b'{"do": "fault", "kind": "delay", "duration": Infinity}\n',
            b'{"do": "fault", "kind": "delay", "probability": NaN}\n',
            b'{"do": "fault", "kind": "delay", "prob": 1}\n',
            b'{"do": "clear", "kind": "nothing"}\n',
            b'{"do": "clear", "kind": []}\n',
            b'{"do": "clear", "probability": 1}\n',
            b'{"do": "status", "servo": "j1"}\n',
        ):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(emulator.link) + ".control")
                client.sendall(line)
                answer = json.loads(client.recv(4096))
            assert answer["ok"] is False
            assert answer["error"]
        assert emulator.status()["servos"]["j1"]["id"] == 1
        assert emulator.status()["faults"] == []
