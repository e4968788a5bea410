"""Keeping the branch, deciding it with the first target, and changing it when asked to."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ik_node.control import reconfigure
from ik_node.control.commitment import Commitment
from ik_node.control.config import TrackerConfig
from ik_node.control.first_branch import FirstBranch
from ik_node.control.motion import LANDED, Motion
from ik_node.control.reconfigure import Reconfiguration, Wish
from ik_node.control.request import Request
from ik_node.core.limits import Box

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]


STOPPING = Reconfiguration(False, "stopping on the way to another branch")


class BranchKeeper:
    """Moves the plan where the branch is concerned.

    Attributes:
        change: the change under way; None while the branch is kept.
        across: the arm stands on the side that it is not committed to, and has to hold.
    """

    def __init__(
        self, arm: JointGroup, config: TrackerConfig, commitment: Commitment, motion: Motion
    ) -> None:
        self._arm = arm
        self._config = config
        self._commitment = commitment
        self._motion = motion
        self._first = FirstBranch(arm, commitment, config)
        self.change: Reconfiguration | None = None
        self.across = False

    @property
    def stopping(self) -> bool:
        """Whether a change comes to its end where it is."""
        return self.change is not None and self.change.posture is None

    @property
    def busy(self) -> bool:
        """Whether targets have to wait."""
        return self.change is not None or self.across

    def use_branch(self) -> tuple[Box, Box | None]:
        """Hold the command in the committed branch; return its limits and the other branch's."""
        q, commitment = self._motion.sent, self._commitment
        box = commitment.box(q)
        self._motion.narrow(box)
        self._first.forget()
        self.change = None
        self.across = commitment.is_across(q)
        return box, commitment.box_of(-commitment.sign, q)

    def plan(self, label: str, wish: Wish) -> Reconfiguration:
        """Plan the change to the branch named `label`.

        Raises:
            UnknownNameError: the arm has no such branch.
        """
        elbow, commitment = self._commitment.elbow, self._commitment
        if elbow is None:
            return Reconfiguration(False, "this arm has no elbow, so it has no other branch")
        sign = elbow.sign_from_label(label)
        if commitment.sign == sign and not self.busy:
            return Reconfiguration(True, f"already on branch '{label}'", sign=sign)
        box = commitment.box_of(sign, self._motion.q)
        if box is None:
            lower, upper = self._arm.lower[elbow.index], self._arm.upper[elbow.index]
            return Reconfiguration(
                False,
                f"not changed to '{label}': the limits of joint {elbow.joint}, {lower:.3f} .. "
                f"{upper:.3f} rad, leave no room on that branch",
            )
        return reconfigure.plan(self._arm, self._motion, wish, sign, label, box, self._config)

    def begin(self, change: Reconfiguration) -> None:
        """Start a planned change; only the joints' own limits hold on the way."""
        self.change = change
        self.across = False
        self._motion.narrow(self.box(self._motion.q, change))

    def box(self, q: Array, change: Reconfiguration | None) -> Box:
        """Return the limits at q (n,): while the branch changes only the joints' own."""
        if change is not None:
            return Box(self._arm.lower, self._arm.upper)
        return self._commitment.box(q)

    def resume(self, change: Reconfiguration | None) -> None:
        """Go on with a change that was under way before the arm was found elsewhere."""
        elbow = self._commitment.elbow
        if elbow is None or change is None:
            return
        if change.posture is not None:
            label = elbow.label(change.sign)
            change = reconfigure.way_to(
                self._arm, self._motion, change.posture, change.sign, label, self._config
            )
        self.begin(change)

    def take_over(self, other: BranchKeeper) -> None:
        """Go on with the change of another one of this arm; end it if another branch is configured.

        Raises:
            ConfigurationError: there is no room on that branch any more.
        """
        change = other.change
        if change is None:
            return
        sign = self._commitment.sign
        if change.sign != sign and not self._commitment.is_like(other._commitment):
            change = replace(STOPPING, sign=sign)
        elif change.posture is not None:
            self._commitment.refuse_without_room(change.sign)
        self.resume(change)

    def stop(self) -> None:
        """End a change where it is: slow down first, then commit to the side that this is."""
        if self.change is not None:
            self.change = STOPPING

    def go(self, dt: float, pace: float) -> bool:
        """Do one tick of the change; tell whether it is over and the branch is committed."""
        change = self.change
        if change is None or change.posture is None:
            self._motion.stop(dt)
            if change is None or not self._motion.at_rest:
                return False
            if change.sign == 0:
                self._commitment.commit_here(self._motion.q)
            return True
        self._motion.along_joints(change.posture, dt, pace)
        if np.abs(change.posture - self._motion.sent).max() >= LANDED:
            return False
        self._commitment.commit(change.sign)
        return True

    def ask_first(self, request: Request) -> None:
        """Let the first target decide the branch."""
        self._first.begin(request, self._motion.q)

    def decide(self, dt: float) -> bool:
        """Do one tick of deciding; tell whether it is over and the branch is committed."""
        self._motion.stop(dt)
        if not self._first.think():
            return False
        choice = self._first.choice
        if choice is None:
            self._commitment.commit_here(self._motion.q)
            return True
        self._commitment.commit(choice.sign)
        if self._commitment.is_across(self._motion.sent):
            self.begin(choice)
            return False
        return True

    def forget(self) -> None:
        """Drop what the first target began to decide."""
        self._first.forget()
