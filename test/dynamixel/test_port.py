"""A port that cannot be used says why and what to do; one that works waits without spinning."""

from __future__ import annotations

import errno
import os
import pty
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import serial
from bus_rig import EmulatedBus

from ik_node.dynamixel.devices import lasting_name
from ik_node.dynamixel.latency_timer import UDEV_RULE, latency_warning, read_latency_timer
from ik_node.dynamixel.port import SerialPort
from ik_node.dynamixel.port_errors import open_failed, program
from ik_node.errors import PortError


@pytest.fixture
def line() -> Iterator[tuple[SerialPort, int]]:
    """An open port and the other end of its pseudo-terminal."""
    master, slave = pty.openpty()
    port = SerialPort(os.ttyname(slave), time.monotonic, slack=0.02)
    port.open(1_000_000)
    yield port, master
    port.closePort()
    for end in (master, slave):
        try:
            os.close(end)
        except OSError:
            continue


def test_a_missing_port_is_told_with_what_is_there(tmp_path: Path) -> None:
    port = SerialPort(str(tmp_path / "ttyUSB9"), time.monotonic)
    with pytest.raises(PortError, match=r"ttyUSB9 is missing; plug the adapter in") as caught:
        port.open(1_000_000)
    assert caught.value.reason == "missing"


def test_a_dangling_by_id_link_is_a_missing_port(tmp_path: Path) -> None:
    link = tmp_path / "usb-FTDI"
    link.symlink_to(tmp_path / "gone")
    with pytest.raises(PortError, match="is missing"):
        SerialPort(str(link), time.monotonic).open(57600)


def test_a_forbidden_port_is_told_with_the_group_to_join() -> None:
    """The kernel's refusal itself: root, who may run this, is never refused."""
    error = open_failed("/dev/ttyUSB0", serial.SerialException(errno.EACCES, "denied"))
    assert error.reason == "forbidden"
    assert "sudo usermod -aG dialout $USER" in str(error)


def test_a_busy_port_is_told_with_its_owner(emulate: Callable[..., EmulatedBus]) -> None:
    bus = emulate()
    first = SerialPort(str(bus.link), time.monotonic)
    first.open(1_000_000)
    with pytest.raises(PortError, match="is busy; another program holds it") as caught:
        SerialPort(str(bus.link), time.monotonic).open(1_000_000)
    assert caught.value.reason == "busy"
    assert f"(ik_node.cli.emulated_dynamixel, pid {bus.process.pid}" in str(caught.value)
    first.closePort()
    SerialPort(str(bus.link), time.monotonic).open(1_000_000)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("/usr/bin/python3 /opt/ros/lib/ik_node/dynamixel_driver --ros-args", "dynamixel_driver"),
        ("python3.12 -u -X dev -W error wizard.py", "wizard.py"),
        ("python -Bm ik_node.cli.demo -m x", "ik_node.cli.demo"),
        ("python -m ik_node.cli.demo", "ik_node.cli.demo"),
        ("python -c pass -m x", ""),
        ("python", ""),
        ("/usr/bin/minicom -m x", ""),
        ("", ""),
    ],
)
def test_a_holder_that_is_python_is_named_by_what_it_runs(command: str, name: str) -> None:
    assert program(command.split(" ")) == name


@pytest.mark.parametrize("path", ["/dev/null", "/", __file__])
def test_what_is_no_serial_device_is_refused(path: str) -> None:
    with pytest.raises(PortError) as caught:
        SerialPort(path, time.monotonic).open(1_000_000)
    assert caught.value.reason == "refused"


def test_an_impossible_baud_is_refused(line: tuple[SerialPort, int]) -> None:
    with pytest.raises(PortError, match="does not take -1 bit/s"):
        line[0].setBaudRate(-1)


def test_every_baud_of_the_servos_can_be_set(line: tuple[SerialPort, int]) -> None:
    for baud in (9600, 57600, 115200, 1_000_000, 2_000_000, 3_000_000, 4_000_000, 4_500_000):
        line[0].open(baud)
        assert line[0].getBaudRate() == baud


