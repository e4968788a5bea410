"""The start never moves the arm, never drops it, and refuses what does not fit."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import pytest
from bus_rig import THREE, TWO, Rig, in_service

from ik_node.dynamixel.emulator.protocol import Error
from ik_node.dynamixel.emulator.servo import Servo
from ik_node.errors import NoReplyError

MakeRig = Callable[..., Rig]


def goal_of(rig: Rig, joint: str) -> int:
    servo = next(servo for servo in rig.driver.servos if servo.joint == joint)
    assert servo.slow is not None
    return servo.slow.goal_position


def test_an_arm_at_rest_is_held_where_it_stands(rig: MakeRig) -> None:
    arm = rig(TWO, "--pose", "joint1=0.7", "--pose", "joint2=-0.4")
    arm.start()
    arm.run(0.4)
    assert arm.positions() == pytest.approx({"joint1": 0.7, "joint2": -0.4}, abs=2e-3)
    for servo in arm.driver.servos:
        assert servo.state is not None
        assert abs(goal_of(arm, servo.joint) - servo.state.position) <= 1
        assert arm.bus.servo(servo.joint)["torque"]


def test_a_restarted_driver_finds_the_arm_as_it_was_and_never_lets_go(rig: MakeRig) -> None:
    arm = rig(TWO, "--load", "joint1=1.5")
    arm.start()
    arm.until(lambda r: abs(r.sent.get("joint1", 0.0) - 0.5) < 1e-9, {"joint1": 0.5})
    arm.run(0.3)
    before, goal = arm.positions()["joint1"], goal_of(arm, "joint1")
    written = arm.bus.servo("joint1")["eeprom_writes"]
    arm.driver.close()

    again = arm.again()
    torque = []
    while not (again.reports and in_service(again.reports[-1])):
        again.cycle()
        torque.append(arm.bus.servo("joint1")["torque"])
    again.run(0.4)
    again.driver.close()
    assert all(torque)
    assert goal_of(again, "joint1") == goal
    assert again.positions()["joint1"] == pytest.approx(before, abs=4e-3)
    assert arm.bus.servo("joint1")["eeprom_writes"] == written


def test_eeprom_is_written_once_and_then_only_compared(rig: MakeRig) -> None:
    arm = rig(TWO)
    arm.start()
    assert arm.told("joint1 (id 11): EEPROM written: return_delay_time 250 -> 0")
    arm.driver.close()
    again = arm.again()
    again.start()
    again.driver.close()
    assert not again.told("EEPROM")


def test_extra_registers_are_set_and_reach_the_servo(rig: MakeRig) -> None:
    registers = {"position_p_gain": 640, "temperature_limit": 70}
    arm = rig({"joint1": {**TWO["joint1"], "registers": registers}})
    arm.start()
    servo = arm.driver.servos[0]
    for name, value in registers.items():
        assert arm.driver.bus.read_register(servo.id, servo.model.register(name)) == value


def test_a_tiny_profile_velocity_is_never_rounded_to_infinite(rig: MakeRig) -> None:
    slow = {"profile_velocity": 0.001, "profile_acceleration": 0.001}
    arm = rig({"joint1": {**TWO["joint1"], **slow}})
    arm.start()
    servo = arm.driver.servos[0]
    for name in slow:
        assert arm.driver.bus.read_register(servo.id, servo.model.register(name)) == 1


def test_a_shadow_that_listens_to_its_leader_is_freed_before_anything_moves(rig: MakeRig) -> None:
    shadow = {**TWO["joint2"], "shadow_of": "joint1"}
    arm = rig({"joint1": TWO["joint1"], "joint2": shadow}, "--pose", "joint1=0.6")
    leader, follower = arm.driver.servos
    register = follower.model.register("secondary_id")
    arm.driver.port.open(arm.config.baud)
    arm.driver.bus.write_register(follower.id, register, leader.id)
    arm.driver.port.closePort()
    arm.start()
    arm.run(0.4)
    assert arm.driver.bus.read_register(follower.id, register) == 255
    assert arm.positions()["joint1"] == pytest.approx(0.6, abs=4e-3)
    for servo in arm.driver.servos:
        assert servo.state is not None
        assert abs(goal_of(arm, servo.joint) - servo.state.position) <= 1


@pytest.mark.parametrize("level", [0, 1])
def test_a_servo_told_not_to_answer_is_made_to(rig: MakeRig, level: int) -> None:
    arm = rig()
    arm.driver.port.open(arm.config.baud)
    servo = arm.driver.servos[0]
    with contextlib.suppress(NoReplyError):
        arm.driver.bus.write_register(servo.id, servo.model.register("status_return_level"), level)
    arm.driver.port.closePort()
    arm.start()


@pytest.mark.parametrize(("firmware", "data"), [(52, 208), (53, 224)])
def test_a_servo_is_read_where_its_firmware_has_its_indirect_data(
    rig: MakeRig, firmware: int, data: int
) -> None:
    models = {f"joint{i}": {"id": i, "model": "XL330-M288"} for i in (1, 2)}
    arm = rig(models, "--firmware", f"joint2={firmware}", "--pose", "joint2=0.4")
    arm.start()
    arm.until(lambda r: abs(r.sent.get("joint2", 9.0) - 0.3) < 1e-9, {"joint2": 0.3})
    arm.run(0.4, {"joint2": 0.3})
    mapped = arm.driver.servos[1].mapped
    assert mapped is not None
    assert mapped.address == data
    assert arm.driver.servos[0].mapped.address == 208
    assert arm.positions()["joint2"] == pytest.approx(0.3, abs=0.02)


class Picky:
    """A servo's memory that refuses reads across gaps, as some firmware may."""

    def __init__(self, servo: Servo) -> None:
        self._memory = servo.memory
        self._taken = {
            address
            for register in servo.model.registers.values()
            for address in range(register.address, register.address + register.size)
        }
        self._read = servo.memory.read

    def read(self, address: int, length: int) -> tuple[Error, bytes]:
        if not self._taken.issuperset(range(address, address + length)):
            return Error.ACCESS, b""
        return self._read(address, length)


