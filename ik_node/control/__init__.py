"""One tick of control: a pose tracker that keeps every limit and says what it does."""

from ik_node.control.config import TrackerConfig
from ik_node.control.output import TrackerOutput
from ik_node.control.pose_tracker import PoseTracker
from ik_node.control.reconfigure import Reconfiguration
from ik_node.control.status import Condition, Status, StatusCode
from ik_node.control.twist import TwistTarget
from ik_node.control.warm_up import warm_up

__all__ = [
    "Condition",
    "PoseTracker",
    "Reconfiguration",
    "Status",
    "StatusCode",
    "TrackerConfig",
    "TrackerOutput",
    "TwistTarget",
    "warm_up",
]
