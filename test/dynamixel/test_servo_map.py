"""Ticks to joint and back, for any direction, zero, gear and unit."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik_node.dynamixel.config import ServoConfig
from ik_node.dynamixel.servo_map import ServoMap

configs = st.builds(
    ServoConfig,
    joint=st.just("joint"),
    id=st.just(1),
    model=st.just("XM430-W350"),
    direction=st.sampled_from([1, -1]),
    zero=st.integers(-4096, 8192),
    gear_ratio=st.floats(0.05, 50.0),
    metres_per_radian=st.sampled_from([0.0, 0.0119]),
)


@given(configs, st.integers(-1_000_000, 1_000_000))
def test_ticks_come_back_unchanged(config: ServoConfig, ticks: int) -> None:
    servo_map = ServoMap(config)
    assert servo_map.ticks(servo_map.position(ticks)) == ticks


@given(configs, st.floats(-10.0, 10.0))
def test_a_position_comes_back_to_half_a_tick(config: ServoConfig, position: float) -> None:
    servo_map = ServoMap(config)
    back = servo_map.position(servo_map.ticks(position))
    assert abs(back - position) <= 0.5000001 / abs(servo_map.ticks_per_unit)


@given(configs)
def test_zero_ticks_are_where_the_joint_reads_zero(config: ServoConfig) -> None:
    assert ServoMap(config).position(config.zero) == 0.0


@given(configs, st.integers(-1000, 1000))
def test_velocity_has_the_sign_and_size_of_the_position_s_change(
    config: ServoConfig, raw: int
) -> None:
    servo_map = ServoMap(config)
    ticks_per_second = raw * config.servo_model.velocity_unit * 4096 / (2.0 * math.pi)
    expected = ticks_per_second / servo_map.ticks_per_unit
    assert servo_map.velocity(raw) == pytest.approx(expected, rel=1e-9)


@given(configs, st.integers(-1000, 1000))
def test_effort_times_velocity_is_the_servo_s_power(config: ServoConfig, raw: int) -> None:
    """A gear trades speed for torque, so the sign and the product survive it."""
    servo_map = ServoMap(config)
    plain = ServoMap(ServoConfig("joint", 1, "XM430-W350"))
    power = servo_map.effort(raw) * servo_map.velocity(100)
    assert power == pytest.approx(plain.effort(raw) * plain.velocity(100), rel=1e-9)


def test_half_a_turn_of_the_servo_is_pi() -> None:
    assert ServoMap(ServoConfig("j", 1, "XM430-W350")).position(4096) == pytest.approx(math.pi)


def test_a_linear_gripper_is_in_metres() -> None:
    config = ServoConfig(
        "finger", 15, "XM430-W350", direction=-1, zero=2099, metres_per_radian=0.0119
    )
    servo_map = ServoMap(config)
    assert servo_map.position(2099 - 2048) == pytest.approx(0.0119 * math.pi)


def test_a_load_servo_estimates_effort_from_its_stall_torque() -> None:
    servo_map = ServoMap(ServoConfig("j", 1, "XL430-W250"))
    assert servo_map.effort(500) == pytest.approx(0.75)


@given(st.integers(-3, 3), st.floats(-1.5, 1.5), st.sampled_from([1, -1]))
def test_limits_tell_the_turn_that_a_servo_forgot(
    turns: int, position: float, direction: int
) -> None:
    config = ServoConfig(
        "j",
        1,
        "XM430-W350",
        direction=direction,
        mode="extended_position",
        gear_ratio=2.0,
        lower=-1.55,
        upper=1.55,
        unwrap="limits",
    )
    servo_map = ServoMap(config)
    reported = servo_map.ticks(position) + 4096 * turns
    servo_map.unwrap(reported)
    assert servo_map.position(reported) == pytest.approx(position, abs=1e-3)
    assert servo_map.ticks(servo_map.position(reported)) == reported
