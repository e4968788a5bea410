"""Mathematics of one arm."""

from ik_node.core import two_link
from ik_node.core.gravity import gravity_torque
from ik_node.core.joint_group import JointGroup
from ik_node.core.manipulability import Manipulability, manipulability
from ik_node.core.model import RobotModel
from ik_node.core.search import Solution, search, search_branches
from ik_node.core.singularity import Singularity, SingularityKind
from ik_node.core.step import Step, solve_ik
from ik_node.core.warm_up import warm_up

__all__ = [
    "JointGroup",
    "Manipulability",
    "RobotModel",
    "Singularity",
    "SingularityKind",
    "Solution",
    "Step",
    "gravity_torque",
    "manipulability",
    "search",
    "search_branches",
    "solve_ik",
    "two_link",
    "warm_up",
]
