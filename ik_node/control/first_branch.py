"""The branch of the first target, where nothing else has decided it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ik_node.control.commitment import Commitment
from ik_node.control.config import TrackerConfig
from ik_node.control.reconfigure import Reconfiguration
from ik_node.control.request import Request, RequestKind
from ik_node.control.searches import make_search, tick_iterations
from ik_node.core.search import Search, Solution

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]

SAME = 1e-3
"""m, by which one branch has to miss the target more than the other to lose by that."""


class FirstBranch:
    """Solves the first target on every branch, a few iterations a tick, and chooses.

    The branch that reaches wins; of two that do, the one with the smaller largest joint move.

    Attributes:
        choice: the branch and the posture on it; None when no branch has room.
    """

    def __init__(self, arm: JointGroup, commitment: Commitment, config: TrackerConfig) -> None:
        self._arm = arm
        self._commitment = commitment
        self._config = config
        self.forget()

    def forget(self) -> None:
        """Drop what was begun."""
        self.choice: Reconfiguration | None = None
        self._left: list[tuple[int, Search]] = []
        self._found: list[tuple[int, Solution]] = []
        self._start = np.zeros(self._arm.size)

    def begin(self, request: Request, q: Array) -> None:
        """Look for `request` from q (n,), unless one that came before is still looked for.

        Otherwise a target that moves faster than it is solved would never decide.
        """
        if self._left or self._found:
            return
        self._start = q.copy()
        point = request.kind is RequestKind.POINT
        for sign in self._commitment.signs:
            box = self._commitment.box_of(sign, q)
            if box is not None:
                search = make_search(self._arm, box, self._config, point)
                search.begin(request.pose, q)
                self._left.append((sign, search))

    def think(self) -> bool:
        """Go on for one tick; tell whether `choice` is made."""
        if self._left:
            sign, search = self._left[0]
            if search.advance(tick_iterations(self._config)):
                self._found.append((sign, search.solution()))
                self._left.pop(0)
            return False
        if self._found:
            sign, best = min(self._found, key=self._merit)
            self.choice = Reconfiguration(
                True, "the first target decides the branch", posture=np.array(best.q), sign=sign
            )
        return True

    def _merit(self, found: tuple[int, Solution]) -> tuple[bool, float, float]:
        solution = found[1]
        missed = 0.0 if solution.converged else round(solution.position_error / SAME) * SAME
        travel = float(np.abs(np.array(solution.q) - self._start).max())
        return (not solution.converged, missed, travel)
