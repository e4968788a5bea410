"""Every mistake in a robot description is one sentence that names the element and the remedy."""

from __future__ import annotations

import logging

import pytest
from strategies import FIXED_ARMS, planar_2r

from ik_node.core import RobotModel
from ik_node.core.urdf import read_urdf
from ik_node.errors import UrdfError

LIMIT = '<limit lower="-1" upper="1" velocity="1" effort="1"/>'


def robot(*joints: str, links: tuple[str, ...] = ("a", "b", "c")) -> str:
    return '<robot name="r">{}{}</robot>'.format(
        "".join(f'<link name="{link}"/>' for link in links), "".join(joints)
    )


def joint(name: str, parent: str, child: str, inside: str = LIMIT, kind: str = "revolute") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f"{inside}</joint>"
    )


GOOD = joint("j1", "a", "b")
MISTAKES = {
    "empty": ("  ", "the text is empty"),
    "not XML": ("<robot", "the text is not XML"),
    "cut off": (planar_2r()[:-20], "the text is not XML"),
    "other root": ("<model/>", "begins with <model>; the outermost element must be <robot>"),
    "doctype": ('<!DOCTYPE r [<!ENTITY x "y">]><robot name="r"/>', "has a DOCTYPE; remove it"),
    "xacro": (
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:m/></robot>',
        "still has xacro elements; expand it",
    ),
    "no link": ('<robot name="r"/>', "has no link"),
    "link without name": ('<robot name="r"><link/></robot>', "<link> without name="),
    "two roots": (robot(GOOD), "has 2 root links: a, c; connect"),
    "loop beside the tree": (
        robot(GOOD, joint("j2", "c", "d"), joint("j3", "d", "c"), links=("a", "b", "c", "d")),
        "link 'c' is part of a loop (c, d)",
    ),
    "loop alone": (robot(GOOD, joint("j2", "b", "a"), links=("a", "b")), "part of a loop (a, b)"),
    "two parents": (
        robot(GOOD, joint("j2", "a", "c"), joint("j3", "b", "c")),
        "link 'c' is the child of both joint 'j2' and joint 'j3'",
    ),
    "unknown child": (
        robot(GOOD, joint("j2", "b", "d")),
        "joint 'j2' has a child that does not exist; unknown link 'd'",
    ),
    "unknown parent": (robot(GOOD, joint("j2", "bb", "c")), "did you mean 'b'?"),
    "twin links": (robot(GOOD, links=("a", "b", "b")), "link 'b' is there twice; rename"),
    "twin joints": (robot(GOOD, joint("j1", "b", "c")), "joint 'j1' is there twice; rename"),
    "no parent": (
        robot(f'<joint name="j1" type="fixed"><child link="b"/>{LIMIT}</joint>'),
        "joint 'j1' has no <parent>",
    ),
    "parent without link": (
        robot('<joint name="j1" type="fixed"><parent/><child link="b"/></joint>'),
        "joint 'j1' has a <parent> without link=",
    ),
    "no limit": (robot(joint("j1", "a", "b", "")), "joint 'j1' has no position limits; add <limit"),
    "limit without positions": (
        robot(joint("j1", "a", "b", '<limit velocity="1" effort="1"/>')),
        "joint 'j1' has no position limits",
    ),
    "limits exchanged": (
        robot(joint("j1", "a", "b", LIMIT.replace("-1", "2"))),
        "lower limit 2.0 above upper limit 1.0; swap",
    ),
    "limit is text": (
        robot(joint("j1", "a", "b", LIMIT.replace("-1", "low"))),
        "joint 'j1' has <limit lower=\"low\">; give a finite number",
    ),
    "limit is nan": (
        robot(joint("j1", "a", "b", LIMIT.replace("-1", "nan"))),
        "joint 'j1' has <limit lower=\"nan\">; give a finite number",
    ),
    "limit is infinite": (robot(joint("j1", "a", "b", LIMIT.replace("-1", "-inf"))), "-inf"),
    "negative speed": (
        robot(joint("j1", "a", "b", LIMIT.replace('velocity="1"', 'velocity="-1"'))),
        "velocity limit of -1.0",
    ),
    "two limits": (robot(joint("j1", "a", "b", LIMIT * 2)), "joint 'j1' has <limit> 2 times"),
    "zero axis": (
        robot(joint("j1", "a", "b", LIMIT + '<axis xyz="0 0 0"/>')),
        "joint 'j1' has a zero axis; give its direction",
    ),
    "short axis": (
        robot(joint("j1", "a", "b", LIMIT + '<axis xyz="0 1"/>')),
        "joint 'j1' has <axis xyz=\"0 1\">; give 3 finite numbers",
    ),
    "axis without xyz": (robot(joint("j1", "a", "b", LIMIT + "<axis/>")), "<axis> without xyz="),
    "origin is nan": (
        robot(joint("j1", "a", "b", LIMIT + '<origin xyz="0 nan 0"/>')),
        "joint 'j1' has <origin xyz=\"0 nan 0\">",
    ),
    "floating": (robot(joint("j1", "a", "b", LIMIT, "floating")), "type 'floating'"),
    "planar": (robot(joint("j1", "a", "b", LIMIT, "planar")), "not supported; use revolute"),
    "misspelt type": (robot(joint("j1", "a", "b", LIMIT, "revolut")), "type 'revolut'"),
    "unknown mimic": (
        robot(joint("j1", "a", "b", LIMIT + '<mimic joint="j9"/>'), links=("a", "b")),
        "joint 'j1' mimics a joint that does not exist; unknown joint 'j9'",
    ),
    "mimics itself": (
        robot(joint("j1", "a", "b", LIMIT + '<mimic joint="j1"/>'), links=("a", "b")),
        "joint 'j1' mimics itself in the end; name an independent joint",
    ),
    "mimics in a ring": (
        robot(
            joint("j1", "a", "b", LIMIT + '<mimic joint="j2"/>'),
            joint("j2", "b", "c", LIMIT + '<mimic joint="j1"/>'),
        ),
        "mimics itself in the end",
    ),
    "mimics a fixed joint": (
        robot(
            joint("j1", "a", "b", LIMIT + '<mimic joint="j2"/>'),
            joint("j2", "b", "c", "", "fixed"),
        ),
        "joint 'j1' mimics the fixed joint 'j2'",
    ),
    "mimic without joint": (robot(joint("j1", "a", "b", LIMIT + "<mimic/>")), "without joint="),
    "mass is text": (
        '<robot name="r"><link name="a"><inertial><mass value="m"/></inertial></link></robot>',
        "link 'a' has <mass value=\"m\">; give a finite number",
    ),
    "inertial without mass": (
        '<robot name="r"><link name="a"><inertial/></link></robot>',
        "link 'a' has an <inertial> without <mass>; add",
    ),
    "negative mass": (
        '<robot name="r"><link name="a"><inertial><mass value="-1"/></inertial></link></robot>',
        "link 'a' has a mass of -1.0 kg",
    ),
}


