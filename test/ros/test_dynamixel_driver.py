"""`dynamixel_driver` as a process on an emulated bus with a gripper."""

from __future__ import annotations

import math
import signal
from contextlib import contextmanager

import pytest
from client import Client
from diagnostic_msgs.msg import DiagnosticStatus
from dynamixel_sdk import COMM_SUCCESS, PacketHandler, PortHandler
from follower import RELIABLE
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from processes import Process, ros_arguments, wait_until
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

SERVOS = """
/**:
  ros__parameters:
    port: /dev/none
    servos:
      joint1: {id: 1, model: XM430-W350}
      joint2: {id: 2, model: XM430-W350}
      gripper: {id: 3, model: XM430-W350, metres_per_radian: 0.01}
"""


class DriverClient(Client):
    """Talks to the driver; keeps its states and status."""

    def __init__(self, namespace, command=JointState):
        super().__init__(namespace=namespace)
        self.command_out = self.create_publisher(command, "joint_command", RELIABLE)
        self.gripper_out = self.create_publisher(Float64, "dynamixel_driver/gripper", RELIABLE)
        self.driver_statuses = []
        self.create_subscription(
            DiagnosticStatus, "driver_status", self.driver_statuses.append, RELIABLE
        )

    def said(self, *words):
        """Spin until `driver_status` holds all words."""
        self.until(
            lambda: (
                self.driver_statuses
                and all(word in self.driver_statuses[-1].message for word in words)
            )
        )

    def position(self, joint):
        return self.joints.get(joint, math.nan)

    def stream(self, goals, arrived):
        """Keep commanding `goals` until `arrived`."""
        message = JointState(name=list(goals), position=list(map(float, goals.values())))

        def step():
            self.command_out.publish(message)
            self.spin_messages(self.states, 2)
            return arrived()

        self.until(step)


@contextmanager
def bus(tmp_path, servos=SERVOS, *arguments):
    """An emulated bus; gives (file, port)."""
    file, port = tmp_path / "servos.yaml", str(tmp_path / "port")
    file.write_text(servos)
    with Process(
        "emulated_dynamixel", "--config", str(file), "--link", port, *arguments
    ) as emulator:
        emulator.wait_for_line("ready")
        yield file, port
        assert emulator.stop() == 0, emulator.output


@pytest.fixture(scope="module")
def emulated(tmp_path_factory):
    with bus(tmp_path_factory.mktemp("driver")) as found:
        yield found


@pytest.fixture(scope="module")
def driver(ros, emulated):
    file, port = emulated
    arguments = ros_arguments(file, port=port, prefix="a_")
    with Process("dynamixel_driver", *arguments, "-r", "__ns:=/one") as process:
        yield process
        assert process.stop(signal.SIGINT) == 0 and "Traceback" not in process.output, (
            process.output
        )


@pytest.fixture(scope="module")
def client(driver):
    made = DriverClient("one")
    made.until(lambda: made.command_out.get_subscription_count())
    made.said("3 servos in service")
    yield made
    made.close()


def test_joint_states_hold_position_velocity_and_effort_by_prefixed_name(client):
    client.until(lambda: len(client.spin_messages(client.states, 1)[0].name) == 3)
    state = client.states[-1]
    assert list(state.name) == ["a_joint1", "a_joint2", "a_gripper"]
    assert len(state.position) == len(state.velocity) == len(state.effort) == 3
    assert state.header.stamp.sec > 0


def test_a_command_for_some_joints_moves_those(client):
    before = client.position("a_joint2")
    client.stream({"a_joint1": 0.4}, lambda: abs(client.position("a_joint1") - 0.4) < 0.002)
    assert client.position("a_joint2") == before


def test_a_command_that_is_wrong_is_told_and_moves_nothing(client, driver):
    before = client.position("a_joint1")
    for names, positions, words in (
        (["a_joint1"], [float("nan")], "it is nan"),
        (["a_joint9"], [0.1], "'a_joint9'"),
        (["a_joint1", "a_joint1"], [0.1, 0.2], "a joint twice"),
        (["a_joint1"], [], "1 names but 0 positions"),
    ):
        client.command_out.publish(JointState(name=names, position=positions))
        driver.wait_for_line("WARN", words)
    client.spin_messages(client.states, 10)
    assert client.position("a_joint1") == pytest.approx(before, abs=0.004)


def test_the_gripper_opens_in_metres(client):
    client.until(lambda: client.gripper_out.get_subscription_count())
    client.gripper_out.publish(Float64(data=0.01))
    client.until(
        lambda: (
            client.gripper_out.publish(Float64(data=0.01))
            or abs(client.position("a_gripper") - 0.01) < 1e-4
        )
    )


def test_torque_goes_off_and_on_without_a_move(client):
    before = client.position("a_joint1")
    assert "torque is off" in client._call(SetBool, "dynamixel_driver/torque", off()).message
    client.said("as asked")
    on = SetBool.Request(data=True)
    assert client._call(SetBool, "dynamixel_driver/torque", on).success
    client.said("3 servos in service")
    assert client.position("a_joint1") == pytest.approx(before, abs=0.002)


def off():
    return SetBool.Request(data=False)


def test_reboot_has_nothing_to_do_where_nothing_is_wrong(client):
    answer = client._call(Trigger, "dynamixel_driver/reboot", Trigger.Request())
    assert answer.success and answer.message


def test_diagnostics_name_the_bus_and_every_servo(client):
    wanted = ["dynamixel_driver", "dynamixel_driver: bus"]
    wanted += [f"dynamixel_driver: a_{joint}" for joint in ("joint1", "joint2", "gripper")]
    client.until(lambda: all(name in client.diagnostics for name in wanted))
    servo = client.diagnostics["dynamixel_driver: a_joint1"]
    values = {value.key: value.value for value in servo.values}
    assert float(values["voltage"]) == pytest.approx(12.0, abs=1.0)
    assert servo.hardware_id == "XM430-W350 id 1"


