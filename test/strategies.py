"""Robots for the tests: fixed arms from published dimensions, and random ones for hypothesis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from ik_node.core import JointGroup, RobotModel
from ik_node.core.kernels.jit import COMPILED


def examples(count: int) -> int:
    """So many examples of a property, a fifth of them where the kernels run interpreted."""
    return count if COMPILED else max(5, count // 5)


@dataclass
class JointText:
    """One joint of a serial chain, as numbers; `urdf` writes it."""

    name: str
    kind: str = "revolute"
    xyz: Sequence[float] = (0.0, 0.0, 0.0)
    rpy: Sequence[float] = (0.0, 0.0, 0.0)
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    lower: float = -math.pi
    upper: float = math.pi
    velocity: float = 3.0
    mimic: tuple[str, float, float] | None = None
    mass: float = 0.1
    com: Sequence[float] = field(default=(0.02, 0.0, 0.0))


def numbers(values: Sequence[float]) -> str:
    return " ".join(repr(float(value)) for value in values)


def urdf(joints: Sequence[JointText], name: str = "arm") -> str:
    """A chain base_link, link_1, ... of these joints; the last link is called tool."""
    links = ["base_link", *(f"link_{i + 1}" for i in range(len(joints) - 1)), "tool"]
    lines = [f'<robot name="{name}">', f'<link name="{links[0]}"/>']
    for joint, parent, child in zip(joints, links, links[1:], strict=False):
        lines += [
            f'<link name="{child}"><inertial><origin xyz="{numbers(joint.com)}"/>'
            f'<mass value="{joint.mass}"/>'
            '<inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/>'
            "</inertial></link>",
            f'<joint name="{joint.name}" type="{joint.kind}">',
            f'<origin xyz="{numbers(joint.xyz)}" rpy="{numbers(joint.rpy)}"/>',
            f'<parent link="{parent}"/><child link="{child}"/>',
        ]
        if joint.kind != "fixed":
            lines.append(f'<axis xyz="{numbers(joint.axis)}"/>')
            limits = "" if joint.kind == "continuous" else (
                f'lower="{joint.lower!r}" upper="{joint.upper!r}" '
            )  # fmt: skip
            lines.append(f'<limit {limits}velocity="{joint.velocity!r}" effort="5"/>')
        if joint.mimic:
            lines.append('<mimic joint="{}" multiplier="{!r}" offset="{!r}"/>'.format(*joint.mimic))
        lines.append("</joint>")
    return "\n".join([*lines, "</robot>"])


def arm_of(text: str) -> JointGroup:
    return RobotModel.from_urdf(text).joint_group("base_link", "tool")


def fixed_joint(xyz: Sequence[float], name: str = "tool_joint") -> JointText:
    return JointText(name, "fixed", xyz)


def planar_2r(l1: float = 0.30, l2: float = 0.25) -> str:
    """Two links in the x-z plane, axes along -y, so that angles count counter-clockwise."""
    across = (0.0, -1.0, 0.0)
    return urdf(
        [
            JointText("shoulder", axis=across),
            JointText("elbow", xyz=(l1, 0, 0), axis=across, lower=-2.6, upper=2.6),
            fixed_joint((l2, 0, 0)),
        ],
        "planar_2r",
    )


def omx() -> str:
    """OpenMANIPULATOR-X: dimensions and limits of ROBOTIS' e-manual and description."""
    y = (0.0, 1.0, 0.0)
    return urdf(
        [
            JointText("joint1", xyz=(0.012, 0, 0), velocity=4.8),
            JointText("joint2", "revolute", (0, 0, 0.0595), (0, 0, 0), y, -1.5, 1.5, 4.8),
            JointText("joint3", "revolute", (0.024, 0, 0.128), (0, 0, 0), y, -1.5, 1.4, 4.8),
            JointText("joint4", "revolute", (0.124, 0, 0), (0, 0, 0), y, -1.7, 1.97, 4.8),
            fixed_joint((0.126, 0, 0)),
        ],
        "omx",
    )