def test_waiting_for_a_reply_costs_no_cpu(line: tuple[SerialPort, int]) -> None:
    port, _ = line
    used = time.process_time()
    for _ in range(10):
        port.expect(11)
        assert port.read_available() == b""
        assert port.expired()
    assert time.process_time() - used < 0.1


def test_what_arrives_is_returned_at_once(line: tuple[SerialPort, int]) -> None:
    port, far = line
    os.write(far, b"abc")
    port.expect(3, 60.0)
    assert port.read_available() == b"abc"
    assert not port.expired()


def test_a_rest_lasts_until_the_reply_can_be_there_whole(line: tuple[SerialPort, int]) -> None:
    port, far = line
    os.write(far, b"a")
    reply = round(0.02 / port.wire_time(1))
    started = time.monotonic()
    port.expect(reply)
    port.rest()
    assert time.monotonic() - started >= 0.02
    assert port.read_available() == b"a"


def test_stale_bytes_are_discarded_before_the_next_packet(line: tuple[SerialPort, int]) -> None:
    port, far = line
    for _ in range(5000):  # the kernel may not have passed on yet what has just come
        os.write(far, b"stale")
        port.clearPort()
        assert port.stale == b"stale"
    port.expect(1)
    assert port.read_available() == b""


def test_an_unplugged_port_is_lost_whatever_is_done_to_it() -> None:
    doings: list[Callable[[SerialPort], object]] = [
        lambda port: port.clearPort(),
        lambda port: port.writePort(b"abc"),
        lambda port: port.read_available(),
    ]
    for doing in doings:
        master, slave = pty.openpty()
        port = SerialPort(os.ttyname(slave), time.monotonic)
        port.open(1_000_000)
        os.close(slave)
        os.close(master)
        port.expect(1)
        with pytest.raises(PortError) as caught:
            doing(port)
        assert caught.value.reason == "lost"
        assert not port.is_open
        assert not port.is_using
        with pytest.raises(PortError):
            doing(port)


def test_an_adapter_that_takes_no_more_data_is_lost(line: tuple[SerialPort, int]) -> None:
    port, _ = line
    with pytest.raises(PortError, match="takes no more data"):
        for _ in range(100):
            port.writePort(bytes(4096))


def test_the_latency_timer_is_read_and_warned_about_with_its_remedy(tmp_path: Path) -> None:
    adapter = tmp_path / "ttyUSB7"
    adapter.mkdir()
    (adapter / "latency_timer").write_text("16\n")
    timer = read_latency_timer("/dev/ttyUSB7", tmp_path)
    assert timer == 0.016
    warning = latency_warning("/dev/ttyUSB7", timer)
    assert warning is not None
    assert "16 ms" in warning
    assert UDEV_RULE in warning


def test_the_lasting_name_of_an_adapter_is_found(tmp_path: Path) -> None:
    device, by_id = tmp_path / "ttyUSB3", tmp_path / "by-id"
    device.touch()
    by_id.mkdir()
    link = by_id / "usb-FTDI_U2D2"
    assert lasting_name(str(device), by_id) is None
    link.symlink_to(device)
    assert lasting_name(str(device), by_id) == str(link)
    assert lasting_name(str(link), by_id) is None


def test_a_short_or_absent_latency_timer_is_no_warning(tmp_path: Path) -> None:
    assert read_latency_timer("/dev/pts/1", tmp_path) is None
    assert latency_warning("/dev/pts/1", None) is None
    assert latency_warning("/dev/ttyUSB0", 0.001) is None


def test_the_slack_follows_the_latency_timer_unless_it_is_given() -> None:
    port = SerialPort("/dev/x", time.monotonic)
    port.latency_timer = 0.016
    assert port.slack == pytest.approx(0.021)
    assert SerialPort("/dev/x", time.monotonic, 0.5).slack == 0.5
