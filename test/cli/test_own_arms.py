"""An arm of the user's own, wrong or unusual: it is driven, or a sentence says why not."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from ik_node.cli.arms import config_folder, find_arm, load_arm
from ik_node.cli.demo_targets import DemoTarget, choose_targets, find_room
from ik_node.errors import ConfigurationError

LIMITS = ('lower="-3.14" upper="3.14"', 'lower="-3.1" upper="3.1"')


def own_arm(
    folder: Path, node: str | None = None, shoulder: str = LIMITS[0], elbow: str = LIMITS[1]
) -> str:
    """planar_2r in a folder of its own, with another ik_node.yaml or other joint limits."""
    for file in (config_folder() / "planar_2r").iterdir():
        text = file.read_text().replace("../", f"{config_folder()}/")
        (folder / file.name).write_text(text.replace(LIMITS[0], shoulder).replace(LIMITS[1], elbow))
    if node is not None:
        (folder / "ik_node.yaml").write_text(node)
    return str(folder)


def targets_of(name: str) -> list[DemoTarget]:
    arm = load_arm(find_arm(name))
    return choose_targets(arm, find_room(arm), 5, seed=1)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("/**: [", "is not YAML"),
        ("a: 'b\n", "is not YAML"),
        ("- a\n- b\n", "holds no parameters"),
        ("", "holds no parameters"),
        ("just text", "holds no parameters"),
        ("/**:\n", "holds no parameters"),
        ("/**: text\n", "holds no parameters"),
        ("/**:\n  ros__parameters:\n", "holds no parameters"),
        ("/**:\n  ros__parameters: []\n", "holds no parameters"),
        ("/**:\n  ros__parameters:\n    base_frame: base_link\n", "has no tip_frame"),
        ("/**:\n  ros__parameters:\n    tip_frame:\n", "has no tip_frame"),
    ],
)
def test_a_broken_node_file_is_named_in_one_sentence(
    tmp_path: Path, text: str, sentence: str
) -> None:
    with pytest.raises(ConfigurationError, match=rf"ik_node\.yaml: {sentence}") as error:
        load_arm(find_arm(own_arm(tmp_path, text)))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("base", ["", "    base_frame: ''\n", "    base_frame:\n"])
def test_an_arm_without_base_frame_starts_at_its_root(tmp_path: Path, base: str) -> None:
    node = f"/**:\n  ros__parameters:\n{base}    tip_frame: tool\n"
    assert load_arm(find_arm(own_arm(tmp_path, node))).base == "base_link"


@pytest.mark.parametrize(
    "shoulder",
    [
        'lower="2.2" upper="4.1"',  # behind the base
        'lower="1.2" upper="1.9"',  # above it
        'lower="-1.3" upper="-1.2"',
    ],
)
def test_an_arm_that_gets_nowhere_in_front_is_driven_where_it_gets(
    tmp_path: Path, shoulder: str
) -> None:
    targets = targets_of(own_arm(tmp_path, shoulder=shoulder))
    assert [target.reachable for target in targets] == [True] * 5 + [False]


def test_an_arm_that_hangs_is_driven_under_its_base(tmp_path: Path) -> None:
    hanging = tmp_path / "arm.urdf.xacro"
    own_arm(tmp_path)
    shipped = (config_folder() / "open_manipulator_x").iterdir()
    for file in shipped:
        (tmp_path / file.name).write_text(file.read_text().replace("../", f"{config_folder()}/"))
    text = hanging.read_text()
    turned = '<link name="hook"/><joint name="hang" type="fixed"><parent link="hook"/>'
    turned += '<child link="${prefix}base_link"/><origin xyz="0 0 -1" rpy="3.14159 0 0"/></joint>'
    hanging.write_text(text.replace("</robot>", f"{turned}</robot>"))
    node = tmp_path / "ik_node.yaml"
    node.write_text(node.read_text().replace("base_frame: base_link", "base_frame: hook"))
    heights = [target.pose[2, 3] for target in targets_of(str(tmp_path))]
    assert len(heights) == 6 and max(heights) < 0.0


@pytest.mark.parametrize("elbow", ['lower="-0.02" upper="0.02"', 'lower="1.5" upper="1.5001"'])
def test_an_arm_that_can_hardly_move_says_which_limits_to_widen(tmp_path: Path, elbow: str) -> None:
    arm = own_arm(tmp_path, shoulder='lower="0" upper="0.01"', elbow=elbow)
    with pytest.raises(ConfigurationError, match=r"places for 5 targets.*widen the joint limits"):
        targets_of(arm)


def test_targets_lie_apart_wherever_they_are(tmp_path: Path) -> None:
    arm = own_arm(tmp_path, shoulder='lower="2.2" upper="4.1"')
    places = [target.pose[:3, 3] for target in targets_of(arm)]
    steps = [np.linalg.norm(b - a) for a, b in pairwise(places)]
    assert min(steps) > 0.05
