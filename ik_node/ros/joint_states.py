"""The measured joints: by name, in any order, each aged by itself."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from sensor_msgs.msg import JointState

from ik_node.ros import qos
from ik_node.ros.polled_subscription import PolledSubscription

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Measured:
    """The arm's joints as last measured.

    Attributes:
        positions: (n,) rad or m; None while a joint is missing.
        velocities: (n,) rad/s or m/s; None when a joint's velocity is not known.
        stamps: (n,) seconds of receipt by the tick clock; -inf for a joint never seen.
        missing: the joints never seen.
    """

    positions: Array | None
    velocities: Array | None
    stamps: Array
    missing: tuple[str, ...]


class JointStates:
    """Collects `joint_states`, where each message may hold only some of the joints."""

    def __init__(
        self, node: Node, clock: Callable[[], float], complain: Callable[[str, str], None]
    ) -> None:
        """Start empty.

        Args:
            node: the node that subscribes.
            clock: seconds of receipt.
            complain: called as `complain(key, sentence)` for what is wrong with a message; the
                same key may come at the message rate.
        """
        self._subscription = PolledSubscription(
            node, JointState, "joint_states", qos.JOINT_STATES_IN
        )
        self._clock = clock
        self._complain = complain
        self._layout: tuple[str, ...] = ()
        self._layouts: set[tuple[str, ...]] = set()
        self._unusable: frozenset[str] = frozenset()
        self._position: dict[str, float] = {}
        self._velocity: dict[str, float] = {}
        self._stamp: dict[str, float] = {}

    def update(self) -> None:
        """Take the messages that have come."""
        for message in self._subscription.take():
            self.receive(message)

    def receive(self, message: JointState) -> None:
        """Take what is usable in `message` and complain about the rest."""
        names = tuple(message.name)
        if names != self._layout:
            self._layout = names
            self._layouts.add(names)
            self._unusable = frozenset(n for n, count in Counter(names).items() if count > 1)
        for name in self._unusable:
            self._complain(
                f"twice {name}",
                f"joint_states holds joint '{name}' twice in one message, so its values are "
                "ignored; publish every joint once",
            )
        if len(message.position) != len(names):
            self._complain(
                "lengths",
                f"joint_states holds {len(names)} names but {len(message.position)} positions, "
                "so the message is ignored; publish one position a name",
            )
            return
        now = self._clock()
        velocities = message.velocity if len(message.velocity) == len(names) else None
        for i, (name, position) in enumerate(zip(names, message.position, strict=True)):
            if name in self._unusable:
                continue
            if not math.isfinite(position):
                self._complain(
                    f"finite {name}",
                    f"joint_states holds {position} for joint '{name}', so it is ignored; "
                    "leave a joint out rather than sending a number that was not measured",
                )
                continue
            self._position[name] = position
            self._stamp[name] = now
            if velocities is not None and math.isfinite(velocities[i]):
                self._velocity[name] = velocities[i]
            else:
                self._velocity.pop(name, None)

    def come_in_parts(self) -> bool:
        """Whether messages since the last call held different joints, and none of them the same."""
        parts, self._layouts = self._layouts - {()}, {self._layout}
        names = [name for part in parts for name in part]
        return len(parts) > 1 and len(set(names)) == len(names)

    def measured(self, names: Sequence[str]) -> Measured:
        """Return the joints `names` as last measured."""
        missing = tuple(name for name in names if name not in self._position)
        stamps = np.array([self._stamp.get(name, -math.inf) for name in names])
        if missing:
            return Measured(None, None, stamps, missing)
        positions = np.array([self._position[name] for name in names])
        velocities = None
        if all(name in self._velocity for name in names):
            velocities = np.array([self._velocity[name] for name in names])
        return Measured(positions, velocities, stamps, ())

    def positions(self) -> dict[str, float]:
        """Return the last position of every joint ever measured, by name."""
        return dict(self._position)
