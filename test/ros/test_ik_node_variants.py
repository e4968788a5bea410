"""`ik_node` in this process, set up in the ways that its parameters allow."""

from __future__ import annotations

import math
from contextlib import contextmanager

import pytest
from client import LATCHED
from follower import Follower
from processes import ros_arguments
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Float64MultiArray, String
from trajectory_msgs.msg import JointTrajectory
from visualization_msgs.msg import Marker, MarkerArray

from ik_node.core.xacro_file import load_description
from ik_node.ros.ik_node import IkNode

START = {"joint1": 0.5, "joint2": -0.8}


@pytest.fixture(scope="module")
def urdf(root):
    return load_description(root / "config" / "planar_2r" / "arm.urdf.xacro")


@contextmanager
def running(namespace, start=START, **parameters):
    """Give a follower whose executor runs an `IkNode` too."""
    parameters = {"base_frame": "base_link", "tip_frame": "tool", **parameters}
    node = IkNode(namespace=namespace, cli_args=list(ros_arguments(**parameters)))
    arm = Follower(start, namespace=namespace)
    arm._executor.add_node(node)
    try:
        yield arm
    finally:
        arm._executor.remove_node(node)
        arm.close()
        node.close()
        node.destroy_node()


def file(root):
    return {"urdf_file": root / "config" / "planar_2r" / "arm.urdf.xacro"}


def test_a_parameter_that_leaves_no_room_where_the_arm_is_is_refused(ros, root):
    folded = {
        "waist": 0.3,
        "shoulder": -0.4,
        "elbow": -1.7,
        "wrist_angle": 0.5,
        "wrist_rotate": 0.2,
    }
    file = root / "config" / "wx200" / "arm.urdf.xacro"
    with running("room", folded, urdf_file=file, tip_frame="ee_gripper_link") as arm:
        arm.until(lambda: arm.code() == "HOLDING")
        value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=0.9)
        request = SetParameters.Request(parameters=[Parameter(name="branch_margin", value=value)])
        result = arm._call(SetParameters, "ik_node/set_parameters", request).results[0]
        assert not result.successful and "no room on branch" in result.reason
        arm.until_code("HOLDING")


def test_the_description_may_come_and_change_on_its_topic(ros, urdf):
    with running("topic") as arm:
        out = arm.create_publisher(String, "robot_description", LATCHED)
        assert "robot_description" in arm.until_code("WAITING_FOR_STATE").message
        out.publish(String(data=urdf.replace("</robot>", "")))
        arm.until(lambda: "cannot be used" in arm.status_line())
        out.publish(String(data=urdf))
        arm.until(lambda: arm.code() == "HOLDING")
        # Another arm: the node stops and waits for its joints.
        arm.send_pose((-0.2, 0.0, 0.35))
        arm.until_code("TRACKING")
        out.publish(String(data=urdf.replace('"joint2"', '"elbow"')))
        arm.until(lambda: arm.code() == "WAITING_FOR_STATE" and "elbow" in arm.status_line())
        arm.positions["elbow"] = -1.0
        arm.until(lambda: list(arm.commands[-1].name) == ["joint1", "elbow"])
        assert arm.commands[-1].position[1] == -1.0
        # A broken one changes nothing.
        out.publish(String(data="<robot/>"))
        arm.spin_messages(arm.commands, 20)
        assert list(arm.commands[-1].name) == ["joint1", "elbow"]


def test_a_pose_that_comes_before_the_description_is_refused(ros):
    with running("early") as arm:
        arm.until_matched()
        arm.send_pose((0.3, 0.0, 0.2))
        arm.until(lambda: "INVALID_TARGET" in arm.codes())


def test_the_description_may_be_a_parameter(ros, urdf, tmp_path):
    parameters = tmp_path / "p.yaml"
    lines = "\n".join(f"      {line}" for line in urdf.splitlines() if line.strip())
    parameters.write_text(f"/**:\n  ros__parameters:\n    robot_description: |\n{lines}\n")
    node = IkNode(
        namespace="parameter",
        cli_args=[*ros_arguments(parameters, tip_frame="tool")],
    )
    assert node.parameters["robot_description"].strip().endswith("</robot>")
    node.destroy_node()


def test_xacro_arguments_change_the_arm(ros, root):
    with running("xacro", xacro_args="['l1:=0.4', 'l2:=0.1']", **file(root)) as arm:
        arm.until(lambda: arm.code() == "HOLDING")
        arm.spin_messages(arm.manipulability, 1)
        assert arm.manipulability[-1] == pytest.approx(0.4 * 0.1 * math.sin(0.8), rel=1e-3)


