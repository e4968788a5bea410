"""The branch that the arm is committed to, and the limits that hold it there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ik_node.control.config import TrackerConfig
from ik_node.core.branch import branch_limits, branch_signs
from ik_node.core.elbow import Elbow, find_elbow
from ik_node.core.limits import Box
from ik_node.errors import ConfigurationError

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]


class Commitment:
    """Which side of straight the elbow has to stay on.

    Attributes:
        elbow: the arm's elbow; None: there are no branches.
        sign: +1 or -1 once committed; 0 while undecided, or without an elbow.
        signs: the sides on which the joint limits leave room.
    """

    def __init__(self, arm: JointGroup, config: TrackerConfig) -> None:
        """Read the wish.

        Raises:
            UnknownNameError: the arm has no branch of the name wished, or no such joint.
            ConfigurationError: the wished branch has no room, or the arm has no elbow.
        """
        self._arm = arm
        self._margin = config.branch_margin
        self._fold = config.fold_margin
        self._limit_margin = config.limit_margin
        self._configured = self._wish = config.branch
        self.elbow: Elbow | None = (
            arm.elbow
            if config.elbow is None and config.elbow_straight is None
            else find_elbow(arm, config.elbow, config.elbow_straight)
        )
        self.sign = 0
        self.signs = branch_signs(arm, self.elbow, self._margin, self._fold)
        if self._wish not in ("current", "auto"):
            if self.elbow is None:
                raise ConfigurationError(
                    "branch",
                    f"is '{self._wish}', but this arm has no elbow",
                    "use 'current', or name the elbow joint",
                )
            self.refuse_without_room(self.elbow.sign_from_label(self._wish))

    @property
    def label(self) -> str:
        """Name of the branch; `none` without an elbow, `undecided` before the first target."""
        if self.elbow is None:
            return "none"
        return self.elbow.label(self.sign) if self.sign else "undecided"

    @property
    def undecided(self) -> bool:
        """Whether the first target has yet to decide."""
        return self.elbow is not None and self.sign == 0

    def start(self, q: Array) -> None:
        """Commit as configured or last asked for, for a start from q (n,)."""
        if self.elbow is None:
            return
        if self._wish not in ("current", "auto"):
            self.sign = self.elbow.sign_from_label(self._wish)
        elif self._wish == "current" and (
            abs(self.elbow.angle(q)) >= self._margin or len(self.signs) < 2
        ):
            self.commit_here(q)

    def take_over(self, other: Commitment, q: Array) -> None:
        """Commit as another one of this arm has, if it was configured the same; else start at q.

        Raises:
            ConfigurationError: there is no room on that branch any more.
        """
        if self.is_like(other):
            self._wish, self.sign = other._wish, other.sign
            self.refuse_without_room(self.sign)
        else:
            self.start(q)

    def refuse_without_room(self, sign: int) -> None:
        """Raise a ConfigurationError if the limits leave no room on this side."""
        self._box(sign, None)

    def is_like(self, other: Commitment) -> bool:
        """Tell whether another one of this arm was configured for the same branch."""
        return self.elbow == other.elbow and self._configured == other._configured

    def commit_here(self, q: Array) -> None:
        """Commit to the side that q (n,) is on, or to the only one that has room."""
        if self.elbow is None:
            return
        here = self.elbow.sign_of(q)
        inside = abs(self.elbow.angle(q)) < self._margin
        self.sign = self.signs[0] if len(self.signs) == 1 and inside else here
        if self.sign not in self.signs:
            self.sign = self.signs[0] if self.signs else 0
        self._now_wanted()

    def commit(self, sign: int) -> None:
        """Commit to a side."""
        self.sign = sign
        self._now_wanted()

    def _now_wanted(self) -> None:
        """Want what was committed to last: a start from elsewhere must not take it back."""
        if self._wish == "auto":
            self._wish = "current"
        elif self._wish != "current" and self.sign:
            self._wish = self.label

    def is_across(self, q: Array) -> bool:
        """Tell whether q (n,) is on the other side, further than the margin."""
        if self.elbow is None or self.sign == 0:
            return False
        return self.sign * self.elbow.angle(q) < -self._margin

    def box(self, q: Array) -> Box:
        """Return the limits to keep from q (n,) on; the joints' own while undecided."""
        return self._box(self.sign, q)

    def box_of(self, sign: int, q: Array) -> Box | None:
        """Return the limits of another side as seen from q (n,); None where it has no room."""
        if self.elbow is None or sign not in self.signs:
            return None
        return self._box(sign, q)

    def _box(self, sign: int, q: Array | None) -> Box:
        box = branch_limits(self._arm, self.elbow, sign, self._margin, self._fold, near=q)
        if self._limit_margin > 0.0:
            inner = Box(self._arm.lower, self._arm.upper).shrunk(self._limit_margin)
            lower = np.minimum(np.maximum(box.lower, inner.lower), box.upper)
            box = Box(lower, np.maximum(np.minimum(box.upper, inner.upper), lower))
        return box
