"""`ik_node` as a process, with an arm that follows at once."""

from __future__ import annotations

import math
import signal

import numpy as np
import pytest
from client import LATCHED, planar_tool
from diagnostic_msgs.msg import DiagnosticStatus
from follower import Follower
from geometry_msgs.msg import PoseStamped
from processes import Process, ros_arguments
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.qos import QoSProfile, ReliabilityPolicy

L1, L2 = 0.30, 0.25
START = {"joint1": 0.5, "joint2": -0.8, "gripper": 0.01}
ELSEWHERE = {"joint1": 2.0, "joint2": -2.0, "gripper": 0.01}
AWAY = (-0.20, 0.0, 0.35)
NAN = math.nan


@pytest.fixture(scope="module")
def process(ros, root):
    arm = root / "config" / "planar_2r"
    arguments = ros_arguments(arm / "ik_node.yaml", urdf_file=arm / "arm.urdf.xacro")
    with Process("ik_node", *arguments, "-r", "__ns:=/left") as node:
        yield node
        code = node.stop(signal.SIGINT)
    assert code == 0 and "Traceback" not in node.output, node.output


@pytest.fixture(scope="module")
def arm_of_module(process):
    follower = Follower({}, namespace="left")
    follower.until_matched()
    yield follower
    follower.close()


@pytest.fixture
def arm(arm_of_module):
    """The arm at rest at START, whatever the last test did."""
    arm = arm_of_module
    arm.publishing = arm.moving = True
    if not arm.commands:
        arm.positions = dict(START)
        arm.until(lambda: arm.commands)
    # A pause in which the arm hardly moves does not make the node start anew.
    for place in (ELSEWHERE, START):
        move_by_hand(arm, place)
    arm.until(lambda: arm.code() == "HOLDING")
    assert arm.until_at_rest() == pytest.approx([START["joint1"], START["joint2"]], abs=1e-12)
    return arm


def move_by_hand(arm, place):
    arm.enable(False)
    assert arm.trigger("hold").success
    arm.until(lambda: arm.code() == "PAUSED")
    arm.until_silent()
    arm.positions = dict(place)
    arm.spin_messages(arm.states, 5)
    arm.enable(True)
    count = len(arm.commands)
    arm.until(lambda: len(arm.commands) > count)


def tool(arm):
    return planar_tool(L1, L2, arm.positions["joint1"], arm.positions["joint2"])


def assert_nothing_moved(arm, before):
    assert arm.until_at_rest() == pytest.approx(before, abs=1e-12)


def test_nothing_is_sent_before_a_complete_joint_state(arm_of_module):
    arm = arm_of_module
    arm.until_code("WAITING_FOR_STATE")
    arm.positions = {"joint2": -0.8}
    arm.until(lambda: "joint1" in arm.status_line() and "joint2" not in arm.status_line())
    assert not arm.commands
    arm.positions = dict(START)
    arm.until(lambda: arm.commands)
    assert list(arm.commands[0].name) == ["joint1", "joint2"]
    assert list(arm.commands[0].position) == pytest.approx([0.5, -0.8], abs=1e-12)
    arm.until_code("HOLDING")


def is_at(arm, target):
    """Whether the arm has followed: `REACHED` is said of the command."""
    return math.dist(tool(arm), target) < 1e-4


@pytest.mark.parametrize("target", [(0.40, 0.0, 0.05), (0.10, 0.0, 0.40)])
def test_a_pose_is_reached(arm, target):
    arm.send_pose(target)
    arm.until(lambda: arm.code() == "REACHED" and is_at(arm, target))
    assert arm.value("branch") == "up"


def test_a_point_is_reached_and_the_newest_target_counts(arm):
    arm.send_pose(AWAY)
    arm.send_point((0.35, 0.0, 0.2))
    arm.until(lambda: arm.code() == "REACHED" and math.dist(tool(arm), (0.35, 0, 0.2)) < 1e-4)


def test_a_target_may_come_in_a_frame_of_the_arm(arm):
    start = tool(arm)
    arm.send_pose((-0.05, 0.0, 0.0), frame="tool")
    heading = START["joint1"] + START["joint2"]
    expected = (start[0] - 0.05 * math.cos(heading), 0.0, start[2] - 0.05 * math.sin(heading))
    arm.until(lambda: arm.code() == "REACHED" and is_at(arm, expected))


