"""The parameters of `ik_node`, and the tracker's configuration made from them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ik_node.control import TrackerConfig
from ik_node.control.config import BRANCHES
from ik_node.errors import ConfigurationError
from ik_node.ros.joint_command import INTERFACES, JOINT_STATE
from ik_node.ros.parameters import Kind, Parameter, ParameterTable

NO_FLOOR = -1000.0

_DEFAULT = TrackerConfig()


def _tracker(
    name: str,
    description: str,
    unit: str = "",
    lower: float | None = None,
    upper: float | None = None,
    *,
    parameter: str = "",
) -> Parameter:
    """Make the parameter for a number of `TrackerConfig`, with its default."""
    default = getattr(_DEFAULT, name)
    kind = {bool: Kind.BOOL, int: Kind.INTEGER, float: Kind.DOUBLE}[type(default)]
    return Parameter(parameter or name, kind, default, description, unit, lower, upper)


ROBOT = (
    Parameter("base_frame", Kind.STRING, "", "link of the targets; empty: the root link"),
    Parameter("tip_frame", Kind.STRING, "", "link that is brought to the target"),
    Parameter("urdf_file", Kind.STRING, "", "robot description, a .urdf or .xacro file"),
    Parameter("xacro_args", Kind.STRINGS, [], "arguments for a xacro file, each as name:=value"),
    Parameter("robot_description", Kind.STRING, "", "robot description as URDF text"),
    Parameter("prefix", Kind.STRING, "", "put before every joint name in messages"),
    Parameter(
        "elbow.joint", Kind.STRING, "", "joint whose sign is the branch; empty: by geometry"
    ),
    Parameter(
        "elbow.straight",
        Kind.DOUBLES,
        [],
        "position of elbow.joint where the arm is straight, one number; empty: by geometry",
        "rad",
    ),
)  # fmt: skip
"""Which robot: all read-only."""

INTERFACE = (
    Parameter("rate_hz", Kind.DOUBLE, 100.0, "ticks a second", "Hz", 10.0, 1000.0),
    Parameter(
        "command_interface", Kind.STRING, JOINT_STATE, "form of joint_command", choices=INTERFACES
    ),
    Parameter(
        "command_joints",
        Kind.STRINGS,
        [],
        "the controller's joint order, for position_array; empty: the arm's order",
    ),
    Parameter(
        "time_from_start",
        Kind.DOUBLE,
        0.0,
        "of the point of a joint_trajectory; 0 means two periods, else at least one",
        "s",
        0.0,
        1.0,
    ),
    Parameter(
        "recording.seconds",
        Kind.DOUBLE,
        30.0,
        "kept in memory, and written at a fault or by ~/save_recording; 0: nothing is kept",
        "s",
        0.0,
        600.0,
    ),
    Parameter("recording.folder", Kind.STRING, "", "where recordings go; empty: ~/.ros/ik_node"),
)
"""How the node talks: all read-only."""

TRACKER = (
    Parameter(
        "rows",
        Kind.STRING,
        _DEFAULT.rows,
        "what is controlled; auto: position first under six joints, else the full pose",
        choices=("auto", "pose", "position", "position_then_orientation"),
    ),
    Parameter(
        "orientation_weights",
        Kind.DOUBLES,
        list(_DEFAULT.orientation_weights),
        "how much the turn about each axis of the tool matters, 0 for not at all",
    ),
    Parameter(
        "posture",
        Kind.STRING,
        "none",
        "what spare freedom is for",
        choices=("none", "rest", "centre", "elbow_high", "elbow_low"),
    ),
    Parameter("rest_pose", Kind.DOUBLES, [], "joint positions for posture rest", "rad or m"),
    Parameter(
        "branch", Kind.STRING, _DEFAULT.branch, "elbow branch to commit to", choices=BRANCHES
    ),
    _tracker("branch_margin", "kept from the elbow's straight configuration", "rad", 0.0, 1.0),
    _tracker("fold_margin", "kept from the elbow's folded configuration", "rad", 0.0, 1.5),
    _tracker("limit_margin", "kept from the joint limits", "rad or m", 0.0, 1.0),
    _tracker("tool_speed", "ceiling of the tool's speed", "m/s", 1e-6, 10.0),
    _tracker("tool_turn", "ceiling of the tool's turning", "rad/s", 1e-6, 100.0),
    _tracker("velocity_scale", "part of the joints' velocity limits to use", "", 1e-6, 1.0),
    _tracker(
        "default_velocity", "for joints without a velocity limit", "rad/s or m/s", 1e-6, 100.0
    ),
    _tracker("acceleration_time", "from rest to a joint's full velocity", "s", 1e-3, 60.0),
    _tracker(
        "jerk_limit",
        "of the command, which comes later by acceleration over it; 0: none",
        "rad/s^3 or m/s^3",
        0.0,
        1e6,
    ),
    Parameter(
        "damping",
        Kind.DOUBLE,
        -1.0,
        "ceiling of the damping; negative: from the speed limits",
        "m/rad",
        -1.0,
        10.0,
    ),
    _tracker("detour", "whether joint-space ways may be taken where the straight line ends"),
    Parameter(
        "floor_height",
        Kind.DOUBLE,
        NO_FLOOR,
        f"no joint-space way leads below it, in the base frame; {NO_FLOOR:g}: no floor",
        "m",
        NO_FLOOR,
        1000.0,
    ),
    _tracker("deadband", "motion of an unreachable target that is ignored as noise", "m", 0.0, 1.0),
    _tracker(
        "manipulability_warn",
        "relative manipulability under which NEAR_SINGULARITY is said",
        "",
        0.0,
        1.0,
        parameter="manipulability.warn",
    ),
    _tracker("position_tolerance", "for settled", "m", 1e-6, 1.0),
    _tracker("orientation_tolerance", "for settled", "rad", 1e-6, math.pi),
    _tracker("state_timeout", "age at which a joint state is stale", "s", 1e-3, 60.0),
    _tracker("target_timeout", "age at which a twist stops", "s", 1e-3, 60.0),
    _tracker(
        "resync_tolerance",
        "difference at which the command follows an arm that somebody else moved",
        "rad or m",
        1e-6,
        10.0,
    ),
    _tracker("lag_tolerance", "how far the arm may stay behind", "rad or m", 1e-6, 10.0),
    _tracker("lag_time", "and in addition, as time at the joint's full speed", "s", 0.0, 10.0),
    _tracker("droop_gain", "of the integral that removes droop at rest; 0: off", "1/s", 0.0, 10.0),
    _tracker("droop_limit", "the most that it adds", "rad or m", 0.0, 1.0),
    _tracker("search_iterations", "solver iterations a tick", "", 1, 100000),
    _tracker("search_restarts", "random restarts of a search", "", 0, 10000),
    _tracker("seed", "of the random restarts", "", 0, 2**32 - 1),
)
"""How the arm moves: all can be changed at run time."""

RECONFIGURE = (
    Parameter(
        "reconfigure.dry_run", Kind.BOOL, False, "the elbow services answer without moving"
    ),
)  # fmt: skip

TABLE = ParameterTable(
    [
        *(replace(parameter, read_only=True) for parameter in (*ROBOT, *INTERFACE)),
        *TRACKER,
        *RECONFIGURE,
    ]
)

_SAME_NAME = {p.name for p in TRACKER} & set(vars(_DEFAULT))


def tracker_config(values: Mapping[str, Any]) -> TrackerConfig:
    """Return the tracker's configuration.

    Raises:
        ConfigurationError, UnknownNameError: values that cannot be used together.
    """
    settings = {name: values[name] for name in _SAME_NAME}
    settings["manipulability_warn"] = values["manipulability.warn"]
    settings["orientation_weights"] = tuple(values["orientation_weights"])
    settings["damping"] = None if values["damping"] < 0.0 else values["damping"]
    settings["elbow"] = values["elbow.joint"] or None
    straight = values["elbow.straight"]
    settings["elbow_straight"] = straight[0] if straight else None
    floor = values["floor_height"]
    settings["floor_height"] = None if floor <= NO_FLOOR else floor
    if values["posture"] == "rest":
        if not values["rest_pose"]:
            raise ConfigurationError(
                "parameter posture", "is rest but rest_pose is empty", "give rest_pose"
            )
        settings["posture"] = tuple(values["rest_pose"])
    return TrackerConfig(**settings)


def trajectory_time(values: Mapping[str, Any]) -> float:
    """Return `time_from_start` in seconds.

    Raises:
        ConfigurationError: it is under one period.
    """
    period = 1.0 / values["rate_hz"]
    time = values["time_from_start"] or 2.0 * period
    if time < period:
        raise ConfigurationError(
            "parameter time_from_start",
            f"is {time:g} s, under one period",
            f"it must be at least {period:g} s at rate_hz {values['rate_hz']:g}",
        )
    return float(time)


def check(values: Mapping[str, Any]) -> None:
    """Raise what `tracker_config` and `trajectory_time` raise for the whole of the values."""
    tracker_config(values)
    trajectory_time(values)
    if len(values["elbow.straight"]) > 1:
        raise ConfigurationError("parameter elbow.straight", "holds several numbers", "give one")