def _interbotix(rise: float, upper: float, ahead: float, forearm: Sequence[JointText]) -> str:
    y = (0.0, 1.0, 0.0)
    return urdf(
        [
            JointText("waist", xyz=(0, 0, 0.072)),
            JointText("shoulder", xyz=(0, 0, rise), axis=y, lower=-1.885, upper=1.99),
            JointText("elbow", xyz=(ahead, 0, upper), axis=y, lower=-2.147, upper=1.606),
            *forearm,
        ],
        "interbotix",
    )


def wx200() -> str:
    """WidowX 200: waist, shoulder, elbow, wrist pitch and roll (dimensions of Trossen's sheet)."""
    return _interbotix(
        0.03865,
        0.2,
        0.05,
        [
            JointText("wrist_angle", xyz=(0.2, 0, 0), axis=(0, 1, 0), lower=-1.745, upper=2.147),
            JointText("wrist_rotate", xyz=(0.065, 0, 0), axis=(1, 0, 0)),
            fixed_joint((0.093575, 0, 0)),
        ],
    )


def wx250s() -> str:
    """WidowX 250 6DOF: a forearm roll more (dimensions of Trossen's sheet)."""
    return _interbotix(
        0.03865,
        0.25,
        0.04975,
        [
            JointText("forearm_roll", xyz=(0.175, 0, 0), axis=(1, 0, 0)),
            JointText("wrist_angle", xyz=(0.075, 0, 0), axis=(0, 1, 0), lower=-1.745, upper=2.147),
            JointText("wrist_rotate", xyz=(0.065, 0, 0), axis=(1, 0, 0)),
            fixed_joint((0.093575, 0, 0)),
        ],
    )


def ur5() -> str:
    """UR5-like: dimensions of Universal Robots' DH table, each joint +-2 pi, reaching along +x."""
    h = math.pi / 2
    rows = [
        ("shoulder_pan", 0.0, 0.089159, 0.0, math.pi),
        ("shoulder_lift", 0.0, 0.0, h, 0.0),
        ("elbow", -0.425, 0.0, 0.0, 0.0),
        ("wrist_1", -0.39225, 0.10915, 0.0, 0.0),
        ("wrist_2", 0.0, 0.09465, h, 0.0),
        ("wrist_3", 0.0, 0.0823, -h, 0.0),
    ]
    joints = []
    for name, a, d, alpha, yaw in rows:
        xyz = (a, -d * math.sin(alpha), d * math.cos(alpha))
        limits = (-2 * math.pi, 2 * math.pi)
        joints.append(JointText(name, "revolute", xyz, (alpha, 0.0, yaw), (0, 0, 1), *limits))
    return urdf([*joints, fixed_joint((0, 0, 0))], "ur5")


def panda() -> str:
    """Panda-like: dimensions and limits of Franka's DH table."""
    h = math.pi / 2
    limits = [
        (-2.8973, 2.8973), (-1.7628, 1.7628), (-2.8973, 2.8973), (-3.0718, -0.0698),
        (-2.8973, 2.8973), (-0.0175, 3.7525), (-2.8973, 2.8973),
    ]  # fmt: skip
    rows = [
        (0.0, 0.333, 0.0), (0.0, 0.0, -h), (0.0, 0.316, h), (0.0825, 0.0, h),
        (-0.0825, 0.384, -h), (0.0, 0.0, h), (0.088, 0.0, h),
    ]  # fmt: skip
    joints = []
    for i, ((a, d, alpha), (lower, upper)) in enumerate(zip(rows, limits, strict=True)):
        xyz = (a, -d * math.sin(alpha), d * math.cos(alpha))
        joints.append(
            JointText(f"joint{i + 1}", "revolute", xyz, (alpha, 0, 0), (0, 0, 1), lower, upper, 2.2)
        )
    return urdf([*joints, fixed_joint((0, 0, 0.107))], "panda")


