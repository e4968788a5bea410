"""`~/markers`: target, reach, the other branch as a ghost, trace and manipulability ellipsoid."""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from itertools import pairwise

import numpy as np
from geometry_msgs.msg import Point, Vector3
from numpy.typing import NDArray
from rclpy.node import Node
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from ik_node.control import TrackerOutput
from ik_node.core import JointGroup
from ik_node.ros import qos
from ik_node.ros.conversions import point_message, pose_message
from ik_node.ros.ghost import Ghost
from ik_node.ros.robot import Robot

Array = NDArray[np.float64]

TRACE_LENGTH = 200
CIRCLE = 48
"""Sides of a circle."""
ELLIPSOID_SCALE = 0.2
"""Metres drawn for a metre a radian."""

TARGET = ColorRGBA(r=0.1, g=0.7, b=0.2, a=0.9)
REACH = ColorRGBA(r=0.5, g=0.6, b=0.8, a=0.6)
GHOST = ColorRGBA(r=0.9, g=0.5, b=0.1, a=0.45)
TRACE = ColorRGBA(r=0.2, g=0.4, b=0.9, a=0.9)
ELLIPSOID = ColorRGBA(r=0.6, g=0.2, b=0.8, a=0.3)


class Markers:
    """Publishes the markers while somebody looks; nothing is computed otherwise."""

    def __init__(self, node: Node) -> None:
        self._publisher = node.create_publisher(MarkerArray, "~/markers", qos.DIAGNOSTICS)
        self._trace: deque[Point] = deque(maxlen=TRACE_LENGTH)
        self._ghost = Ghost()

    def publish(self, robot: Robot, output: TrackerOutput) -> None:
        """Send the markers for a tick's output."""
        if not self._publisher.get_subscription_count() or output.q_command is None:
            return
        arm, q = robot.arm, output.q_command
        T = arm.forward_kinematics(q)
        self._trace.append(point_message(T[:3, 3]))
        markers = [
            _reach(arm, q),
            _line("trace", arm.base, list(self._trace), 0.003, TRACE),
            _ellipsoid(arm, q, T),
        ]
        if output.goal_pose is not None:
            markers.append(_target(arm, output.goal_pose))
        other = self._ghost.configuration(robot, output)
        markers.append(
            _line("other branch", arm.base, _skeleton(arm, other), 0.015, GHOST)
            if other is not None
            else _without("other branch", arm.base)
        )
        self._publisher.publish(MarkerArray(markers=markers))


def _marker(name: str, frame: str, kind: int, color: ColorRGBA) -> Marker:
    marker = Marker(ns=name, id=0, type=kind, action=Marker.ADD, color=color)
    marker.header.frame_id = frame
    marker.pose.orientation.w = 1.0
    return marker


def _without(name: str, frame: str) -> Marker:
    marker = _marker(name, frame, Marker.LINE_STRIP, GHOST)
    marker.action = Marker.DELETE
    return marker


def _line(name: str, frame: str, points: list[Point], width: float, color: ColorRGBA) -> Marker:
    marker = _marker(name, frame, Marker.LINE_STRIP, color)
    marker.scale.x = width
    marker.points = points
    return marker


def _target(arm: JointGroup, pose: Array) -> Marker:
    marker = _marker("target", arm.base, Marker.SPHERE, TARGET)
    marker.pose = pose_message(pose)
    marker.scale = Vector3(x=0.02, y=0.02, z=0.02)
    return marker


def _reach(arm: JointGroup, q: Array) -> Marker:
    """Draw three great circles: a ball around it all would catch the mouse in RViz."""
    marker = _marker("reach", arm.base, Marker.LINE_LIST, REACH)
    marker.pose.position = point_message(arm.joint_axes(q)[0, :3])
    marker.scale.x = 0.002
    marker.points = list(_great_circles(arm.reach))
    return marker


@lru_cache(maxsize=4)
def _great_circles(radius: float) -> tuple[Point, ...]:
    """Both ends of every side of three circles about the origin."""
    angles = np.linspace(0.0, 2.0 * np.pi, CIRCLE + 1)
    circle = radius * np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
    turned = (map(point_message, np.roll(circle, turn, axis=1)) for turn in range(3))
    return tuple(end for points in turned for pair in pairwise(points) for end in pair)


def _ellipsoid(arm: JointGroup, q: Array, T: Array) -> Marker:
    """Draw how fast the tool can go each way: the axes are those of J's translation rows."""
    U, sigma, _ = np.linalg.svd(arm.jacobian(q)[:3])
    U[:, 2] *= np.sign(np.linalg.det(U))
    sizes = np.zeros(3)
    sizes[: len(sigma)] = 2.0 * ELLIPSOID_SCALE * sigma
    x, y, z = np.maximum(sizes, 0.002).tolist()
    marker = _marker("ellipsoid", arm.base, Marker.SPHERE, ELLIPSOID)
    pose = np.eye(4)
    pose[:3, :3] = U
    pose[:3, 3] = T[:3, 3]
    marker.pose = pose_message(pose)
    marker.scale = Vector3(x=x, y=y, z=z)
    return marker


def _skeleton(arm: JointGroup, q: Array) -> list[Point]:
    origins = [*arm.joint_axes(q)[:, :3], arm.forward_kinematics(q)[:3, 3]]
    return [point_message(origin) for origin in origins]
