"""The branches of the elbow by name, and the services of `ik_node` that change to them."""

from __future__ import annotations

OTHER = {
    "up": "down",
    "down": "up",
    "left": "right",
    "right": "left",
    "+": "-",
    "-": "+",
}
"""Branch to the one on the other side of the straight elbow."""

_WORDS = {"+": "plus", "-": "minus"}


def elbow_service(branch: str) -> str:
    """Its name below the node's, for a branch by its label; a ROS name cannot hold a sign."""
    return f"elbow_{_WORDS.get(branch, branch)}"
