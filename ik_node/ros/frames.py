"""Target frames: the base frame, any frame of the robot's own model, or any tf frame.

Frames of the model are resolved by the model's own forward kinematics, so that a target in a frame
of the arm does not lag behind by tf's delay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from ik_node.core import RobotModel
from ik_node.core.se3 import inverse
from ik_node.errors import UnknownNameError

Array = NDArray[np.float64]

LookUp = Callable[[str, str], "Array | None"]
"""`look_up(base, frame)` gives T_base_frame (4, 4) from tf, or None when tf does not know it."""


def no_tf(base: str, frame: str) -> Array | None:
    """Stand in for tf where there is none."""
    return None


class Frames:
    """Resolves the frame of a target to T_base_frame, once, at receipt."""

    def __init__(
        self,
        model: RobotModel,
        base: str,
        positions: Callable[[], Mapping[str, float]],
        look_up: LookUp = no_tf,
        tf_frames: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        """Prepare for one model.

        Args:
            model: the robot, of which every link is a valid frame.
            base: the link that targets are resolved into.
            positions: the positions known now, by the model's joint names, rad (m).
            look_up: tf, for all other frames.
            tf_frames: the names that tf knows, for messages.
        """
        self._model = model
        self._base = base
        self._positions = positions
        self._look_up = look_up
        self._tf_frames = tf_frames

    def resolve(self, frame: str) -> Array:
        """Return T_base_frame (4, 4) for a header's frame; '' is the base frame.

        Raises:
            UnknownNameError: neither the model nor tf has it.
            TargetError: a joint between the base and the frame was not measured yet.
        """
        name = frame.removeprefix("/")
        if name in ("", self._base):
            return np.eye(4)
        if name in self._model.links:
            positions = self._positions()
            T_base = self._model.frame_pose(self._base, positions)
            return inverse(T_base) @ self._model.frame_pose(name, positions)
        found = self._look_up(self._base, name)
        if found is None:
            known = dict.fromkeys([*self._model.links, *self._tf_frames()])
            raise UnknownNameError("frame", frame, known)
        return found
