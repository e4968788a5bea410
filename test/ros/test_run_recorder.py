"""The recorder of `ik_node`: what a fault leaves behind, and what can be asked for."""

from __future__ import annotations

import signal

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from follower import Follower
from processes import Process, ros_arguments

from ik_node.control.recording import Recording

START = {"joint1": 0.5, "joint2": -0.8}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("recordings") / "made by the node"


@pytest.fixture(scope="module")
def process(ros, root, folder):
    arm = root / "config" / "planar_2r"
    arguments = ros_arguments(arm / "ik_node.yaml", urdf_file=arm / "arm.urdf.xacro")
    more = ("-p", f"recording.folder:={folder}", "-r", "__ns:=/recorded")
    with Process("ik_node", *arguments, *more) as node:
        yield node
        code = node.stop(signal.SIGINT)
    assert code == 0 and "Traceback" not in node.output, node.output


@pytest.fixture(scope="module")
def arm(process):
    follower = Follower({}, namespace="recorded")
    follower.until_matched()
    yield follower
    follower.close()


def test_a_fault_leaves_the_run_before_it_in_a_file(arm, process, folder):
    arm.positions.update(START)
    arm.publishing = arm.moving = True
    out = arm.create_publisher(DiagnosticStatus, "driver_status", 1)
    arm.until(lambda: out.get_subscription_count())
    out.publish(DiagnosticStatus(level=DiagnosticStatus.ERROR, message="connecting"))
    arm.until(lambda: arm.code() == "FAULT")
    out.publish(DiagnosticStatus(level=DiagnosticStatus.OK))
    arm.until(lambda: arm.code() == "HOLDING")
    assert not list(folder.glob("*")), "nothing had moved that a recording could show"
    arm.send_point((0.35, 0.0, 0.2))
    arm.until(lambda: arm.code() == "REACHED")
    let_go = [KeyValue(key="relaxed", value="true")]
    relaxed = DiagnosticStatus(level=DiagnosticStatus.ERROR, message="as asked", values=let_go)
    out.publish(relaxed)
    arm.until(lambda: arm.code() == "FAULT")
    out.publish(DiagnosticStatus(level=DiagnosticStatus.OK))
    arm.until(lambda: arm.code() == "HOLDING")
    assert not list(folder.glob("*")), "a torque that somebody switched off is no fault"
    arm.send_point((0.35, 0.0, 0.2))
    arm.until(lambda: arm.code() == "REACHED")
    out.publish(DiagnosticStatus(level=DiagnosticStatus.ERROR, message="joint2 overloaded"))
    line = process.wait_for_line("the driver reports a fault", "ik_arm plot")
    arm.until(lambda: len(list(folder.glob("*_fault.npz"))) == 1)
    (path,) = folder.glob("*_fault.npz")
    assert str(path) in line and path.name.startswith("recorded-ik_node_")
    out.publish(DiagnosticStatus(level=DiagnosticStatus.OK))
    arm.until(lambda: arm.code() == "REACHED")
    run = Recording.load(path)
    assert {"TRACKING", "REACHED", "FAULT"} <= set(run.status)
    np.testing.assert_allclose(run.tool[run.status == "REACHED"][-1], [0.35, 0.0, 0.2], atol=1e-5)
    assert tuple(run.joint_names) == ("joint1", "joint2")


def test_a_run_can_be_asked_for(arm, folder):
    answer = arm.trigger("save_recording")
    assert answer.success and "ik_arm plot" in answer.message
    (path,) = folder.glob("*_asked.npz")
    assert len(Recording.load(path).time) > 10
