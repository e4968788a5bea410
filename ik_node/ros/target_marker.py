"""The interactive marker that stands for the target: a ball, arrows and rings."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import Pose, Quaternion
from numpy.typing import NDArray
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import InteractiveMarker, InteractiveMarkerControl, Marker

from ik_node.core import se3
from ik_node.ros.conversions import pose_message

Array = NDArray[np.float64]

NAME = "target"
CALM = ColorRGBA(r=0.15, g=0.65, b=0.35, a=0.8)
WARNING = ColorRGBA(r=0.95, g=0.6, b=0.1, a=0.8)
_BALL = 0.36
"""The ball's diameter as a share of the marker's scale."""


def target_marker(
    frame: str,
    pose: Array | Pose,
    scale: float,
    translations: Array,
    rotations: Array,
    sentence: str = "",
) -> InteractiveMarker:
    """Return the marker.

    The header has no stamp, so that RViz keeps the frame and transforms the marker as it moves.

    Args:
        frame: of `pose`.
        pose: (4, 4), or as a message.
        scale: size of arrows and rings [m].
        translations: (k, 3) directions of the arrows, fixed in `frame`.
        rotations: (m, 3) axes of the rings, turning with the marker.
        sentence: shown above the marker; the ball is amber while there is one.
    """
    marker = InteractiveMarker(name=NAME, description=sentence, scale=scale)
    marker.header.frame_id = frame
    marker.pose = pose if isinstance(pose, Pose) else pose_message(pose)
    marker.controls = [
        _ball(scale, translations, WARNING if sentence else CALM),
        *(_control("move", axis, InteractiveMarkerControl.MOVE_AXIS) for axis in translations),
        *(_control("turn", axis, InteractiveMarkerControl.ROTATE_AXIS) for axis in rotations),
    ]
    return marker


def _control(verb: str, axis: Array, mode: int) -> InteractiveMarkerControl:
    turns = mode == InteractiveMarkerControl.ROTATE_AXIS
    letter = "xyz"[int(np.argmax(np.abs(axis)))]
    return InteractiveMarkerControl(
        name=f"{verb}_{letter}",
        orientation=_turned_to(axis),
        orientation_mode=(
            InteractiveMarkerControl.INHERIT if turns else InteractiveMarkerControl.FIXED
        ),
        interaction_mode=mode,
    )


def _ball(scale: float, translations: Array, colour: ColorRGBA) -> InteractiveMarkerControl:
    """The ball drags in the view's plane, or in the arm's where the arm has only one."""
    control = InteractiveMarkerControl(
        name="ball",
        always_visible=True,
        interaction_mode=InteractiveMarkerControl.MOVE_3D,
        orientation=Quaternion(w=1.0),
    )
    if len(translations) == 2:
        control.interaction_mode = InteractiveMarkerControl.MOVE_PLANE
        control.orientation_mode = InteractiveMarkerControl.FIXED
        control.orientation = _turned_to(np.cross(translations[0], translations[1]))
    ball = Marker(type=Marker.SPHERE, color=colour)
    ball.scale.x = ball.scale.y = ball.scale.z = _BALL * scale
    control.markers = [ball]
    return control


def _turned_to(axis: Array) -> Quaternion:
    """The rotation that brings x, the axis of every control, to `axis`."""
    x = np.array([1.0, 0.0, 0.0])
    normal = np.cross(x, axis)
    length = float(np.linalg.norm(normal))
    if length < 1e-9:
        return Quaternion(w=1.0) if axis[0] > 0.0 else Quaternion(z=1.0, w=0.0)
    angle = float(np.arctan2(length, x @ axis))
    return pose_message(se3.pose(se3.exp(angle * normal / length), np.zeros(3))).orientation
