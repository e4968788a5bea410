"""Joint names on the wire: the robot description's names behind a prefix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class JointNames:
    """Translates between the description's joint names and those in messages.

    A name that has the prefix already (the xacro was given it too) is left as it is.
    """

    def __init__(self, joints: Iterable[str], prefix: str) -> None:
        self._prefix = prefix
        self._joints = {self.wire(joint): joint for joint in joints}

    def wire(self, joint: str) -> str:
        """Return the name in messages of the description's `joint`."""
        return joint if joint.startswith(self._prefix) else self._prefix + joint

    def of_model(self, positions: Mapping[str, float]) -> dict[str, float]:
        """Return positions by wire name as positions by the description's name, others left out."""
        return {self._joints[n]: p for n, p in positions.items() if n in self._joints}
