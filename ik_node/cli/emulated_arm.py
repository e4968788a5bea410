"""The arm that emulated servos carry: gravity from its URDF, and its limits as hard stops."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from pathlib import Path

from ik_node.core.gravity import gravity_torque
from ik_node.core.model import RobotModel
from ik_node.core.xacro_file import load_description
from ik_node.dynamixel.emulator.bus import Bus

STOP_MARGIN = 0.05
"""How far behind its limit a joint hits the stop, as a share of rad or of the linear travel."""


def attach_arm(bus: Bus, description: Path, arguments: Mapping[str, str], prefix: str) -> None:
    """Load `bus` with the arm of a URDF or xacro file.

    Raises UrdfError, ConfigurationError or UnknownNameError as the description deserves.
    """
    model = RobotModel.from_urdf(load_description(description, arguments))
    constant = bus.load

    def load(positions: Mapping[str, float]) -> dict[str, float]:
        bare = {name.removeprefix(prefix): value for name, value in positions.items()}
        efforts = gravity_torque(model, bare)
        extra = {} if constant is None else constant(positions)
        return {
            name: efforts.get(name.removeprefix(prefix), 0.0) + extra.get(name, 0.0)
            for name in positions
        }

    load({servo.joint: 0.0 for servo in bus.servos})  # compiles the kernel before anyone waits
    bus.load = load
    for servo in bus.servos:
        joint = model.joints.get(servo.joint.removeprefix(prefix))
        if joint is None or not (isfinite(joint.lower) and isfinite(joint.upper)):
            continue
        margin = STOP_MARGIN * min(1.0, joint.upper - joint.lower)
        servo.set_stops(joint.lower - margin, joint.upper + margin)
