"""Limits of configuration and servo together: a goal lies inside both, or the servo is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from bus_rig import TWO, Rig
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from virtual_rig import VirtualRig

from ik_node.datatypes import Severity
from ik_node.dynamixel.config import ServoConfig
from ik_node.dynamixel.report import DriverState

MakeRig = Callable[..., Rig]

anywhere = st.floats(-7.0, 7.0)


def outside(position: float, limits: tuple[float, float]) -> float:
    """How far `position` is from the interval `limits`; infinite where that is empty."""
    lower, upper = limits
    return max(lower - position, position - upper, 0.0) if lower < upper else math.inf


def test_limits_that_the_servo_cannot_reach_are_refused_and_move_nothing(rig: MakeRig) -> None:
    arm = rig(TWO, drive={"servos.joint1.lower": 3.2, "servos.joint1.upper": 3.5})
    report = arm.until(lambda r: [s.stage for s in r.servos] == ["refused", "ready"])
    assert "its limits 3.2 .. 3.5 hold nothing of -3.142 .. 3.14" in report.message
    assert "correct lower and upper" in report.message
    arm.run(0.5, {"joint1": 0.0})
    assert abs(arm.bus.servo("joint1")["position"]) < 2e-3
    assert not arm.bus.servo("joint1")["torque"]


@pytest.mark.parametrize("mode", ["position", "current_based_position"])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_command_beyond_the_limits_is_a_warning_with_its_remedy_while_it_lasts(
    rig: MakeRig, side: float, mode: str
) -> None:
    servos = {"joint1": {**TWO["joint1"], "mode": mode}, "joint2": TWO["joint2"]}
    arm = rig(servos, drive={"servos.joint1.lower": -0.2, "servos.joint1.upper": 0.2})
    assert arm.start().severity is Severity.OK
    report = arm.run(0.2, {"joint1": 0.3 * side, "joint2": 0.1})
    sentence = (
        f"its command is {0.3 * side:g}, outside -0.2 .. 0.2: held at the limit; correct zero, "
        "direction or limits of servos.joint1, or the joint's limits in the URDF"
    )
    assert [(s.severity, s.reason) for s in report.servos] == [
        (Severity.WARN, sentence),
        (Severity.OK, ""),
    ]
    assert (report.severity, report.message) == (Severity.WARN, f"joint1 reports: {sentence}")
    assert arm.run(0.1, {"joint1": 0.1 * side}).severity is Severity.OK
    assert arm.run(0.1, {"joint1": 0.3 * side}).severity is Severity.WARN
    arm.driver.set_torque(False, arm.clock())
    assert "limit" not in arm.cycle().servos[0].reason


def test_a_warning_about_a_limit_ends_with_the_commands(rig: MakeRig) -> None:
    arm = rig(TWO, drive={"servos.joint1.upper": 0.2, "command_timeout": 0.1})
    arm.start()
    assert arm.run(0.2, {"joint1": 0.3}).severity is Severity.WARN
    assert arm.run(0.3).severity is Severity.OK


def test_a_urdf_s_rounded_limit_is_no_warning(rig: MakeRig) -> None:
    """A servo's last tick is short of pi."""
    arm = rig()
    arm.start()
    assert arm.run(0.2, {"joint1": math.pi, "joint2": -math.pi}).severity is Severity.OK
    assert not arm.told("limit")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    limits=st.tuples(anywhere, anywhere).map(sorted).filter(lambda pair: pair[0] < pair[1]),
    own=st.tuples(st.integers(0, 4095), st.integers(0, 4095)).map(sorted),
    stands=st.floats(0.0, 1.0),
    direction=st.sampled_from([1, -1]),
    command=anywhere,
)
def test_whatever_the_limits_are_no_goal_leads_out_of_them(
    rig: MakeRig,
    limits: list[float],
    own: list[int],
    stands: float,
    direction: int,
    command: float,
) -> None:
    """Where the servo stands outside, goals lead from there to the limits and never away."""
    registers = {"min_position_limit": own[0], "max_position_limit": own[1]}
    ends = [direction * (ticks - 2048) * math.tau / 4096 for ticks in own]
    pose = ends[0] + stands * (ends[1] - ends[0])
    arm = rig(
        {"joint1": {**TWO["joint1"], "direction": direction, "registers": registers}},
        "--pose",
        f"joint1={pose}",
        drive={
            "approach_speed": 10.0,
            "servos.joint1.lower": limits[0],
            "servos.joint1.upper": limits[1],
        },
    )
    both = max(limits[0], min(ends)), min(limits[1], max(ends))
    report = arm.until(lambda r: r.servos[0].stage in ("ready", "refused"))
    servo = arm.driver.servos[0]
    far = math.inf if servo.goal is None else outside(servo.goal, both)
    arm.run(0.5, {"joint1": command})
    sent = [r.sent["joint1"] for r in arm.reports if r.sent]
    if report.servos[0].stage == "refused":
        assert not sent
        assert not arm.bus.servo("joint1")["torque"]
        return
    for goal in sent:
        assert outside(goal, both) <= far + 1e-9
        far = outside(goal, both)
    assert own[0] <= servo.goal_ticks <= own[1]


def test_parking_beyond_the_servo_s_own_limit_ends_there_without_a_wait(rig: MakeRig) -> None:
    """Its registers may hold limits of which servos.yaml says nothing."""
    own = {**TWO["joint1"], "registers": {"max_position_limit": 2248}}
    arm = rig({"joint1": own})
    arm.start()
    arm.driver.close()
    parked = ServoConfig("joint1", 11, "XM430-W350", park=1.5)
    arm = VirtualRig(arm.bus, replace(arm.config, shutdown="park", servos=(parked,)))
    arm.start()
    started = arm.clock()
    while arm.driver.wind_down(arm.clock()).state is not DriverState.STOPPED:
        arm.pause(0.01)
    assert arm.clock() - started < 1.5
    assert abs(arm.bus.servo("joint1")["position"] - 200 * math.tau / 4096) < 0.06
