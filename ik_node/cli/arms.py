"""The arms that ship, and where their files lie: source tree, ROS workspace or environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import ik_node
from ik_node.core import JointGroup, RobotModel
from ik_node.core.xacro_file import load_description
from ik_node.dynamixel.parameter_file import read_parameters
from ik_node.errors import ConfigurationError, UnknownNameError


@dataclass(frozen=True)
class ArmFiles:
    """The three files of an arm."""

    name: str
    folder: Path

    @property
    def description(self) -> Path:
        """URDF as xacro."""
        return self.folder / "arm.urdf.xacro"

    @property
    def node(self) -> Path:
        """Parameters of `ik_node`."""
        return self.folder / "ik_node.yaml"

    @property
    def servos(self) -> Path:
        """Parameters of `dynamixel_driver`, and the configuration of the emulator."""
        return self.folder / "servos.yaml"

    def frames(self) -> tuple[str, str]:
        """`base_frame` (empty: the root link) and `tip_frame` of ik_node.yaml.

        Raises:
            ConfigurationError: the file cannot be read, or names no tip_frame.
        """
        parameters = read_parameters(self.node, "an ik_node.yaml")
        base, tip = (parameters.get(name) or "" for name in ("base_frame", "tip_frame"))
        if not tip:
            raise ConfigurationError(
                str(self.node), "has no tip_frame", "name the link to bring to the target"
            )
        return str(base), str(tip)


def config_folder() -> Path:
    """The folder with a folder for each arm.

    Raises:
        ConfigurationError: the package was installed without it.
    """
    package = Path(ik_node.__file__).resolve().parent
    prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    candidates = [package.parent / "config"]
    candidates += [Path(prefix) / "share/ik_node/config" for prefix in prefixes if prefix]
    candidates += [parent / "share/ik_node/config" for parent in package.parents]
    candidates += [Path(sys.prefix) / "share/ik_node/config"]
    for folder in candidates:
        if any(folder.glob("*/servos.yaml")):
            return folder
    raise ConfigurationError("share/ik_node/config", "is missing", "install the package again")


def arm_names() -> list[str]:
    """Names of the arms that ship."""
    return sorted(file.parent.name for file in config_folder().glob("*/servos.yaml"))


def find_arm(name: str) -> ArmFiles:
    """The files of an arm.

    Args:
        name: of an arm that ships, else the path of a folder with the same three files.

    Raises:
        UnknownNameError: no arm of this name; lists those there are.
        ConfigurationError: a folder that lacks one of the files.
    """
    names = arm_names()
    if name in names:
        return ArmFiles(name, config_folder() / name)
    folder = Path(name).expanduser().resolve()
    if os.sep in name or (name and folder.is_dir()):
        return _own_arm(folder)
    raise UnknownNameError(
        "arm", name, names, f"one of your own is the path of its folder, as in ./{name or 'arm'}"
    )


def load_arm(files: ArmFiles, arguments: Mapping[str, str] | None = None) -> JointGroup:
    """The arm of these files from base_frame to tip_frame, with xacro `arguments`.

    Raises:
        IkNodeError: one of the files cannot be used.
    """
    base, tip = files.frames()
    model = RobotModel.from_urdf(load_description(files.description, arguments))
    return model.joint_group(base or model.root, tip)


def _own_arm(folder: Path) -> ArmFiles:
    if not folder.is_dir():
        raise ConfigurationError(f"arm '{folder}'", "is no folder", "give the path of one")
    arm = ArmFiles(folder.name, folder)
    for file in (arm.description, arm.node, arm.servos):
        if not file.is_file():
            raise ConfigurationError(
                f"arm '{folder}'", f"has no {file.name}", "see config/ for a folder that has all"
            )
    return arm
