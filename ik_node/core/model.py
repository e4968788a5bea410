"""The whole robot as a frozen tree of links and joints."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from ik_node.core import se3
from ik_node.core.elements import Array, Joint, JointKind, Link, Mimic
from ik_node.core.joint_group import JointGroup
from ik_node.core.urdf import read_urdf
from ik_node.errors import TargetError, UnknownNameError, UrdfError


@dataclass(frozen=True, eq=False)
class RobotModel:
    """A robot description that can be used.

    Attributes:
        name: the robot's.
        root: the one link that has no parent.
        links: by name, parents before children.
        joints: by name, parents before children.
    """

    name: str
    root: str
    links: Mapping[str, Link]
    joints: Mapping[str, Joint]

    @classmethod
    def from_urdf(cls, text: str, default_velocity: float = 1.0) -> RobotModel:
        """Read a robot description.

        Args:
            text: URDF, xacro already expanded (see `xacro_file.load_description`).
            default_velocity: rad/s or m/s for moving joints without a velocity limit; a warning
                names them.

        Raises:
            UrdfError: naming the element at fault and the remedy.
        """
        description = read_urdf(text)
        links = {link.name: link for link in description.links}
        root, joints = _in_topological_order(links, description.joints)
        joints = _with_velocities(_with_sources(joints), default_velocity)
        order = [root, *(joint.child for joint in joints.values())]
        return cls(
            description.name,
            root,
            MappingProxyType({name: links[name] for name in order}),
            MappingProxyType(joints),
        )

    def joint_group(self, base: str, tip: str) -> JointGroup:
        """The serial chain from link `base` to link `tip`.

        Raises:
            UnknownNameError: a link that does not exist.
            UrdfError: no moving joint between them, or a mimic joint driven from outside.
        """
        return JointGroup.between(self, base, tip)

    def ancestors(self, link: str) -> tuple[Joint, ...]:
        """The joints from the root to `link`, in that order.

        Raises:
            UnknownNameError: a link that does not exist.
        """
        if link not in self.links:
            raise UnknownNameError("link", link, self.links)
        parents = {joint.child: joint for joint in self.joints.values()}
        path = []
        while link != self.root:
            path.append(parents[link])
            link = path[-1].parent
        return tuple(reversed(path))

    def frame_pose(self, frame: str, positions: Mapping[str, float]) -> Array:
        """Pose (4, 4) of link `frame` in the root link.

        Args:
            frame: a link's name.
            positions: by independent joint's name, rad or m; those on the way must be there.

        Raises:
            UnknownNameError: a frame that does not exist.
            TargetError: a joint on the way has no position.
        """
        T = np.eye(4)
        for joint in self.ancestors(frame):
            T = T @ joint.origin
            if joint.moves:
                source = joint.mimic.joint if joint.mimic else joint.name
                if source not in positions:
                    raise TargetError(
                        f"frame '{frame}' hangs on joint '{source}', whose position is not known; "
                        "publish it in joint_states"
                    )
                T = T @ joint_motion(joint, joint_value(joint, positions[source]))
        return T


def joint_value(joint: Joint, source_value: float) -> float:
    """Value of `joint` when the independent joint that drives it stands at `source_value`."""
    if joint.mimic is None:
        return source_value
    return joint.mimic.multiplier * source_value + joint.mimic.offset


def joint_motion(joint: Joint, value: float) -> Array:
    """Pose (4, 4) of a moving joint's child in the joint frame at `value` rad or m."""
    if joint.kind is JointKind.PRISMATIC:
        return se3.pose(np.eye(3), value * joint.axis)
    return se3.pose(se3.exp(value * joint.axis), np.zeros(3))


def _in_topological_order(
    links: Mapping[str, Link], joints: Iterable[Joint]
) -> tuple[str, dict[str, Joint]]:
    if not links:
        raise UrdfError("the robot", "has no link", "add at least a base and a tip link")
    parent_of: dict[str, Joint] = {}
    children: dict[str, list[Joint]] = {name: [] for name in links}
    for joint in joints:
        for end, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in links:
                known = str(UnknownNameError("link", link, links))
                raise UrdfError(f"joint '{joint.name}'", f"has a {end} that does not exist", known)
        if joint.child in parent_of:
            first, second = parent_of[joint.child].name, joint.name
            raise UrdfError(
                f"link '{joint.child}'",
                f"is the child of both joint '{first}' and joint '{second}'",
                "remove one: a robot is a tree without loops",
            )
        parent_of[joint.child] = joint
        children[joint.parent].append(joint)
    roots = [name for name in links if name not in parent_of]
    if len(roots) > 1:
        raise UrdfError(
            "the robot",
            f"has {len(roots)} root links: {', '.join(roots)}",
            "connect all but one of them by a joint",
        )
    ordered: dict[str, Joint] = {}
    queue = list(roots)
    for link in queue:
        for joint in children[link]:
            ordered[joint.name] = joint
            queue.append(joint.child)
    if len(queue) < len(links):
        lost = [name for name in links if name not in set(queue)]
        raise UrdfError(
            f"link '{lost[0]}'",
            f"is part of a loop ({', '.join(lost)})",
            "remove one of its joints: a robot is a tree without loops",
        )
    return roots[0], ordered


def _with_sources(joints: Mapping[str, Joint]) -> dict[str, Joint]:
    """Let every mimic joint name the independent joint at the end of its chain of mimics."""
    return {name: _with_source(joint, joints) for name, joint in joints.items()}


def _with_source(joint: Joint, joints: Mapping[str, Joint]) -> Joint:
    mimic, seen = joint.mimic, {joint.name}
    while mimic is not None:
        where = f"joint '{joint.name}'"
        if mimic.joint not in joints:
            known = str(UnknownNameError("joint", mimic.joint, joints))
            raise UrdfError(where, "mimics a joint that does not exist", known)
        source = joints[mimic.joint]
        if not source.moves:
            raise UrdfError(where, f"mimics the fixed joint '{source.name}'", "name a moving joint")
        if source.name in seen:
            raise UrdfError(where, "mimics itself in the end", "name an independent joint")
        if source.mimic is None:
            return replace(joint, mimic=mimic)
        seen.add(source.name)
        mimic = Mimic(
            source.mimic.joint,
            mimic.multiplier * source.mimic.multiplier,
            mimic.multiplier * source.mimic.offset + mimic.offset,
        )
    return joint


def _with_velocities(joints: Mapping[str, Joint], default: float) -> dict[str, Joint]:
    lacking = [j.name for j in joints.values() if j.moves and not j.mimic and j.velocity == 0.0]
    if lacking:
        logging.getLogger("ik_node").warning(
            "URDF: no velocity limit for %s; %g rad/s (m/s) is taken: add velocity= to <limit>",
            ", ".join(lacking),
            default,
        )
    return {
        name: replace(joint, velocity=default) if name in lacking else joint
        for name, joint in joints.items()
    }
