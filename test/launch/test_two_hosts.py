"""Two arms on two hosts (network namespaces with a wire between them), one operator for both."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from executables import ROOT, find_executable
from launched import START
from processes import ros_arguments

HOSTS = {"left": "10.213.7.1/24", "right": "10.213.7.2/24"}
SUBNET = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


@pytest.fixture
def hosts() -> Iterator[dict[str, list[str]]]:
    """Command prefixes that run something on each host."""
    names = {host: f"ik{os.getpid()}{host}" for host in HOSTS}
    if shutil.which("ip") is None or os.geteuid() != 0:
        pytest.skip("network namespaces need root and the command ip: apt install iproute2")
    wires = {host: f"ik{os.getpid() % 10**6}{host[0]}" for host in HOSTS}
    with ExitStack() as undo:
        for name in names.values():
            try:
                ip("netns", "add", name)
            except subprocess.CalledProcessError as error:
                pytest.skip(f"no network namespaces here: {error.stderr.decode().strip()}")
            undo.callback(ip, "netns", "del", name)
        ip("link", "add", wires["left"], "type", "veth", "peer", "name", wires["right"])
        for host, address in HOSTS.items():
            ip("link", "set", wires[host], "netns", names[host])
            ip("-n", names[host], "address", "add", address, "dev", wires[host])
            ip("-n", names[host], "link", "set", wires[host], "up", "multicast", "on")
            ip("-n", names[host], "link", "set", "lo", "up")
            ip("-n", names[host], "route", "add", "224.0.0.0/4", "dev", wires[host])
        yield {host: ["ip", "netns", "exec", name] for host, name in names.items()}


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start commands; the test's end stops them."""
    running: list[subprocess.Popen[bytes]] = []

    def run(*command: str) -> subprocess.Popen[bytes]:
        running.append(
            subprocess.Popen(
                command, env={**os.environ, **SUBNET}, stdout=subprocess.DEVNULL, stderr=sys.stderr
            )
        )
        return running[-1]

    yield run
    for process in reversed(running):
        process.send_signal(2)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def start_arm(
    start: Callable[..., subprocess.Popen[bytes]], host: list[str], namespace: str, port: Path
) -> None:
    arm = ROOT / "config" / "planar_2r"
    here = ["-r", f"__ns:=/{namespace}"]
    servos, node = arm / "servos.yaml", arm / "ik_node.yaml"
    start(
        *host,
        *find_executable("emulated_dynamixel"),
        *("--config", str(servos), "--link", str(port)),
        *("--pose", "joint1=0.6", "--pose", "joint2=-0.9"),
    )
    start(*host, *find_executable("dynamixel_driver"), *ros_arguments(servos, port=port), *here)
    start(
        *host,
        *find_executable("ik_node"),
        *ros_arguments(node, urdf_file=arm / "arm.urdf.xacro"),
        *here,
    )


def test_an_operator_on_one_host_drives_the_arms_of_both(
    hosts: dict[str, list[str]],
    start: Callable[..., subprocess.Popen[bytes]],
    tmp_path: Path,
) -> None:
    for name, host in hosts.items():
        start_arm(start, host, name, tmp_path / name)
    operator = Path(__file__).with_name("remote_operator.py")
    done = subprocess.run(
        [*hosts["right"], sys.executable, str(operator), *HOSTS],
        env={
            **os.environ,
            **SUBNET,
            "PYTHONPATH": os.pathsep.join(
                [str(ROOT), str(ROOT / "test"), str(ROOT / "test" / "ros"), str(operator.parent)]
            ),
        },
        capture_output=True,
        text=True,
        timeout=4 * START,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == list(HOSTS)
