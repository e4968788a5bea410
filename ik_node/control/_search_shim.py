"""Stands in until `core.search` has come."""

from __future__ import annotations

import numpy as np

from ik_node.core.step import solve_ik


class Solution:
    def __init__(self, q, converged, p, o):
        self.q, self.converged, self.position_error, self.orientation_error = q, converged, p, o


class Search:
    def __init__(self, arm, box, rows="auto", restarts=0, **_):
        self.arm, self.box, self.rows = arm, box, rows

    def begin(self, target, seed):
        self.target, self.q, self.k = target, np.clip(seed, self.box.lower, self.box.upper), 0

    def advance(self, n):
        for _ in range(n):
            s = solve_ik(
                self.arm,
                self.q,
                self.target,
                1.0,
                rows=self.rows,
                limits=self.box,
                dq_step_max=0.25,
                keep_side=False,
            )
            self.q = self.box.clip(self.q + s.dq)
            self.s = s
            self.k += 1
            if np.abs(s.dq).max() < 1e-10 or self.k > 200:
                return True
        return False

    def solution(self):
        s = solve_ik(
            self.arm, self.q, self.target, 1.0, rows=self.rows, limits=self.box, keep_side=False
        )
        ok = s.position_error < 1e-6 and (self.rows != "pose" or s.orientation_error < 1e-5)
        return Solution(self.q.copy(), ok, s.position_error, s.orientation_error)
