"""A node's live parameters: overrides checked at start, changes checked as a set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import rclpy
from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node

from ik_node.errors import IkNodeError
from ik_node.ros.parameters import Kind, Parameter, ParameterTable

ROS_OWN = ("use_sim_time", "start_type_description_service")
ROS_OWN_PREFIXES = ("qos_overrides.", "diagnostic_updater.")

_TYPES = {
    Kind.BOOL: rclpy.Parameter.Type.BOOL,
    Kind.INTEGER: rclpy.Parameter.Type.INTEGER,
    Kind.DOUBLE: rclpy.Parameter.Type.DOUBLE,
    Kind.STRING: rclpy.Parameter.Type.STRING,
    Kind.STRINGS: rclpy.Parameter.Type.STRING_ARRAY,
    Kind.DOUBLES: rclpy.Parameter.Type.DOUBLE_ARRAY,
}


def overrides_of(node: Node) -> dict[str, Any]:
    """Return what the command line, the launch file and the parameter files set for `node`.

    rclpy shows overrides of undeclared names nowhere in public: declaring them automatically
    raises for an empty list.
    """
    return {
        name: parameter.value
        for name, parameter in node._parameter_overrides.items()
        if name not in ROS_OWN and not name.startswith(ROS_OWN_PREFIXES)
    }


class NodeParameters:
    """The declared parameters of `node`: read with `[]`, changed only as a valid whole."""

    def __init__(
        self,
        node: Node,
        table: ParameterTable,
        overrides: Mapping[str, Any],
        check: Callable[[Mapping[str, Any]], None] = lambda values: None,
    ) -> None:
        """Declare the table's parameters with `overrides`.

        Args:
            node: the node that owns them.
            table: what may be set.
            overrides: values from outside, see `overrides_of`.
            check: raises an `IkNodeError` when the whole of the values cannot be used together.

        Raises:
            UnknownNameError, ConfigurationError: an override that cannot be used.
        """
        self._node = node
        self._table = table
        self._checks = [check]
        self._apply: Callable[[Mapping[str, Any], frozenset[str]], None] = lambda v, names: None
        self._values = {**table.defaults(), **table.convert(overrides)}
        check(self._values)
        for parameter in table:
            self._declare(parameter)
        node.add_pre_set_parameters_callback(self._numbers_as_declared)
        node.add_on_set_parameters_callback(self._on_set)
        node.add_post_set_parameters_callback(self._after_set)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def values(self) -> dict[str, Any]:
        """Return a copy of all values by name."""
        return dict(self._values)

    def check_also(self, check: Callable[[Mapping[str, Any]], None]) -> None:
        """Refuse later changes for which `check(values)` raises an `IkNodeError`."""
        self._checks.append(check)

    def when_changed(self, apply: Callable[[Mapping[str, Any], frozenset[str]], None]) -> None:
        """Call `apply(values, changed_names)` after every accepted change at run time."""
        self._apply = apply

    def _declare(self, parameter: Parameter) -> None:
        descriptor = ParameterDescriptor(
            name=parameter.name,
            type=_TYPES[parameter.kind].value,
            description=parameter.full_description(),
            additional_constraints=", ".join(parameter.choices),
            read_only=parameter.read_only,
            # rclpy's own check of the type names neither the parameter nor what it takes.
            dynamic_typing=True,
        )
        value = rclpy.Parameter(
            parameter.name, _TYPES[parameter.kind], self._values[parameter.name]
        )
        self._node.declare_parameter(value.name, value.value, descriptor, ignore_override=True)

    def _numbers_as_declared(self, changes: list[rclpy.Parameter]) -> list[rclpy.Parameter]:
        return [self._as_declared(change) for change in changes]

    def _as_declared(self, change: rclpy.Parameter) -> rclpy.Parameter:
        if change.name not in self._table:
            return change
        parameter = self._table[change.name]
        try:
            value = parameter.convert(change.value)
        except IkNodeError:
            return change
        return rclpy.Parameter(change.name, _TYPES[parameter.kind], value)

    def _on_set(self, changes: list[rclpy.Parameter]) -> SetParametersResult:
        ours = {c.name: c.value for c in changes if c.name in self._table}
        try:
            values = {**self._values, **self._table.convert(ours)}
            for check in self._checks:
                check(values)
        except IkNodeError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _after_set(self, changes: list[rclpy.Parameter]) -> None:
        ours = self._table.convert({c.name: c.value for c in changes if c.name in self._table})
        changed = frozenset(n for n, value in ours.items() if value != self._values[n])
        self._values.update(ours)
        if changed:
            self._apply(self._values, changed)
