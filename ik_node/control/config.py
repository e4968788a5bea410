"""How the tracker behaves; the defaults work for any arm."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

from ik_node.core.rows import Rows
from ik_node.errors import ConfigurationError, UnknownNameError

BRANCHES = ("current", "auto", "up", "down", "left", "right", "+", "-")


@dataclass(frozen=True)
class TrackerConfig:
    """Settings of one `PoseTracker`; SI units, checked on construction.

    Attributes:
        rows: what is controlled: `auto` (position first under six joints, else the full pose),
            `pose`, `position` or `position_then_orientation`.
        orientation_weights: how much the rotation about each tool axis matters, 0 for not at all.
        posture: what spare freedom does: `none`, `centre`, `elbow_high`, `elbow_low` or a rest
            pose (n values).
        tool_speed: m/s, ceiling of the tool's speed.
        tool_turn: rad/s, ceiling of the tool's turning.
        velocity_scale: part of the joints' velocity limits to use, in (0, 1].
        default_velocity: rad/s or m/s, for joints without a limit in the URDF.
        acceleration_time: s, from rest to the full joint velocity; sets the acceleration limits.
        jerk_limit: rad/s^3 or m/s^3, of the command; 0: none. The command comes later by the
            fastest joint's acceleration limit over this, and rests twice that later.
        limit_margin: rad or m, kept from the joint limits.
        branch: `current`, `auto`, `up`, `down`, `left`, `right`, `+` or `-`.
        elbow: name of the elbow joint; None finds it.
        elbow_straight: rad, the elbow's value where the arm is straight; None finds it.
        branch_margin: rad, kept from the elbow's straight configuration.
        fold_margin: rad, kept from the elbow's folded configuration.
        damping: m/rad, ceiling of the damping; None derives it from the speeds.
        detour: whether a joint-space way may be taken where the straight line does not lead.
        floor_height: m in the base frame, no joint-space way leads below it; None: no floor.
        search_iterations: solver iterations a tick; a search goes on in the next tick.
        search_restarts: random restarts after the solution from the current configuration.
        seed: of the restarts.
        deadband: m, motion of an unreachable or near-singular target that is ignored as noise.
        manipulability_warn: relative manipulability under which `NEAR_SINGULARITY` is said.
        position_tolerance: m, for `settled`.
        orientation_tolerance: rad, for `settled`.
        longest_step: s, a longer tick moves the arm no further than this one.
        state_timeout: s, age of the joint state over which it is stale.
        target_timeout: s, age of a twist over which it stops.
        resync_tolerance: rad, difference from which the command follows an arm moved by others.
        lag_tolerance: rad, how far the arm may stay behind the command.
        lag_time: s, how far it may stay behind in addition, as time at the joint's full speed.
        droop_gain: 1/s, of the outer integral that removes droop at rest; 0 turns it off.
        droop_limit: rad, the most that it adds.
    """

    rows: str = "auto"
    orientation_weights: tuple[float, float, float] = (1.0, 1.0, 1.0)
    posture: str | tuple[float, ...] = "none"
    tool_speed: float = 0.5
    tool_turn: float = 3.0
    velocity_scale: float = 1.0
    default_velocity: float = 1.0
    acceleration_time: float = 0.2
    jerk_limit: float = 0.0
    limit_margin: float = 0.0
    branch: str = "current"
    elbow: str | None = None
    elbow_straight: float | None = None
    branch_margin: float = 0.03
    fold_margin: float = 0.1
    damping: float | None = None
    detour: bool = True
    floor_height: float | None = None
    search_iterations: int = 60
    search_restarts: int = 24
    seed: int = 0
    deadband: float = 5e-4
    manipulability_warn: float = 0.05
    position_tolerance: float = 1e-3
    orientation_tolerance: float = 0.02
    longest_step: float = 0.1
    state_timeout: float = 0.5
    target_timeout: float = 0.25
    resync_tolerance: float = 0.2
    lag_tolerance: float = 0.2
    lag_time: float = 0.1
    droop_gain: float = 0.0
    droop_limit: float = 0.1

    def __post_init__(self) -> None:
        """Check every value.

        Raises:
            ConfigurationError: a value that cannot be used, named, with what is allowed.
            UnknownNameError: a word that is not one of the choices.
        """
        rows = ("auto", *(row.value for row in Rows))
        if self.rows not in rows:
            raise UnknownNameError("rows", str(self.rows), rows)
        if self.branch not in BRANCHES:
            raise UnknownNameError("branch", str(self.branch), BRANCHES)
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in _BOUNDS:
                _check(field.name, value, *_BOUNDS[field.name])
        if self.damping is not None:
            _check("damping", self.damping, 0.0, math.inf)
        if self.elbow_straight is not None:
            _check("elbow_straight", self.elbow_straight, -2.0 * math.pi, 2.0 * math.pi)
        if self.floor_height is not None:
            _check("floor_height", self.floor_height, -math.inf, math.inf)
        weights = tuple(self.orientation_weights)
        if len(weights) != 3 or not all(0.0 <= w < math.inf for w in weights):
            raise ConfigurationError(
                "orientation_weights", f"is {weights}", "give three numbers, none negative"
            )
        if not isinstance(self.posture, str) and not _numbers(self.posture):
            raise ConfigurationError(
                "posture", f"is {self.posture!r}", "give a word or a value for each joint"
            )


_LEAST = 1e-6
_BOUNDS = {
    "tool_speed": (_LEAST, math.inf),
    "tool_turn": (_LEAST, math.inf),
    "velocity_scale": (_LEAST, 1.0),
    "default_velocity": (_LEAST, math.inf),
    "acceleration_time": (1e-3, 60.0),
    "jerk_limit": (0.0, math.inf),
    "limit_margin": (0.0, 1.0),
    "branch_margin": (0.0, 1.0),
    "fold_margin": (0.0, 1.5),
    "search_iterations": (1, 100000),
    "search_restarts": (0, 10000),
    "seed": (0, 2**32 - 1),
    "deadband": (0.0, 1.0),
    "manipulability_warn": (0.0, 1.0),
    "position_tolerance": (1e-6, 1.0),
    "orientation_tolerance": (1e-6, math.pi),
    "longest_step": (1e-3, 1.0),
    "state_timeout": (1e-3, math.inf),
    "target_timeout": (1e-3, math.inf),
    "resync_tolerance": (1e-6, math.inf),
    "lag_tolerance": (1e-6, math.inf),
    "lag_time": (0.0, math.inf),
    "droop_gain": (0.0, 10.0),
    "droop_limit": (0.0, 1.0),
}


def _check(name: str, value: float, lowest: float, highest: float) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ConfigurationError(name, f"is {value!r}", "give a number")
    if not (lowest <= value <= highest and math.isfinite(value)):
        span = f"from {lowest:g} to {highest:g}" if highest < math.inf else f"at least {lowest:g}"
        raise ConfigurationError(name, f"is {value}", f"it must be {span}, and finite")


def _numbers(values: Sequence[float]) -> bool:
    return all(isinstance(v, (int, float)) and math.isfinite(v) for v in values)
