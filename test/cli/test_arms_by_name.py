from __future__ import annotations

from pathlib import Path

import pytest

from ik_node.cli.arms import arm_names, config_folder, find_arm
from ik_node.errors import ConfigurationError, UnknownNameError


@pytest.mark.parametrize("arm", arm_names())
def test_every_shipped_arm_has_its_three_files(arm: str) -> None:
    files = find_arm(arm)
    assert files.name == arm
    assert all(path.is_file() for path in (files.description, files.node, files.servos))


def test_an_unknown_arm_is_refused_with_the_nearest_name_and_the_list() -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean 'wx200'\?.*planar_2r"):
        find_arm("wx20")


def test_an_unknown_arm_is_told_how_a_folder_is_named() -> None:
    with pytest.raises(UnknownNameError, match=r"desk3.*the path of its folder, as in \./desk3$"):
        find_arm("desk3")


def test_a_folder_right_here_serves_as_an_arm_by_its_bare_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "desk3"
    folder.mkdir()
    for file in ("arm.urdf.xacro", "ik_node.yaml", "servos.yaml"):
        (folder / file).touch()
    monkeypatch.chdir(tmp_path)
    for name in ("desk3", "./desk3", "desk3/", str(folder)):
        assert find_arm(name).folder == folder.resolve()
    (folder / "servos.yaml").unlink()
    with pytest.raises(ConfigurationError, match=r"has no servos\.yaml"):
        find_arm("desk3")


def test_a_shipped_name_stays_the_shipped_arm_beside_a_folder_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wx200").mkdir()
    monkeypatch.chdir(tmp_path)
    assert find_arm("wx200").folder == config_folder() / "wx200"


def test_a_path_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is no folder"):
        find_arm(f"{tmp_path}/gone")


def test_a_folder_of_the_users_own_serves_as_an_arm(tmp_path: Path) -> None:
    for file in ("arm.urdf.xacro", "ik_node.yaml", "servos.yaml"):
        (tmp_path / file).touch()
    assert find_arm(f"{tmp_path}/").folder == tmp_path.resolve()


def test_a_folder_that_lacks_a_file_is_refused_by_the_files_name(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf.xacro").touch()
    with pytest.raises(ConfigurationError, match=r"has no ik_node\.yaml; see config/"):
        find_arm(f"{tmp_path}/")


def test_the_config_folder_is_found_without_a_ros_environment() -> None:
    assert (config_folder() / "primitives.xacro").is_file()
