from __future__ import annotations

import warnings
from pathlib import Path

import pytest

with warnings.catch_warnings():
    # rclpy's message generator pulls in a parser that uses modules Python has deprecated.
    warnings.simplefilter("ignore", DeprecationWarning)
    import rclpy
    import rosidl_generator_py  # noqa: F401


@pytest.fixture(scope="session")
def ros():
    """One rclpy context for the test process."""
    rclpy.init(args=[])
    yield
    rclpy.try_shutdown()


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return Path(__file__).resolve().parents[2]
