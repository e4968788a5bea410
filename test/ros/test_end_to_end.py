"""The whole way: PoseStamped -> ik_node -> dynamixel_driver -> emulated servos -> joint_states."""

from __future__ import annotations

import math
import signal

import pytest
from client import Client, planar_tool
from processes import Process, ros_arguments

L1, L2 = 0.30, 0.25
JOINTS = ("joint1", "joint2")
TOLERANCE = 1e-3


@pytest.fixture(scope="module")
def stack(ros, root, tmp_path_factory):
    """Emulator, driver and ik_node of planar_2r as processes, and a client."""
    arm = root / "config" / "planar_2r"
    port = str(tmp_path_factory.mktemp("bus") / "port")
    urdf = arm / "arm.urdf.xacro"
    servos = ["--config", str(arm / "servos.yaml")]
    pose = ["--pose", "joint1=0.6", "--pose", "joint2=-0.9"]
    with (
        Process("emulated_dynamixel", *servos, "--link", port, *pose) as emulator,
        Process("ik_node", *ros_arguments(arm / "ik_node.yaml", urdf_file=urdf)) as node,
    ):
        emulator.wait_for_line("ready")
        with Process("dynamixel_driver", *ros_arguments(arm / "servos.yaml", port=port)) as driver:
            client = Client()
            client.until_matched()
            client.until(lambda: set(client.joints) == set(JOINTS))
            yield client
            client.close()
            codes = [node.stop(signal.SIGINT), driver.stop(signal.SIGTERM), emulator.stop()]
    output = node.output + driver.output + emulator.output
    assert codes == [0, 0, 0] and "Traceback" not in output, output


def tool(client):
    """Where the tool is, by an independent forward kinematics of joint_states."""
    return planar_tool(L1, L2, *(client.joints[joint] for joint in JOINTS))


def error(client, target):
    return math.dist(tool(client), target)


def settle(client):
    client.until(lambda: client.code() == "REACHED" and client.value("settled") == "true")


def test_the_arm_holds_where_it_is_until_it_is_asked(stack):
    stack.until_code("HOLDING")
    assert [stack.joints[joint] for joint in JOINTS] == pytest.approx([0.6, -0.9], abs=0.002)


@pytest.mark.parametrize(
    "target",
    [(0.40, 0.0, 0.10), (0.25, 0.0, 0.30), (-0.20, 0.0, 0.35), (0.30, 0.0, -0.25)],
)
def test_the_tool_reaches_the_target_within_a_millimetre(stack, target):
    stack.send_pose(target)
    stack.until_code("REACHED")
    settle(stack)
    stack.until(lambda: error(stack, target) < TOLERANCE)
    assert stack.value("branch") == "up"
    assert stack.joints["joint2"] < 0.0


def test_manipulability_is_that_of_a_two_link_arm(stack):
    stack.spin_messages(stack.manipulability, 2)
    q2 = stack.joints["joint2"]
    expected = abs(L1 * L2 * math.sin(q2))
    assert stack.manipulability[-1] == pytest.approx(expected, abs=2e-3 * L1 * L2)


def test_an_unreachable_target_is_told_and_held_still(stack):
    stack.send_pose((0.9, 0.0, 0.0))
    stack.until_code("UNREACHABLE")
    stack.until(lambda: error(stack, (L1 + L2, 0.0, 0.0)) < 5e-3)

    stack.until_joints_rest()
    assert stack.code() == "UNREACHABLE"
    assert float(stack.value("distance")) == pytest.approx(0.9 - L1 - L2, abs=5e-3)


def test_a_new_target_takes_it_back(stack):
    target = (0.35, 0.0, 0.2)
    stack.send_point(target)
    stack.until_code("REACHED")
    stack.until(lambda: error(stack, target) < TOLERANCE)
