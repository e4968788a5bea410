"""One servo as the driver knows it while running."""

from __future__ import annotations

import math
from collections import deque
from enum import Enum

from ik_node.dynamixel.block import Block, RawState, SlowState, direct_block
from ik_node.dynamixel.config import ServoConfig
from ik_node.dynamixel.plausibility import PositionFilter, Verdict
from ik_node.dynamixel.registers import HARDWARE_ERRORS
from ik_node.dynamixel.servo_map import ServoMap


class Stage(Enum):
    """How far a servo is; the value is the word used in diagnostics."""

    SILENT = "silent"
    REFUSED = "refused"
    STARTING = "starting"
    BOOTING = "booting"
    FAULT = "fault"
    RELAXED = "relaxed"
    READY = "ready"

    @property
    def predicate(self) -> str:
        """What it makes of its joint, after the joint's name."""
        return "has a fault" if self is Stage.FAULT else f"is {self.value}"


READABLE = frozenset({Stage.FAULT, Stage.RELAXED, Stage.READY})
"""Stages in which a servo takes part in the cyclic read."""


class Servo:
    """Configuration, stage and last good state of one servo.

    Attributes:
        stage: see `Stage`; `reason` says why, as a sentence, unless it is READY.
        readable: whether it takes part in the cyclic read.
        state, slow: last good reading, raw; `stamp` when [s], -inf before the first one.
        goal: joint position that the servo was last sent to [rad or m], None before it is known;
            `goal_ticks` is the same as its register has it.
        lower, upper: limits of commands [rad or m]: the configured ones inside the servo's own.
        fastest: largest joint speed of a command [rad/s or m/s].
        beyond: its command while that lies outside the limits [rad or m], else None.
        lagging: whether it stands still, far from its goal.
        served: whether it has been in service, and nobody has switched it off since.
        elsewhere: at which other baud it was found, as a sentence.
        misses: cycles without an answer, running; `retries`: reads repeated, ever.
        next_probe: when to call a silent servo again [s]; `not_before` when it may come into
            service again at the earliest.
        losses: when it fell out of service lately [s].
    """

    def __init__(self, config: ServoConfig) -> None:
        self.config = config
        self.id = config.id
        self.joint = config.joint
        self.model = config.servo_model
        self.map = ServoMap(config)
        self.stage = Stage.SILENT
        self.reason = "not called yet"
        self.readable = False
        self.firmware = 0
        self.direct: Block | None = direct_block(self.model)
        self.mapped: Block | None = None
        self.state: RawState | None = None
        self.slow: SlowState | None = None
        self.stamp = -math.inf
        self.goal: float | None = None
        self.goal_ticks = 0
        self.lower, self.upper = config.lower, config.upper
        self.fastest = config.max_velocity
        self.beyond: float | None = None
        self.lagging = False
        self.served = False
        self.elsewhere = ""
        self.misses = 0
        self.retries = 0
        self.implausible = 0
        self.next_probe = -math.inf
        self.not_before = -math.inf
        self.losses: deque[float] = deque()
        self.rebooted_at = -math.inf
        ticks_per_radian = self.map.turn / (2.0 * math.pi)
        self._filter = PositionFilter(self.model.motor.no_load_speed * ticks_per_radian)

    def __str__(self) -> str:
        return f"{self.joint} (id {self.id})"

    @property
    def block(self) -> Block:
        """What the cyclic read takes: the mapped block while its torque proves the mapping."""
        if self.mapped is not None and (self.stage is Stage.READY or self.direct is None):
            return self.mapped
        return self.direct or direct_block(self.model)

    def identify(self, firmware: int) -> None:
        """Go by the control table that a servo with `firmware` has."""
        self.firmware = firmware
        self.model = self.config.servo_model.at_firmware(firmware)
        self.direct = direct_block(self.model)

    def set_goal(self, ticks: int, position: float | None = None) -> None:
        """Note the goal that the servo holds now."""
        self.goal_ticks = ticks
        self.goal = self.map.position(ticks) if position is None else position

    @property
    def hardware_error(self) -> int:
        """The register of that name as last read; 0 before."""
        return self.state.hardware_error if self.state else 0

    @property
    def error_words(self) -> tuple[str, ...]:
        """The hardware errors that it reports."""
        return error_words(self.hardware_error)

    @property
    def held_back(self) -> str:
        """The command that lies outside the limits, with the remedy; '' while none does."""
        if self.beyond is None:
            return ""
        return (
            f"{self.beyond:.4g}, outside {self.lower:.4g} .. {self.upper:.4g}: held at the limit; "
            f"correct zero, direction or limits of servos.{self.joint}, or the joint's limits in "
            "the URDF"
        )

    def set_stage(self, stage: Stage, reason: str = "") -> None:
        """Go to `stage` for `reason` (a sentence)."""
        self.stage = stage
        self.reason = reason
        self.readable = stage in READABLE
        self.lagging = False
        self.beyond = None
        if stage is Stage.READY:
            self.served = True
        elif stage is Stage.RELAXED:
            self.served = False
        if not self.readable:
            self.misses = 0

    def trust(self, state: RawState, now: float) -> None:
        """Take a state that was read with care at a start."""
        self._filter.restart(state.position, now)
        self._take(state, now)

    def offer(self, state: RawState, now: float) -> Verdict:
        """Take a state of the cyclic read if its position can be true."""
        verdict = self._filter.judge(state.position, now)
        if verdict is Verdict.PLAUSIBLE:
            self._take(state, now)
        else:
            self.implausible += 1
        return verdict

    def _take(self, state: RawState, now: float) -> None:
        self.state = state
        self.slow = state.slow or self.slow
        self.stamp = now


def error_words(bits: int) -> tuple[str, ...]:
    """Register `hardware_error_status` as words."""
    if not bits:
        return ()
    return tuple(
        HARDWARE_ERRORS.get(bit, f"error bit {bit}") for bit in range(8) if bits >> bit & 1
    )
