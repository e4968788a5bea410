"""Where the emulated servos keep what survives a power cycle, and how often they wrote it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from ik_node.dynamixel.control_table import Model
from ik_node.dynamixel.emulator.eeprom_file import Stored, check, read_file, write_file


class Eeprom:
    """EEPROM registers, write counts and control table backups of a bus, by joint.

    With a `path` everything is kept in that JSON file and is there again at the next start;
    without one it lives as long as the object. Raises ConfigurationError for a file that cannot be
    used.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._servos = {} if path is None else read_file(path)
        self._save()

    def load(self, joint: str, model: Model) -> Mapping[str, int]:
        """Registers of `joint` that were written since it left the factory.

        Raises ConfigurationError where a servo of `model` cannot have them, or the backup.
        """
        stored = self._of(joint)
        check(f"{self.path}: servo {joint}", stored, model)
        return stored.registers

    def registers(self, joint: str) -> Mapping[str, int]:
        """Registers of `joint` that were written since it left the factory."""
        return self._of(joint).registers

    def wear(self, joint: str) -> Counter[str]:
        """How often each EEPROM register of `joint` was written."""
        return Counter(self._of(joint).writes)

    def backup(self, joint: str) -> Mapping[str, int] | None:
        """The control table that the instruction Backup stored, or None."""
        return self._of(joint).backup

    def write(self, joint: str, values: Mapping[str, int]) -> None:
        """Store registers; every one of them wears by one write, changed or not."""
        stored = self._of(joint)
        stored.registers.update(values)
        for name in values:
            stored.writes[name] = stored.writes.get(name, 0) + 1
        self._save()

    def write_backup(self, joint: str, values: Mapping[str, int]) -> None:
        """Store the whole control table aside."""
        self._of(joint).backup = dict(values)
        self._save()

    def _of(self, joint: str) -> Stored:
        return self._servos.setdefault(joint, Stored())

    def _save(self) -> None:
        if self.path is not None:
            write_file(self.path, self._servos)
