"""What every executable does the same way: start, spin, stop cleanly, exit code."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.exceptions import ROSInterruptException
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.logging import get_logger
from rclpy.node import Node

from ik_node import stop_signals
from ik_node.errors import IkNodeError
from ik_node.ros.usage import Usage


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
    stop_signals.listen(lambda _: KeyboardInterrupt())
    node: Node | None = None
    try:
        _begin(name, usage, arguments)
        # rclpy's own thread wakes every wait and then ends the context; what it wakes must not
        # be destroyed under its hands (rclpy/src/rclpy/signal_handler.cpp).
        with stop_signals.held(_until_it_ends(rclpy.get_default_context())):
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
        if rclpy.ok() and not stop_signals.came():
            raise
        # Without a context rcl tells of it in words of its own.
    finally:
        stop_signals.ignore()
        if node is not None:
            node.close()
            node.destroy_node()
        rclpy.try_shutdown()
    return 0


def _begin(name: str, usage: Usage, arguments: Sequence[str] | None) -> None:
    try:
        usage.check(name, arguments)
        rclpy.init(args=None if arguments is None else list(arguments))
    except Exception as error:  # rcl raises its own types for broken --ros-args
        print(f"[{name}] {_first_line(error)}", file=sys.stderr)
        raise SystemExit(1) from None


def _until_it_ends(context: Context) -> Callable[[], None]:
    """Wait without the context's lock, which the code that a signal interrupts may hold."""
    handle = context.handle

    def wait() -> None:
        with handle:
            while handle.ok():
                time.sleep(0.001)

    return wait


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
