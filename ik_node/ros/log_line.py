"""A log line as serious as what it says."""

from __future__ import annotations

from rclpy.node import Node

from ik_node.datatypes import Severity


def log(node: Node, severity: Severity, sentence: str) -> None:
    """Log a sentence; rclpy wants every severity called from a line of its own."""
    logger = node.get_logger()
    if severity == Severity.OK:
        logger.info(sentence)
    elif severity == Severity.WARN:
        logger.warning(sentence)
    else:
        logger.error(sentence)
