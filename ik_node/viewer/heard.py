"""What `~/status` said last."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Heard:
    """One status message.

    Attributes:
        level: 0 fine, 1 warning, 2 error.
        sentence: of the most serious code.
        values: by key, as sent.
    """

    level: int = 1
    sentence: str = ""
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def code(self) -> str:
        """The most serious code, '' before anything was heard."""
        return self.values.get("code", "")

    @property
    def codes(self) -> tuple[str, ...]:
        """All codes that are true."""
        return tuple(filter(None, self.values.get("codes", "").split(", ")))

    @property
    def branch(self) -> str:
        """The committed branch, 'none' without an elbow."""
        return self.values.get("branch", "none")

    def number(self, key: str) -> float:
        """A value as a number, NaN where it is none."""
        try:
            return float(self.values.get(key, "nan"))
        except ValueError:
            return math.nan
