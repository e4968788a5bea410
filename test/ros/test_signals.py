"""Ctrl-C and SIGTERM end the executables cleanly, whenever they come and however often."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import ExitStack

import pytest
from processes import Process, ros_arguments

SERVOS = "/**:\n  ros__parameters:\n    servos:\n      joint1: {id: 1, model: XM430-W350}\n"


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_given_twice_ends_them_without_a_trace(root, tmp_path, sig):
    servos = tmp_path / "servos.yaml"
    servos.write_text(SERVOS)
    with ExitStack() as stack:
        started = [
            (
                stack.enter_context(Process("ik_node", *ros_arguments(tip_frame="tool"))),
                "WAITING_FOR_STATE",
            ),
            (
                stack.enter_context(
                    Process("dynamixel_driver", *ros_arguments(servos, port=tmp_path / "none"))
                ),
                "missing",
            ),
        ]
        for process, word in started:
            process.wait_for_line(word)
        for process, _ in started:
            process.send(sig)
        for process, _ in started:
            assert process.stop(sig) == 0, process.output
            assert "Traceback" not in process.output, process.output


def test_ctrl_c_while_python_still_imports_leaves_no_trace(root, tmp_path):
    (tmp_path / "slow.py").write_text("print('here', flush=True)\nimport time\ntime.sleep(60)\n")
    call = "from ik_node.cli.start import _start; _start('slow', 0)"
    with python(f"{root}{os.pathsep}{tmp_path}", call) as process:
        assert process.stdout.readline() == "here\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[0] == ""
        assert process.returncode == 0


NODE = """
import sys, time, rclpy
from rclpy.node import Node
from ik_node.ros import executable

class Working(Node):
    def __init__(self):
        super().__init__("working")
        self.create_timer(0.0, self.work)

    def work(self):
        print("begun", flush=True)
        while rclpy.ok():
            time.sleep(0.01)
        for _ in range({steps}):
            time.sleep(0.01)
        print("done", flush=True)

    def close(self):
        print("closed", flush=True)

sys.exit(executable.run("working", Working, executable.Usage("", "", ""), []))
"""


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_what_is_under_way_is_done_before_the_node_ends(root, sig):
    with python(root, NODE.format(steps=5)) as process:
        assert process.stdout.readline() == "begun\n"
        process.send_signal(sig)
        assert process.communicate(timeout=60)[0] == "done\nclosed\n"
        assert process.returncode == 0


def test_work_that_does_not_end_is_interrupted(root):
    with python(root, NODE.format(steps=10000)) as process:
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[0] == "closed\n"
        assert process.returncode == 0


def test_ctrl_c_in_a_callback_from_c_is_not_lost(root):
    call = """
import ctypes, time
from ik_node import stop_signals

stop_signals.listen(lambda number: SystemExit(128 + number))

@ctypes.CFUNCTYPE(None)
def work():
    print("begun", flush=True)
    time.sleep(60)

work()
print("goes on", flush=True)
time.sleep(60)
"""
    with python(root, call) as process:
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[0] in ("goes on\n", "")
        assert process.returncode == 130


def python(path, call):
    return subprocess.Popen(
        [sys.executable, "-c", call],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": str(path)},
    )