def test_a_servo_that_refuses_reads_across_gaps_serves_by_its_indirect_data(rig: MakeRig) -> None:
    arm = rig(TWO)
    servo = arm.bus.wire.servo("joint1")
    servo.memory.read = Picky(servo).read
    arm.start()
    assert [s.direct is None for s in arm.driver.servos] == [True, False]
    arm.bus.fault("overload", "joint1", duration=0.1)
    arm.until(lambda r: r.servos[0].stage == "fault")
    assert {reading.name for reading in arm.run(0.2).readings} == set(TWO)


def test_a_servo_without_any_state_in_one_piece_is_refused_and_the_other_serves(
    rig: MakeRig,
) -> None:
    arm = rig(TWO)
    servo = arm.bus.wire.servo("joint1")
    servo.memory.read = Picky(servo).read
    changes = servo.memory.changes
    first = servo.model.indirect[0].address
    servo.memory.changes = lambda address, data: (
        (Error.ACCESS, []) if address == first else changes(address, data)
    )
    report = arm.until(lambda r: [s.stage for s in r.servos] == ["refused", "ready"])
    assert "its state cannot be read in one piece" in report.message
    assert arm.told("joint1 (id 11): it takes no indirect addresses")


def test_a_servo_without_indirect_addresses_is_read_across_the_gaps(rig: MakeRig) -> None:
    arm = rig(TWO, "--pose", "joint1=0.4")
    servo = arm.bus.wire.servo("joint1")
    changes = servo.memory.changes
    first = servo.model.indirect[0].address
    servo.memory.changes = lambda address, data: (
        (Error.ACCESS, []) if address == first else changes(address, data)
    )
    arm.start()
    assert arm.told("joint1 (id 11): read in one long piece")
    assert arm.driver.servos[0].mapped is None
    arm.run(0.1)
    assert arm.positions()["joint1"] == pytest.approx(0.4, abs=2e-3)


