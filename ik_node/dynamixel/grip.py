"""A gripper that closes on something: it stops pushing its goal once the thing stops it.

In current-based position mode the servo presses with its goal current while the goal lies behind
the contact. Left to itself the goal would run on to the closed position, and opening would have
to wind all of that back first. Here it stays a little behind the contact.
"""

from __future__ import annotations

import math

from ik_node.dynamixel.servo import Servo

STALL_TIME = 0.2
"""How long the gripper must stand before it counts as holding [s]."""

SQUEEZE = math.radians(12.0)
"""How far behind the contact the goal stays [rad of the servo]."""

_STANDING = 2  # velocity units
_PUSHING = 0.7  # of the goal current or more


class Grip:
    """Watches one gripper servo; `holding` tells whether something stops it."""

    def __init__(self, servo: Servo) -> None:
        self._servo = servo
        self._stalled_since: float | None = None
        self._contact: int | None = None
        self._side = 1
        self.holding = False

    def limit(self, wanted: float, now: float) -> float:
        """`wanted` [rad or m], or just behind the contact where it lies further on."""
        servo = self._servo
        state = servo.state
        if state is None or servo.goal is None:
            return wanted
        push = servo.map.ticks(wanted) - state.position
        squeeze = round(SQUEEZE * servo.map.turn / (2.0 * math.pi))
        if self._contact is not None:
            onward = (servo.map.ticks(wanted) - self._contact) * self._side
            slipped = (state.position - self._contact) * self._side > squeeze
            if onward <= 0 or slipped:
                self._release()
        if self._contact is None and self._stalled(push, squeeze, now):
            self._contact = state.position
            self._side = 1 if push > 0 else -1
            self.holding = True
        if self._contact is None or abs(servo.map.ticks(wanted) - self._contact) <= squeeze:
            return wanted
        return servo.map.position(self._contact + self._side * squeeze)

    def _release(self) -> None:
        self._contact = None
        self._stalled_since = None
        self.holding = False

    def _stalled(self, push: int, squeeze: int, now: float) -> bool:
        """Whether it has been standing against something, short of its goal, for long enough."""
        state = self._servo.state
        limit = self._goal_current()
        pressing = state is not None and abs(state.effort) >= _PUSHING * limit
        standing = state is not None and abs(state.velocity) <= _STANDING
        if not (pressing and standing and abs(push) > squeeze // 2):
            self._stalled_since = None
            return False
        if self._stalled_since is None:
            self._stalled_since = now
        return now - self._stalled_since >= STALL_TIME

    def _goal_current(self) -> float:
        config = self._servo.config
        unit = self._servo.model.current_unit or 1.0
        if config.goal_current:
            return config.goal_current / unit
        return float(self._servo.model.register("current_limit").initial)
