"""The quality of service of every topic, in one place (DESIGN 9)."""

from __future__ import annotations

import math

from rclpy.qos import (
    DurabilityPolicy,
    HistoryPolicy,
    QoSProfile,
    ReliabilityPolicy,
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
# Any publisher matches, and none waits for an answer: another command comes a tick later.
COMMAND_IN = _profile(ReliabilityPolicy.BEST_EFFORT)
TARGET = _profile(ReliabilityPolicy.RELIABLE)
TWIST = _profile(ReliabilityPolicy.BEST_EFFORT)
JOINT_STATES_OUT = _profile(ReliabilityPolicy.RELIABLE, depth=10)
# Deeper than one: several publishers may each send some of the joints at the same moment.
JOINT_STATES_IN = _profile(ReliabilityPolicy.BEST_EFFORT, depth=5)
# Not latched: any reliable publisher matches, and the driver repeats itself.
DRIVER_STATUS_IN = _profile(ReliabilityPolicy.RELIABLE)
LATCHED = _profile(ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
DIAGNOSTICS = _profile(ReliabilityPolicy.RELIABLE, depth=10)
TF = _profile(ReliabilityPolicy.RELIABLE, depth=100)
TF_STATIC = _profile(ReliabilityPolicy.RELIABLE, 100, DurabilityPolicy.TRANSIENT_LOCAL)
STREAM = _profile(ReliabilityPolicy.RELIABLE)


def mismatch(publisher: QoSProfile, subscription: QoSProfile) -> str:
    """Return why the two ends will never exchange a message, or '' when they will."""
    if (
        publisher.reliability == ReliabilityPolicy.BEST_EFFORT
        and subscription.reliability == ReliabilityPolicy.RELIABLE
    ):
        return "the publisher is best effort, the subscriber asks for reliable"
    if (
        publisher.durability == DurabilityPolicy.VOLATILE
        and subscription.durability == DurabilityPolicy.TRANSIENT_LOCAL
    ):
        return "the publisher is volatile, the subscriber asks for transient local"
    if _deadline(subscription) < _deadline(publisher):
        return "the subscriber asks for a shorter deadline than the publisher keeps"
    return ""


_INFINITE = 9e18


def _deadline(profile: QoSProfile) -> float:
    # Infinite is a very large number in the graph and 0 in a profile made here.
    nanoseconds = profile.deadline.nanoseconds
    return nanoseconds if 0 < nanoseconds < _INFINITE else math.inf
