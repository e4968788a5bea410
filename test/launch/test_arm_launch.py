"""`arm.launch.py hardware:=emulated`: an arm that moves, alone and beside another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from client import Client, planar_tool
from launched import START, Launched, latest_positions

Launch = Callable[..., Launched]

JOINTS = ("joint1", "joint2")
NEAR = 0.002
"""How near [m] the measured tool has to come to the target at rest."""


@pytest.fixture
def client(ros: None) -> Iterator[Callable[..., Client]]:
    made: list[Client] = []

    def make(namespace: str = "") -> Client:
        made.append(Client(f"client{len(made)}", namespace=namespace))
        return made[-1]

    yield make
    for one in made:
        one.close()


def tool_of(client: Client, prefix: str = "") -> tuple[float, float, float]:
    q = latest_positions(client, [prefix + joint for joint in JOINTS])
    return planar_tool(0.30, 0.25, *q)


def distance(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    return sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5


def drive(client: Client, target: tuple[float, float, float], prefix: str = "") -> None:
    """Send a pose and wait until the measured tool rests there."""
    client.send_pose(target)
    client.until(
        lambda: (
            client.value("settled") == "true" and distance(tool_of(client, prefix), target) < NEAR
        ),
        START,
    )


def come_up(client: Client) -> None:
    client.until_holding(START)
    client.until_matched()


def test_an_emulated_arm_moves_to_a_pose_and_ctrl_c_ends_everything(
    launch: Launch, needs: Callable[..., None], client: Callable[..., Client]
) -> None:
    needs("robot_state_publisher")
    launched = launch("arm.launch.py", "arm:=planar_2r", "hardware:=emulated")
    me = client()
    come_up(me)
    drive(me, (0.35, 0.0, 0.2))
    launched.stop()
    assert "is missing" not in launched.output, launched.output
    assert "Traceback" not in launched.output
    assert "process has died" not in launched.output


def test_the_view_knows_the_emulated_servos_and_the_file_with_the_lengths(
    launch: Launch, needs: Callable[..., None]
) -> None:
    needs("robot_state_publisher")
    pytest.importorskip("viser")
    launched = launch("arm.launch.py", "arm:=planar_2r", "viewer:=true")
    launched.until_said("the view is at")
    given = launched.parameters_of("ik_viewer")
    assert given["urdf_file"].endswith("planar_2r/arm.urdf.xacro")
    assert f"ready: {given['emulator_link']} ->" in launched.output


def test_two_arms_in_two_namespaces_move_at_once(
    launch: Launch, needs: Callable[..., None], client: Callable[..., Client]
) -> None:
    needs("robot_state_publisher")
    targets = {"left": (0.35, 0.0, 0.2), "right": (0.3, 0.0, -0.25)}
    clients = {name: client(name) for name in targets}
    for name in targets:
        launch("arm.launch.py", "arm:=planar_2r", f"namespace:={name}")
    for one in clients.values():
        come_up(one)
    for name, target in targets.items():
        clients[name].send_pose(target)
    for name, target in targets.items():
        drive(clients[name], target)
    assert distance(tool_of(clients["left"]), targets["left"]) < NEAR


def test_a_prefix_names_joints_frames_and_nothing_else(
    launch: Launch, needs: Callable[..., None], client: Callable[..., Client]
) -> None:
    needs("robot_state_publisher")
    launch("arm.launch.py", "arm:=planar_2r", "prefix:=red_")
    me = client()
    come_up(me)
    assert set(me.states[-1].name) == {"red_joint1", "red_joint2"}
    drive(me, (0.35, 0.0, 0.2), "red_")


def test_xacro_arguments_reach_the_arm_that_is_controlled(
    launch: Launch, needs: Callable[..., None], client: Callable[..., Client]
) -> None:
    needs("robot_state_publisher")
    launch("arm.launch.py", "arm:=planar_2r", "xacro_args:=l1:=0.2 l2:=0.2")
    me = client()
    come_up(me)
    me.send_pose((0.45, 0.0, 0.0))
    me.until_code("UNREACHABLE")
