from __future__ import annotations

import math

import pytest
import rclpy
from hypothesis import given
from hypothesis import strategies as st
from rclpy.node import Node

from ik_node.errors import ConfigurationError, UnknownNameError
from ik_node.ros.node_parameters import NodeParameters, overrides_of
from ik_node.ros.parameters import Kind, Parameter, ParameterTable

SPEED = Parameter("speed", Kind.DOUBLE, 0.5, "of the tool", "m/s", lower=0.0, upper=2.0)
SIDE = Parameter("side", Kind.STRING, "up", "which way", choices=("up", "down"))
WEIGHTS = Parameter("weights", Kind.DOUBLES, [], "per axis")
JOINTS = Parameter("joints", Kind.STRINGS, [], "in order", read_only=True)
COUNT = Parameter("count", Kind.INTEGER, 3, "how many", lower=1)
ON = Parameter("on", Kind.BOOL, True, "whether")
TABLE = ParameterTable([SPEED, SIDE, WEIGHTS, JOINTS, COUNT, ON])


def test_integers_serve_as_numbers():
    converted = TABLE.convert({"speed": 1, "weights": [1, 2]})
    assert converted == {"speed": 1.0, "weights": [1.0, 2.0]}
    assert isinstance(converted["speed"], float)


@given(st.floats(0.0, 2.0))
def test_every_value_inside_the_bounds_is_taken(value):
    assert SPEED.convert(value) == value


@pytest.mark.parametrize("value", [-0.1, 2.1, math.nan, math.inf, "fast", True, None, [1.0]])
def test_a_number_that_cannot_be_used_is_refused_by_name(value):
    with pytest.raises(ConfigurationError, match="parameter speed"):
        SPEED.convert(value)


def test_bounds_are_told_with_the_unit():
    with pytest.raises(ConfigurationError, match="from 0 to 2 m/s"):
        SPEED.convert(3.0)


@pytest.mark.parametrize(
    ("name", "value"),
    [("on", 1), ("on", "yes"), ("count", 1.0), ("count", True), ("count", 0), ("side", 5),
     ("joints", "joint1"), ("joints", [1]), ("joints", 1), ("weights", ["a"]), ("weights", [True]),
     ("weights", True), ("weights", "a")],
)  # fmt: skip
def test_a_wrong_kind_is_refused(name, value):
    with pytest.raises(ConfigurationError, match=name):
        TABLE.convert({name: value})


def test_one_number_is_a_list_of_one():
    assert TABLE.convert({"weights": 0.5}) == TABLE.convert({"weights": [0.5]})


@pytest.mark.parametrize("empty", [None, [], b"", ()])
def test_an_empty_list_is_a_list(empty):
    assert TABLE.convert({"weights": empty, "joints": empty}) == {"weights": [], "joints": []}


def test_a_choice_is_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'down'"):
        TABLE.convert({"side": "dwn"})


def test_a_typo_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownNameError, match="unknown parameter 'sped': did you mean 'speed'"):
        TABLE.convert({"sped": 1.0})


def not_both(values):
    if values["speed"] > 1.0 and values["side"] == "down":
        raise ConfigurationError("parameter speed", "is over 1 while side is down")


@pytest.fixture(scope="module")
def node(ros):
    made = Node(
        "parameters_test",
        cli_args=["--ros-args", "-p", "speed:=1", "-p", "weights:=[]", "-p", "sped:=2"],
    )
    yield made
    made.destroy_node()


@pytest.fixture(scope="module")
def parameters(node):
    overrides = {k: v for k, v in overrides_of(node).items() if k != "sped"}
    return NodeParameters(node, TABLE, overrides, check=not_both)


def test_overrides_of_undeclared_names_are_seen(node):
    assert overrides_of(node)["sped"] == 2


def test_overrides_reach_the_values(parameters, node):
    assert parameters["speed"] == 1.0
    assert node.get_parameter("speed").value == 1.0
    assert node.get_parameter("side").value == "up"


def set_one(node, name, value):
    return node.set_parameters([rclpy.Parameter(name, value=value)])[0]


def test_run_time_changes_are_applied_as_declared(parameters, node):
    seen = []
    parameters.when_changed(lambda values, names: seen.append((values["speed"], names)))
    assert set_one(node, "speed", 2).successful
    assert seen == [(2.0, {"speed"})]
    assert isinstance(node.get_parameter("speed").value, float)
    assert set_one(node, "speed", 0.5).successful


def test_run_time_changes_are_refused_with_a_reason(parameters, node):
    assert "from 0 to 2" in set_one(node, "speed", 5.0).reason
    assert "read-only" in set_one(node, "joints", ["a"]).reason
    assert parameters["speed"] == 0.5


def test_values_that_do_not_fit_together_are_refused(parameters, node):
    changes = [rclpy.Parameter("speed", value=1.5), rclpy.Parameter("side", value="down")]
    assert "while side is down" in node.set_parameters_atomically(changes).reason
    assert (parameters["speed"], parameters["side"]) == (0.5, "up")


def test_every_parameter_describes_itself(parameters, node):
    description = node.describe_parameter("speed").description
    assert "m/s" in description and "from 0 to 2" in description
    assert node.describe_parameter("joints").read_only
