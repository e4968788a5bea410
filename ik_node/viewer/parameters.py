"""The parameters of `ik_viewer`: `ik_node`'s that say which robot, and its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ik_node.ros.ik_node_parameters import ROBOT
from ik_node.ros.ik_node_parameters import TABLE as IK_NODE
from ik_node.ros.parameters import Kind, Parameter, ParameterTable

OWN = (
    Parameter("host", Kind.STRING, "127.0.0.1", "address to listen on; 0.0.0.0: the whole network"),
    Parameter("port", Kind.INTEGER, 8080, "where the view is; taken: the next one", "", 1, 65535),
    Parameter(
        "emulator_link",
        Kind.STRING,
        "",
        "link of the emulated bus, for switches that inject faults",
    ),
)

TABLE = ParameterTable(
    replace(parameter, read_only=True) for parameter in (*ROBOT, IK_NODE["rows"], *OWN)
)


def own_overrides(overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Drop what only `ik_node` has: both may be started with one parameter file."""
    return {
        name: value for name, value in overrides.items() if name in TABLE or name not in IK_NODE
    }
