from __future__ import annotations

import builtins
from pathlib import Path

import pytest
from strategies import planar_2r

from ik_node.core import RobotModel
from ik_node.core.xacro_file import load_description
from ik_node.errors import ConfigurationError, UnknownNameError, UrdfError

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
XACRO = f"""<?xml version="1.0"?>
{HEAD}
<xacro:arg name="length" default="0.3"/>
<xacro:property name="l" value="$(arg length)"/>
<link name="a"/><link name="b"/>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/>
  <origin xyz="${{2 * l}} 0 0"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
</robot>"""


@pytest.fixture
def xacro_file(tmp_path: Path) -> Path:
    pytest.importorskip("xacro")
    file = tmp_path / "arm.urdf.xacro"
    file.write_text(XACRO)
    return file


@pytest.mark.parametrize(("args", "x"), [({}, 0.6), ({"length": "0.5"}, 1.0)])
def test_xacro_is_expanded_with_its_arguments_in_silence(
    xacro_file: Path, args: dict[str, str], x: float, capfd: pytest.CaptureFixture[str]
) -> None:
    model = RobotModel.from_urdf(load_description(xacro_file, args))
    assert model.joints["j"].origin[0, 3] == pytest.approx(x)
    assert capfd.readouterr() == ("", "")


def test_an_argument_that_the_file_does_not_have_is_refused_by_name(xacro_file: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"argument of arm.urdf.xacro 'lenght'.*'length'"):
        load_description(xacro_file, {"lenght": "0.5"})


def test_urdf_is_read_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(planar_2r())
    assert load_description(file) == planar_2r()
    with pytest.raises(UnknownNameError, match="unknown xacro argument 'l1'"):
        load_description(str(file), {"l1": "0.2"})


BROKEN = {
    "not closed": (f"{HEAD}<link name='a'>", "mismatched tag|no element found"),
    "unknown property": (f'{HEAD}<link name="${{what}}"/></robot>', "what"),
    "unknown macro": (f"{HEAD}<xacro:arm_maker/></robot>", "arm_maker"),
    "unknown argument": (f'{HEAD}<link name="$(arg who)"/></robot>', "who"),
    "missing include": (f'{HEAD}<xacro:include filename="gone.xacro"/></robot>', "gone.xacro"),
    "division by zero": (f'{HEAD}<link name="${{1/0}}"/></robot>', "division by zero"),
    "macro without parameter": (
        f'{HEAD}<xacro:macro name="m" params="p"/><xacro:m/></robot>', "p",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "cause"), BROKEN.values(), ids=BROKEN.keys())
def test_what_xacro_refuses_is_one_sentence_with_the_file(
    text: str, cause: str, xacro_file: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    xacro_file.write_text(text)
    with pytest.raises(UrdfError, match=cause) as caught:
        load_description(xacro_file)
    said = str(caught.value)
    assert f"file '{xacro_file}' cannot be expanded by xacro: " in said
    assert "\n" not in said
    assert capfd.readouterr() == ("", "")


def test_a_failure_leaves_nothing_behind_for_the_next_file(xacro_file: Path) -> None:
    good = xacro_file.read_text()
    xacro_file.write_text(BROKEN["unknown property"][0])
    with pytest.raises(UrdfError):
        load_description(xacro_file, {"length": "9"})
    xacro_file.write_text(good)
    assert 'xyz="0.6 0 0"' in load_description(xacro_file)


def test_a_missing_file_is_refused_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"urdf_file: '.*gone.urdf' is not a file"):
        load_description(tmp_path / "gone.urdf")


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_description(file)


def test_a_file_that_is_no_urdf_is_refused_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "servos.yaml"
    file.write_text("# not XML\nservos: {}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"servos.yaml' is no URDF"):
        load_description(file)


def test_without_xacro_the_sentence_names_the_package_to_install(
    xacro_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *args: object, **kwargs: object) -> object:
        if name == "xacro":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ConfigurationError, match="pip install xacro"):
        load_description(xacro_file)
