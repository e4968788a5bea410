"""OpenMANIPULATOR-X under its own weight, from target to servo: droop, overload, a killed driver.

One stack of processes for all tests, in this order.
"""

from __future__ import annotations

import math
import signal
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from client import Client
from emulated_servos import Sdk
from processes import Process, ros_arguments, wait_until
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from std_srvs.srv import SetBool, Trigger

from ik_node.core import RobotModel
from ik_node.core.xacro_file import load_description
from ik_node.dynamixel.emulator.control import send

JOINTS = ("joint1", "joint2", "joint3", "joint4")
FAR, NEAR = (0.26, 0.0, 0.14), (0.14, 0.08, 0.20)
MILLIMETRE = 1e-3
P_GAIN, P_GAIN_ADDRESS, JOINT2 = 700, 84, 12
FASTEST = 4.9  # rad/s, of an XM430-W350
JITTER = 0.1  # s, that a joint state may be late


class Stack:
    """The processes, and a client of theirs."""

    def __init__(self, arm: Path, folder: Path) -> None:
        self.port = folder / "port"
        self.file = folder / "servos.yaml"
        text = (arm / "servos.yaml").read_text(encoding="utf-8")
        assert "{id: 12, " in text
        gain = f"{{id: 12, registers: {{position_p_gain: {P_GAIN}}}, "
        self.file.write_text(text.replace("{id: 12, ", gain), encoding="utf-8")
        urdf = arm / "arm.urdf.xacro"
        self.emulator = Process(
            "emulated_dynamixel",
            *("--config", str(self.file), "--link", str(self.port), "--urdf", str(urdf)),
        )
        self.node = Process(
            "ik_node",
            *ros_arguments(arm / "ik_node.yaml", urdf_file=urdf, position_tolerance=MILLIMETRE),
        )
        self.emulator.wait_for_line("ready")
        self.drive()
        model = RobotModel.from_urdf(load_description(urdf, {}))
        self._arm = model.joint_group(base="base_link", tip="end_effector_link")
        self.client = Client()
        self.client.until_matched()
        self.client.until(lambda: set(self.client.joints) >= set(JOINTS))

    def drive(self) -> None:
        """Start the driver."""
        self.driver = Process("dynamixel_driver", *ros_arguments(self.file, port=self.port))

    def processes(self) -> tuple[Process, ...]:
        return (self.node, self.driver, self.emulator)

    def servos(self) -> dict[str, dict[str, object]]:
        """What the emulator says of its servos."""
        return send(self.port, {"do": "status"})["servos"]

    def off(self, target: tuple[float, float, float]) -> float:
        """How far the measured tool is from `target` [m]."""
        q = np.array([self.client.joints[joint] for joint in JOINTS])
        return math.dist(self._arm.forward_kinematics(q)[:3, 3], target)

    def set_droop_gain(self, gain: float) -> None:
        value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=gain)
        request = SetParameters.Request(parameters=[Parameter(name="droop_gain", value=value)])
        result = self.client._call(SetParameters, "ik_node/set_parameters", request).results[0]
        assert result.successful, result.reason

    def reached(self) -> bool:
        return self.client.code() == "REACHED"

    def settled(self, target: tuple[float, float, float]) -> bool:
        """Whether the node says so, and it is so."""
        told = self.reached() and self.client.value("settled") == "true"
        return told and self.off(target) < MILLIMETRE


@pytest.fixture(scope="module")
def stack(ros, root, tmp_path_factory):
    made = Stack(root / "config" / "open_manipulator_x", tmp_path_factory.mktemp("bus"))
    yield made
    made.client.close()
    for process in made.processes():
        assert process.stop(signal.SIGINT) == 0, process.output
        assert "Traceback" not in process.output, process.output