def test_a_prefix_stands_before_the_joints_in_messages(ros, root):
    start = {f"left_{joint}": position for joint, position in START.items()}
    with running("prefix", start, prefix="left_", **file(root)) as arm:
        arm.until(lambda: arm.commands)
        assert list(arm.commands[0].name) == ["left_joint1", "left_joint2"]


class Clockwork:
    """Simulated time, set by hand and published while a test spins."""

    def __init__(self, arm):
        self._arm = arm
        self._out = arm.create_publisher(Clock, "/clock", 1)
        self.nanoseconds = 0
        self.step = 0
        arm.create_timer(0.01, self._tick)

    def _tick(self):
        self.nanoseconds += self.step
        message = Clock()
        message.clock.sec, message.clock.nanosec = divmod(self.nanoseconds, 1_000_000_000)
        if self.nanoseconds:
            self._out.publish(message)


def test_a_clock_that_is_missing_paused_or_reset_moves_nothing(ros, root):
    with running("sim", use_sim_time=True, **file(root)) as arm:
        arm.until(lambda: "/clock" in arm.status_line())
        assert not arm.commands
        clock = Clockwork(arm)
        clock.nanoseconds, clock.step = 50_000_000_000, 10_000_000
        arm.until(lambda: arm.code() == "HOLDING")
        arm.send_pose((-0.2, 0.0, 0.35))
        arm.until_code("TRACKING")
        clock.step = 0
        arm.until_silent()
        for jump in (-40_000_000_000, 30_000_000_000):
            before = dict(arm.positions)
            clock.nanoseconds += jump
            arm.spin_messages(arm.statuses, 3)
            moved = max(abs(arm.positions[joint] - before[joint]) for joint in before)
            assert moved < 0.32  # one longest step of 0.1 s at full speed
        clock.step = 10_000_000
        arm.until(lambda: arm.code() == "HOLDING")
        arm.send_pose((-0.2, 0.0, 0.35))
        arm.until(lambda: arm.code() == "REACHED")


@pytest.mark.parametrize(
    ("interface", "kind", "positions"),
    [
        ("joint_trajectory", JointTrajectory, lambda m: dict(zip(m.joint_names,
            m.points[0].positions, strict=True))),
        ("position_array", Float64MultiArray, lambda m: dict(zip(("joint2", "joint1"), m.data,
            strict=True))),
    ],
)  # fmt: skip
def test_other_controllers_get_their_own_messages(ros, root, interface, kind, positions):
    order = {"command_joints": "['joint2', 'joint1']"} if kind is Float64MultiArray else {}
    node = IkNode(
        namespace=interface,
        cli_args=[*ros_arguments(root / "config" / "planar_2r" / "ik_node.yaml",
                                 command_interface=interface, **order, **file(root))],
    )  # fmt: skip
    arm = Listener(kind, interface)
    arm._executor.add_node(node)
    arm.until(lambda: arm.commands)
    assert positions(arm.commands[0]) == pytest.approx(START, abs=1e-12)
    arm._executor.remove_node(node)
    arm.close()
    node.destroy_node()


class Listener(Follower):
    """Listens to another type of command, and does not follow it."""

    def __init__(self, kind, namespace):
        self._kind = kind
        super().__init__(START, namespace=namespace)

    def create_subscription(self, kind, topic, callback, qos, **arguments):
        if topic == "joint_command":
            return super().create_subscription(
                self._kind, topic, self.commands.append, qos, **arguments
            )
        return super().create_subscription(kind, topic, callback, qos, **arguments)


def test_markers_show_target_reach_ghost_trace_and_ellipsoid(ros, root):
    with running("markers", **file(root)) as arm:
        got = []
        arm.create_subscription(MarkerArray, "ik_node/markers", got.append, 10)
        arm.until(lambda: arm.code() == "HOLDING")
        arm.send_point((0.35, 0.0, 0.2))
        arm.until(lambda: arm.code() == "REACHED")

        def shown():
            return {m.ns: m for m in got[-1].markers if m.action == Marker.ADD} if got else {}

        arm.until(lambda: "other branch" in shown())
        markers = shown()
        assert set(markers) == {"target", "reach", "trace", "ellipsoid", "other branch"}
        assert all(marker.header.frame_id == "base_link" for marker in markers.values())
        assert max(point.x for point in markers["reach"].points) == pytest.approx(0.55)
        elbow, tip = markers["other branch"].points[1:]
        assert math.dist((tip.x, tip.z), (0.35, 0.2)) < 1e-3
        assert elbow.z < 0.2  # the arm itself has its elbow up
