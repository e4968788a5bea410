"""Where an arm's three files are: the arms that ship, and any folder of the same form."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from ik_node.errors import ConfigurationError, UnknownNameError

FILES = ("arm.urdf.xacro", "ik_node.yaml", "servos.yaml")


@dataclass(frozen=True)
class ArmFiles:
    """The folder of one arm, as `config/ARM` is."""

    folder: Path

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @property
    def description(self) -> Path:
        """The robot description, a xacro file."""
        return self.folder / "arm.urdf.xacro"

    @property
    def ik_node(self) -> Path:
        """Parameters of ik_node: at least base_frame and tip_frame."""
        return self.folder / "ik_node.yaml"

    @property
    def servos(self) -> Path:
        """Parameters of the driver, and what the emulator emulates."""
        return self.folder / "servos.yaml"


def config_folder() -> Path:
    """The folder `config` of this package, in a checkout or in an installation.

    Raises:
        ConfigurationError: the package was installed without it.
    """
    prefixes = [*os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep), sys.prefix]
    installed = [Path(prefix) / "share" / "ik_node" / "config" for prefix in prefixes if prefix]
    for folder in (Path(__file__).resolve().parents[2] / "config", *installed):
        if (folder / "primitives.xacro").is_file():
            return folder
    raise ConfigurationError(
        "arm", "the package's config folder is not installed", "install ik_node again"
    )


def shipped_arms() -> tuple[str, ...]:
    """Names of the arms that ship, sorted."""
    return tuple(sorted(file.parent.name for file in config_folder().glob("*/arm.urdf.xacro")))


def arm_files(arm: str) -> ArmFiles:
    """The files of an arm.

    Args:
        arm: the name of an arm that ships, or the path of a folder with the same three files.

    Raises:
        UnknownNameError: no arm of that name.
        ConfigurationError: a folder that lacks one of the files.
    """
    if os.sep not in arm:
        if arm not in shipped_arms():
            raise UnknownNameError("arm", arm, shipped_arms())
        return ArmFiles(config_folder() / arm)
    folder = Path(arm).expanduser().resolve()
    for file in FILES:
        if not (folder / file).is_file():
            raise ConfigurationError(
                "arm", f"folder '{arm}' has no {file}", f"it must hold {', '.join(FILES)}"
            )
    return ArmFiles(folder)