def in_line() -> str:
    """Seven joints that meet in a shoulder, an elbow and a wrist: at 0 every other axis is one."""
    heights = (0.2, 0.16, 0.2, 0.22, 0.2, 0.2, 0.1)
    joints = [
        JointText(f"joint{i + 1}", xyz=(0, 0, z), axis=(0, i % 2, 1 - i % 2), lower=-2.9, upper=2.9)
        for i, z in enumerate(heights)
    ]
    return urdf([*joints, fixed_joint((0, 0, 0.1))], "in_line")


def scara() -> str:
    """Two parallel vertical axes, a vertical slide and a roll."""
    return urdf(
        [
            JointText("shoulder", xyz=(0, 0, 0.3), lower=-2.5, upper=2.5),
            JointText("elbow", xyz=(0.25, 0, 0), lower=-2.6, upper=2.6),
            JointText("slide", "prismatic", (0.2, 0, 0), (0, 0, 0), (0, 0, -1), 0.0, 0.15, 0.2),
            JointText("roll"),
            fixed_joint((0, 0, -0.05)),
        ],
        "scara",
    )


FIXED_ARMS = {
    "planar_2r": planar_2r(),
    "omx": omx(),
    "wx200": wx200(),
    "wx250s": wx250s(),
    "ur5": ur5(),
    "panda": panda(),
    "scara": scara(),
}
"""Arms by name, as URDF text; base_link and tool are base and tip."""


@st.composite
def arm_texts(draw: st.DrawFn, smallest: int = 2, largest: int = 7, plain: bool = False) -> str:
    """URDF text of a random serial arm with `smallest` to `largest` independent joints.

    With fixed, continuous, prismatic and mimic joints among them, unless `plain`: then all are
    revolute. base_link and tool are base and tip. What joints there are shrinks; their numbers come
    from one seed, which is many times faster.
    """
    kinds = st.sampled_from(
        ["revolute"]
        if plain
        else ["revolute", "revolute", "revolute", "continuous", "prismatic", "fixed", "mimic"]
    )
    chosen = draw(st.lists(kinds, min_size=smallest, max_size=largest + 2))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    return random_arm(chosen, smallest, largest, rng)


def random_arm(kinds: Sequence[str], smallest: int, largest: int, rng: np.random.Generator) -> str:
    """A serial arm of these kinds of joint, filled up or cut to the number of independent ones."""
    joints: list[JointText] = []
    movers: list[str] = []
    for kind in [*kinds, *["revolute"] * smallest]:
        full = len(movers) == largest or (len(joints) >= len(kinds) and len(movers) >= smallest)
        if full or (kind == "mimic" and not movers):
            continue
        joint = JointText(
            f"j{len(joints)}",
            kind,
            rng.uniform(-0.3, 0.3, 3).round(3),
            rng.uniform(-math.pi, math.pi, 3).round(3),
            (rng.normal(size=3) + 1e-3).round(3),
            round(rng.uniform(-3.1, -0.3), 2),
            round(rng.uniform(0.3, 3.1), 2),
            round(rng.uniform(0.5, 6.0), 2),
            mass=round(rng.uniform(0.0, 2.0), 3),
            com=rng.uniform(-0.1, 0.1, 3).round(3),
        )
        if kind == "prismatic":
            joint.lower, joint.upper = [(0.0, 0.2), (-0.1, 0.15)][int(rng.integers(2))]
        elif kind == "mimic":
            joint.kind = ("revolute", "prismatic")[int(rng.integers(2))]
            multiplier = (-1.0, 0.5, 2.0)[int(rng.integers(3))]
            joint.mimic = (movers[int(rng.integers(len(movers)))], multiplier, 0.05)
            joint.lower, joint.upper = -10.0, 10.0
        if kind not in ("fixed", "mimic"):
            movers.append(joint.name)
        joints.append(joint)
    return urdf([*joints, fixed_joint(rng.uniform(-0.3, 0.3, 3).round(3))], "random")


def arms(smallest: int = 2, largest: int = 7, plain: bool = False) -> st.SearchStrategy[JointGroup]:
    """Random arms, see `arm_texts`."""
    return arm_texts(smallest, largest, plain).map(arm_of)
