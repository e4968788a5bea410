"""The other branch as a ghost: how the arm would stand if its elbow were on the other side."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ik_node.core.branch import branch_limits
from ik_node.core.search import Search
from ik_node.viewer import palette
from ik_node.viewer.latest import Latest
from ik_node.viewer.link_tree import LinkTree
from ik_node.viewer.shown_arm import ShownArm

Array = NDArray[np.float64]

MOVED = 0.003
"""Metres that the tool has to move before the ghost is searched again."""


class Ghost:
    """Searches beside the picture and shows what it finds."""

    def __init__(
        self, scene: Any, shown: ShownArm, worker: Latest[tuple[Any, Array | None]]
    ) -> None:
        self._shown = shown
        self._worker = worker
        self._searched: tuple[Array, int] | None = None
        self._searches: dict[int, Search] = {}
        shapes = {link: shown.visuals.shapes[link] for link in shown.driven_links}
        self._tree = LinkTree(
            scene, "/ghost", shown.model, shapes, tint=palette.GHOST, opacity=0.35, size=0.97
        )
        self._tree.top.visible = False

    def update(self, q: Array, others: dict[str, float], T_base_root: Array) -> None:
        """Show the other branch for the measured q (n,); `others` are all other joints."""
        shown = self._shown
        if shown.elbow is None or len(shown.branches) < 2:
            return
        sign = -shown.elbow.sign_of(q)
        T = shown.arm.forward_kinematics(q)
        if self._searched is None or self._differs(T, sign):
            self._searched = (T, sign)
            self._worker.ask(lambda: (self, self._search(T, sign, q)))
        answer = self._worker.take()
        if answer is None or answer[0] is not self:
            return
        found = answer[1]
        self._tree.top.visible = found is not None
        if found is not None:
            mine = dict(zip(shown.arm.joint_names, found.tolist(), strict=True))
            self._tree.stand(T_base_root)
            self._tree.move({**others, **mine})

    def remove(self) -> None:
        """Take it out of the scene."""
        self._tree.remove()

    def _differs(self, T: Array, sign: int) -> bool:
        before, side = self._searched  # type: ignore[misc]  # asked for only once there is one
        turned = float(np.abs(T[:3, :3] - before[:3, :3]).max())
        moved = float(np.linalg.norm(T[:3, 3] - before[:3, 3]))
        return side != sign or moved > MOVED or turned > 0.02

    def _search(self, T: Array, sign: int, q: Array) -> Array | None:
        shown = self._shown
        if sign not in self._searches:
            box = branch_limits(shown.arm, shown.elbow, sign, 0.0, 0.0)
            self._searches[sign] = Search(shown.arm, box, elbow=shown.elbow)
        search = self._searches[sign]
        search.begin(T, q)
        search.advance(100_000)
        solution = search.solution()
        return solution.q if solution.converged else None
