"""Where the executables start: Ctrl-C while Python still imports ends them without a traceback."""

from __future__ import annotations

import os
import signal
from functools import partial
from importlib import import_module
from types import FrameType

INTERRUPTED = 130
"""Exit code of a command that Ctrl-C ended; a node ends well by it."""


def _start(module: str, interrupted: int) -> int:
    """Import `module` and return what its `main` returns; Ctrl-C before that is an exit code."""

    def leave(_number: int, _frame: FrameType | None) -> None:
        os._exit(interrupted)

    before = signal.signal(signal.SIGINT, leave)
    main = import_module(module).main
    signal.signal(signal.SIGINT, before)
    return int(main() or 0)


dynamixel_driver = partial(_start, "ik_node.ros.dynamixel_driver", 0)
emulated_dynamixel = partial(_start, "ik_node.cli.emulated_dynamixel", 0)
gazebo_relay = partial(_start, "ik_node.ros.gazebo_relay", 0)
ik_arm = partial(_start, "ik_node.cli.ik_arm", INTERRUPTED)
ik_demo = partial(_start, "ik_node.cli.ik_demo", INTERRUPTED)
ik_node = partial(_start, "ik_node.ros.ik_node", 0)
ik_viewer = partial(_start, "ik_node.viewer.ik_viewer", 0)
rviz_target = partial(_start, "ik_node.ros.rviz_target", 0)
