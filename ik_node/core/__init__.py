"""Mathematics of one arm."""

from ik_node.core.joint_group import JointGroup
from ik_node.core.model import RobotModel

__all__ = ["JointGroup", "RobotModel"]
