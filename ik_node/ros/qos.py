"""The quality of service of every topic, in one place (DESIGN 9)."""

from __future__ import annotations

from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    QoSCompatibility,
    QoSProfile,
    ReliabilityPolicy,
    qos_check_compatible,
)


def _profile(
    reliability: ReliabilityPolicy,
    depth: int = 1,
    durability: DurabilityPolicy = DurabilityPolicy.VOLATILE,
) -> QoSProfile:
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=depth,
        reliability=reliability,
        durability=durability,
    )


COMMAND = _profile(ReliabilityPolicy.RELIABLE)
TARGET = _profile(ReliabilityPolicy.RELIABLE)
TWIST = _profile(ReliabilityPolicy.BEST_EFFORT)
JOINT_STATES_OUT = _profile(ReliabilityPolicy.RELIABLE, depth=10)
# Deeper than one: several publishers may each send some of the joints at the same moment.
JOINT_STATES_IN = _profile(ReliabilityPolicy.BEST_EFFORT, depth=5)
# Not latched: any reliable publisher matches, and the driver repeats itself.
DRIVER_STATUS_IN = _profile(ReliabilityPolicy.RELIABLE)
LATCHED = _profile(ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
DIAGNOSTICS = _profile(ReliabilityPolicy.RELIABLE, depth=10)
STREAM = _profile(ReliabilityPolicy.RELIABLE)


def mismatch(publisher: QoSProfile, subscription: QoSProfile) -> str:
    """Return why the two ends will never exchange a message, or '' when they will."""
    compatibility, reason = qos_check_compatible(publisher, subscription)
    return reason if compatibility == QoSCompatibility.ERROR else ""