@pytest.mark.parametrize(
    ("position", "quaternion", "frame", "words"),
    [
        ((NAN, 0.0, 0.2), (0, 0, 0, 1), "", "finite"),
        ((0.3, math.inf, 0.2), (0, 0, 0, 1), "", "finite"),
        ((0.3, 0.0, 0.2), (0, NAN, 0, 1), "", "finite"),
        ((0.3, 0.0, 0.2), (0, 0, 0, 0), "", "zero"),
        ((0.3, 0.0, 0.2), (0, 0, 0, 1), "tol", "did you mean 'tool'"),
    ],
)
def test_a_target_that_is_none_is_refused_and_the_arm_stops(
    arm, process, position, quaternion, frame, words
):
    arm.send_pose(position, quaternion, frame)
    status = arm.until_code("INVALID_TARGET")
    assert words in status.message
    process.wait_for_line("WARN", words)
    before = arm.until_at_rest()
    arm.send_point((0.35, 0.0, 0.2))
    arm.until(lambda: arm.code() == "REACHED")
    assert before != arm.until_at_rest()


def test_a_twist_moves_the_tool_and_stops_when_it_stops_coming(arm):
    start = tool(arm)
    arm.until(lambda: arm.send_twist((-0.05, 0.0, 0.0)) or tool(arm)[0] < start[0] - 0.02)
    arm.until_code("STALE_TARGET")
    arm.until_at_rest()
    assert abs(tool(arm)[2] - start[2]) < 2e-3


def test_a_twist_turns_with_its_frame(arm):
    start, heading = tool(arm), START["joint1"] + START["joint2"]
    forward = np.array([math.cos(heading), 0.0, math.sin(heading)])
    gone = lambda: (np.array(tool(arm)) - start) @ forward  # noqa: E731
    arm.until(lambda: arm.send_twist((-0.05, 0.0, 0.0), frame="tool") or gone() < -0.01)
    arm.trigger("hold")


def test_hold_stops_and_forgets_the_target(arm):
    arm.send_pose(AWAY)
    arm.until_code("TRACKING")
    assert "holding" in arm.trigger("hold").message
    arm.until(lambda: arm.code() == "HOLDING")
    arm.until_at_rest()
    assert math.dist(tool(arm), AWAY) > 0.05


def test_pause_sends_nothing_and_resume_goes_on_from_where_the_arm_is(arm):
    assert "paused" in arm.enable(False).message
    arm.until(lambda: arm.code() == "PAUSED")
    arm.until_silent()
    arm.positions.update(joint1=0.9, joint2=-1.1)
    arm.spin_messages(arm.statuses, 2)
    count = len(arm.commands)
    assert arm.enable(True).success
    arm.until(lambda: len(arm.commands) > count)
    assert list(arm.commands[count].position) == pytest.approx([0.9, -1.1], abs=1e-12)


def test_a_dry_run_of_a_reconfiguration_moves_nothing(arm):
    arm.send_point((0.35, 0.0, 0.2))
    arm.until(lambda: arm.code() == "REACHED")
    before = arm.until_at_rest()
    set_parameter(arm, "reconfigure.dry_run", True)
    answer = arm.trigger("elbow_down")
    assert answer.success and "joint2" in answer.message
    assert_nothing_moved(arm, before)
    set_parameter(arm, "reconfigure.dry_run", False)


def test_the_elbow_changes_when_it_is_asked_to_and_only_then(arm):
    target = (0.35, 0.0, 0.2)
    arm.send_point(target)
    arm.until(lambda: arm.code() == "REACHED")
    answer = arm.trigger("elbow_down")
    assert answer.success, answer.message
    arm.until(lambda: arm.value("branch") == "down" and arm.code() == "REACHED")
    arm.until(lambda: arm.positions["joint2"] > 0.0 and is_at(arm, target))


def test_stale_joint_states_hold_the_arm_until_they_come_again(arm):
    arm.send_pose(AWAY)
    arm.until_code("TRACKING")
    arm.publishing = False
    status = arm.until_code("STALE_STATE")
    assert "joint1" in status.message
    arm.until_at_rest()
    arm.publishing = True
    arm.until(lambda: arm.code() == "REACHED")


def test_joint_states_that_are_wrong_are_told_and_move_nothing(arm, process):
    before = arm.until_at_rest()
    arm.publish_state(("joint1", "joint2"), (NAN, -0.8))
    process.wait_for_line("nan for joint 'joint1'")
    arm.publish_state(("joint1", "joint2", "joint2"), (0.5, -0.8, 0.7))
    process.wait_for_line("'joint2' twice")
    arm.publish_state(("joint1", "joint2"), (0.5,))
    process.wait_for_line("2 names but 1 positions")
    assert_nothing_moved(arm, before)


def test_an_error_of_the_driver_is_a_fault_until_it_is_over(arm):
    out = arm.create_publisher(DiagnosticStatus, "driver_status", 1)
    arm.until(lambda: out.get_subscription_count())
    out.publish(DiagnosticStatus(level=DiagnosticStatus.ERROR, message="joint2 overloaded"))
    assert "joint2 overloaded" in arm.until_code("FAULT").message
    arm.until_silent()
    out.publish(DiagnosticStatus(level=DiagnosticStatus.OK))
    arm.until(lambda: arm.code() == "HOLDING")
    arm.destroy_publisher(out)