@pytest.mark.parametrize(("text", "sentence"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_one_sentence(
    text: str, sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UrdfError) as caught:
        RobotModel.from_urdf(text)
    said = str(caught.value)
    assert sentence in said
    assert said.startswith("URDF: ")
    assert "\n" not in said
    assert caught.value.element
    assert capfd.readouterr() == ("", "")


def test_what_kinematics_do_not_need_is_passed_over_in_silence(
    capfd: pytest.CaptureFixture[str],
) -> None:
    extras = (
        '<material name="grey"/><transmission name="t"/><ros2_control name="x" type="system"/>'
        '<gazebo reference="a"><unknown/></gazebo>'
    )
    inside = (
        '<visual><geometry><mesh filename="package://x/y.stl"/></geometry><odd/></visual>'
        "<collision><geometry/></collision>"
    )
    text = (
        f'<?xml version="1.0" encoding="utf-8"?><robot name="é" version="9.9">{extras}'
        f'<link name="a">{inside}</link><link name="b"/><!-- c -->'
        + joint("j1", "a", "b", LIMIT.replace("/>", ' jerk="3"/>') + '<dynamics damping="x"/>')
        + "</robot>"
    )
    model = RobotModel.from_urdf(text)
    assert list(model.joints) == ["j1"]
    assert model.name == "é"
    assert capfd.readouterr() == ("", "")


def test_defaults_are_those_of_the_format() -> None:
    read = read_urdf(robot(joint("j1", "a", "b", '<limit upper="1" velocity="2" effort="3"/>')))
    (only,) = read.joints
    assert only.axis.tolist() == [1.0, 0.0, 0.0]
    assert (only.lower, only.upper, only.velocity, only.effort) == (0.0, 1.0, 2.0, 3.0)
    assert only.origin.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


def test_missing_speed_limits_take_the_default_with_one_warning_that_names_them(
    caplog: pytest.LogCaptureFixture,
) -> None:
    text = robot(
        joint("j1", "a", "b", '<limit lower="-1" upper="1"/>'),
        joint("j2", "b", "c", LIMIT.replace('velocity="1"', 'velocity="0"')),
        joint("j3", "c", "d"),
        joint("j4", "d", "e", "", "continuous"),
        links=("a", "b", "c", "d", "e"),
    )
    with caplog.at_level(logging.WARNING, "ik_node"):
        model = RobotModel.from_urdf(text, default_velocity=0.7)
    assert [j.velocity for j in model.joints.values()] == [0.7, 0.7, 1.0, 0.7]
    (record,) = caplog.records
    assert "j1, j2, j4" in record.getMessage()
    assert "0.7" in record.getMessage()


@pytest.mark.parametrize("name", FIXED_ARMS)
def test_good_descriptions_warn_of_nothing(name: str, caplog: pytest.LogCaptureFixture) -> None:
    RobotModel.from_urdf(FIXED_ARMS[name])
    assert not caplog.records
