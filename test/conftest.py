"""What every test gets: a ROS domain of its own on this host, and no process left behind."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from executables import ROOT
from executables import find_executable as find_executable

GRACE = 5.0
"""Seconds that a process has to end after the module that started it."""


def _own_domain() -> int:
    """Return a ROS domain that no other test run on this machine holds, for this process's life."""
    folder = Path(tempfile.gettempdir()) / "ik_node_test_domains"
    folder.mkdir(exist_ok=True)
    for domain in range(1, 102):
        lock = os.open(folder / str(domain), os.O_CREAT | os.O_RDWR, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            continue
        return domain
    raise RuntimeError("all 101 ROS domains are taken by test runs on this machine")


if os.environ.get("IK_NODE_TEST_PID") != str(os.getpid()):  # a module may be imported twice
    os.environ["IK_NODE_TEST_PID"] = str(os.getpid())
    os.environ["IK_NODE_TEST_RUN"] = uuid.uuid4().hex
    os.environ["ROS_DOMAIN_ID"] = str(_own_domain())
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    os.environ["ROS_HOME"] = tempfile.mkdtemp(prefix="ik_node_test_home_")
    os.environ["ROS_LOG_DIR"] = os.environ["ROS_HOME"] + "/log"
    os.environ.pop("ROS_LOCALHOST_ONLY", None)

RUN = os.environ["IK_NODE_TEST_RUN"]
"""Every process that the tests start inherits this mark, so that it is found even when orphaned."""


def pytest_unconfigure() -> None:
    shutil.rmtree(os.environ["ROS_HOME"], ignore_errors=True)


@pytest.fixture(scope="session")
def ros() -> Iterator[None]:
    """One rclpy context for the test process."""
    import rclpy

    rclpy.init(args=[])
    yield
    rclpy.try_shutdown()


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return ROOT


@pytest.fixture(autouse=True, scope="module")
def no_process_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail the module whose processes outlive it, and end them."""
    yield
    deadline = time.monotonic() + GRACE
    while (left := _started_by_tests()) and time.monotonic() < deadline:
        time.sleep(0.02)
    for process in left:
        os.kill(process, signal.SIGKILL)
    if left:
        pytest.fail(f"processes left behind by {request.node.name}: {left}")


def _started_by_tests() -> dict[int, str]:
    """Processes that carry this run's mark, other than this one: pid to command line."""
    found = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            if f"IK_NODE_TEST_RUN={RUN}".encode() not in (folder / "environ").read_bytes():
                continue
            if (folder / "stat").read_text().rpartition(")")[2].split()[0] == "Z":
                continue
            command = (
                (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            )
        except OSError:
            continue
        found[int(folder.name)] = command.strip()
    return found
