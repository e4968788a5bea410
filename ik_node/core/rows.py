"""Which rows of the pose error are controlled."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ik_node.errors import UnknownNameError

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup


class Rows(str, Enum):
    """What a target asks for."""

    POSE = "pose"
    POSITION = "position"
    POSITION_THEN_ORIENTATION = "position_then_orientation"


def resolve_rows(arm: JointGroup, rows: str | Rows = "auto") -> Rows:
    """The rows for an arm: "auto" is the pose from six joints on, position first under six.

    Raises:
        UnknownNameError: no such choice.
    """
    if rows == "auto":
        return Rows.POSE if arm.size >= 6 else Rows.POSITION_THEN_ORIENTATION
    try:
        return Rows(rows)
    except ValueError:
        raise UnknownNameError("rows", str(rows), ("auto", *(r.value for r in Rows))) from None
