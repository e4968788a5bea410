"""`rviz_target` with ik_node: what is dragged is what the joints do."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec

import pytest
import yaml
from client import planar_tool
from executables import ROOT
from follower import Follower
from launched import START as LAUNCH
from marker_hand import Hand
from processes import Process, ros_arguments

from ik_node.core.xacro_file import load_description

L1, L2 = 0.30, 0.25
START = {"joint1": 0.6, "joint2": -0.9}

needs_interactive_markers = pytest.mark.skipif(
    find_spec("interactive_markers") is None,
    reason="interactive_markers is not installed: apt install ros-$ROS_DISTRO-interactive-markers",
)


@pytest.fixture(scope="module")
def hand(ros: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hand]:
    """ik_node, rviz_target and an arm that follows; use_sim_time is on and there is no clock."""
    folder = ROOT / "config" / "planar_2r"
    urdf = folder / "arm.urdf.xacro"
    own = {"use_sim_time": True, "robot_description": load_description(urdf)}
    parameters = tmp_path_factory.mktemp("parameters") / "marker.yaml"
    parameters.write_text(yaml.safe_dump({"/**": {"ros__parameters": own}}))
    arguments = [*ros_arguments(folder / "ik_node.yaml"), "--params-file", str(parameters)]
    with (
        Process("ik_node", *ros_arguments(folder / "ik_node.yaml", urdf_file=urdf)) as node,
        Process("rviz_target", *arguments) as target,
    ):
        arm = Follower(START)
        arm.until(lambda: arm.statuses, LAUNCH)
        arm.until_matched()
        arm.until_code("HOLDING")
        yield Hand(arm)
        arm.close()
        codes = [target.stop(), node.stop()]
    output = target.output + node.output
    assert codes == [0, 0] and "Traceback" not in output, output


def tool(hand: Hand) -> tuple[float, float, float]:
    return planar_tool(L1, L2, *(hand.client.positions[joint] for joint in START))


def until_tool_at(hand: Hand, place: tuple[float, float, float], near: float = 0.001) -> None:
    hand.client.until(lambda: math.dist(tool(hand), place) < near)


@needs_interactive_markers
def test_the_marker_stands_at_the_tool_with_the_axes_of_the_arm(hand: Hand) -> None:
    marker = hand.marker()
    assert math.dist(hand.place(), planar_tool(L1, L2, *START.values())) < 0.005
    assert [control.name for control in marker.controls] == ["ball", "move_x", "move_z"]
    assert marker.header.frame_id == "base_link"


@needs_interactive_markers
def test_the_marker_goes_with_the_tool_until_it_is_first_used(hand: Hand) -> None:
    hand.client.send_pose((0.33, 0.0, 0.12))
    hand.client.until(lambda: math.dist(hand.place(), (0.33, 0.0, 0.12)) < 0.003)


@needs_interactive_markers
def test_a_drag_moves_the_servos_and_the_marker_stays_where_it_was_let_go(hand: Hand) -> None:
    hand.drag((0.36, 0.0, 0.1), (0.32, 0.0, 0.15), (0.3, 0.0, 0.2))
    until_tool_at(hand, (0.3, 0.0, 0.2))
    assert math.dist(hand.place(), (0.3, 0.0, 0.2)) < 1e-6


@needs_interactive_markers
def test_a_drag_out_of_reach_is_told_above_the_marker(hand: Hand) -> None:
    hand.drag((0.8, 0.0, 0.0))
    hand.client.until_code("UNREACHABLE")
    hand.client.until(lambda: "reach" in hand.marker().description)
    hand.drag((0.35, 0.0, 0.1))
    until_tool_at(hand, (0.35, 0.0, 0.1))
    hand.client.until(lambda: hand.marker().description == "")


@needs_interactive_markers
def test_the_menu_flips_the_elbow(hand: Hand) -> None:
    before = hand.client.value("branch")
    hand.choose("Flip the elbow")
    hand.client.until(lambda: hand.client.value("branch") not in ("", before))
    hand.client.until(lambda: hand.client.value("settled") == "true")


@needs_interactive_markers
def test_home_is_where_the_arm_was_at_the_start(hand: Hand) -> None:
    hand.choose("Home (where it started)")
    until_tool_at(hand, planar_tool(L1, L2, *START.values()), near=0.004)


@needs_interactive_markers
def test_hold_brings_the_marker_back_to_the_tool(hand: Hand) -> None:
    hand.drag((0.3, 0.0, -0.2))
    hand.choose("Hold here")
    hand.client.until(lambda: hand.client.code() == "HOLDING")
    hand.client.until(lambda: math.dist(hand.place(), tool(hand)) < 0.05)


@needs_interactive_markers
def test_a_following_marker_goes_with_the_arm(hand: Hand) -> None:
    hand.choose("Follow the arm")
    hand.client.send_pose((0.28, 0.0, 0.22))
    hand.client.until(lambda: math.dist(hand.place(), (0.28, 0.0, 0.22)) < 0.003)
    hand.choose("Follow the arm")


def test_without_interactive_markers_the_package_is_named() -> None:
    call = (
        "import sys; sys.modules['interactive_markers'] = None; "
        "from ik_node.ros.rviz_target import main; sys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "apt install ros-$ROS_DISTRO-interactive-markers" in done.stderr
    assert "Traceback" not in done.stderr
