"""Parameters as data: a table says what may be set, everything else is refused by name.

ROS drops overrides of undeclared parameters silently and takes `0` for a double as a type error;
here a typo is refused with the nearest valid name and integers serve as doubles.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ik_node.errors import ConfigurationError, UnknownNameError


class Kind(Enum):
    """What a parameter holds; the value is the word used in messages."""

    BOOL = "true or false"
    INTEGER = "an integer"
    DOUBLE = "a number"
    STRING = "a text"
    STRINGS = "a list of texts"
    DOUBLES = "a list of numbers"


@dataclass(frozen=True)
class Parameter:
    """One parameter: name, kind, default, unit, bounds (both inclusive), and what it is for.

    `read_only` parameters can only be set at start. `choices`, where given, are the valid texts.
    """

    name: str
    kind: Kind
    default: Any
    description: str
    unit: str = ""
    lower: float | None = None
    upper: float | None = None
    choices: tuple[str, ...] = ()
    read_only: bool = False

    def convert(self, value: Any) -> Any:
        """Return `value` as this parameter's kind.

        Raises:
            ConfigurationError: wrong kind, not finite, outside the bounds, or not a choice.
        """
        if self.kind is Kind.STRINGS:
            return self._list(value, str)
        if self.kind is Kind.DOUBLES:
            return [self._number(item) for item in self._list(value, (int, float))]
        if self.kind is Kind.DOUBLE:
            return self._number(value)
        if self.kind is Kind.INTEGER:
            if isinstance(value, bool) or not isinstance(value, int):
                raise self._wrong_kind(value)
            return self._inside(value)
        if self.kind is Kind.BOOL:
            if not isinstance(value, bool):
                raise self._wrong_kind(value)
            return value
        if not isinstance(value, str):
            raise self._wrong_kind(value)
        if self.choices and value not in self.choices:
            raise UnknownNameError(f"value of parameter {self.name}", value, self.choices)
        return value

    def _list(self, value: Any, item: type | tuple[type, ...]) -> list[Any]:
        # rcl hands an empty YAML list over as "not set" or as an empty byte array.
        if value is None:
            return []
        if isinstance(value, (int, float)):
            value = [value]
        items = [] if isinstance(value, str) else list(value)
        wrong = any(isinstance(i, bool) or not isinstance(i, item) for i in items)
        if wrong or isinstance(value, str):
            raise self._wrong_kind(value)
        return items

    def _number(self, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self._wrong_kind(value)
        if not math.isfinite(value):
            raise ConfigurationError(f"parameter {self.name}", f"is {value}", "give a number")
        return float(self._inside(float(value)))

    def _inside(self, value: float) -> float:
        below = self.lower is not None and value < self.lower
        above = self.upper is not None and value > self.upper
        if below or above:
            raise ConfigurationError(
                f"parameter {self.name}", f"is {value:g}", f"it must be {self.bounds()}"
            )
        return value

    def _wrong_kind(self, value: Any) -> ConfigurationError:
        return ConfigurationError(
            f"parameter {self.name}", f"is {value!r}", f"it must be {self.kind.value}"
        )

    def bounds(self) -> str:
        """Return the bounds as words, with the unit."""
        unit = f" {self.unit}" if self.unit else ""
        if self.lower is not None and self.upper is not None:
            return f"from {self.lower:g} to {self.upper:g}{unit}"
        if self.lower is not None:
            return f"at least {self.lower:g}{unit}"
        if self.upper is not None:
            return f"at most {self.upper:g}{unit}"
        return "finite"

    def full_description(self) -> str:
        """Return the description with unit, bounds and choices, for `ros2 param describe`."""
        words = self.description
        if self.unit:
            words += f" [{self.unit}]"
        if self.lower is not None or self.upper is not None:
            words += f", {self.bounds()}"
        if self.choices:
            words += f"; one of: {', '.join(self.choices)}"
        return words


class ParameterTable:
    """The parameters of one node, by name."""

    def __init__(self, parameters: Iterable[Parameter]) -> None:
        self._parameters = {parameter.name: parameter for parameter in parameters}

    def __getitem__(self, name: str) -> Parameter:
        """Return one parameter.

        Raises:
            UnknownNameError: no such parameter; the error names the nearest one.
        """
        if name not in self._parameters:
            raise UnknownNameError("parameter", name, self._parameters)
        return self._parameters[name]

    def __iter__(self) -> Iterator[Parameter]:
        return iter(self._parameters.values())

    def __contains__(self, name: str) -> bool:
        return name in self._parameters

    def defaults(self) -> dict[str, Any]:
        """Return every parameter's default."""
        return {parameter.name: parameter.default for parameter in self}

    def convert(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return `values` converted, and no others.

        Raises:
            UnknownNameError, ConfigurationError: the first entry that cannot be used.
        """
        return {name: self[name].convert(value) for name, value in values.items()}
