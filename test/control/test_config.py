"""The configuration is checked as a whole, by name."""

from __future__ import annotations

import math

import pytest

from ik_node.control import TrackerConfig
from ik_node.errors import ConfigurationError, UnknownNameError


def test_the_defaults_are_valid_and_frozen() -> None:
    config = TrackerConfig()
    with pytest.raises(AttributeError):
        config.tool_speed = 1.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tool_speed", 0.0),
        ("tool_speed", math.nan),
        ("velocity_scale", 1.5),
        ("acceleration_time", 0.0),
        ("jerk_limit", -1.0),
        ("jerk_limit", math.nan),
        ("branch_margin", -0.1),
        ("damping", -1.0),
        ("floor_height", math.inf),
        ("orientation_weights", (1.0, 1.0)),
        ("orientation_weights", (1.0, -1.0, 1.0)),
        ("posture", (math.nan,)),
        ("search_iterations", 0),
        ("tool_turn", "fast"),
        ("state_timeout", True),
    ],
)
def test_a_value_that_cannot_be_used_is_named(name: str, value: object) -> None:
    with pytest.raises(ConfigurationError, match=name):
        TrackerConfig(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["rows", "branch"])
def test_an_unknown_word_is_answered_with_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownNameError, match="known are"):
        TrackerConfig(**{name: "sideways"})  # type: ignore[arg-type]
