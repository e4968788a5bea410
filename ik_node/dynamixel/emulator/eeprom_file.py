"""The EEPROMs of a bus in a JSON file: read once and checked, then written at every change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ik_node.dynamixel.control_table import Model
from ik_node.dynamixel.emulator.rules import in_range
from ik_node.errors import ConfigurationError

_REMEDY = "correct it, or delete the file to start with the configured servos"


@dataclass
class Stored:
    """What one servo keeps: registers, how often each was written, and its backup."""

    registers: dict[str, int] = field(default_factory=dict)
    writes: dict[str, int] = field(default_factory=dict)
    backup: dict[str, int] | None = None


def read_file(path: Path) -> dict[str, Stored]:
    """What the file at `path` holds, by joint; nothing if there is no file.

    Raises ConfigurationError for a file that holds no EEPROMs.
    """
    try:
        servos = json.loads(path.read_text())["servos"]
        return {joint: _stored(f"{path}: servo {joint}", entry) for joint, entry in servos.items()}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigurationError(str(path), f"{error.strerror}", "name a file") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ConfigurationError(str(path), "is no EEPROM file", _REMEDY) from None


def write_file(path: Path, servos: Mapping[str, Stored]) -> None:
    """Replace the file at `path`; raises ConfigurationError where that is impossible."""
    aside = path.with_name(path.name + ".new")
    content = {"servos": {joint: asdict(stored) for joint, stored in servos.items()}}
    try:
        aside.write_text(json.dumps(content, indent=1))
        aside.replace(path)
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
        raise ConfigurationError(str(path), problem, "choose a writable place") from None


def check(where: str, stored: Stored, model: Model) -> None:
    """Raise ConfigurationError unless a servo of `model` can hold all that is stored."""
    for part, values in (("registers", stored.registers), ("backup", stored.backup or {})):
        for name, value in values.items():
            register = model.registers.get(name)
            if register is None or not register.writable:
                problem = f"is no register that a {model.name} keeps"
            elif part == "registers" and not register.eeprom:
                problem = "is lost without power"
            elif not in_range(model, register, value):
                problem = f"is {value}, which a {model.name} cannot hold"
            else:
                continue
            raise ConfigurationError(f"{where}: {part}: {name}", problem, _REMEDY)


def _stored(where: str, entry: Any) -> Stored:
    for part in ("registers", "writes", "backup"):
        values = entry[part] if isinstance(entry, dict) and part in entry else []
        if not isinstance(values, dict) and not (part == "backup" and values is None):
            raise ConfigurationError(f"{where}: {part}", "is missing or no table", _REMEDY)
        for name, value in (values or {}).items():
            if type(value) is not int:
                raise ConfigurationError(
                    f"{where}: {part}: {name}", f"is {value!r}, no integer", _REMEDY
                )
    return Stored(entry["registers"], entry["writes"], entry["backup"])
