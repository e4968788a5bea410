"""Target frames: the base frame, any frame of the robot's own model, or any tf frame.

Frames of the model are resolved by the model's own forward kinematics, so that a target in a frame
of the arm does not lag behind by tf's delay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from ik_node.core import JointGroup, RobotModel
from ik_node.errors import TargetError, UnknownNameError

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
        position_of: Callable[[str], float | None],
        look_up: LookUp = no_tf,
        tf_frames: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        """Prepare for one model.

        Args:
            model: the robot, of which every link is a valid frame.
            base: the link that targets are resolved into.
            position_of: a joint's position by name, None while it was not measured.
            look_up: tf, for all other frames.
            tf_frames: the names that tf knows, for messages.
        """
        self._model = model
        self._base = base
        self._position_of = position_of
        self._look_up = look_up
        self._tf_frames = tf_frames
        self._groups: dict[str, JointGroup] = {}

    def resolve(self, frame: str) -> Array:
        """Return T_base_frame (4, 4) for a header's frame; '' is the base frame.

        Raises:
            UnknownNameError: neither the model nor tf has it.
            TargetError: a joint between the base and the frame was not measured yet.
        """
        name = frame.removeprefix("/")
        if name in ("", self._base):
            return np.eye(4)
        if name in self._model.link_names:
            return np.linalg.solve(self._from_root(self._base), self._from_root(name))
        found = self._look_up(self._base, name)
        if found is None:
            known = dict.fromkeys([*self._model.link_names, *self._tf_frames()])
            raise UnknownNameError("frame", frame, known)
        return found

    def _from_root(self, link: str) -> Array:
        root = self._model.root
        if link == root:
            return np.eye(4)
        if link not in self._groups:
            self._groups[link] = self._model.joint_group(base=root, tip=link)
        group = self._groups[link]
        positions = [self._position_of(name) for name in group.joint_names]
        for name, position in zip(group.joint_names, positions):
            if position is None:
                raise TargetError(
                    f"frame '{link}' moves with joint '{name}', which is not in joint_states; "
                    f"publish it, or give the target in '{self._base}'"
                )
        return group.forward_kinematics(np.array(positions, dtype=float))
