"""The driver in service: commands are followed, bounded and refused with a reason."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from bus_rig import THREE, TWO, Rig, in_service

from ik_node.dynamixel.packets import HEADER
from ik_node.dynamixel.report import DriverState

MakeRig = Callable[..., Rig]


def test_a_command_is_followed_to_the_servo_s_resolution(rig: MakeRig) -> None:
    arm = rig()
    arm.start()
    goals = {"joint1": 0.4, "joint2": -0.3}
    arm.until(lambda r: r.sent == pytest.approx(goals, abs=1e-9), goals)
    arm.run(0.4, goals)
    assert arm.positions() == pytest.approx(goals, abs=4e-3)
    assert arm.reports[-1].state is DriverState.RUNNING
    assert arm.reports[-1].message == "2 servos in service"


@pytest.mark.parametrize(("rate", "calls"), [(100.0, 1), (1000.0, 2)])
def test_goals_go_with_the_request_or_behind_its_reply_where_the_bus_has_no_pause(
    rig: MakeRig, monkeypatch: pytest.MonkeyPatch, rate: float, calls: int
) -> None:
    arm = rig(rate_hz=rate)
    arm.start()
    arm.run(0.5, {"joint1": 0.3})
    sent: list[bytes] = []
    write = arm.driver.port.writePort
    monkeypatch.setattr(arm.driver.port, "writePort", lambda data: sent.append(data) or write(data))
    for _ in range(10):
        sent.clear()
        arm.cycle({"joint1": 0.31})
        assert len(sent) == calls
        assert sum(data.count(HEADER) for data in sent) == 2
    arm.run(0.2, {"joint1": 0.31})
    assert arm.positions()["joint1"] == pytest.approx(0.31, abs=4e-3)


def test_a_bus_without_pauses_follows_a_moving_command_without_losing_a_servo(
    rig: MakeRig,
) -> None:
    arm = rig(rate_hz=1000.0)
    arm.start()
    began = len(arm.reports)
    end = arm.clock() + 3.0
    while arm.clock() < end:
        arm.cycle({"joint1": 0.4 * math.sin(arm.clock()), "joint2": -0.2 * math.sin(arm.clock())})
    assert all(len(report.readings) == 2 for report in arm.reports[began:])
    assert not [event for report in arm.reports[began:] for event in report.events]


def test_a_command_for_some_joints_leaves_the_others_alone(rig: MakeRig) -> None:
    arm = rig(TWO, "--pose", "joint2=0.5")
    arm.start()
    arm.until(lambda r: abs(r.sent.get("joint1", 9.0) - 0.2) < 1e-9, {"joint1": 0.2})
    assert arm.positions()["joint2"] == pytest.approx(0.5, abs=2e-3)
    assert "joint2" not in arm.reports[-1].sent


def test_the_first_command_is_approached_slowly_and_then_followed_fast(rig: MakeRig) -> None:
    arm = rig(TWO, drive={"approach_speed": 0.4})
    arm.start()
    arm.until(lambda r: abs(r.sent.get("joint1", 9.0) - 0.2) < 1e-9, {"joint1": 0.2})
    goals = [report.sent["joint1"] for report in arm.reports if "joint1" in report.sent]
    steps = [b - a for a, b in pairwise(goals)]
    assert max(steps) <= 0.4 * 2.0 / arm.config.rate_hz + 1e-9
    arm.cycle({"joint1": 0.23})
    assert arm.reports[-1].sent["joint1"] == pytest.approx(0.23)


def test_a_jump_is_cut_into_steps_of_the_joint_s_speed(rig: MakeRig) -> None:
    arm = rig(TWO, drive={"servos.joint1.max_velocity": 1.0})
    arm.start()
    arm.until(lambda r: "joint1" in r.sent, {"joint1": 0.0})
    arm.run(0.3, {"joint1": 3.0})  # the rig checks every step
    assert arm.reports[-1].sent["joint1"] < 0.5


def test_a_command_is_held_at_the_limits_of_configuration_and_servo(rig: MakeRig) -> None:
    arm = rig(TWO, drive={"servos.joint1.upper": 0.1, "servos.joint1.lower": -0.1})
    arm.start()
    arm.until(lambda r: abs(r.sent.get("joint1", 9.0) - 0.1) < 1e-9, {"joint1": 2.0})
    assert arm.told("command for joint1 is 2, outside -0.1 .. 0.1: held at the limit; correct")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_command_that_is_no_number_is_refused_and_moves_nothing(
    rig: MakeRig, value: float
) -> None:
    arm = rig()
    arm.start()
    arm.run(0.2, {"joint1": value})
    assert arm.told(f"command for joint1 refused: it is {value}")
    assert not arm.reports[-1].sent
    assert arm.positions()["joint1"] == pytest.approx(0.0, abs=2e-3)


def test_an_unknown_joint_is_refused_with_the_nearest_name(rig: MakeRig) -> None:
    arm = rig()
    arm.start()
    arm.cycle({"joint3": 0.1})
    assert arm.told("unknown joint in the command 'joint3': did you mean 'joint")


def test_the_same_complaint_comes_once_in_a_while(rig: MakeRig) -> None:
    arm = rig()
    arm.start()
    arm.run(0.5, {"joint1": math.nan})
    assert sum("refused" in event.sentence for event in arm.events) == 1


def test_nothing_is_sent_before_the_first_good_read(rig: MakeRig) -> None:
    arm = rig(TWO, "--pose", "joint1=0.5")
    goals = {"joint1": -0.5, "joint2": 0.5}
    while not (arm.reports and in_service(arm.reports[-1])):
        report = arm.cycle(goals)
        assert set(report.sent) <= {servo.joint for servo in report.servos if servo.torque}
    assert arm.told("command for joint1 refused: it is s")


def test_a_joint_without_commands_holds_short_of_its_target_and_says_so(rig: MakeRig) -> None:
    arm = rig(TWO, drive={"command_timeout": 0.1})
    arm.start()
    arm.cycle({"joint1": 1.0})
    arm.until(lambda r: not r.sent)
    assert arm.told("no command for joint1 for 0.1 s: it holds at")
    held = arm.positions()["joint1"]
    arm.run(0.2)
    assert arm.positions()["joint1"] == pytest.approx(held, abs=0.05)


def test_torque_off_leaves_the_arm_readable_and_on_again_holds_it_there(rig: MakeRig) -> None:
    arm = rig()
    arm.start()
    said = arm.driver.set_torque(False, arm.reports[-1].now)
    assert "by hand" in said
    report = arm.run(0.2, {"joint1": 0.3})
    assert {reading.name for reading in report.readings} == {"joint1", "joint2"}
    assert not any(servo.torque for servo in report.servos)
    assert not report.sent
    assert arm.told("command for joint1 refused: it is relaxed")
    arm.driver.set_torque(True, report.now)
    arm.start()
    assert arm.bus.servo("joint1")["torque"]
    assert arm.positions()["joint1"] == pytest.approx(0.0, abs=2e-3)


def test_a_shadow_follows_its_leader_and_is_not_a_joint(rig: MakeRig) -> None:
    pair = {
        "shoulder": {"id": 1, "model": "XM540-W270"},
        "shoulder_shadow": {
            "id": 2,
            "model": "XM540-W270",
            "direction": -1,
            "shadow_of": "shoulder",
        },
    }
    arm = rig(pair)
    arm.start()
    arm.until(lambda r: abs(r.sent.get("shoulder", 9.0) - 0.3) < 1e-9, {"shoulder": 0.3})
    arm.run(0.4, {"shoulder": 0.3})
    assert set(arm.positions()) == {"shoulder"}
    assert arm.bus.servo("shoulder_shadow")["position"] == pytest.approx(0.3, abs=4e-3)


def test_two_servos_of_a_joint_share_its_load_again_after_one_of_them_restarted(
    rig: MakeRig,
) -> None:
    pair = {
        "shoulder": {"id": 1, "model": "XM430-W350"},
        "second": {"id": 2, "model": "XM430-W350", "direction": -1, "shadow_of": "shoulder"},
    }
    arm = rig(pair, "--load", "shoulder=1.2")
    arm.start()
    for restarted in ("shoulder", "second"):
        arm.bus.fault("reboot", restarted)
        arm.until(lambda r: any(servo.stage != "ready" for servo in r.servos))
        arm.start()
        arm.run(0.5)
        first, second = (abs(arm.bus.servo(name)["current"]) for name in pair)
        assert first == pytest.approx(second, rel=0.1)


def test_a_shadow_that_stands_elsewhere_keeps_the_joint_from_moving(rig: MakeRig) -> None:
    pair = {
        "shoulder": {"id": 1, "model": "XM540-W270"},
        "other": {"id": 2, "model": "XM540-W270", "shadow_of": "shoulder"},
    }
    arm = rig(pair, drive={"servos.other.zero": 2048 + 130})
    arm.until(lambda r: any("disagree" in servo.reason for servo in r.servos))
    arm.run(0.2, {"shoulder": 0.3})
    assert not arm.reports[-1].sent


FINGER = {
    "finger": {
        "id": 15,
        "model": "XM430-W350",
        "mode": "current_based_position",
        "goal_current": 0.3,
        "metres_per_radian": 0.01,
    },
    "wrist": {"id": 16, "model": "XM430-W350"},
}


def test_a_gripper_stops_at_what_it_holds_and_opens_at_once(rig: MakeRig) -> None:
    arm = rig({"finger": FINGER["finger"]})
    arm.start()
    arm.cycle({"finger": 0.01})
    arm.run(0.3)
    arm.bus.fault("stuck", "finger")
    arm.cycle({"finger": -0.015})
    arm.until(lambda r: r.gripping == ("finger",))
    held = arm.positions()["finger"]
    arm.run(0.3)
    assert arm.reports[-1].sent["finger"] > held - 0.004
    arm.bus.clear()
    arm.cycle({"finger": 0.012})
    arm.until(lambda r: not r.gripping and abs(r.readings[0].position - 0.012) < 1e-3)


@pytest.mark.parametrize(
    ("kind", "servo", "duration"),
    [("mute", "finger", 0.4), ("mute_all", None, 0.6), ("unplug", None, 0.5)],
)
def test_a_gripper_goes_on_to_its_one_command_after_the_bus_was_away(
    rig: MakeRig, kind: str, servo: str | None, duration: float
) -> None:
    arm = rig(FINGER)
    arm.start()
    arm.cycle({"finger": 0.012})
    arm.run(0.1)
    assert arm.positions()["finger"] < 0.01
    arm.bus.fault(kind, servo, duration=duration)
    arm.until(lambda r: r.servos[0].stage != "ready")
    arm.run(duration)
    arm.start()
    goals = []
    while abs(arm.positions()["finger"] - 0.012) > 1e-3:
        arm.cycle()
        goals.append(arm.reports[-1].sent["finger"])
        assert len(goals) < 500
    fastest = arm.config.approach_speed * 0.01  # metres per radian
    assert np.abs(np.diff(goals)).max() <= fastest * 0.0101


def test_a_newer_command_for_a_gripper_that_is_away_is_what_it_does(rig: MakeRig) -> None:
    for kind in ("mute_all", "unplug"):
        arm = rig(FINGER)
        arm.start()
        arm.cycle({"finger": 0.012})
        arm.run(0.1)
        arm.bus.fault(kind, duration=0.6)
        arm.until(lambda r: r.servos[0].stage != "ready")
        arm.cycle({"finger": -0.01})
        arm.run(0.6)
        arm.start()
        arm.until(lambda r: r.readings and abs(r.readings[0].position + 0.01) < 1e-3)


def test_a_gripper_whose_torque_was_switched_off_waits_for_another_command(rig: MakeRig) -> None:
    arm = rig(FINGER)
    arm.start()
    arm.cycle({"finger": 0.012})
    arm.run(0.1)
    arm.driver.set_torque(False, arm.reports[-1].now)
    arm.run(0.2)
    arm.driver.set_torque(True, arm.reports[-1].now)
    arm.start()
    before = arm.positions()["finger"]
    arm.run(0.5)
    assert arm.positions()["finger"] == pytest.approx(before, abs=1e-3)


def test_models_of_different_tables_share_a_bus(rig: MakeRig) -> None:
    """Indirect data elsewhere (XL330), load instead of current (XL430), no fast read (MX-28)."""
    models = {"a": "XL330-M288", "b": "XM430-W350", "c": "XL430-W250", "d": "MX-28"}
    servos = {joint: {"id": i, "model": model} for i, (joint, model) in enumerate(models.items())}
    arm = rig(servos)
    arm.start()
    goals = dict.fromkeys(models, 0.2)
    arm.until(lambda r: r.sent == pytest.approx(goals, abs=1e-9), goals)
    report = arm.run(0.5, goals)
    assert arm.positions() == pytest.approx(goals, abs=0.02)
    assert [math.isnan(servo.current) for servo in report.servos] == [False, False, True, True]
    assert [math.isnan(servo.load) for servo in report.servos] == [True, True, False, False]
    assert all(servo.mapped is not None for servo in arm.driver.servos)


def test_figures_of_servos_and_bus_are_reported(rig: MakeRig) -> None:
    arm = rig()
    arm.start()
    report = arm.run(1.0)
    servo = report.servos[0]
    assert (servo.id, servo.model, servo.errors) == (11, "XM430-W350", ())
    assert servo.voltage == pytest.approx(12.0, abs=0.5)
    assert 15.0 < servo.temperature < 40.0
    assert abs(servo.current) < 0.5
    assert servo.age < 1.0
    assert 0.0 < report.bus.cycle_p50 <= report.bus.cycle_p99
    assert report.bus.fast_sync_read
    assert report.bus.latency_timer is None


def test_holding_shutdown_keeps_torque_and_leaves_no_watchdog_behind(rig: MakeRig) -> None:
    arm = rig(TWO, "--load", "joint1=1.0")
    arm.start()
    report = arm.driver.wind_down(arm.reports[-1].now)
    assert report.state is DriverState.STOPPED
    assert report.events[-1].sentence == "the driver ends: joint1, joint2 held with torque on"
    arm.pause(2.0 * arm.config.bus_watchdog)
    assert arm.bus.servo("joint1")["torque"]
    again = arm.again()
    again.start()
    again.driver.close()
    assert not again.told("watchdog")


def test_relaxing_shutdown_switches_every_torque_off(rig: MakeRig) -> None:
    arm = rig(TWO, drive={"shutdown": "torque_off"})
    arm.start()
    report = arm.driver.wind_down(arm.reports[-1].now)
    assert report.state is DriverState.STOPPED
    assert report.events[-1].sentence == "the driver ends: joint1, joint2 left with torque off"
    assert not any(arm.bus.servo(joint)["torque"] for joint in TWO)


def test_parking_shutdown_goes_to_rest_slowly_and_relaxes_there(rig: MakeRig) -> None:
    park = {"shutdown": "park", "servos.joint1.park": 0.3, "approach_speed": 0.6}
    arm = rig(TWO, drive=park)
    arm.start()
    started = arm.clock()
    while (report := arm.driver.wind_down(arm.clock())).state is not DriverState.STOPPED:
        arm.pause(0.01)
    assert report.events[-1].sentence == (
        "the driver ends: joint1 parked, then torque off; joint2 left with torque off"
    )
    assert arm.clock() - started > 0.3 / 0.6 * 0.5
    assert arm.bus.servo("joint1")["position"] == pytest.approx(0.3, abs=0.06)
    assert not any(arm.bus.servo(joint)["torque"] for joint in TWO)


@pytest.mark.parametrize("shutdown", ["hold", "torque_off", "park"])
def test_an_end_says_of_every_joint_how_it_is_left(rig: MakeRig, shutdown: str) -> None:
    parks = {"servos.joint1.park": 0.3, "servos.joint3.park": 0.2}
    arm = rig(THREE, drive={"shutdown": shutdown, **parks})
    arm.start()
    arm.bus.fault("stuck", "joint1")
    arm.bus.fault("mute", "joint3")
    arm.until(lambda r: r.servos[2].stage == "silent")
    while (report := arm.driver.wind_down(arm.clock())).state is not DriverState.STOPPED:
        arm.pause(0.01)
    first = {
        "hold": "joint1, joint2 held with torque on",
        "torque_off": "joint1, joint2 left with torque off",
        "park": "joint1 short of its park position, torque off; joint2 left with torque off",
    }[shutdown]
    said = report.events[-1].sentence
    assert said == f"the driver ends: {first}; joint3 left as it was, out of service"


@pytest.mark.parametrize(
    "entries",
    [
        {"max_velocity": 0.1},
        {"gear_ratio": 0.1, "park": 3.0},
        {"gear_ratio": 3.0, "mode": "extended_position"},
        {"metres_per_radian": 0.01, "park": 0.02},
    ],
)
def test_parking_takes_the_time_that_the_joint_s_own_speed_asks_for(
    rig: MakeRig, entries: dict[str, object]
) -> None:
    servo = {**TWO["joint1"], "park": 0.8, **entries}
    arm = rig({"joint1": servo}, drive={"shutdown": "park", "approach_speed": 0.4})
    arm.start()
    while (report := arm.driver.wind_down(arm.clock())).state is not DriverState.STOPPED:
        arm.pause(0.01)
    assert report.events[-1].sentence == "the driver ends: joint1 parked, then torque off"


def test_a_stopped_driver_does_not_open_its_port_again(rig: MakeRig) -> None:
    arm = rig()
    arm.start()
    arm.driver.wind_down(arm.reports[-1].now)
    assert arm.cycle().state is DriverState.STOPPED
    assert not arm.driver.port.is_open