def test_the_last_status_waits_for_whoever_comes_late(arm):
    got = []
    late = arm.create_subscription(DiagnosticStatus, "ik_node/status", got.append, LATCHED)
    arm.until(lambda: got)
    keys = [value.key for value in got[0].values]
    assert keys == ["code", "codes", "stamp", "branch", "distance", "joint",
                    "relative_manipulability", "sigma_min", "settled", "limited_by"]  # fmt: skip
    assert got[0].message.startswith("HOLDING: ")
    arm.destroy_subscription(late)


def test_the_commanded_pose_is_in_the_base_frame(arm):
    got: list[PoseStamped] = []
    listener = arm.create_subscription(PoseStamped, "ik_node/commanded_pose", got.append, 1)
    arm.until(lambda: got)
    assert got[-1].header.frame_id == "base_link"
    position = got[-1].pose.position
    assert math.dist((position.x, position.y, position.z), tool(arm)) < 1e-9
    arm.destroy_subscription(listener)


def test_diagnostics_tell_tracker_loop_and_connections(arm):
    names = [f"ik_node: {part}" for part in ("tracker", "loop", "connections", "manipulability")]
    arm.diagnostics.clear()
    arm.until(lambda: all(name in arm.diagnostics for name in names))
    assert "HOLDING" in arm.diagnostics["ik_node: tracker"].message


def test_a_second_publisher_of_joint_states_is_told(arm, process):
    second = Follower(START, name="second", namespace="left")
    second.publishing = False
    process.wait_for_line("2 publishers feed /left/joint_states", "/left/second")
    second.close()


def test_an_input_of_incompatible_quality_is_told(arm, process):
    best_effort = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    out = arm.create_publisher(PoseStamped, "ik_node/target_pose", best_effort)
    process.wait_for_line("never exchange a message on /left/ik_node/target_pose")
    arm.destroy_publisher(out)


def set_parameter(arm, name, value):
    return set_parameters(arm, {name: value})[0]


def set_parameters(arm, values):
    parameters = [a_parameter(name, value) for name, value in values.items()]
    request = SetParameters.Request(parameters=parameters)
    return arm._call(SetParameters, "ik_node/set_parameters", request).results


def a_parameter(name, value):
    kinds = {bool: ("bool_value", ParameterType.PARAMETER_BOOL),
             int: ("integer_value", ParameterType.PARAMETER_INTEGER),
             float: ("double_value", ParameterType.PARAMETER_DOUBLE),
             str: ("string_value", ParameterType.PARAMETER_STRING)}  # fmt: skip
    field, kind = kinds[type(value)]
    return Parameter(name=name, value=ParameterValue(type=kind, **{field: value}))


@pytest.mark.parametrize("paused", [False, True])
def test_parameters_that_are_set_in_a_change_of_branch_do_not_end_it(arm, paused):
    answer = arm.trigger("elbow_down")
    assert answer.success, answer.message
    arm.until_code("RECONFIGURING")
    if paused:
        arm.enable(False)
    results = set_parameters(arm, {"tool_speed": 0.4, "tool_turn": 2.0})
    assert all(result.successful for result in results)
    if paused:
        arm.enable(True)
    arm.until(lambda: arm.value("branch") == "down" and arm.positions["joint2"] > 0.0)


def test_speeds_can_be_tuned_while_it_moves_without_a_jump(arm):
    assert set_parameter(arm, "velocity_scale", 0.2).successful
    first = len(arm.commands)
    arm.send_point(AWAY)
    arm.until_code("TRACKING")
    assert set_parameter(arm, "velocity_scale", 1).successful
    arm.until(lambda: arm.code() == "REACHED" and is_at(arm, AWAY))
    path = np.array([message.position for message in arm.commands[first:]])
    stamps = [message.header.stamp for message in arm.commands[first:]]
    passed = np.diff([stamp.sec + 1e-9 * stamp.nanosec for stamp in stamps])
    allowed = 3.14 * np.maximum(0.1, passed + 0.01)  # a longest step at full speed, or lost ones
    assert (np.abs(np.diff(path, axis=0)).max(axis=1) < allowed).all()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("tool_speed", -1.0, "from 1e-06 to 10 m/s"),
        ("tool_speed", "fast", "tool_speed: is 'fast'; it must be a number"),
        ("branch", "upp", "did you mean 'up'"),
        ("posture", "rest", "rest_pose is empty"),
        ("branch", "left", "unknown branch 'left'"),
        ("tip_frame", "base_link", "read-only"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_refused_with_a_reason(arm, name, value, words):
    result = set_parameter(arm, name, value)
    assert not result.successful and words in result.reason