def transition(client, kind):
    request = ChangeState.Request(transition=Transition(id=kind))
    return client._call(ChangeState, "dynamixel_driver/change_state", request).success


def state(client):
    request = GetState.Request()
    return client._call(GetState, "dynamixel_driver/get_state", request).current_state.label


def test_the_bus_is_busy_for_a_second_driver(driver, client, emulated):
    file, port = emulated
    arguments = ros_arguments(file, port=port)
    with Process("dynamixel_driver", *arguments, "-r", "__ns:=/two") as second:
        second.wait_for_line("ERROR", "busy")
        client.spin_messages(client.states, 3)
        assert second.stop() == 0


def test_deactivated_it_lets_go_of_the_bus_and_can_come_back(client):
    before = client.position("a_joint1")
    assert state(client) == "active"
    assert transition(client, Transition.TRANSITION_DEACTIVATE)
    assert state(client) == "inactive"
    client.said("the bus is not in use")
    refused = client._call(Trigger, "dynamixel_driver/reboot", Trigger.Request())
    assert not refused.success and "activate" in refused.message
    client.diagnostics.clear()
    client.until(lambda: "dynamixel_driver" in client.diagnostics)
    assert transition(client, Transition.TRANSITION_ACTIVATE)
    client.said("3 servos in service")
    client.spin_messages(client.states, 1)
    assert client.position("a_joint1") == pytest.approx(before, abs=0.002)


def test_it_waits_to_be_activated_when_told_to_and_takes_trajectories(ros, tmp_path):
    servos = SERVOS.replace("id: 2, model: XM430-W350", "id: 2, model: XM540-W270")
    with bus(tmp_path, SERVOS) as (_, port):
        wrong = tmp_path / "wrong.yaml"
        wrong.write_text(servos)
        arguments = ros_arguments(
            wrong, port=port, auto_activate=False, command_interface="joint_trajectory"
        )
        with Process("dynamixel_driver", *arguments, "-r", "__ns:=/three") as process:
            client = DriverClient("three", JointTrajectory)
            assert state(client) == "unconfigured"
            assert transition(client, Transition.TRANSITION_CONFIGURE)
            assert state(client) == "inactive"
            assert transition(client, Transition.TRANSITION_ACTIVATE)
            # A model that is not the one configured: named, the others serve on.
            process.wait_for_line("ERROR", "joint2", "XM430-W350")
            client.until(client.command_out.get_subscription_count)
            message = JointTrajectory(
                joint_names=["joint1"], points=[JointTrajectoryPoint(positions=[0.2])]
            )
            client.until(
                lambda: (
                    client.command_out.publish(message)
                    or (
                        client.spin_messages(client.states, 1)
                        and abs(client.position("joint1") - 0.2) < 0.002
                    )
                )
            )
            assert "joint2" not in client.states[-1].name
            client.close()
            assert process.stop(signal.SIGTERM) == 0 and "Traceback" not in process.output


def test_a_wrong_baud_is_named(ros, tmp_path):
    with bus(tmp_path, SERVOS) as (file, port):
        arguments = ros_arguments(file, port=port, baud=57600)
        with Process("dynamixel_driver", *arguments, "-r", "__ns:=/four") as process:
            process.wait_for_line("ERROR", "1000000")
            assert process.stop() == 0


def test_a_missing_port_is_named_and_found_when_it_appears(ros, tmp_path):
    file, port = tmp_path / "servos.yaml", str(tmp_path / "port")
    file.write_text(SERVOS)
    with Process(
        "dynamixel_driver", *ros_arguments(file, port=port), "-r", "__ns:=/five"
    ) as process:
        process.wait_for_line("ERROR", port, "missing")
        with bus(tmp_path, SERVOS):
            process.wait_for_line("gripper", "in service")
            assert process.stop() == 0


@pytest.mark.parametrize(
    ("shutdown", "torque", "how"),
    [("hold", 1, "held with torque on"), ("torque_off", 0, "left with torque off")],
)
def test_ctrl_c_leaves_the_arm_as_the_configuration_says(ros, tmp_path, shutdown, torque, how):
    with bus(tmp_path, SERVOS) as (file, port):
        arguments = ros_arguments(file, port=port, shutdown=shutdown)
        with Process("dynamixel_driver", *arguments, "-r", f"__ns:=/{shutdown}") as process:
            listener = Client(namespace=shutdown)
            listener.until(lambda: {"joint1", "joint2", "gripper"} <= set(listener.joints))
            listener.close()
            assert process.stop(signal.SIGINT) == 0, process.output
            assert "Traceback" not in process.output, process.output
            assert f"the driver ends: joint1, joint2, gripper {how}" in process.output
            assert "Failed to publish" not in process.output, process.output
        for servo in (1, 2, 3):
            assert register(port, servo, TORQUE_ENABLE) == torque
            assert register(port, servo, BUS_WATCHDOG) == 0


TORQUE_ENABLE, BUS_WATCHDOG = 64, 98


def register(port, servo, address):
    """One byte of a servo, by the manufacturer's own client."""
    handler, packets = PortHandler(port), PacketHandler(2.0)
    assert handler.openPort() and handler.setBaudRate(1_000_000)
    found = []

    def answered():
        value, result, _ = packets.read1ByteTxRx(handler, servo, address)
        found.append(value)
        return result == COMM_SUCCESS

    wait_until(answered)
    handler.closePort()
    return found[-1]
