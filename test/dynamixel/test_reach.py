"""Limits and park position in degrees or millimetres are refused; generous ones are not."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik_node.dynamixel.config import ServoConfig
from ik_node.dynamixel.servo_map import ServoMap
from ik_node.errors import ConfigurationError

GRIPPER = {"mode": "current_based_position", "metres_per_radian": 0.0119}


def made(**entries: Any) -> ServoConfig:
    return ServoConfig("yaw", 1, "XM430-W350", **entries)


mounted = st.fixed_dictionaries(
    {
        "direction": st.sampled_from([1, -1]),
        "zero": st.integers(0, 4095),
        "gear_ratio": st.floats(0.5, 20.0),
        "metres_per_radian": st.sampled_from([0.0, 0.012]),
    }
)


@given(mounted, st.floats(0.0, 1.0), st.floats(0.0, 0.99), st.floats(0.0, 0.99))
def test_limits_up_to_a_turn_beyond_the_servo_and_any_park_in_reach_are_taken(
    entries: dict[str, Any], park: float, below: float, above: float
) -> None:
    reach = ServoMap(made(**entries))
    low, high = sorted((reach.position(0), reach.position(4095)))
    turn = math.tau
    if entries["metres_per_radian"]:
        turn *= entries["metres_per_radian"] / entries["gear_ratio"]
    made(
        **entries,
        lower=low - below * turn,
        upper=high + above * turn,
        park=low + park * (high - low),
    )


@given(mounted, st.sampled_from(["lower", "upper", "park"]), st.sampled_from([1, -1]))
def test_whatever_lies_more_than_two_turns_beyond_the_servo_is_refused(
    entries: dict[str, Any], name: str, side: int
) -> None:
    reach = ServoMap(made(**entries))
    low, high = sorted((reach.position(0), reach.position(4095)))
    turn = max(math.tau if not entries["metres_per_radian"] else 0.0, high - low)
    value = high + 2.0 * turn if side > 0 else low - 2.0 * turn
    with pytest.raises(ConfigurationError, match=rf"servos\.yaw\.{name}: is .* but the servo"):
        made(**entries, **{name: value})


@given(st.floats(15.0, 360.0), st.sampled_from(["position", "current_based_position"]))
def test_degrees_are_refused(degrees: float, mode: str) -> None:
    for limits in ({"lower": -degrees}, {"upper": degrees}, {"park": degrees}):
        with pytest.raises(ConfigurationError, match="write radians"):
            made(mode=mode, **limits)


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        (
            {"lower": -90.0, "upper": 90.0},
            "servos.yaw.lower: is -90, but the servo reaches -3.142 .. 3.14 rad; write radians, "
            "or correct zero or gear_ratio",
        ),
        ({"park": 9.0}, "servos.yaw.park: is 9, but the servo reaches -3.142 .. 3.14 rad"),
        ({"park": 3.2}, "servos.yaw.park: is 3.2, but the servo reaches"),
        (
            {"park": 1.0, "registers": {"max_position_limit": 2148}},
            "servos.yaw.park: is 1, but the servo reaches -3.142 .. 0.1534 rad",
        ),
        ({"lower": -30.0, "mode": "current_based_position"}, "which is 4.77 turns of the joint"),
        ({**GRIPPER, "lower": -10.0, "upper": 37.0}, "write metres"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_remedy(
    entries: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        made(**entries)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    "entries",
    [
        {"lower": -3.2, "upper": 3.2},
        {"lower": -math.pi, "upper": math.pi, "park": 3.1415},
        {"lower": -math.pi, "upper": math.pi, "gear_ratio": 10.0},
        {"lower": -math.tau, "upper": math.tau, "zero": 1024},
        {**GRIPPER, "lower": 0.0, "upper": 1.0},
        {"mode": "current_based_position", "lower": -1.5, "upper": 1.5, "gear_ratio": 30.0},
        {"mode": "extended_position", "lower": -90.0, "upper": 90.0, "park": 80.0},
    ],
)
def test_generous_limits_geared_grippers_and_winches_are_left_alone(
    entries: dict[str, Any],
) -> None:
    made(**entries)
