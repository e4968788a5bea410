"""A bus of emulated servos from the configuration that the driver has too."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random

from ik_node.dynamixel.config import BusConfig
from ik_node.dynamixel.emulator.bus import Bus
from ik_node.dynamixel.emulator.eeprom import Eeprom
from ik_node.dynamixel.emulator.faults import Faults
from ik_node.dynamixel.emulator.servo import FRICTION, HEAVIEST, Servo
from ik_node.errors import ConfigurationError


def build_bus(
    config: BusConfig,
    rng: Random,
    *,
    state: Path | None = None,
    friction: float | None = None,
    supply: float | None = None,
    paced: bool = True,
    latency: float = 0.0,
    poses: Mapping[str, float] | None = None,
    loads: Mapping[str, float] | None = None,
    firmwares: Mapping[str, int] | None = None,
) -> Bus:
    """Return the bus that `config` describes, its joints at 0 or at `poses` [rad, m].

    Args:
        config: the servos, their IDs and the baud that they are set to.
        rng: chance of the faults.
        state: file of the EEPROMs; None keeps them in memory.
        friction: share of the stall torque; None is the usual one.
        supply: voltage [V]; None is what the models are made for.
        paced: whether bytes take their time on the wire.
        latency: of the USB adapter [s].
        poses: where joints stand at the start.
        loads: constant effort [N m, N] that joints have to carry.
        firmwares: versions other than the one that the model's table is of.

    Raises:
        UnknownNameError: a joint in `poses`, `loads` or `firmwares` that has no servo.
        ConfigurationError: a state file or a load that cannot be.
    """
    eeprom = Eeprom(state)
    share = FRICTION if friction is None else friction
    versions = dict(firmwares or {})
    servos = [
        Servo(servo, config.baud, eeprom, share, versions.get(servo.joint))
        for servo in config.servos
    ]
    constant = dict(loads or {})
    bus = Bus(
        servos,
        Faults(rng),
        load=(lambda positions: constant) if constant else None,
        supply=supply,
        paced=paced,
        latency=latency,
    )
    for name in versions:
        bus.servo(name)
    for name, effort in constant.items():
        _check_load(bus.servo(name), effort)
    for servo in servos:
        servo.place(0.0)
    for name, position in (poses or {}).items():
        joint = bus.servo(name).joint
        for servo in servos:
            if servo.joint == joint:
                servo.place(position)
    return bus


def _check_load(servo: Servo, effort: float) -> None:
    where = f"load {servo.name}={effort:g}"
    if servo.joint != servo.name:
        raise ConfigurationError(
            where, f"is on a second servo of {servo.joint}", f"load {servo.joint}"
        )
    most = HEAVIEST / abs(servo.placement.share(1.0))
    if abs(effort) > most:
        problem = f"is more than {HEAVIEST:g} times what its servo can lift"
        raise ConfigurationError(where, problem, f"give {-most:.3g} to {most:.3g}")
