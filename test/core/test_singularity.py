"""Near singularities are named after what makes them."""

from __future__ import annotations

import numpy as np
import pytest
from strategies import FIXED_ARMS, JointText, arm_of, examples, fixed_joint, urdf

from ik_node.core import JointGroup, SingularityKind, manipulability
from ik_node.core.manipulability import nearest_singularity, scale_of

STRAIGHT, FOLDED = SingularityKind.STRAIGHT, SingularityKind.FOLDED
TOOL_ON_AXIS, AXES_ALIGNED = SingularityKind.TOOL_ON_AXIS, SingularityKind.AXES_ALIGNED
H = np.pi / 2

CASES = {
    "2R straight": ("planar_2r", [0.7, 0.0], STRAIGHT, ("elbow",)),
    "2R nearly straight": ("planar_2r", [0.7, -0.03], STRAIGHT, ("elbow",)),
    "omx stretched up": ("omx", [0.3, -0.1854, -1.3854, 0.0], STRAIGHT, ("joint3",)),
    "wx200 straight": ("wx200", [0.3, 0.4, -1.3258, 0.02, 0.5], STRAIGHT, ("elbow",)),
    "wx250s straight": ("wx250s", [0.3, 0.4, -1.36, 0.9, 0.8, 0.5], STRAIGHT, ("elbow",)),
    "wx250s wrist": (
        "wx250s", [0.3, 0.4, 0.2, 0.9, 0.01, 0.5], AXES_ALIGNED, ("forearm_roll", "wrist_rotate"),
    ),
    "ur5 straight": ("ur5", [0.2, -0.9, 0.01, 0.6, 1.0, 0.3], STRAIGHT, ("elbow",)),
    "ur5 wrist": ("ur5", [0.2, -0.9, 1.2, 0.6, 0.01, 0.3], AXES_ALIGNED, ("wrist_1", "wrist_3")),
    "ur5 folded": ("ur5", [0.2, -0.9, 3.1, 0.6, 1.0, 0.3], FOLDED, ("elbow",)),
    "panda straight": (
        "panda", [0.2, 0.4, 0.3, -0.467, 0.5, 1.5, 0.3], STRAIGHT, ("joint4",),
    ),
    "scara folded": ("scara", [0.2, 2.58, 0.1, 0.0], FOLDED, ("elbow",)),
}  # fmt: skip


@pytest.mark.parametrize(("name", "q", "kind", "joints"), CASES.values(), ids=CASES.keys())
def test_the_cause_is_named_with_its_joints(
    name: str, q: list[float], kind: SingularityKind, joints: tuple[str, ...]
) -> None:
    found = nearest_singularity(arm_of(FIXED_ARMS[name]), q)
    assert (found.kind, found.joints) == (kind, joints)
    assert all(joint in found.sentence for joint in joints)


def above_the_first_axis(arm: JointGroup, wrist: bool) -> np.ndarray:
    """A bent configuration whose tool (or wrist) is on the first joint's axis."""
    for q in arm.random_configurations(400, np.random.default_rng(3)):
        for _ in range(30):
            axes, T = arm.joint_axes(q), arm.forward_kinematics(q)
            point = axes[4, :3] if wrist else T[:3, 3]
            out = point[:2] - axes[0, :2]
            if np.linalg.norm(out) < 1e-10:
                break
            J = arm.jacobian(q)[:3].copy()
            if wrist:
                J = np.cross(axes[:, 3:], point - axes[:, :3]).T
                J[:, 4:] = 0.0
            q = q - 0.5 * np.linalg.pinv(J[:2], rcond=1e-3) @ out
        bent = abs(np.sin(arm.elbow.angle(q))) > 0.4 and abs(np.sin(q[4 if wrist else 3])) > 0.4
        if np.linalg.norm(out) < 1e-6 and bent and (q > arm.lower).all() and (q < arm.upper).all():
            return q
    raise AssertionError("no such configuration")


@pytest.mark.parametrize(
    ("name", "first", "part"),
    [("omx", "joint1", "tool"), ("wx200", "waist", "tool"), ("wx250s", "waist", "wrist")],
)
def test_a_tool_above_the_base_is_on_the_axis_of_the_first_joint(
    name: str, first: str, part: str
) -> None:
    arm = arm_of(FIXED_ARMS[name])
    found = manipulability(arm, above_the_first_axis(arm, part == "wrist")).singularity
    assert found is not None
    assert (found.kind, found.joints) == (TOOL_ON_AXIS, (first,))
    assert found.sentence == f"the {part} is on the axis of joint {first}"


@pytest.mark.parametrize("name", FIXED_ARMS)
def test_a_singularity_is_told_exactly_where_the_smallest_value_is_small(name: str) -> None:
    arm = arm_of(FIXED_ARMS[name])
    threshold = 0.1 * scale_of(arm).best_sigma
    for q in arm.random_configurations(examples(200), np.random.default_rng(5)):
        m = manipulability(arm, q)
        assert (m.singularity is not None) == (m.sigma_min <= threshold)


def test_most_near_singularities_of_known_arms_have_a_cause() -> None:
    for name in ("planar_2r", "omx", "wx200", "wx250s", "ur5", "panda"):
        arm = arm_of(FIXED_ARMS[name])
        found = [
            manipulability(arm, q, near=0.03).singularity
            for q in arm.random_configurations(1000, np.random.default_rng(6))
        ]
        near = [f for f in found if f is not None]
        general = [f for f in near if f.kind is SingularityKind.GENERAL]
        assert len(general) <= 0.3 * len(near), (name, len(general), len(near))


def test_a_joint_that_never_moves_the_tool_is_no_cause_where_position_counts() -> None:
    arm = arm_of(FIXED_ARMS["wx250s"])
    for q in arm.random_configurations(examples(300), np.random.default_rng(7)):
        assert "wrist_rotate" not in nearest_singularity(arm, q, "position").joints


def test_two_yaws_in_line_are_aligned() -> None:
    joints = [
        JointText("yaw1", xyz=(0, 0, 0.1)),
        JointText("pitch", xyz=(0, 0, 0.1), axis=(0, 1, 0)),
        JointText("yaw2", xyz=(0, 0, 0.2)),
        fixed_joint((0.2, 0, 0.1)),
    ]
    found = nearest_singularity(arm_of(urdf(joints)), [0.3, 0.001, 0.5], "pose")
    assert (found.kind, found.joints) == (AXES_ALIGNED, ("yaw1", "yaw2"))
    assert found.sentence == "the axes of joints yaw1 and yaw2 are aligned"


def test_what_has_no_simple_cause_is_general_and_lists_its_joints() -> None:
    rng = np.random.default_rng(11)
    joints = [
        JointText(f"j{i}", xyz=rng.uniform(-0.3, 0.3, 3), axis=rng.normal(size=3)) for i in range(6)
    ]
    arm = arm_of(urdf([*joints, fixed_joint((0.1, 0.1, 0.1))]))
    q = min(
        arm.random_configurations(examples(2000), rng),
        key=lambda q: scale_of(arm, "pose").measure(q)[1],
    )
    found = nearest_singularity(arm, q, "pose")
    assert found.kind is SingularityKind.GENERAL
    assert set(found.joints) <= set(arm.joint_names)
    assert "move against each other" in found.sentence
