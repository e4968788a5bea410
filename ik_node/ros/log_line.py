"""A log line as serious as what it says."""

from __future__ import annotations

from rclpy.logging import get_logger
from rclpy.node import Node

from ik_node.datatypes import Severity


def log(node: Node, severity: Severity, sentence: str) -> None:
    """Log a sentence; rclpy wants every severity called from a line of its own."""
    logger = node.get_logger()
    if not node.context.ok():
        # A name without a publisher of /rosout: rcl complains of every line that it cannot send.
        logger = get_logger(f"{logger.name}.end")
    if severity == Severity.OK:
        logger.info(sentence)
    elif severity == Severity.WARN:
        logger.warning(sentence)
    else:
        logger.error(sentence)
