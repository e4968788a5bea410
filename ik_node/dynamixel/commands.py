"""From joint commands to goals that cannot hurt: checked, clamped, and approached step by step.

A goal starts at what was read from the servo and moves toward the command by at most the joint's
speed limit; after a start or a pause the way to the first command is made at the approach speed.
So nothing that anybody publishes makes a joint lunge.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from ik_node.dynamixel.config import BusConfig
from ik_node.dynamixel.grip import Grip
from ik_node.dynamixel.servo import Servo, Stage
from ik_node.errors import UnknownNameError


class Commands:
    """The newest command of each joint and the goals on the way to it.

    Args:
        config: limits and times.
        servos: all servos, shadows included.
        say: takes (key, sentence) of what was refused; the key tells repetitions.
    """

    def __init__(
        self, config: BusConfig, servos: Iterable[Servo], say: Callable[[str, str], None]
    ) -> None:
        self._config = config
        self._say = say
        self._joints: dict[str, list[Servo]] = {joint: [] for joint in config.joints}
        for servo in servos:
            self._joints[servo.config.shadow_of or servo.joint].append(servo)
        self._grips = {
            joint: Grip(leading[0])
            for joint, leading in self._joints.items()
            if leading[0].config.mode == "current_based_position"
        }
        self._target: dict[str, float] = {}
        self._received: dict[str, float] = {}
        self._approaching = self._joints.keys() - self._grips.keys()

    def accept(self, goals: Mapping[str, float], now: float) -> None:
        """Take a command [rad or m] for any subset of the joints; what is wrong is refused."""
        for joint, position in goals.items():
            servos = self._joints.get(joint)
            if servos is None:
                error = UnknownNameError("joint in the command", joint, self._joints)
                self._say(f"unknown {joint}", str(error))
            elif not math.isfinite(position):
                self._say(f"nan {joint}", f"command for {joint} refused: it is {position}")
            elif waiting := self._waits_for(servos):
                interrupted = joint in self._grips and joint in self._target
                what = "waits" if interrupted else "refused"
                why = f"it {waiting.stage.predicate} ({waiting.reason})"
                self._say(f"not ready {joint}", f"command for {joint} {what}: {why}")
                if interrupted:
                    self._target[joint] = position
            else:
                self._target[joint] = position
                self._received[joint] = now

    def advance(self, now: float, dt: float) -> dict[Servo, float]:
        """Goals [rad or m] to send in this cycle, for the joints under command.

        Args:
            now: time of the cycle [s].
            dt: time since the last cycle [s]; bounded here.
        """
        dt = min(max(dt, 0.0), 2.0 / self._config.rate_hz)
        goals = {}
        for joint in list(self._target):
            servos = self._joints[joint]
            if waiting := self._waits_for(servos):
                switched_off = waiting.stage in (Stage.FAULT, Stage.RELAXED)
                (self.forget if switched_off else self.interrupt)(joint)
            elif self._too_old(joint, now):
                self._say_short(joint, servos[0])
                self.forget(joint)
            else:
                for servo in servos:
                    goals[servo] = self._next_goal(joint, servo, now, dt)
        return goals

    def sent(self) -> dict[str, float]:
        """The goal that each joint under command was sent last [rad or m]."""
        goals = ((joint, self._joints[joint][0].goal) for joint in self._target)
        return {joint: goal for joint, goal in goals if goal is not None}

    def gripping(self) -> tuple[str, ...]:
        """Joints that are stopped by what they hold."""
        return tuple(joint for joint, grip in self._grips.items() if grip.holding)

    def forget(self, joint: str) -> None:
        """Drop the command of `joint`: it holds where it was last sent."""
        self._target.pop(joint, None)
        if joint in self._grips:
            self._approaching.discard(joint)
        else:
            self._approaching.add(joint)
        for servo in self._joints[joint]:
            servo.beyond = None

    def interrupt(self, joint: str) -> None:
        """Drop the command of `joint` unless it was given once and for all, as a gripper's.

        That one is gone on with at the approach speed.
        """
        if joint in self._grips:
            self._approaching.add(joint)
        else:
            self.forget(joint)

    def interrupt_all(self) -> None:
        """Interrupt every command: the bus is away."""
        for joint in tuple(self._target):
            self.interrupt(joint)

    def forget_all(self) -> None:
        """Drop every command: nobody wants it any more."""
        for joint in tuple(self._target):
            self.forget(joint)

    @staticmethod
    def _waits_for(servos: list[Servo]) -> Servo | None:
        """The first that cannot be commanded, None where all can."""
        for servo in servos:
            if servo.stage is not Stage.READY:
                return servo
        return None

    def _too_old(self, joint: str, now: float) -> bool:
        # A gripper is commanded once, not streamed, and its force is limited.
        if joint in self._grips:
            return False
        return now - self._received[joint] > self._config.command_timeout

    def _say_short(self, joint: str, servo: Servo) -> None:
        if servo.goal is not None and abs(self._clamp(joint, servo) - servo.goal) > 1e-3:
            self._say(
                f"short {joint}",
                f"no command for {joint} for {self._config.command_timeout:g} s: it holds at "
                f"{servo.goal:.4g}, short of {self._target[joint]:.4g}; keep commands coming",
            )

    def _clamp(self, joint: str, servo: Servo) -> float:
        target = self._target[joint]
        wanted = min(max(target, servo.lower), servo.upper)
        if wanted == target or abs(wanted - target) <= servo.map.rounding:
            servo.beyond = None
        else:
            servo.beyond = target
            self._say(f"limit {joint}", f"command for {joint} is {servo.held_back}")
        return wanted

    def _next_goal(self, joint: str, servo: Servo, now: float, dt: float) -> float:
        wanted = self._clamp(joint, servo)
        held = wanted if servo.goal is None else servo.goal
        speed = servo.fastest
        grip = self._grips.get(joint)
        if grip is not None:
            wanted = grip.limit(wanted, now)
        if joint in self._approaching:
            unit = servo.config.metres_per_radian or 1.0
            speed = min(speed, self._config.approach_speed * unit)
        step = wanted - held
        if abs(step) <= speed * dt:
            self._approaching.discard(joint)
            return wanted
        return held + math.copysign(speed * dt, step)
