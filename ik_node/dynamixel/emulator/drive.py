"""The moving part of one servo: controller, geared motor, friction, load and stops.

A first-order motor (stall torque, no-load speed and voltage from the data sheet) with the servo's
own loops round it: P, I, D and feed-forward of the position, PI of the velocity, limits of PWM and
current. Torque is a share of the stall torque throughout, duty a share of the nominal voltage.
Position is in ticks of the encoder, positive as the servo reports it, without homing offset.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from ik_node.dynamixel.control_table import PWM_UNIT, Motor
from ik_node.dynamixel.emulator.profile import Profile, Shape

STEP = 0.002
"""Longest step of the integration [s]."""

MECHANICAL_TIME_CONSTANT = 0.012
"""Of rotor and gear [s]; an estimate, chosen so that the factory gains are well damped."""

_FINE = 0.001  # the D gain and the feed-forward count per millisecond
_VELOCITY_UNIT = 0.229 * 4096.0 / 60.0


@dataclass
class Gains:
    """Controller gains as fractions, not as register values."""

    position_p: float = 0.0
    position_i: float = 0.0
    position_d: float = 0.0
    feedforward_1: float = 0.0
    feedforward_2: float = 0.0
    velocity_p: float = 0.0
    velocity_i: float = 0.0


class Drive:
    """State of the motion; `advance` integrates it. All attributes may be set from outside."""

    def __init__(self, motor: Motor, ticks_per_revolution: int, friction: float) -> None:
        self.motor = motor
        self.no_load_speed = motor.no_load_speed * ticks_per_revolution / 6.283185307179586
        self.friction = friction
        self.position = 0.0
        self.velocity = 0.0
        self.torque = 0.0
        self.duty = 0.0
        self.powered = False
        self.braked = False
        self.mode = 3
        self.gains = Gains()
        self.goal_duty = 1.0
        self.duty_limit = 1.0
        self.goal_torque = inf
        self.torque_limit = inf
        self.goal_velocity = 0.0
        self.ramp = 0.0
        self.profile = Profile(0.0, Shape.STEP)
        self.profile_time = 0.0
        self.load = 0.0
        self.supply = 1.0
        self.low_stop = -inf
        self.high_stop = inf
        self.jammed = False
        self.velocity_reference = 0.0
        self._integral = 0.0

    @property
    def trajectory(self) -> tuple[float, float]:
        """Position and velocity that the controller follows now."""
        if not self.powered:
            return self.position, 0.0
        if self.mode in (3, 4, 5):
            return self.profile.at(self.profile_time)
        return self.position, self.velocity_reference if self.mode == 1 else 0.0

    @property
    def profile_running(self) -> bool:
        """Whether the trajectory has not ended."""
        if not self.powered:
            return False
        if self.mode == 1:
            return self.velocity_reference != self.goal_velocity
        return self.mode in (3, 4, 5) and self.profile_time < self.profile.duration

    def follow(self, profile: Profile) -> None:
        """Start a new trajectory."""
        self.profile = profile
        self.profile_time = 0.0

    def hold(self) -> None:
        """Forget what was going on: stand where the horn is, at rest in every mode."""
        self.follow(Profile(self.position, Shape.STEP))
        self.goal_velocity = self.velocity_reference = self._integral = 0.0

    def advance(self, duration: float) -> None:
        """Integrate `duration` seconds under a constant load, supply and goal."""
        steps = max(1, round(duration / STEP + 0.499999))
        step = duration / steps
        for done in range(1, steps + 1):
            if self._step(step):
                self.profile_time += (steps - done) * step
                return

    def _step(self, step: float) -> bool:
        """One step; True if nothing can change any more under these conditions."""
        speed = self.velocity
        back = speed / self.no_load_speed
        if self.powered:
            duty, torque = self._controlled(step, back)
        else:
            duty, torque = 0.0, -back
        self.duty, self.torque = duty, torque if self.powered else 0.0
        net = torque - self.load
        if speed == 0.0:
            if abs(net) <= self.friction or self.jammed:
                return not self._changing()
            net -= self.friction if net > 0.0 else -self.friction
        else:
            net -= self.friction if speed > 0.0 else -self.friction
        velocity = speed + self.no_load_speed * net * step / MECHANICAL_TIME_CONSTANT
        if velocity * speed < 0.0 or self.jammed:
            velocity = 0.0
        before = self.position
        self._move(velocity, step)
        return self.velocity == 0.0 and self.position == before and not self._changing()

    def _changing(self) -> bool:
        """Whether the controller moves on although the horn rests."""
        if not self.powered:
            return False
        if self.mode in (3, 4, 5):
            return self.gains.position_i > 0.0 or self.profile_time < self.profile.duration
        return self.mode == 1

    def _move(self, velocity: float, step: float) -> None:
        position = self.position + velocity * step
        if position <= self.low_stop and velocity < 0.0:
            position, velocity = max(self.low_stop, min(self.position, position)), 0.0
        elif position >= self.high_stop and velocity > 0.0:
            position, velocity = min(self.high_stop, max(self.position, position)), 0.0
        self.position, self.velocity = position, velocity

    def _controlled(self, step: float, back: float) -> tuple[float, float]:
        """Duty and torque that the electronics apply, after every limit."""
        mode = self.mode
        supply = self.supply
        duty_limit = self.duty_limit
        if mode != 16:
            duty_limit = min(abs(self.goal_duty), duty_limit)
        if mode == 0:
            wanted = max(-self.torque_limit, min(self.torque_limit, self.goal_torque))
            duty = 0.0 if self.braked else self._duty_for(wanted, back)
        elif mode == 1:
            duty = self._velocity_loop(step)
        elif mode == 16:
            duty = self.goal_duty
        else:
            duty = self._position_loop(step)
        duty = max(-duty_limit, min(duty_limit, duty))
        torque = duty * supply - back
        limit = self.torque_limit
        if mode == 5:
            limit = min(limit, abs(self.goal_torque))
        if torque > limit:
            torque = limit
        elif torque < -limit:
            torque = -limit
        else:
            return duty, torque
        return max(-duty_limit, min(duty_limit, self._duty_for(torque, back))), torque

    def _duty_for(self, torque: float, back: float) -> float:
        return (torque + back) / (self.supply or 1.0)

    def _position_loop(self, step: float) -> float:
        self.profile_time += step
        reference, rate = self.profile.at(self.profile_time)
        gains = self.gains
        error = reference - self.position
        pwm = gains.position_p * error + gains.position_d * (rate - self.velocity) * _FINE
        if gains.feedforward_1 or gains.feedforward_2:
            growth = (rate - self.velocity_reference) / step
            pwm += gains.feedforward_1 * rate * _FINE + gains.feedforward_2 * growth * _FINE * _FINE
        self.velocity_reference = rate
        if gains.position_i:
            self._integral = _bounded(self._integral + gains.position_i * error * step / _FINE)
            pwm += self._integral
        return pwm * PWM_UNIT

    def _velocity_loop(self, step: float) -> float:
        goal, reference = self.goal_velocity, self.velocity_reference
        change = self.ramp * step if self.ramp > 0.0 else inf
        self.velocity_reference = max(reference - change, min(reference + change, goal))
        error = (self.velocity_reference - self.velocity) / _VELOCITY_UNIT
        gains = self.gains
        self._integral = _bounded(self._integral + gains.velocity_i * error * step / _FINE)
        return (gains.velocity_p * error + self._integral) * PWM_UNIT


def _bounded(integral: float) -> float:
    return max(-885.0, min(885.0, integral))
