"""Every fault, on a real emulated bus: the others go on, nothing is made up, and it mends."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise

import pytest
from bus_rig import THREE, TWO, EmulatedBus, Rig
from processes import wait_until

from ik_node.dynamixel.report import DriverReport, DriverState
from ik_node.dynamixel.servos_yaml import load_servos_yaml
from ik_node.dynamixel.state_reader import FAST_PAUSE
from ik_node.dynamixel.watch import FLAP_WINDOW, FLAPS, MISSES
from ik_node.errors import BusError

MakeRig = Callable[..., Rig]

SIX = {f"joint{i}": {"id": 10 + i, "model": "XM430-W350"} for i in range(1, 7)}
OTHERS = {"joint1", "joint3"}

CRAWL = 0.3
"""Profile velocity of a servo whose goal runs ahead of it [rad/s]."""

SMOOTHING = 0.05
"""A motor's and a bus's own time constants, in which it runs on [s]."""


def fresh(report: DriverReport) -> set[str]:
    return {reading.name for reading in report.readings}


def test_fast_reads_are_given_up_where_the_firmware_lacks_them(rig: MakeRig) -> None:
    arm = rig()
    arm.bus.fault("no_fast_read")
    arm.start()
    arm.run(0.3)
    assert arm.told("fast sync read fails where sync read works: given up for joint1, joint2")
    assert {len(report.readings) for report in arm.reports[-10:]} == {2}


def test_fast_reads_are_taken_up_again_once_they_work(rig: MakeRig) -> None:
    arm = rig(TWO, drive={"rate_hz": 10.0, "bus_watchdog": 0.0})
    arm.bus.fault("no_fast_read")
    arm.start()
    assert not arm.run(2.0 * FAST_PAUSE).bus.fast_sync_read
    arm.bus.clear()
    assert arm.run(FAST_PAUSE + 1.0).bus.fast_sync_read
    assert sum("given up" in event.sentence for event in arm.events) == 1


def test_a_silent_servo_is_left_out_in_three_cycles_and_comes_back_by_itself(rig: MakeRig) -> None:
    arm = rig(THREE)
    arm.start()
    arm.bus.fault("mute", "joint2")
    arm.reports.clear()
    report = arm.until(lambda r: r.servos[1].stage == "silent")
    assert len(arm.reports) == MISSES == 3
    assert "id 12" in report.message
    assert arm.told("joint2: id 12 does not answer any more; check its power and cable; the others")
    arm.run(3.0)
    assert {frozenset(fresh(report)) for report in arm.reports} == {frozenset(OTHERS)}
    arm.bus.clear()
    arm.start()
    assert arm.bus.servo("joint2")["torque"]


def test_a_silent_servo_costs_the_others_little_and_is_called_once_a_second(rig: MakeRig) -> None:
    arm = rig(SIX)
    arm.start()
    goals = dict.fromkeys(SIX, 0.0)
    arm.bus.fault("mute", "joint2")
    arm.until(lambda r: r.servos[1].stage == "silent", goals)
    arm.reports.clear()
    silences = arm.driver.bus.counters.silences
    report = arm.run(5.0, goals)
    assert report.bus.cycle_p50 <= 0.008
    assert max(b.now - a.now for a, b in pairwise(arm.reports)) < 1.5 / arm.config.rate_hz
    assert 4 <= arm.driver.bus.counters.silences - silences <= 6


def test_a_servo_that_comes_and_goes_has_to_wait_longer_and_longer(rig: MakeRig) -> None:
    arm = rig(THREE)
    arm.start()
    servo = arm.driver.servos[1]
    for _ in range(FLAPS):
        lose_and_regain(arm)
    assert not arm.told("stays out")
    lost = lose_and_regain(arm)
    assert arm.told("joint2 (id 12) was lost 6 times within 30 s: it stays out for 2 s; check its")
    assert arm.clock() - lost >= 2.0
    lost = lose_and_regain(arm)
    assert arm.clock() - lost >= 4.0
    arm.run(FLAP_WINDOW)
    lost = lose_and_regain(arm)
    assert arm.clock() - lost < 2.0
    assert len(servo.losses) == 1


def lose_and_regain(arm: Rig) -> float:
    """Silence joint2 until it is missed, and wait for it; when it was lost [s]."""
    arm.bus.fault("mute", "joint2")
    lost = arm.until(lambda r: r.servos[1].stage == "silent").now
    arm.bus.clear()
    arm.start()
    assert all(fresh(report) >= OTHERS for report in arm.reports[-10:])
    return lost


def test_a_bus_gone_silent_comes_back_whole(rig: MakeRig) -> None:
    arm = rig()
    arm.start()
    arm.bus.fault("mute_all")
    report = arm.until(lambda r: all(servo.stage == "silent" for servo in r.servos))
    assert not report.readings
    arm.bus.clear()
    arm.start()


@pytest.mark.parametrize(("kind", "away"), [("unplug", "duration"), ("replug", "value")])
def test_an_unplugged_adapter_is_found_again_behind_the_same_link(
    real_rig: MakeRig, kind: str, away: str
) -> None:
    arm = real_rig(TWO, "--pose", "joint1=0.3")
    arm.start()
    arm.bus.fault(kind, **{away: 0.6})
    report = arm.until(lambda r: r.state is DriverState.DISCONNECTED)
    assert not report.readings
    assert f"port {arm.config.port} is " in report.message
    arm.until(lambda r: "missing" in r.message or r.state is DriverState.CONNECTING)
    arm.start()
    assert arm.positions()["joint1"] == pytest.approx(0.3, abs=4e-3)
    arm.until(lambda r: "joint1" in r.sent, {"joint1": 0.31})


def test_an_adapter_away_for_five_seconds_serves_within_one_of_its_return(rig: MakeRig) -> None:
    arm = rig(SIX)
    arm.start()
    arm.until(lambda r: abs(r.sent.get("joint1", 9.0) - 0.3) < 1e-9, {"joint1": 0.3})
    arm.run(0.3)
    held = arm.positions()["joint1"]
    back = arm.clock() + 5.0
    arm.bus.fault("unplug", duration=5.0)
    assert arm.run(4.9).state is DriverState.DISCONNECTED
    report = arm.start()
    print(f"in service {report.now - back:.2f} s after the adapter is back")
    assert 0.0 < report.now - back <= 1.0
    assert arm.positions()["joint1"] == pytest.approx(held, abs=4e-3)
    arm.until(lambda r: abs(r.sent.get("joint1", 9.0) - 0.4) < 1e-9, {"joint1": 0.4})


def test_an_overloaded_servo_is_named_and_only_it_is_rebooted(rig: MakeRig) -> None:
    gain = {"registers": {"position_p_gain": 900}}
    arm = rig({**TWO, "joint2": {**TWO["joint2"], **gain}}, "--pose", "joint2=0.4")
    arm.start()
    boots = {joint: arm.bus.servo(joint)["boots"] for joint in TWO}
    arm.bus.fault("overload", "joint2", duration=0.2)
    report = arm.until(lambda r: r.servos[1].stage == "fault")
    assert report.servos[1].errors == ("overload",)
    assert "call the reboot service" in report.message
    arm.run(0.4, {"joint2": 0.0})
    assert not arm.reports[-1].sent
    assert fresh(arm.reports[-1]) == {"joint1", "joint2"}

    said = arm.driver.reboot(arm.reports[-1].now)
    assert said == "rebooting joint2 (id 12) after overload"
    arm.start()
    arm.run(0.2)
    assert arm.bus.servo("joint1")["boots"] == boots["joint1"]
    assert arm.bus.servo("joint2")["boots"] == boots["joint2"] + 1
    servo = arm.driver.servos[1]
    register = servo.model.register("position_p_gain")
    assert arm.driver.bus.read_register(servo.id, register) == 900
    assert arm.positions()["joint2"] == pytest.approx(0.4, abs=0.01)


def test_a_reboot_whose_answer_is_lost_is_a_reboot_all_the_same(rig: MakeRig) -> None:
    arm = rig()
    arm.start()
    boots = arm.bus.servo("joint2")["boots"]
    arm.bus.fault("overload", "joint2", duration=0.2)
    arm.until(lambda r: r.servos[1].stage == "fault")
    arm.run(0.4)
    arm.bus.fault("drop_reply", "joint2")
    said = arm.driver.reboot(arm.reports[-1].now)
    assert said.startswith("rebooting joint2") and "not confirmed" in said
    arm.bus.clear()
    arm.start()
    assert arm.bus.servo("joint2")["boots"] == boots + 1


def test_torque_off_that_a_servo_may_have_missed_is_no_success(rig: MakeRig) -> None:
    arm = rig(TWO)
    arm.start()
    arm.bus.fault("mute", "joint1")
    with pytest.raises(BusError, match=r"except perhaps at joint1 \(id 11\).*; ask again"):
        arm.driver.set_torque(False, arm.clock())
    assert arm.bus.servo("joint1")["torque"]
    arm.bus.clear()
    assert arm.driver.set_torque(False, arm.clock()).startswith("torque is off: the arm can be")
    assert not any(arm.bus.servo(joint)["torque"] for joint in TWO)


def test_without_an_error_nothing_is_rebooted(rig: MakeRig) -> None:
    arm = rig()
    arm.start()
    said = arm.driver.reboot(arm.reports[-1].now)
    assert said == "no servo reports a hardware error; nothing to reboot"


@pytest.mark.parametrize("away", ["mute", "unplug"])
def test_a_servo_in_overload_is_not_said_to_have_restarted_when_it_answers_again(
    rig: MakeRig, away: str
) -> None:
    arm = rig()
    arm.start()
    arm.bus.fault("overload", "joint1", duration=0.1)
    arm.until(lambda r: r.servos[0].stage == "fault")
    arm.bus.fault(away, "joint1" if away == "mute" else None, duration=0.5)
    arm.until(lambda r: r.servos[0].stage == "silent")
    report = arm.until(lambda r: r.servos[0].stage == "fault")
    assert "overload" in report.message
    assert not arm.told("restarted")


def test_a_servo_that_restarts_under_an_alert_is_said_to_have_restarted(rig: MakeRig) -> None:
    arm = rig()
    arm.start()
    arm.bus.fault("voltage_sag", value=9.0)
    arm.until(lambda r: "input voltage" in r.servos[0].errors)
    arm.bus.fault("reboot", "joint1")
    arm.until(lambda _: arm.told("joint1 (id 11): it restarted, or lost power"))
    arm.bus.clear()
    arm.start()


def test_overload_recovers_by_itself_only_where_allowed_and_not_too_often(rig: MakeRig) -> None:
    arm = rig(TWO, drive={"overload_recovery": True, "overload_recovery_interval": 600.0})
    arm.start()
    arm.bus.fault("overload", "joint1", duration=0.1)
    arm.until(lambda r: r.servos[0].stage == "booting")
    arm.start()
    arm.bus.fault("overload", "joint1", duration=0.1)
    arm.until(lambda r: r.servos[0].stage == "fault")
    assert arm.run(0.5).servos[0].stage == "fault"


def test_overheating_is_told_in_words(rig: MakeRig) -> None:
    arm = rig()
    arm.start()
    arm.bus.fault("over_temperature", "joint1")
    report = arm.until(lambda r: "overheating" in r.servos[0].errors)
    assert "overheating" in arm.until(lambda r: "overheating" in r.message).message
    assert fresh(report) == {"joint1", "joint2"}


def test_a_servo_that_reboots_by_itself_is_started_anew_where_it_stands(rig: MakeRig) -> None:
    arm = rig(TWO, "--pose", "joint1=0.5")
    arm.start()
    arm.bus.fault("reboot", "joint1")
    arm.until(lambda r: r.servos[0].stage != "ready")
    arm.start()
    arm.run(0.2)
    assert arm.bus.servo("joint1")["torque"]
    assert arm.positions()["joint1"] == pytest.approx(0.5, abs=0.02)


def test_a_servo_whose_error_a_restart_has_cleared_comes_back_and_says_so(rig: MakeRig) -> None:
    arm = rig(
        TWO, drive={"rate_hz": 2.0, "bus_watchdog": 0.0}
    )  # so slow that it is back before it is missed
    arm.start()
    arm.bus.fault("overload", "joint2", duration=0.2)
    arm.until(lambda r: r.servos[1].stage == "fault")
    arm.bus.fault("reboot", "joint2")
    arm.until(lambda r: "its error is gone" in r.servos[1].reason)
    arm.start()


def test_a_jammed_joint_reports_where_it_is(rig: MakeRig) -> None:
    arm = rig()
    arm.start()
    arm.bus.fault("stuck", "joint1")
    arm.run(0.3, {"joint1": 0.1})
    assert arm.positions()["joint1"] == pytest.approx(0.0, abs=0.01)
    assert arm.reports[-1].sent["joint1"] > 0.05


def test_a_pause_of_the_host_trips_the_watchdogs_and_the_arm_goes_on_from_there(
    rig: MakeRig,
) -> None:
    arm = rig()
    arm.start()
    arm.until(lambda r: "joint1" in r.sent, {"joint1": 0.2})
    arm.pause(2.0 * arm.config.bus_watchdog)
    arm.until(lambda r: any("watchdog" in servo.reason for servo in r.servos))
    arm.start()
    arm.run(0.1)
    arm.until(lambda r: abs(r.sent.get("joint1", 9.0) - 0.2) < 1e-9, {"joint1": 0.2})


MOVE = """
import sys, time
from ik_node.dynamixel.driver import Driver
from ik_node.dynamixel.servos_yaml import load_servos_yaml
driver = Driver(load_servos_yaml(sys.argv[1]), time.monotonic)
while True:
    report = driver.cycle(time.monotonic(), {"joint1": 3.0})
    if any(abs(reading.position) > 0.1 for reading in report.readings):
        print("moving", flush=True)
    time.sleep(0.01)
"""


def test_a_driver_killed_while_moving_leaves_servos_that_stop_and_a_free_port(
    emulate: Callable[..., EmulatedBus],
) -> None:
    """The goal is far ahead of a slow servo: without its watchdog it would go all the way."""
    bus = emulate({"joint1": {**TWO["joint1"], "profile_velocity": CRAWL}})
    command = [sys.executable, "-c", MOVE, str(bus.file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"moving\n"
        before, asked = bus.servo("joint1")["position"], time.monotonic()
        process.kill()
        process.wait()
        bus.servo("joint1")  # whoever answers this has heard all that the driver said
        dying = time.monotonic() - asked
    wait_until(lambda: bus.servo("joint1")["watchdog_tripped"])
    stopped = bus.servo("joint1")["position"]
    config = load_servos_yaml(bus.file)
    went_on = (stopped - before) / CRAWL
    print(f"stopped {went_on:.3f} s later, of which the driver lived up to {dying:.3f} s")
    assert went_on < config.bus_watchdog + dying + SMOOTHING
    arm = Rig(bus, config)
    arm.start()
    arm.run(0.2)
    arm.driver.close()
    assert arm.positions()["joint1"] == pytest.approx(stopped, abs=4e-3)
