"""A ROS parameter file (`/**: ros__parameters: ...`) read without ROS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from ik_node.errors import ConfigurationError


def read_parameters(path: Path, what: str) -> dict[str, object]:
    """Everything under a `ros__parameters` of the file, as a tree; `what` it should have been.

    Raises:
        ConfigurationError: it cannot be read, is not YAML, or holds no parameters.
    """
    try:
        tree = yaml.load(path.read_text(encoding="utf-8"), _StrictLoader)
    except OSError as error:
        raise ConfigurationError(
            str(path), f"cannot be read ({error.strerror})", f"give the path of {what}"
        ) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        problem = " ".join(str(error).split())
        raise ConfigurationError(str(path), f"is not YAML: {problem}") from None
    merged: dict[str, object] = {}
    for node in (tree if isinstance(tree, dict) else {}).values():
        if isinstance(node, dict) and isinstance(node.get("ros__parameters"), dict):
            merged.update(node["ros__parameters"])
    if not merged:
        raise ConfigurationError(
            str(path), "holds no parameters", "put them under '/**:' and 'ros__parameters:'"
        )
    return merged


class _StrictLoader(yaml.SafeLoader):
    """YAML that refuses a key given twice (plain YAML keeps the last one silently)."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = str(self.construct_object(key_node, deep=True))
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"'{key}' is given twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)
