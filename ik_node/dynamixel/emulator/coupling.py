"""Servos that move one joint together, as the two in the shoulder of a larger arm.

The joint is rigid and the motors are alike, so their common acceleration is the mean of what each
would do alone under its part of the load; the mean of positions and velocities is exactly that.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from ik_node.dynamixel.emulator.servo import Servo

STEP = 0.002
"""How long servos of one joint move each by itself [s]."""


class Coupling:
    """The joints of a bus that have several servos."""

    def __init__(self, servos: Sequence[Servo]) -> None:
        groups: dict[str, list[Servo]] = {}
        for servo in servos:
            groups.setdefault(servo.joint, []).append(servo)
        self._sharing = {joint: len(group) for joint, group in groups.items()}
        self._joined = [group for group in groups.values() if len(group) > 1]

    def share(self, servo: Servo, effort: float) -> float:
        """What a servo carries of the effort [N m, N] that its joint needs."""
        return effort / self._sharing[servo.joint]

    def advance(self, before: float, now: float) -> None:
        """Let servos that share a joint move on as one, from `before` until `now` [s]."""
        steps = max(1, ceil((now - before) / STEP))
        for group in self._joined:
            for step in range(1, steps + 1):
                for servo in group:
                    servo.advance(before + (now - before) * step / steps)
                self._join(group)

    def _join(self, group: list[Servo]) -> None:
        position = sum(servo.joint_position for servo in group) / len(group)
        velocity = sum(servo.joint_velocity for servo in group) / len(group)
        for servo in group:
            if servo.held:  # a hand that waits for one of them holds the joint
                position, velocity = servo.joint_position, 0.0
        for servo in group:
            servo.carry(position, velocity)
