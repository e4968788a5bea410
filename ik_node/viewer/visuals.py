"""The shapes of a URDF's links: boxes, cylinders and spheres; meshes are named and left out."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from ik_node.core import se3
from ik_node.errors import UrdfError

Array = NDArray[np.float64]
Colour = tuple[int, int, int]

GREY: Colour = (150, 154, 162)


class Shape(str, Enum):
    """The primitive shapes that URDF knows; the value is the element's name."""

    BOX = "box"
    CYLINDER = "cylinder"
    SPHERE = "sphere"


@dataclass(frozen=True, eq=False)
class Visual:
    """One shape of a link.

    Attributes:
        shape: what it is.
        size: m; x, y, z of a box, radius and length of a cylinder, radius of a sphere.
        origin: (4, 4) pose of the shape's centre in the link.
        colour: red, green, blue, 0 to 255.
    """

    shape: Shape
    size: tuple[float, ...]
    origin: Array
    colour: Colour


@dataclass(frozen=True)
class Visuals:
    """What of a robot can be drawn: shapes by link, and the links whose meshes cannot."""

    shapes: dict[str, tuple[Visual, ...]]
    left_out: tuple[str, ...]


def read_visuals(urdf: str) -> Visuals:
    """Read the shapes of a URDF that `RobotModel.from_urdf` has accepted.

    Raises:
        UrdfError: a shape without its size, or with numbers that are none.
    """
    root = ET.fromstring(urdf.strip())
    named = {material.get("name", ""): material for material in root.iter("material")
             if material.find("color") is not None}  # fmt: skip
    shapes: dict[str, tuple[Visual, ...]] = {}
    left_out = []
    for link in root.findall("link"):
        name = link.get("name", "")
        elements = link.findall("visual")
        found = [_visual(name, element, named) for element in elements]
        shapes[name] = tuple(visual for visual in found if visual is not None)
        if len(shapes[name]) < len(found):
            left_out.append(name)
    return Visuals(shapes, tuple(left_out))


def _visual(link: str, element: ET.Element, named: dict[str, ET.Element]) -> Visual | None:
    geometry = element.find("geometry")
    for shape in Shape:
        found = None if geometry is None else geometry.find(shape.value)
        if found is not None:
            origin = element.find("origin")
            return Visual(
                shape, _size(link, shape, found), _pose(link, origin), _colour(element, named)
            )
    return None


def _size(link: str, shape: Shape, element: ET.Element) -> tuple[float, ...]:
    names = {Shape.BOX: ("size",), Shape.CYLINDER: ("radius", "length"), Shape.SPHERE: ("radius",)}
    text = " ".join(element.get(name, "") for name in names[shape])
    return _numbers(link, f"<{shape.value}>", text, 3 if shape is Shape.BOX else len(names[shape]))


def _pose(link: str, origin: ET.Element | None) -> Array:
    if origin is None:
        return np.eye(4)
    rpy = _numbers(link, "<origin rpy>", origin.get("rpy", "0 0 0"), 3)
    xyz = _numbers(link, "<origin xyz>", origin.get("xyz", "0 0 0"), 3)
    return se3.pose(se3.rotation_from_rpy(rpy), xyz)


def _numbers(link: str, what: str, text: str, count: int) -> tuple[float, ...]:
    try:
        numbers = tuple(float(word) for word in text.split())
    except ValueError:
        numbers = ()
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise UrdfError(
            f"link '{link}'", f"has a visual whose {what} is '{text}'", f"give {count} numbers"
        )
    return numbers


def _colour(element: ET.Element, named: dict[str, ET.Element]) -> Colour:
    material = element.find("material")
    if material is None:
        return GREY
    colour = material.find("color")
    if colour is None and material.get("name") in named:
        colour = named[material.get("name", "")].find("color")
    words = [] if colour is None else colour.get("rgba", "").split()
    try:
        red, green, blue = (round(255 * min(1.0, max(0.0, float(word)))) for word in words[:3])
    except ValueError:
        return GREY
    return red, green, blue
