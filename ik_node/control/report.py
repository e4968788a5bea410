"""From what the tracker knows to what it says: conditions with sentences and numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ik_node.control.commitment import Commitment
from ik_node.control.config import TrackerConfig
from ik_node.control.following import Following
from ik_node.control.goal import Goal, GoalPlanner
from ik_node.control.motion import Motion
from ik_node.control.reconfigure import Reconfiguration
from ik_node.control.request import Request, RequestKind
from ik_node.control.status import Condition, Status, StatusCode, by_seriousness
from ik_node.control.way import Way
from ik_node.core.kernels import tick
from ik_node.core.kernels.task import pose_error
from ik_node.core.manipulability import Manipulability, manipulability, nearest_singularity
from ik_node.core.rows import Rows

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]

CLEARED = 1.3
"""By how much manipulability has to exceed the warning before it is withdrawn."""
AT_WALL = 1e-6
"""rad (m), distance from a limit at which a joint stands at it."""


@dataclass(frozen=True, eq=False)
class Situation:
    """What is known at the end of a tick."""

    started: bool
    missing: tuple[str, ...]
    fault: str | None
    paused: bool
    stale: tuple[str, ...]
    request: Request
    twist_is_stale: bool
    across: bool
    change: Reconfiguration | None
    way: Way
    following: Following
    planner: GoalPlanner
    measured: Array | None
    command: Array
    landed: bool


class Reporter:
    """Says what is true.

    Attributes:
        is_delicate: the arm is near a singularity, where noise in the target is amplified.
    """

    def __init__(self, arm: JointGroup, rows: Rows, config: TrackerConfig) -> None:
        self._arm = arm
        self._rows = rows
        self._config = config
        self.is_delicate = False
        self._error = np.zeros(6)

    def report(
        self, s: Situation, motion: Motion, commitment: Commitment, now: float
    ) -> tuple[Status, Manipulability | None]:
        """Return the status, and the manipulability of the command once there is one."""
        if not s.started:
            return Status((_waiting(s),)), None
        found: list[Condition] = []
        joints: tuple[str, ...] = ()
        if s.fault is not None:
            found.append(Condition(StatusCode.FAULT, s.fault))
        if s.paused:
            found.append(Condition(StatusCode.PAUSED, "paused; enable to go on"))
        if s.stale:
            found.append(_stale_state(s, self._config))
        if s.following.lagging:
            found.append(self._lagging(s.following))
        goal = s.planner.goal
        if s.change is not None:
            found.append(Condition(StatusCode.RECONFIGURING, s.change.sentence))
        elif s.across:
            found.append(_across(commitment))
        else:
            found.extend(_about_the_request(s, motion, goal, commitment))
        at_limit = self._at_limit(s, motion, goal)
        if at_limit:
            joints = at_limit
            found.append(self._limit_condition(at_limit, motion.q))
        measure = manipulability(self._arm, motion.q, self._rows)
        near = self._near_singularity(measure, motion.q)
        if near is not None:
            joints = joints or near[1]
            found.append(near[0])
        status = Status(
            by_seriousness(found),
            distance=0.0 if goal is None else self._distance(goal, motion),
            angle=0.0 if goal is None or goal.point else abs(self._angle()),
            joint=joints,
            settled=self._settled(s, motion, goal),
            limited_by=self._limited_by(motion),
        )
        return status, measure

    def _lagging(self, following: Following) -> Condition:
        return Condition(
            StatusCode.LAGGING,
            f"joint {self._arm.joint_names[following.worst]} is {following.gap:.2f} rad behind its "
            "command; the command waits for it",
        )

    def _at_limit(self, s: Situation, motion: Motion, goal: Goal | None) -> tuple[str, ...]:
        """Joints at one of their limits, where that matters: not when the target is met."""
        if goal is not None and goal.reached and s.landed:
            return ()
        if goal is None and not (
            s.request.kind is RequestKind.TWIST and motion.report[tick.WALLED]
        ):
            return ()
        q = motion.q
        arm, margin = self._arm, self._config.limit_margin + AT_WALL
        return arm.names(np.flatnonzero((q <= arm.lower + margin) | (q >= arm.upper - margin)))

    def _limit_condition(self, names: tuple[str, ...], q: Array) -> Condition:
        words = []
        for name in names:
            i = self._arm.index(name)
            low = abs(q[i] - self._arm.lower[i]) < abs(q[i] - self._arm.upper[i])
            words.append(
                f"joint {name} is at its {'lower' if low else 'upper'} limit "
                f"{self._arm.lower[i] if low else self._arm.upper[i]:.3f}"
            )
        return Condition(StatusCode.AT_JOINT_LIMIT, ", ".join(words))

    def _near_singularity(
        self, measure: Manipulability, q: Array
    ) -> tuple[Condition, tuple[str, ...]] | None:
        warn = self._config.manipulability_warn
        self.is_delicate = measure.relative < warn * (CLEARED if self.is_delicate else 1.0)
        if not self.is_delicate:
            return None
        cause = measure.singularity or nearest_singularity(self._arm, q, self._rows)
        sentence = f"{cause.sentence} (manipulability {100.0 * measure.relative:.1f} % of its best)"
        return Condition(StatusCode.NEAR_SINGULARITY, sentence), cause.joints

    def _distance(self, goal: Goal, motion: Motion) -> float:
        pose_error(motion.tool_pose(), goal.asked, self._error)
        x, y, z = self._error[0], self._error[1], self._error[2]
        return math.sqrt(x * x + y * y + z * z)

    def _angle(self) -> float:
        x, y, z = self._error[3], self._error[4], self._error[5]
        return math.sqrt(x * x + y * y + z * z)

    def _settled(self, s: Situation, motion: Motion, goal: Goal | None) -> bool:
        if s.measured is None or goal is None or not s.landed or not motion.at_rest:
            return False
        tool = self._arm.forward_kinematics(s.measured)
        pose_error(tool, goal.pose, self._error)
        x, y, z = self._error[0], self._error[1], self._error[2]
        return math.sqrt(x * x + y * y + z * z) < self._config.position_tolerance and (
            goal.point or self._angle() < self._config.orientation_tolerance
        )

    def _limited_by(self, motion: Motion) -> tuple[str, ...]:
        q, walls = motion.q, motion.limits.walls
        held = (q <= walls[0] + AT_WALL) | (q >= walls[1] - AT_WALL)
        if not motion.at_rest:
            held |= np.abs(motion.v) >= motion.limits.speed * (1.0 - 1e-6)
        return self._arm.names(np.flatnonzero(held)) if held.any() else ()


def _waiting(s: Situation) -> Condition:
    which = f" of {', '.join(s.missing)}" if s.missing else ""
    return Condition(
        StatusCode.WAITING_FOR_STATE, f"waiting for the joint state{which}; nothing is sent"
    )


def _stale_state(s: Situation, config: TrackerConfig) -> Condition:
    return Condition(
        StatusCode.STALE_STATE,
        f"no joint state of {', '.join(s.stale)} for over {config.state_timeout:g} s; holding",
    )


def _across(commitment: Commitment) -> Condition:
    return Condition(
        StatusCode.OTHER_BRANCH,
        f"the arm stands on the other side of branch '{commitment.label}' that is configured; "
        "ask for the change of branch",
    )


def _about_the_request(
    s: Situation, motion: Motion, goal: Goal | None, commitment: Commitment
) -> list[Condition]:
    kind = s.request.kind
    if kind is RequestKind.INVALID:
        return [Condition(StatusCode.INVALID_TARGET, s.request.why)]
    if kind is RequestKind.HOLD:
        return [Condition(StatusCode.HOLDING, "holding; no target")]
    if kind is RequestKind.TWIST:
        if s.twist_is_stale:
            return [
                Condition(StatusCode.STALE_TARGET, "the twist has stopped coming; stopped"),
                Condition(StatusCode.HOLDING, "holding"),
            ]
        return [Condition(StatusCode.TRACKING, "following the twist")]
    if goal is None:
        return [Condition(StatusCode.TRACKING, "looking for a way to the target")]
    return _about_the_goal(s, motion, goal, commitment)


def _about_the_goal(
    s: Situation, motion: Motion, goal: Goal, commitment: Commitment
) -> list[Condition]:
    found = []
    resting = s.landed and motion.at_rest
    if s.way.blocked:
        found.append(Condition(StatusCode.BLOCKED, s.way.blocked))
    if not goal.reached:
        left = f"{1000.0 * goal.distance:.1f} mm and {math.degrees(goal.angle):.1f} deg"
        found.append(
            Condition(
                StatusCode.UNREACHABLE,
                f"the target is out of reach by {left}; "
                + ("holding the nearest pose" if resting else "going to the nearest pose"),
            )
        )
        if goal.other_branch:
            found.append(
                Condition(
                    StatusCode.OTHER_BRANCH,
                    f"only the branch other than '{commitment.label}' reaches the target; ask for "
                    f"the change of branch (here {1000.0 * goal.distance:.1f} mm are missing)",
                )
            )
    if s.way.by_joints and s.way.is_detour and not resting:
        found.append(
            Condition(
                StatusCode.DETOUR,
                "going by the joints: the tool's straight line does not lead to the target",
            )
        )
    if not resting:
        if not s.way.blocked:
            found.append(Condition(StatusCode.TRACKING, "going to the target"))
    elif goal.reached:
        turned = f"; the orientation is off by {math.degrees(goal.angle):.1f} deg"
        found.append(
            Condition(StatusCode.REACHED, "reached" + (turned if goal.angle > 1e-3 else ""))
        )
    else:
        found.append(Condition(StatusCode.HOLDING, "holding"))
    return found
