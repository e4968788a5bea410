"""The arms that are measured: those that ship, and UR5, Panda, iiwa14 where a package has them."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

from ik_node.core import JointGroup, RobotModel
from ik_node.core.kernels import kinematics
from ik_node.core.xacro_file import load_description

ROOT = Path(__file__).resolve().parents[1]

SPEED = 3.0
"""rad/s, of every joint in the plain URDF."""

ELSEWHERE = {
    "ur5": ("example-robot-data/robots/ur_description/urdf/ur5_robot.urdf", "base_link", "tool0"),
    "panda": (
        "example-robot-data/robots/panda_description/urdf/panda.urdf",
        "panda_link0",
        "panda_link8",
    ),
    "iiwa14": ("kuka_description/kuka_lbr_iiwa/urdf/lbr_iiwa_14_r820.urdf", "base_link", "tool0"),
}
"""From the packages example-robot-data and rtb-data: file, base and tip."""


def robots() -> Iterator[tuple[str, JointGroup]]:
    """Every arm by name."""
    for folder in sorted((ROOT / "config").iterdir()):
        settings = folder / "ik_node.yaml"
        if settings.is_file():
            values = yaml.safe_load(settings.read_text())["/**"]["ros__parameters"]
            model = RobotModel.from_urdf(load_description(folder / "arm.urdf.xacro"))
            yield folder.name, model.joint_group(values["base_frame"], values["tip_frame"])
    for name, (file, base, tip) in ELSEWHERE.items():
        path = next((place / file for place in _data_folders() if (place / file).is_file()), None)
        if path is not None:
            yield name, RobotModel.from_urdf(path.read_text()).joint_group(base, tip)


def _data_folders() -> Iterator[Path]:
    for package, below in (("cmeel", "../cmeel.prefix/share"), ("rtbdata", "xacro")):
        spec = importlib.util.find_spec(package)
        for place in (spec.submodule_search_locations or []) if spec else []:
            yield Path(place) / below


def random_arm(size: int, rng: np.random.Generator) -> JointGroup:
    """A serial arm of so many hinges, their places, axes and limits at random."""
    links = ["base", *(f"link{i + 1}" for i in range(size)), "tool"]
    text = ['<robot name="random">', *(f'<link name="{link}"/>' for link in links)]
    for i, (parent, child) in enumerate(pairwise(links)):
        last = i == size
        text.append(
            f'<joint name="joint{i + 1}" type="{"fixed" if last else "revolute"}">'
            f'<origin xyz="{_numbers(rng.uniform(-0.25, 0.25, 3))}" '
            f'rpy="{_numbers(rng.uniform(-3.1, 3.1, 3))}"/>'
            f'<parent link="{parent}"/><child link="{child}"/>'
        )
        if not last:
            text.append(
                f'<axis xyz="{_numbers(rng.standard_normal(3))}"/>'
                f'<limit lower="{rng.uniform(-3.1, -0.5):.3f}" upper="{rng.uniform(0.5, 3.1):.3f}" '
                'velocity="3" effort="10"/>'
            )
        text.append("</joint>")
    return RobotModel.from_urdf("\n".join([*text, "</robot>"])).joint_group("base", "tool")


def bounds(arm: JointGroup) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The limits, unlimited joints within a turn either way."""
    return np.maximum(arm.lower, -2 * math.pi), np.minimum(arm.upper, 2 * math.pi)


def plain_urdf(arm: JointGroup) -> str:
    """The arm alone as URDF, `base` to `tool` without meshes: the same file for every solver."""
    lower, upper = bounds(arm)
    inertial = (
        '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" '
        'iyz="0"/></inertial>'
    )
    rows = arm.chain
    links = ["base", *(f"link{i}" for i in range(1, len(rows))), "tool"]
    text = ['<robot name="arm">', *(f'<link name="{link}">{inertial}</link>' for link in links)]
    for i, row in enumerate(rows):
        R, p = row[0:9].reshape(3, 3), row[9:12]
        pitch = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
        if abs(abs(pitch) - math.pi / 2) < 1e-9:
            roll, yaw = 0.0, math.atan2(-R[0, 1], R[1, 1])
        else:
            roll, yaw = math.atan2(R[2, 1], R[2, 2]), math.atan2(R[1, 0], R[0, 0])
        last = i == len(rows) - 1
        kind = "fixed" if last else ("prismatic" if row[kinematics.PRISMATIC] else "revolute")
        name = "tool_joint" if last else arm.joint_names[i]
        text.append(
            f'<joint name="{name}" type="{kind}">'
            f'<origin xyz="{_numbers(p)}" rpy="{_numbers((roll, pitch, yaw))}"/>'
            f'<parent link="{links[i]}"/><child link="{links[i + 1]}"/>'
        )
        if not last:
            text.append(
                f'<axis xyz="0 0 1"/><limit lower="{lower[i]}" upper="{upper[i]}" '
                f'velocity="{SPEED}" effort="100"/>'
            )
        text.append("</joint>")
    return "\n".join([*text, "</robot>"])


def _numbers(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)
