"""One robot description in use: the arm, its tracker and the names in messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ik_node.control import PoseTracker, warm_up
from ik_node.core import JointGroup, RobotModel
from ik_node.errors import ConfigurationError, UnknownNameError
from ik_node.ros.frames import Frames
from ik_node.ros.ik_node_parameters import tracker_config, trajectory_time
from ik_node.ros.joint_command import Form, command_form
from ik_node.ros.joint_names import JointNames
from ik_node.ros.joint_states import JointStates
from ik_node.ros.tf_frames import TfFrames


@dataclass(frozen=True, eq=False)
class Robot:
    """All that hangs on the robot description.

    Attributes:
        arm: the joints between base and tip.
        names: the arm's joints in messages, in the order of `arm.joint_names`.
        tracker: target to command.
        frames: the frames that targets may come in.
        form: of joint_command.
    """

    arm: JointGroup
    names: tuple[str, ...]
    tracker: PoseTracker
    frames: Frames
    form: Form


def build_robot(
    urdf: str, parameters: Mapping[str, Any], joint_states: JointStates, tf: TfFrames
) -> Robot:
    """Make everything for a robot description.

    Raises:
        IkNodeError: a description or parameters that do not fit each other.
    """
    model = RobotModel.from_urdf(urdf, parameters["default_velocity"])
    base, tip = _links(model, parameters)
    arm = model.joint_group(base, tip)
    wire = JointNames(model.joints, parameters["prefix"])
    names = tuple(wire.wire(name) for name in arm.joint_names)
    warm_up(arm)
    return Robot(
        arm=arm,
        names=names,
        tracker=PoseTracker(arm, tracker_config(parameters)),
        frames=Frames(
            model,
            base,
            lambda: wire.of_model(joint_states.positions()),
            tf.look_up,
            tf.names,
        ),
        form=command_form(
            parameters["command_interface"],
            names,
            [wire.wire(name) for name in parameters["command_joints"]],
            trajectory_time(parameters),
        ),
    )


def _links(model: RobotModel, parameters: Mapping[str, Any]) -> tuple[str, str]:
    base = parameters["base_frame"] or model.root
    tip = parameters["tip_frame"]
    if not tip:
        raise ConfigurationError(
            "parameter tip_frame",
            "is empty",
            f"name the link to bring to the target; links are: {', '.join(model.links)}",
        )
    return _link(model, "base_frame", base, parameters), _link(model, "tip_frame", tip, parameters)


def _link(model: RobotModel, parameter: str, name: str, parameters: Mapping[str, Any]) -> str:
    for candidate in (name, parameters["prefix"] + name):
        if candidate in model.links:
            return candidate
    raise UnknownNameError(f"link in parameter {parameter}", name, model.links)
