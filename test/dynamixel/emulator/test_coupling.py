"""Two servos on one joint: what a shoulder with a shadow servo does."""

from __future__ import annotations

from random import Random

import pytest

from ik_node.dynamixel.config import BusConfig, ServoConfig
from ik_node.dynamixel.emulator.build import build_bus
from ik_node.dynamixel.emulator.bus import Bus
from ik_node.dynamixel.emulator.faults import Fault
from ik_node.dynamixel.emulator.injector import Injector
from ik_node.errors import ConfigurationError

CONFIG = BusConfig(
    port="-",
    servos=(
        ServoConfig("lift", 1, "XM430-W350"),
        ServoConfig("lift_shadow", 2, "XM430-W350", direction=-1, shadow_of="lift"),
        ServoConfig("wrist", 3, "XM430-W350"),
    ),
)


def bus(effort: float, **poses: float) -> Bus:
    return build_bus(CONFIG, Random(0), poses=poses, loads={"lift": effort})


def advance(bus: Bus, end: float, start: float = 0.0) -> None:
    for tick in range(round(start / 0.005) + 1, round(end / 0.005) + 1):
        bus.advance(0.005 * tick)


def stand(bus: Bus) -> tuple[float, float]:
    return bus.servo("lift").joint_position, bus.servo("lift_shadow").joint_position


def test_a_pose_puts_both_servos_of_the_joint_there() -> None:
    assert stand(bus(0.0, lift=0.7)) == pytest.approx((0.7, 0.7), abs=1e-3)


def test_a_limp_joint_falls_with_both_its_servos_and_moves_no_other() -> None:
    falling = bus(1.0)
    advance(falling, 0.3)
    leader, shadow = stand(falling)
    assert leader == pytest.approx(shadow)
    assert leader < -0.05
    assert falling.servo("wrist").joint_position == 0.0


def energise(bus: Bus, name: str) -> None:
    servo = bus.servo(name)
    servo.memory.set("torque_enable", 1)
    servo.written({"torque_enable"})


def sag(effort: float, *names: str) -> float:
    """How far the joint hangs below its goal when these servos hold it against `effort`."""
    holding = bus(effort)
    for name in names:
        energise(holding, name)
    advance(holding, 1.0)
    leader, shadow = stand(holding)
    assert leader == pytest.approx(shadow)
    return -leader


def test_two_servos_that_hold_share_the_load() -> None:
    both = sag(1.5, "lift", "lift_shadow")
    assert both == pytest.approx(sag(0.75, "lift", "lift_shadow") * 2.0, rel=0.1)
    assert sag(1.5, "lift") > 1.5 * both


def test_a_hand_holds_the_joint_until_both_its_servos_have_torque() -> None:
    held = bus(1.5)
    for servo in held.servos:
        servo.held = True
    energise(held, "lift_shadow")
    advance(held, 0.5)
    assert stand(held) == (0.0, 0.0)
    energise(held, "lift")
    advance(held, 1.5, start=0.5)
    assert -stand(held)[0] == pytest.approx(sag(1.5, "lift", "lift_shadow"), rel=0.1)


@pytest.mark.parametrize("effort", [100.0, -100.0, 1e300])
def test_a_load_that_would_break_the_gear_is_refused_with_what_can_be(effort: float) -> None:
    with pytest.raises(ConfigurationError, match=r"5 times .* lift; give -20\.5 to 20\.5"):
        bus(effort)


def test_a_load_on_a_second_servo_is_refused_with_the_joint_to_load() -> None:
    with pytest.raises(ConfigurationError, match="second servo of lift; load lift"):
        build_bus(CONFIG, Random(0), loads={"lift_shadow": 1.0})


@pytest.mark.parametrize("jammed", [("lift",), ("lift_shadow",), ("lift", "lift_shadow")])
def test_a_stuck_servo_holds_the_joint_that_it_shares_until_the_last_such_fault_ends(
    jammed: tuple[str, ...],
) -> None:
    holding = bus(0.0)
    injector = Injector(holding)
    for name in ("lift", "lift_shadow"):
        energise(holding, name)
    for name in jammed:
        injector.begin(Fault("stuck", name), 0.0)
    for servo, goal in zip(holding.servos, (2300, 1796), strict=False):
        servo.memory.set("goal_position", goal)
        servo.written({"goal_position"})
    advance(holding, 0.5)
    assert stand(holding) == (0.0, 0.0)
    for name in jammed[1:]:
        injector.clear(servo=name)
    if len(jammed) > 1:
        advance(holding, 1.0, start=0.5)
        assert stand(holding) == (0.0, 0.0)
    injector.clear()
    advance(holding, 2.0, start=1.0)
    assert stand(holding) == pytest.approx((0.387, 0.387), abs=0.01)