def test_without_the_integral_droop_is_told(stack):
    client = stack.client
    client.send_point(FAR)
    client.until(stack.reached)
    client.until_joints_rest()
    client.until_code("REACHED")
    assert client.value("settled") == "false"
    off = stack.off(FAR)
    assert off > 2.0 * MILLIMETRE
    client.until(lambda: abs(float(client.value("distance")) - off) < MILLIMETRE)
    assert "mm off it; droop_gain" in client.status_line()


def test_with_the_integral_the_tool_settles_within_a_millimetre(stack):
    client = stack.client
    stack.set_droop_gain(2.0)
    client.until(lambda: stack.settled(FAR))
    print(f"the tool rests {1e3 * stack.off(FAR):.2f} mm off")


def test_after_an_overload_only_that_servo_is_rebooted_and_the_arm_goes_on(stack):
    client = stack.client
    boots = {joint: servo["boots"] for joint, servo in stack.servos().items()}
    fault = {"do": "fault", "kind": "overload", "servo": "joint2", "duration": 0.2}
    send(stack.port, fault)
    client.until_code("FAULT")
    assert "overload" in client.status_line()
    wait_until(lambda: send(stack.port, {"do": "status"})["faults"] == [])
    del client.states[:-1]
    answer = client._call(Trigger, "dynamixel_driver/reboot", Trigger.Request())
    assert answer.success
    done = "rebooting joint2 (id 12) after overload"
    assert answer.message in (done, f"{done}, which it has not confirmed")
    client.until(lambda: stack.settled(FAR))
    expected = {joint: count + (joint == "joint2") for joint, count in boots.items()}
    assert {joint: servo["boots"] for joint, servo in stack.servos().items()} == expected
    assert_no_joint_lunged(client.states)


def test_an_arm_that_was_let_go_holds_where_it_lies_until_it_is_sent_somewhere(stack):
    client = stack.client

    def torque(on):
        assert client._call(SetBool, "dynamixel_driver/torque", SetBool.Request(data=on)).success

    torque(False)
    client.until_code("FAULT")
    client.until(lambda: stack.off(FAR) > 0.03)
    client.send_point(NEAR)  # not now: hands are on the arm
    client.until_joints_rest()
    lying = dict(client.joints)
    torque(True)
    client.until_code("HOLDING")
    client.spin_messages(client.states, 50)
    assert client.code() == "HOLDING"
    assert client.joints == pytest.approx(lying, abs=0.02)
    client.send_point(FAR)
    client.until(lambda: stack.settled(FAR))


def assert_no_joint_lunged(states):
    """No joint moved further between two messages than its motor turns in the time."""
    tracks = {joint: [] for joint in JOINTS}
    for state in states:
        stamp = state.header.stamp.sec + 1e-9 * state.header.stamp.nanosec
        for joint, position in zip(state.name, state.position, strict=True):
            if joint in tracks:
                tracks[joint].append((stamp, position))
    for joint, track in tracks.items():
        for (before, here), (after, there) in pairwise(track):
            assert abs(there - here) < FASTEST * (after - before + JITTER), joint


def test_a_killed_driver_leaves_an_arm_that_stands_and_another_one_takes_it_on(stack):
    client = stack.client
    start = client.joints["joint1"]
    client.send_point(NEAR)
    client.until(lambda: abs(client.joints["joint1"] - start) > 0.05)
    stack.driver.send(signal.SIGKILL)
    stack.driver.wait()
    wait_until(lambda: all(stack.servos()[joint]["watchdog_tripped"] for joint in JOINTS))
    client.until_code("STALE_STATE")
    assert all(stack.servos()[joint]["torque"] for joint in JOINTS)
    stack.drive()
    client.send_point(NEAR)
    client.until(lambda: stack.settled(NEAR))


def test_the_settings_of_the_rebooted_servo_are_back(stack):
    assert stack.driver.stop(signal.SIGINT) == 0
    sdk = Sdk(stack.port)
    sdk.must_read(JOINT2, P_GAIN_ADDRESS, 2, P_GAIN)
    sdk.close()