def test_a_wrong_model_is_refused_and_the_others_serve(rig: MakeRig) -> None:
    arm = rig(THREE, drive={"servos.joint2.model": "XM540-W270"})
    report = arm.until(lambda r: [s.stage for s in r.servos] == ["ready", "refused", "ready"])
    assert "id 12 is a XM430-W350, not a XM540-W270" in report.message
    assert "correct servos.joint2.model" in report.message
    assert {reading.name for reading in report.readings} == {"joint1", "joint3"}
    assert not arm.bus.servo("joint2")["torque"]


REFUSALS = {
    "another model": {"servos.joint2.model": "XM540-W270"},
    "limits that hold nothing": {"servos.joint2.lower": 3.5, "servos.joint2.upper": 5.0},
    "a shadow that disagrees": {"servos.joint2.shadow_of": "joint1", "servos.joint2.zero": 2300},
}


@pytest.mark.parametrize("drive", REFUSALS.values(), ids=REFUSALS)
def test_a_refused_servo_is_tried_once_a_second_and_leaves_the_bus_to_the_others(
    rig: MakeRig, drive: dict[str, Any]
) -> None:
    arm = rig(THREE, drive=drive)
    arm.until(lambda r: [s.stage for s in r.servos] == ["ready", "refused", "ready"])
    before = arm.driver.bus.counters.transactions
    arm.reports.clear()
    arm.run(5.0)
    assert arm.driver.bus.counters.transactions - before < 1.5 * len(arm.reports)
    assert len(arm.events) <= 5


def test_a_servo_at_another_baud_is_found_and_named(rig: MakeRig) -> None:
    arm = rig(TWO)
    arm.bus.fault("wrong_baud", "joint2", value=57600)
    arm.until(lambda r: r.servos[0].stage == "ready")
    assert arm.told("id 12 answers at 57600 bit/s but the bus is configured for 1000000")


def test_all_servos_at_another_baud_are_told_apart_from_no_power(rig: MakeRig) -> None:
    arm = rig(TWO, drive={"baud": 2_000_000})
    arm.until(lambda r: "set baud: 1000000" in r.message)


def test_a_missing_servo_is_named_and_the_others_serve(rig: MakeRig) -> None:
    arm = rig(THREE)
    arm.bus.fault("mute", "joint2")
    report = arm.until(lambda r: [s.stage for s in r.servos] == ["ready", "silent", "ready"])
    assert "id 12 does not answer at 1000000 bit/s; check power, cable and id" in report.message
    arm.bus.clear()
    arm.start()


def test_two_servos_on_one_id_are_suspected(rig: MakeRig) -> None:
    arm = rig(THREE)
    arm.bus.fault("same_id", "joint2", value=11)
    arm.until(lambda r: any("two servos may share that id" in s.reason for s in r.servos))


def test_a_servo_outside_its_own_limits_is_refused(rig: MakeRig) -> None:
    limits = {"registers": {"min_position_limit": 1000, "max_position_limit": 3000}}
    arm = rig({"joint1": {**TWO["joint1"], **limits}}, "--pose", "joint1=2.0")
    report = arm.until(lambda r: r.servos[0].stage == "refused")
    assert "outside its own limits 1000 .. 3000" in report.message
    assert not arm.bus.servo("joint1")["torque"]


def test_the_turn_of_an_extended_servo_follows_from_the_limits(rig: MakeRig) -> None:
    geared = {"mode": "extended_position", "gear_ratio": 3.0, "zero": 2048}
    limits = {"lower": -1.0, "upper": 1.0, "unwrap": "limits"}
    arm = rig(
        {"joint1": {**TWO["joint1"], **geared}},
        "--pose",
        f"joint1={0.8 - 2.0 * math.pi / 3.0}",
        drive={f"servos.joint1.{name}": value for name, value in limits.items()},
    )
    arm.start()
    arm.run(0.1)
    assert arm.positions()["joint1"] == pytest.approx(0.8, abs=2e-3)
    arm.until(lambda r: bool(r.readings) and abs(r.readings[0].position) < 5e-3, {"joint1": 0.0})
