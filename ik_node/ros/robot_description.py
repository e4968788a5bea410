"""Where the URDF comes from: the file, the parameter, or the topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rclpy.node import Node
from std_msgs.msg import String

from ik_node.core.xacro_file import load_description
from ik_node.errors import ConfigurationError
from ik_node.ros import qos


def given_description(parameters: Mapping[str, Any]) -> str:
    """Return the URDF text that the parameters give, or '' when it must come by topic.

    `urdf_file` (with `xacro_args`) wins over `robot_description`.

    Raises:
        ConfigurationError: an argument is not `name:=value`, or the file cannot be read.
        UnknownNameError: an argument that the file does not have.
        UrdfError: xacro fails.
    """
    if not parameters["urdf_file"]:
        return str(parameters["robot_description"])
    return load_description(parameters["urdf_file"], xacro_arguments(parameters["xacro_args"]))


def xacro_arguments(texts: list[str]) -> dict[str, str]:
    """Return `["l1:=0.3"]` as `{"l1": "0.3"}`.

    Raises:
        ConfigurationError: an entry without `:=`.
    """
    arguments = {}
    for text in texts:
        name, assigned, value = text.partition(":=")
        if not assigned or not name:
            raise ConfigurationError(
                "parameter xacro_args", f"holds '{text}'", "write each entry as name:=value"
            )
        arguments[name] = value
    return arguments


class DescriptionTopic:
    """Passes on every new text on `robot_description`; repetitions of the last are ignored."""

    def __init__(self, node: Node, last: str, receive: Callable[[str], None]) -> None:
        self._last = last
        self._receive = receive
        node.create_subscription(String, "robot_description", self._on_message, qos.LATCHED)

    def _on_message(self, message: String) -> None:
        if message.data != self._last:
            self._last = message.data
            self._receive(message.data)
