"""What every executable does the same way: start, spin, stop cleanly, exit code."""

from __future__ import annotations

import gc
import signal
import sys
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import rclpy
from rclpy.exceptions import ROSInterruptException
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.logging import get_logger
from rclpy.node import Node

from ik_node.errors import IkNodeError
from ik_node.ros.usage import Usage

LONGEST_WAKE = 1.0
"""s, that rclpy may take to end its contexts after Ctrl-C, which takes it about a millisecond."""


def run(
    name: str,
    make: Callable[[], Node],
    usage: Usage,
    arguments: Sequence[str] | None = None,
    spin: Callable[[Any, Executor], None] | None = None,
) -> int:
    """Make the node, spin it until Ctrl-C or SIGTERM, and return the exit code.

    `--help` prints the usage; an argument that is not ROS's is refused. A mistake in the
    configuration (`IkNodeError` from `make`) is one log line and exit code 1. The node's `close()`
    is called however it ends; after a signal the context has ended by then. `spin(node, executor)`
    is how it spins, where that is not the executor's own way.
    """
    ctrl_c = _CtrlC()
    try:
        usage.check(name, arguments)
        rclpy.init(args=None if arguments is None else list(arguments))
    except Exception as error:  # rcl raises its own types for broken --ros-args
        print(f"[{name}] {_first_line(error)}", file=sys.stderr)
        return 1
    node: Node | None = None
    try:
        node = make()
        # What lives now lives until the end: the collector need not walk it in the loop.
        gc.collect()
        gc.freeze()
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        if spin is None:
            executor.spin()
        else:
            spin(node, executor)
    except (KeyboardInterrupt, ExternalShutdownException, ROSInterruptException):
        pass
    except IkNodeError as error:
        get_logger(name).fatal(str(error))
        return 1
    except Exception:
        if rclpy.ok() and not ctrl_c.came:
            raise
        # A signal in the midst of C++ code, which tells of it in words of its own.
    finally:
        _be_deaf_to_signals()
        if node is not None:
            node.close()
            node.destroy_node()
        rclpy.try_shutdown()
    return 0


class _CtrlC:
    """Raises KeyboardInterrupt, as ever, and remembers it: C++ code may turn it into another.

    rclpy's own thread first wakes every wait and then ends the contexts
    (`rclpy/src/rclpy/signal_handler.cpp`). What it wakes must not be destroyed under its hands, so
    the interrupt comes after it.
    """

    def __init__(self) -> None:
        self.came = False
        signal.signal(signal.SIGINT, self._on_signal)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.came = True
        deadline = time.monotonic() + LONGEST_WAKE
        while rclpy.ok() and time.monotonic() < deadline:
            time.sleep(0.001)
        raise KeyboardInterrupt


def _be_deaf_to_signals() -> None:
    """Let the clean-up run to its end: launch and `timeout` signal twice."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
