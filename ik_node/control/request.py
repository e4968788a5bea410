"""What the tracker is asked for: the newest input only, of whatever kind."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik_node.control.twist import TwistTarget
from ik_node.control.watchdog import Watchdog
from ik_node.core import se3
from ik_node.core.kernels.task import pose_fault
from ik_node.core.target import read_target, refuse_target
from ik_node.errors import IkNodeError

Array = NDArray[np.float64]

Target = ArrayLike | TwistTarget | None


class RequestKind(Enum):
    """The kinds of input."""

    HOLD = "hold"
    POSE = "pose"
    POINT = "point"
    TWIST = "twist"
    INVALID = "invalid"


@dataclass(frozen=True, eq=False)
class Request:
    """One input, validated.

    Attributes:
        kind: what it is.
        pose: (4, 4) of a pose or point, base frame; identity otherwise.
        twist: (6,) [m/s, rad/s] in base axes; zero otherwise.
        received: s, when it came.
        why: what is wrong with an invalid one.
    """

    kind: RequestKind
    pose: Array
    twist: Array
    received: float
    why: str = ""

    @property
    def is_goal(self) -> bool:
        """Whether it names a place."""
        return self.kind is RequestKind.POSE or self.kind is RequestKind.POINT

    def is_stale_twist(self, watchdog: Watchdog, now: float) -> bool:
        """Whether it is a twist that must not move the arm any more."""
        return self.kind is RequestKind.TWIST and watchdog.twist_is_stale(self.received, now)


_NO_POSE = np.eye(4)
_NO_TWIST = np.zeros(6)


class Requests:
    """Turns the target handed to every tick into requests, told apart by identity, then by value.

    The same object again is the same request, whatever its age; a new object with the same value
    is the same place again, so it starts no search, but it revives a request that was dropped.
    """

    def __init__(self, point_only: bool) -> None:
        self._point_only = point_only
        self._last: Any = None
        self.current = _hold(0.0)
        self.is_new = False
        self._again = False

    def drop(self) -> None:
        """Forget the current request; the object that asked for it asks no more."""
        self.current = _hold(0.0)

    def take_over(self, other: Requests) -> None:
        """Leave dropped what was dropped."""
        if other.current.kind is RequestKind.HOLD:
            self._last = other._last

    def renew(self) -> None:
        """Let the current request count as new in the next tick."""
        self._again = True

    def read(self, target: Target, now: float) -> Request:
        """Return the request of this tick; `is_new` tells whether it asks for something else."""
        self.is_new, self._again = self._again, False
        if target is self._last:
            return self.current
        self._last = target
        request = self._validated(target, now)
        is_other = not _same(request, self.current)
        self.is_new = self.is_new or is_other
        if is_other or request.kind is RequestKind.TWIST:
            self.current = request
        return self.current

    def _validated(self, target: Target, now: float) -> Request:
        if target is None:
            return _hold(now)
        try:
            if isinstance(target, TwistTarget):
                received = now if target.received is None else target.received
                return Request(RequestKind.TWIST, _NO_POSE, target.as_array(), received)
            pose, is_point = read_target(target)
            fault = pose_fault(pose)
            if fault:
                refuse_target(fault, pose)
        except IkNodeError as error:
            return Request(RequestKind.INVALID, _NO_POSE, _NO_TWIST, now, str(error))
        if not np.all(np.abs(pose[:3, 3]) < _FARTHEST):
            why = f"invalid target: it is farther than {_FARTHEST:g} m away"
            return Request(RequestKind.INVALID, _NO_POSE, _NO_TWIST, now, why)
        pose = np.array(pose)
        pose[3] = 0.0, 0.0, 0.0, 1.0
        if not is_point:
            pose[:3, :3] = _orthonormal(pose[:3, :3])
        kind = RequestKind.POINT if is_point or self._point_only else RequestKind.POSE
        return Request(kind, pose, _NO_TWIST, now)


_FARTHEST = 1e6


def _orthonormal(R: Array) -> Array:
    return se3.rotation_from_quaternion(se3.quaternion_from_rotation(R))


def _hold(now: float) -> Request:
    return Request(RequestKind.HOLD, _NO_POSE, _NO_TWIST, now)


def _same(a: Request, b: Request) -> bool:
    return (
        a.kind is b.kind
        and a.why == b.why
        and np.array_equal(a.pose, b.pose)
        and np.array_equal(a.twist, b.twist)
    )
