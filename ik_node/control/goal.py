"""Where to go: every target is replaced by the nearest pose that this branch reaches.

The solution from the present configuration is adopted at once. Where it does not reach, restarts
look further over the next ticks; where nothing on this branch reaches, the other branch is asked,
only to say so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ik_node.control.config import TrackerConfig
from ik_node.control.request import Request, RequestKind
from ik_node.control.searches import make_search, tick_iterations
from ik_node.core import se3
from ik_node.core.limits import Box
from ik_node.core.rows import Rows, resolve_rows
from ik_node.core.search import Search, Solution

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]

FAR_MOVE = 0.1
"""Of the reach: a target that moved further is another one; and by so much another posture has to
be nearer to one that moves on, for on the long way there the tool is nowhere near it."""
FAR_TURN = 0.5
"""rad, likewise."""
DEADBAND_TURN = 2e-3
"""rad, turning of an unreachable target that is noise."""
PERSISTENT = 0.3
"""s, after which a change inside the dead band is meant."""
BETTER = 1e-3
"""m, by which a restart has to win."""
BETTER_TURN = 0.05
"""rad, by which a restart has to win where only the orientation is left and the target moves on."""
NEAREST_TURN = 1e-4
"""rad, likewise where the target has jumped: there is nothing to flicker yet."""
AS_NEAR = 1e-6
"""m, by which two solutions may differ and still be equally near."""
SPARE = 0.02
"""Of the reach: how much worse than the best possible a solution may be without a new search."""
STAGES = ("local", "contender", "wide", "other")
"""What a planner does for one target, in this order."""


@dataclass(frozen=True, eq=False)
class Goal:
    """A place that the arm reaches on its branch, and what is missing to the target.

    Attributes:
        asked: (4, 4) the target.
        point: only its position counts.
        posture: (n,) the configuration to arrive in.
        pose: (4, 4) of the tip there.
        reached: whether this meets the target.
        distance: m, left to the target.
        angle: rad, left to the target; 0 for a point.
        by_joints: the straight line is known not to lead there.
        other_branch: the other branch reaches the target.
    """

    asked: Array
    point: bool
    posture: Array
    pose: Array
    reached: bool
    distance: float
    angle: float
    by_joints: bool = False
    other_branch: bool = False


class GoalPlanner:
    """Finds the goal of the newest target, at most a few solver iterations a tick.

    Attributes:
        goal: the best known; None before the first.
        changed: whether the last call found another one.
        jumped: and it is for another place than the one before, not for the same one moved.
    """

    def __init__(self, arm: JointGroup, config: TrackerConfig) -> None:
        self._arm = arm
        self._config = config
        self._rows = resolve_rows(arm, config.rows)
        self._far = FAR_MOVE * arm.reach
        self._spare = SPARE * arm.reach
        self._length = arm.characteristic_length
        self._iterations = tick_iterations(config)
        self._box = Box(arm.lower, arm.upper)
        self._other_box: Box | None = None
        self._searches: dict[tuple[str, bool, bytes], Search] = {}
        self.forget()

    def forget(self) -> None:
        """Drop the goal and every search."""
        self.goal: Goal | None = None
        self.changed = False
        self.jumped = False
        self._asked = np.eye(4)
        self._point = self._is_jump = False
        self._postponed: tuple[Request, float] | None = None
        self._next: Request | None = None
        self._running: dict[str, Array] = {}
        self._rival, self._stuck = np.zeros(self._arm.size), False
        self._least: tuple[float, Array] | None = None

    def use_boxes(self, box: Box, other: Box | None) -> None:
        """Take the limits of the committed branch, and of the other one to ask it."""
        self._box, self._other_box = box, other
        for stage in STAGES:
            for point in (False, True):
                self._search_for(stage, point)
        self.forget()

    @property
    def thinking(self) -> bool:
        """Whether something better is still looked for."""
        return bool(self._running)

    def is_jump(self, request: Request) -> bool:
        """Tell whether the request is another place than the goal's, not the same one moved."""
        goal = self.goal
        return goal is None or self._is_elsewhere(request, goal.asked, goal.point)

    def _is_elsewhere(self, request: Request, asked: Array, point: bool) -> bool:
        return (
            point is not (request.kind is RequestKind.POINT)
            or se3.distance(asked, request.pose) > self._far
            or (not point and se3.angle(asked, request.pose) > FAR_TURN)
        )

    def aim(self, request: Request, seed: Array, now: float, delicate: bool) -> None:
        """Look for the goal of a new request, first from `seed` (n,).

        `delicate` says that the arm stands where noise in the target is amplified; there, as at
        the edge of the workspace, a small change has to persist before it is followed.
        """
        goal = self.goal
        self._postponed = None
        if (
            goal is not None
            and (delicate or not goal.reached)
            and not self.is_jump(request)
            and se3.distance(goal.asked, request.pose) < self._config.deadband
            and (goal.point or se3.angle(goal.asked, request.pose) < DEADBAND_TURN)
        ):
            self._postponed = (request, now)
            return
        self._follow(request, seed)

    def think(self, seed: Array, now: float) -> None:
        """Go on for one tick; `changed` tells whether `goal` is another one now."""
        self.changed = False
        self.jumped = False
        if self._postponed is not None and now - self._postponed[1] > PERSISTENT:
            request, self._postponed = self._postponed[0], None
            self._follow(request, seed)
        left = self._iterations
        while left > 0 and self._running:
            left -= self._go_on(next(filter(self._running.__contains__, STAGES)), left)
            if self._next is not None and "local" not in self._running:
                self._follow(self._next, seed)

    def _go_on(self, stage: str, iterations: int) -> int:
        """Spend at most so many iterations on a stage; return how many it were."""
        search = self._search_for(stage, self._point)
        before = search.iterations
        done = search.advance(iterations)
        spent = search.iterations - before
        if done:
            self._conclude(stage, search.solution(), self._running.pop(stage))
        return spent

    def reconsider(self, seed: Array) -> None:
        """Look whether the target can be met as well from `seed` (n,), where the arm is stuck."""
        self._start_contender(seed, stuck=True)

    def _follow(self, request: Request, seed: Array) -> None:
        """Begin with a request; one that only moved on waits until the last one is solved.

        Otherwise a target that moves faster than it is solved would never be.
        """
        self._next = None
        if "local" in self._running and not self._is_elsewhere(request, self._asked, self._point):
            self._next = request
            return
        self._is_jump = self.is_jump(request)
        self._asked = request.pose
        self._point = request.kind is RequestKind.POINT
        if self._is_jump:
            self._running.clear()
        if "contender" in self._running:
            self._start("contender", self._rival)
        self._start("local", seed)

    def _start_contender(self, seed: Array, *, stuck: bool) -> None:
        """Look how near to the newest target, and to every one that comes, `seed` (n,) leads."""
        self._rival, self._stuck = seed, stuck
        self._start("contender", seed)

    def _start(self, stage: str, seed: Array) -> None:
        self._running[stage] = self._asked
        self._search_for(stage, self._point).begin(self._asked, seed)

    def _search_for(self, stage: str, point: bool) -> Search:
        """Return the search of a stage, made once for every box."""
        box = self._other_box if stage == "other" and self._other_box else self._box
        key = (stage, point, box.lower.tobytes() + box.upper.tobytes())
        if key not in self._searches:
            restarts = self._config.search_restarts if stage in ("wide", "other") else 0
            self._searches[key] = make_search(self._arm, box, self._config, point, restarts)
        return self._searches[key]

    def _conclude(self, stage: str, solution: Solution, asked: Array) -> None:
        if stage == "local":
            goal = self._goal_of(solution)
            inherited = self.goal is not None and self.goal.other_branch and not goal.reached
            self._adopt(replace(goal, other_branch=inherited and not self._is_jump))
            self.jumped = self._is_jump
            self._look_further(goal)
        elif stage == "other":
            if self.goal is not None and not self.goal.reached:
                self._adopt(replace(self.goal, other_branch=solution.converged))
        elif stage == "wide" and asked is not self._asked:
            self._least = (solution.position_error, asked[:3, 3])
            self._start_contender(solution.q, stuck=False)
        else:
            self._contend(self._goal_of(solution), stage)

    def _look_further(self, goal: Goal) -> None:
        if goal.reached:
            self._running.pop("wide", None)
            self._running.pop("other", None)
            position_first = self._rows is Rows.POSITION_THEN_ORIENTATION
            if self._is_jump and position_first and goal.angle > NEAREST_TURN:
                self._start("wide", goal.posture)
        elif not self.thinking:
            if not self._is_as_near_as_can_be(goal):
                self._start("wide", goal.posture)
            elif self._other_box is not None:
                self._start("other", goal.posture)

    def _is_as_near_as_can_be(self, goal: Goal) -> bool:
        """Tell it from the last full search: the distance to what can be reached is 1-Lipschitz."""
        if self._least is None or not (self._point or self._rows is not Rows.POSE):
            return False
        distance, place = self._least
        moved = float(np.linalg.norm(goal.asked[:3, 3] - place))
        return goal.distance - (distance - moved) < self._spare

    def _contend(self, rival: Goal, stage: str) -> None:
        goal = self.goal
        if goal is None:
            self._adopt(rival)
            return
        if stage == "wide":
            self._least = (min(rival.distance, goal.distance), rival.asked[:3, 3])
        stuck = stage == "contender" and self._stuck
        better = self._far if stage == "contender" and not stuck else BETTER
        gain = self._cost(goal) - self._cost(rival)
        if (rival.reached and not goal.reached) or gain > better:
            self._adopt(replace(rival, by_joints=True))
        elif rival.reached is goal.reached and (rival.reached or gain > -AS_NEAR):
            margin = NEAREST_TURN if self._is_jump else BETTER_TURN
            if rival.angle < goal.angle + (margin if stuck else -margin):
                self._adopt(replace(rival, other_branch=goal.other_branch))
        if BETTER < gain <= better:
            self._start("wide", goal.posture)
        elif self.goal is not None and not self.goal.reached and self._other_box is not None:
            self._start("other", self.goal.posture)

    def _cost(self, goal: Goal) -> float:
        """What the search lowers, m."""
        if self._point or self._rows is not Rows.POSE:
            return goal.distance
        return math.hypot(goal.distance, self._length * goal.angle)

    def _adopt(self, goal: Goal) -> None:
        self.goal = goal
        self.changed = True

    def _goal_of(self, solution: Solution) -> Goal:
        posture = np.array(solution.q)
        return Goal(
            self._asked,
            self._point,
            posture,
            self._arm.forward_kinematics(posture),
            solution.converged,
            solution.position_error,
            0.0 if self._point else solution.orientation_error,
        )
