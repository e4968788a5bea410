"""The trajectory that a servo makes of one goal: step, rectangle, triangle or trapezoid.

Source: ROBOTIS e-manual, Profile Acceleration(108) and Profile Velocity(112). A goal that comes
while the servo moves starts from the position and velocity of that moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from math import copysign, sqrt


class Shape(IntEnum):
    """Bits 5:4 of register `moving_status`."""

    STEP = 0
    RECTANGLE = 1
    TRIANGLE = 2
    TRAPEZOID = 3


@dataclass(frozen=True)
class Piece:
    """Constant acceleration [tick/s^2] for a time [s] from a position and a velocity."""

    duration: float
    position: float
    velocity: float
    acceleration: float

    def at(self, time: float) -> tuple[float, float]:
        """Position and velocity `time` seconds into the piece."""
        velocity = self.velocity + self.acceleration * time
        return self.position + 0.5 * (self.velocity + velocity) * time, velocity


class Profile:
    """Position [tick] and velocity [tick/s] of the trajectory at any time since its start."""

    def __init__(self, goal: float, shape: Shape, pieces: Sequence[Piece] = ()) -> None:
        self.goal = goal
        self.shape = shape
        self.pieces = tuple(pieces)
        self.duration = sum(piece.duration for piece in pieces)

    def at(self, time: float) -> tuple[float, float]:
        """Position and velocity at `time` [s]; the goal, at rest, once the profile is over."""
        if time >= self.duration:
            return self.goal, 0.0
        for piece in self.pieces:
            if time < piece.duration:
                return piece.at(time)
            time -= piece.duration
        return self.goal, 0.0


def velocity_based(
    position: float, velocity: float, goal: float, fastest: float, acceleration: float
) -> Profile:
    """A profile under a velocity [tick/s] and an acceleration [tick/s^2]; 0 means no bound."""
    if fastest <= 0.0:
        return Profile(goal, Shape.STEP)
    distance = goal - position
    if acceleration <= 0.0:
        speed = copysign(fastest, distance)
        return Profile(goal, Shape.RECTANGLE, [Piece(abs(distance) / fastest, position, speed, 0)])
    stopping = velocity * abs(velocity) / (2.0 * acceleration)
    sign = copysign(1.0, distance - stopping)
    distance, start = sign * distance, sign * velocity
    peak = min(fastest, sqrt(max(0.0, acceleration * distance + 0.5 * start * start)))
    rise = copysign(acceleration, peak - start)
    first = abs(peak - start) / acceleration
    last = peak / acceleration
    covered = 0.5 * (start + peak) * first + 0.5 * peak * last
    cruise = max(0.0, (distance - covered) / peak) if peak > 0.0 else 0.0
    shape = Shape.TRAPEZOID if cruise > 0.0 else Shape.TRIANGLE
    accelerations = (sign * rise, 0.0, -sign * acceleration)
    return _chain(position, velocity, goal, shape, (first, cruise, last), accelerations)


def time_based(position: float, velocity: float, goal: float, total: float, ramp: float) -> Profile:
    """A profile that ends after `total` [s], of which `ramp` [s] at each end; 0 means a step."""
    if total <= 0.0:
        return Profile(goal, Shape.STEP)
    ramp = min(ramp, 0.5 * total)
    distance = goal - position
    if ramp <= 0.0:
        return Profile(goal, Shape.RECTANGLE, [Piece(total, position, distance / total, 0.0)])
    peak = (distance - 0.5 * velocity * ramp) / (total - ramp)
    cruise = total - 2.0 * ramp
    shape = Shape.TRAPEZOID if cruise > 0.0 else Shape.TRIANGLE
    accelerations = ((peak - velocity) / ramp, 0.0, -peak / ramp)
    return _chain(position, velocity, goal, shape, (ramp, cruise, ramp), accelerations)


def _chain(
    position: float,
    velocity: float,
    goal: float,
    shape: Shape,
    durations: Sequence[float],
    accelerations: Sequence[float],
) -> Profile:
    pieces = []
    for duration, acceleration in zip(durations, accelerations, strict=True):
        piece = Piece(duration, position, velocity, acceleration)
        pieces.append(piece)
        position, velocity = piece.at(duration)
    return Profile(goal, shape, pieces)
