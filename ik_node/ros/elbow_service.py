"""The service of `ik_node` that changes to a branch of the elbow."""

from __future__ import annotations

_WORDS = {"+": "plus", "-": "minus"}


def elbow_service(branch: str) -> str:
    """Its name below the node's, for a branch by its label; a ROS name cannot hold a sign."""
    return f"elbow_{_WORDS.get(branch, branch)}"
