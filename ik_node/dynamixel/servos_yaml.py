"""servos.yaml, or the same entries as ROS parameters, to a `BusConfig`.

The file is a ROS parameter file (`/**: ros__parameters: ...`), so that the driver node, the
emulator and the command line all start from it. Here a typo is refused with the nearest valid name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ik_node.dynamixel.config import BusConfig, ServoConfig
from ik_node.dynamixel.fields import BUS_FIELDS, NODE_ENTRIES, SERVO_FIELDS, Field
from ik_node.dynamixel.parameter_file import read_parameters
from ik_node.errors import ConfigurationError, UnknownNameError

_BUS = {entry.name: entry for entry in BUS_FIELDS}
_SERVO = {entry.name: entry for entry in SERVO_FIELDS}


def load_servos_yaml(
    path: str | Path,
    overrides: Mapping[str, object] | None = None,
    ignore: Collection[str] = NODE_ENTRIES,
) -> BusConfig:
    """Return the bus that the file at `path` describes.

    Args:
        path: a ROS parameter file with everything under `ros__parameters`.
        overrides: dotted names (`port`, `servos.joint1.zero`) that replace entries of the file.
        ignore: names of entries that belong to somebody else.

    Raises:
        ConfigurationError: no such file, not YAML, or an entry that cannot be used.
        UnknownNameError: an entry, model or choice that does not exist.
    """
    flat = dict(_flatten(read_parameters(Path(path), "a servos.yaml")))
    return bus_config_from_parameters({**flat, **(overrides or {})}, ignore)


def bus_config_from_parameters(
    parameters: Mapping[str, object], ignore: Collection[str] = NODE_ENTRIES
) -> BusConfig:
    """Return the bus that flat, dotted `parameters` describe (as a ROS node receives them).

    Raises:
        ConfigurationError, UnknownNameError: as `load_servos_yaml`.
    """
    bus: dict[str, object] = {}
    servos: dict[str, dict[str, object]] = {}
    for name, value in parameters.items():
        parts = name.split(".")
        if name in ignore:
            continue
        if parts[0] == "servos" and len(parts) > 2:
            servos.setdefault(parts[1], {})[".".join(parts[2:])] = value
        elif parts[0] == "servos":
            raise no_servo(name, value)
        else:
            bus[name] = value
    values = _convert(bus, _BUS, "")
    prefix = str(values.get("prefix", ""))
    return BusConfig(
        servos=tuple(_servo(joint, entries, prefix) for joint, entries in servos.items()),
        **values,
    )


def no_servo(name: str, value: object) -> ConfigurationError:
    """The error for an entry `servos` or `servos.<joint>` that holds no entries of its own."""
    if name == "servos":
        return ConfigurationError(
            name, "holds no servos", "write servos: {joint1: {id: 1, model: XM430-W350}}"
        )
    problem = "is empty" if value in (None, {}) else f"is {value!r}"
    return ConfigurationError(name, problem, "write {id: 1, model: ...}")


def _servo(joint: str, entries: dict[str, object], prefix: str) -> ServoConfig:
    where = f"servos.{joint}"
    registers: dict[str, int] = {}
    own: dict[str, object] = {}
    for name, value in entries.items():
        if not name.startswith("registers."):
            own[name] = value
        elif isinstance(value, int) and not isinstance(value, bool):
            registers[name.removeprefix("registers.")] = value
        else:
            raise ConfigurationError(f"{where}.{name}", f"is {value!r}", "write an integer")
    values = _convert(own, _SERVO, f"{where}.")
    if values.get("shadow_of"):
        values["shadow_of"] = prefix + values["shadow_of"]
    return ServoConfig(joint=prefix + joint, registers=MappingProxyType(registers), **values)


def _convert(entries: Mapping[str, object], fields: Mapping[str, Field], where: str) -> Any:
    for name in entries:
        if name not in fields:
            place = f" of {where[:-1]}" if where else ""
            raise UnknownNameError(
                f"entry{place}", name, (*fields, "registers" if where else "servos")
            )
    missing = [
        name for name, entry in fields.items() if entry.default is None and name not in entries
    ]
    if missing:
        raise ConfigurationError(where + missing[0], "is missing", fields[missing[0]].request)
    return {name: fields[name].convert(value, where + name) for name, value in entries.items()}


def _flatten(tree: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
