"""What arm.launch.py and gazebo.launch.py have in common: the arm, its nodes, and RViz.

Needs ROS 2's launch packages, so only launch files import it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchContext
from launch.actions import DeclareLaunchArgument, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from ik_node.cli.arms import ArmFiles, arm_names, config_folder, find_arm
from ik_node.core import RobotModel
from ik_node.core.xacro_file import load_description
from ik_node.errors import ConfigurationError, UnknownNameError
from ik_node.ros.robot_description import xacro_arguments


def common_arguments() -> list[DeclareLaunchArgument]:
    """Declare the arguments that both launch files take."""
    arms = ", ".join(arm_names())
    return [
        DeclareLaunchArgument(
            "arm",
            default_value="open_manipulator_x",
            description=f"one of {arms}, or the path of a folder with the same three files",
        ),
        DeclareLaunchArgument(
            "xacro_args", default_value="", description="for arm.urdf.xacro, as 'l1:=0.4 l2:=0.2'"
        ),
        DeclareLaunchArgument(
            "namespace",
            default_value="",
            description="of every node and topic; without a prefix, tf stays in it too",
        ),
        DeclareLaunchArgument(
            "prefix", default_value="", description="put before the names of all links and joints"
        ),
        DeclareLaunchArgument(
            "rviz", default_value="false", description="true: RViz with a marker to drag"
        ),
        DeclareLaunchArgument(
            "viewer", default_value="false", description="true: the same in a browser"
        ),
    ]


class Bringup:
    """The launch arguments, read and checked, and the nodes that they ask for."""

    def __init__(
        self,
        context: LaunchContext,
        use_sim_time: bool = False,
        xacro_args: Sequence[str] = (),
    ) -> None:
        """Read the common arguments.

        Args:
            context: of the launch.
            use_sim_time: given to every node.
            xacro_args: defaults for xacro arguments, dropped where the arm does not have them.

        Raises:
            UnknownNameError, ConfigurationError: an argument that cannot be used.
        """
        self._context = context
        self._use_sim_time = use_sim_time
        self._defaults = xacro_arguments(list(xacro_args))
        self.files: ArmFiles = find_arm(self.text("arm"))
        self.namespace = self.text("namespace").strip("/")
        self.prefix = self.text("prefix")
        self.emulator_link = ""

    def text(self, argument: str) -> str:
        """Return the value of a launch argument."""
        return str(LaunchConfiguration(argument).perform(self._context))

    def flag(self, argument: str) -> bool:
        """Return whether a launch argument is true.

        Raises:
            UnknownNameError: it is neither true nor false.
        """
        return self.choice(argument, ("true", "false")) == "true"

    def choice(self, argument: str, choices: tuple[str, ...]) -> str:
        """Return the value of a launch argument that is one of `choices`.

        Raises:
            UnknownNameError: it is none of them.
        """
        value = self.text(argument).lower()
        if value not in choices:
            raise UnknownNameError(f"value of {argument}", value, choices)
        return value

    @cached_property
    def given_xacro_args(self) -> dict[str, str]:
        """The launch argument `xacro_args`, by name."""
        return xacro_arguments(self.text("xacro_args").split())

    @cached_property
    def xacro_args(self) -> dict[str, str]:
        """The arguments of arm.urdf.xacro, prefix included."""
        return {**({"prefix": self.prefix} if self.prefix else {}), **self.given_xacro_args}

    @cached_property
    def description(self) -> str:
        """URDF text of the arm.

        Raises:
            UnknownNameError, ConfigurationError, UrdfError: see `load_description`.
        """
        try:
            return load_description(self.files.description, {**self._defaults, **self.xacro_args})
        except UnknownNameError as error:
            if error.name not in self._defaults:
                raise
        return load_description(self.files.description, self.xacro_args)

    def node(self, executable: str, *, package: str = "ik_node", **arguments: Any) -> Node:
        """Return a node of this arm, in its namespace and with its tf."""
        parameters = [*arguments.pop("parameters", ()), {"use_sim_time": self._use_sim_time}]
        own_tf = self.namespace and not self.prefix
        return Node(
            package=package,
            executable=executable,
            namespace=self.namespace,
            parameters=parameters,
            remappings=[("/tf", "tf"), ("/tf_static", "tf_static")] if own_tf else [],
            output="screen",
            **arguments,
        )

    def arm_nodes(self, **ik_node: Any) -> list[Node]:
        """Return robot_state_publisher, ik_node, and the views that are asked for.

        Args:
            ik_node: parameters of ik_node that the arm's own file may change.

        Raises:
            ConfigurationError: a view that cannot be shown here.
        """
        require("robot_state_publisher")
        description = {"robot_description": ParameterValue(self.description, value_type=str)}
        own: list[Any] = [str(self.files.node), description, {"prefix": self.prefix}]
        nodes = [
            self.node(
                "robot_state_publisher",
                package="robot_state_publisher",
                parameters=[description, {"publish_frequency": 50.0}],
            ),
            self.node(
                "ik_node",
                parameters=[*([ik_node] if ik_node else []), *own],
                on_exit=Shutdown(reason="ik_node ended"),
            ),
        ]
        if self.flag("rviz"):
            nodes += self._rviz(own)
        if self.flag("viewer"):
            nodes.append(self.node("ik_viewer", parameters=[*own, self._viewer()]))
        return nodes

    def _viewer(self) -> dict[str, Any]:
        """Parameters of the browser view; from the xacro file it can change the arm's lengths."""
        if self._use_sim_time:
            return {}
        arguments = [f"{name}:={value}" for name, value in self.xacro_args.items()]
        return {
            "urdf_file": str(self.files.description),
            "emulator_link": self.emulator_link,
            **({"xacro_args": arguments} if arguments else {}),
        }

    def _rviz(self, parameters: list[Any]) -> list[Node]:
        instead = "or launch with rviz:=false (viewer:=true shows the arm in a browser)"
        require("rviz2", instead)
        require("interactive_markers", instead)
        if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            raise ConfigurationError(
                "rviz", "there is no display", f"set DISPLAY (ssh -X does), {instead}"
            )
        config = config_folder() / "rviz" / "arm.rviz"
        base, _ = self.files.frames()
        fixed_frame = self.prefix + base if base else RobotModel.from_urdf(self.description).root
        return [
            self.node("rviz_target", parameters=parameters),
            self.node(
                "rviz2",
                package="rviz2",
                arguments=["-d", str(config), "-f", fixed_frame],
            ),
        ]


def require(package: str, otherwise: str = "") -> Path:
    """Return the prefix of an installed ROS package.

    Raises:
        ConfigurationError: it is not installed.
    """
    try:
        return Path(get_package_prefix(package))
    except PackageNotFoundError:
        name = package.replace("_", "-")
        install = f"install it with 'apt install ros-$ROS_DISTRO-{name}'"
        raise ConfigurationError(
            package, "is not installed", f"{install}, {otherwise}" if otherwise else install
        ) from None
