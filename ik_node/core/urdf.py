"""URDF text to links and joints, each checked by itself; the tree is checked in `model.py`.

The parser library prints to stderr, stops at the first tag of a visual or a transmission that it
does not like, and its messages are Python's. So it is handed only what the kinematics need, after
a look that names the element at fault.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from urdf_parser_py.urdf import URDF

from ik_node.core import se3
from ik_node.core.elements import Array, Joint, JointKind, Link, Mimic
from ik_node.errors import UrdfError

# tag: (attributes that must be there, attributes that may be)
_TAGS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "link": (("name",), ()),
    "joint": (("name", "type"), ()),
    "inertial": ((), ()),
    "mass": (("value",), ()),
    "origin": ((), ("xyz", "rpy")),
    "axis": (("xyz",), ()),
    "parent": (("link",), ()),
    "child": (("link",), ()),
    "limit": ((), ("lower", "upper", "velocity", "effort")),
    "mimic": (("joint",), ("multiplier", "offset")),
}
_CHILDREN = {
    "link": ("inertial",),
    "inertial": ("origin", "mass"),
    "joint": ("origin", "axis", "parent", "child", "limit", "mimic"),
}
_KINDS = ", ".join(kind.value for kind in JointKind)
_NUMBERS = {"xyz": 3, "rpy": 3} | dict.fromkeys(
    ("lower", "upper", "velocity", "effort", "multiplier", "offset", "value"), 1
)


class Description(NamedTuple):
    """What a URDF says, in the order in which it says it."""

    name: str
    links: list[Link]
    joints: list[Joint]


def read_urdf(text: str) -> Description:
    """Read the links and joints of a URDF.

    Args:
        text: the URDF itself, xacro already expanded.

    Raises:
        UrdfError: naming the element at fault and the remedy.
    """
    kept = _keep_what_matters(_parse_xml(text))
    try:
        robot = URDF.from_xml_string(ET.tostring(kept))
    except Exception as error:  # the library raises bare Exception, AssertionError, ValueError
        cause = " ".join(str(error).split())
        raise UrdfError("the text", f"cannot be read: {cause}", "correct it there") from error
    links = [_link(element) for element in robot.links]
    joints = [_joint(element) for element in robot.joints]
    _refuse_twins("link", (link.name for link in links))
    _refuse_twins("joint", (joint.name for joint in joints))
    return Description(str(robot.name), links, joints)


def _parse_xml(text: str) -> ET.Element:
    if not text.strip():
        raise UrdfError("the text", "is empty", "give the robot's URDF")
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise UrdfError("the text", "has a DOCTYPE", "remove it")
    try:
        root = ET.fromstring(text.strip())
    except (ET.ParseError, ValueError) as error:
        raise UrdfError("the text", f"is not XML ({error})", "correct it there") from error
    if root.tag != "robot":
        remedy = "the outermost element must be <robot>"
        raise UrdfError("the text", f"begins with <{root.tag}>", remedy)
    if any("xacro" in element.tag for element in root.iter()):
        remedy = "expand it with xacro, or give the file's path"
        raise UrdfError("the text", "still has xacro elements", remedy)
    return root


def _keep_what_matters(root: ET.Element) -> ET.Element:
    kept = ET.Element("robot", name=root.get("name") or "robot")
    for element in root:
        if element.tag in ("link", "joint"):
            where = f"{element.tag} '{element.get('name', '')}'"
            kept.append(_copy(element, where))
    return kept


def _copy(element: ET.Element, where: str) -> ET.Element:
    required, optional = _TAGS[element.tag]
    copy = ET.Element(element.tag)
    for name in required:
        if not element.get(name):
            raise UrdfError(where, f"has a <{element.tag}> without {name}=", "add the attribute")
    for name in (*required, *optional):
        if name in element.attrib:
            copy.set(name, element.attrib[name])
            _check_numbers(element, name, where)
    if element.tag == "limit":
        for name in ("velocity", "effort"):
            copy.set(name, element.get(name, "0"))
    if element.tag == "joint":
        _check_joint(element, where)
    if element.tag == "inertial" and element.find("mass") is None:
        raise UrdfError(where, "has an <inertial> without <mass>", 'add <mass value="..."/> [kg]')
    for tag in _CHILDREN.get(element.tag, ()):
        found = element.findall(tag)
        if len(found) > 1:
            raise UrdfError(where, f"has <{tag}> {len(found)} times", "keep one")
        copy.extend([_copy(child, where) for child in found])
    return copy


def _check_numbers(element: ET.Element, name: str, where: str) -> None:
    count = _NUMBERS.get(name)
    text = element.attrib[name]
    try:
        good = count is None or [math.isfinite(float(x)) for x in text.split()] == [True] * count
    except ValueError:
        good = False
    if not good:
        wanted = "a finite number" if count == 1 else f"{count} finite numbers"
        raise UrdfError(where, f'has <{element.tag} {name}="{text}">', f"give {wanted}")


def _check_joint(element: ET.Element, where: str) -> None:
    kind = element.get("type")
    if kind not in [k.value for k in JointKind]:
        raise UrdfError(where, f"is of type '{kind}', which is not supported", f"use {_KINDS}")
    for tag in ("parent", "child"):
        if element.find(tag) is None:
            raise UrdfError(where, f"has no <{tag}>", f'add <{tag} link="..."/>')
    if kind in ("revolute", "prismatic"):
        limit = element.find("limit")
        if limit is None or ("lower" not in limit.attrib and "upper" not in limit.attrib):
            raise UrdfError(
                where,
                "has no position limits",
                'add <limit lower="..." upper="..." velocity="..." effort="..."/>'
                + (" or make it continuous" if kind == "revolute" else ""),
            )


def _refuse_twins(kind: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise UrdfError(f"{kind} '{name}'", "is there twice", "rename one of them")
        seen.add(name)


def _link(element: Any) -> Link:
    inertial = element.inertial
    if inertial is None:
        return Link(element.name, 0.0, se3.frozen(np.zeros(3)))
    mass = float(inertial.mass)
    if mass < 0.0:
        where = f"link '{element.name}'"
        raise UrdfError(where, f"has a mass of {mass} kg", "a mass cannot be negative")
    return Link(element.name, mass, se3.frozen(_origin(inertial)[:3, 3]))


def _joint(element: Any) -> Joint:
    where = f"joint '{element.name}'"
    kind = JointKind(element.type)
    limit, mimic = element.limit, element.mimic
    lower, upper, velocity, effort = -math.inf, math.inf, 0.0, 0.0
    if limit is not None:
        velocity, effort = float(limit.velocity), float(limit.effort)
        if kind in (JointKind.REVOLUTE, JointKind.PRISMATIC):
            lower, upper = float(limit.lower), float(limit.upper)
    if lower > upper:
        raise UrdfError(where, f"has lower limit {lower} above upper limit {upper}", "swap them")
    if velocity < 0.0:
        raise UrdfError(where, f"has a velocity limit of {velocity}", "give a positive one")
    axis = np.array([1.0, 0.0, 0.0] if element.axis is None else element.axis, dtype=float)
    length = float(np.linalg.norm(axis))
    if kind is not JointKind.FIXED and length < 1e-6:
        raise UrdfError(where, "has a zero axis", 'give its direction, e.g. <axis xyz="0 0 1"/>')
    return Joint(
        name=element.name,
        kind=kind,
        parent=element.parent,
        child=element.child,
        origin=se3.frozen(_origin(element)),
        axis=se3.frozen(axis / max(length, 1e-6)),
        lower=lower,
        upper=upper,
        velocity=velocity,
        effort=effort,
        mimic=None if mimic is None or kind is JointKind.FIXED else _mimic(mimic),
    )


def _mimic(element: Any) -> Mimic:
    multiplier = 1.0 if element.multiplier is None else float(element.multiplier)
    return Mimic(element.joint, multiplier, float(element.offset or 0.0))


def _origin(element: Any) -> Array:
    origin = element.origin
    if origin is None:
        return np.eye(4)
    return se3.pose(se3.rotation_from_rpy(origin.rpy or (0, 0, 0)), origin.xyz or (0, 0, 0))
