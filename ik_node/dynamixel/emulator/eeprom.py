"""Where the emulated servos keep what survives a power cycle, and how often they wrote it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ik_node.errors import ConfigurationError


class Eeprom:
    """EEPROM registers, write counts and control table backups of a bus, by joint.

    With a `path` everything is kept in that JSON file and is there again at the next start;
    without one it lives as long as the object.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._servos: dict[str, dict[str, Any]] = {}
        if path is not None and path.exists():
            try:
                self._servos = json.loads(path.read_text())["servos"]
            except (ValueError, KeyError, TypeError) as error:
                remedy = "delete it to start with the configured servos"
                raise ConfigurationError(
                    str(path), f"is no EEPROM file ({error})", remedy
                ) from None

    def load(self, joint: str) -> Mapping[str, int]:
        """Registers of `joint` that were written since it left the factory."""
        return dict(self._entry(joint)["registers"])

    def wear(self, joint: str) -> Counter[str]:
        """How often each EEPROM register of `joint` was written."""
        return Counter(self._entry(joint)["writes"])

    def backup(self, joint: str) -> Mapping[str, int] | None:
        """The control table that the instruction Backup stored, or None."""
        stored = self._entry(joint)["backup"]
        return None if stored is None else dict(stored)

    def write(self, joint: str, values: Mapping[str, int]) -> None:
        """Store registers; every one of them wears by one write, changed or not."""
        entry = self._entry(joint)
        entry["registers"].update(values)
        for name in values:
            entry["writes"][name] = entry["writes"].get(name, 0) + 1
        self._save()

    def write_backup(self, joint: str, values: Mapping[str, int]) -> None:
        """Store the whole control table aside."""
        self._entry(joint)["backup"] = dict(values)
        self._save()

    def _entry(self, joint: str) -> dict[str, Any]:
        empty: dict[str, Any] = {"registers": {}, "writes": {}, "backup": None}
        return self._servos.setdefault(joint, empty)

    def _save(self) -> None:
        if self.path is None:
            return
        aside = self.path.with_suffix(self.path.suffix + ".new")
        aside.write_text(json.dumps({"servos": self._servos}, indent=1))
        aside.replace(self.path)
