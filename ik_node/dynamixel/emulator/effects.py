"""What a register does to the motion: modes, gains, limits, goals, torque.

Registers count in the servo's own sense: `raw = sign * position + turns`, where `sign` is the
reverse bit of the drive mode and `turns` the whole turns that the servo has forgotten.
"""

from __future__ import annotations

from collections.abc import Set
from math import floor

from ik_node.dynamixel.emulator.drive import Drive, Gains
from ik_node.dynamixel.emulator.memory import Memory
from ik_node.dynamixel.emulator.profile import Profile, Shape, time_based, velocity_based

TURN = 4096
_QUARTER = 1024
_VELOCITY_UNIT = 0.229 * TURN / 60.0
_ACCELERATION_UNIT = 214.577 * TURN / 3600.0
_POSITION_MODES = (3, 4, 5)
_PUSHING_GOALS = {0: "goal_current", 1: "goal_velocity", 16: "goal_pwm"}
"""Goal that keeps the horn moving by itself, by mode."""

_GAINS = (
    "velocity_i_gain",
    "velocity_p_gain",
    "position_d_gain",
    "position_i_gain",
    "position_p_gain",
    "feedforward_2nd_gain",
    "feedforward_1st_gain",
)


class Effects:
    """Keeps a drive in step with the registers."""

    def __init__(self, memory: Memory, drive: Drive) -> None:
        self._memory = memory
        self._drive = drive
        self._turns = 0.0
        self.sign = 1
        self._stops = (drive.low_stop, drive.high_stop)

    def raw(self, position: float) -> float:
        """Ticks of the horn, as a servo in normal drive mode that never forgot a turn counts."""
        return self.sign * position + self._turns

    def place(self, raw: float) -> None:
        """Put the horn at `raw` ticks, at rest."""
        self._drive.position = self.sign * (raw - self._turns)
        self._drive.velocity = 0.0

    def set_stops(self, low: float, high: float) -> None:
        """Hard stops in raw ticks."""
        self._stops = (low, high)
        self._apply_stops()

    def power_up(self) -> None:
        """The registers as they are after a boot: no goal but where the horn is."""
        self._mirror()
        self._collapse()
        self._rest()

    def reset_goals(self) -> None:
        """The goals that a boot or another mode brings: limits, and no motion."""
        memory = self._memory
        memory.set("goal_pwm", memory.get("pwm_limit"))
        if "current_limit" in memory.model.registers:
            memory.set("goal_current", memory.get("current_limit"))
        memory.set("goal_velocity", 0)

    def written(self, changed: Set[str]) -> None:
        """Registers `changed` have new values."""
        if changed != {"goal_position"}:
            if "operating_mode" in changed:
                self._mode_changed()
            if "drive_mode" in changed:
                self._mirror()
                self._forget_turns_in_position_mode()
            self._configure()
        if "torque_enable" in changed:
            self.torque_changed()
        elif "goal_position" in changed and self._torque:
            self._start()

    def restored(self) -> None:
        """Every register may have changed at once, torque being off."""
        self._mirror()
        self._configure()
        self._drive.hold()

    def torque_changed(self) -> None:
        """Torque went on or off; on, the servo goes to whatever goal it has."""
        drive = self._drive
        on = self._torque
        if on and not drive.powered:
            self._forget_turns_in_position_mode()
            drive.hold()
            drive.powered = True
            self._configure()
            self._start()
        elif not on:
            drive.powered = False
            drive.hold()

    def stop(self) -> None:
        """Stand where the horn is until another goal comes."""
        memory = self._memory
        pushing = _PUSHING_GOALS.get(memory.get("operating_mode"))
        if pushing is not None:
            memory.set(pushing, 0)
        self._rest()

    def clear_turns(self) -> None:
        """Count from within one turn again."""
        self._collapse()
        self._stay()
        self._drive.hold()

    @property
    def homing(self) -> int:
        """The homing offset in effect [tick]: mode 3 has room for a quarter of a turn."""
        offset = self._memory.get("homing_offset")
        fits = abs(offset) <= _QUARTER or self._memory.get("operating_mode") != 3
        return offset if fits else 0

    def _rest(self) -> None:
        self._stay()
        self._configure()
        self._drive.hold()

    def _stay(self) -> None:
        """The goal is where the horn is."""
        self._memory.set("goal_position", round(self._drive.position) + self.homing)

    @property
    def _torque(self) -> bool:
        return self._memory.bytes[64] == 1

    def _mode_changed(self) -> None:
        memory = self._memory
        for name in _GAINS:
            memory.set(name, memory.model.registers[name].initial)
        memory.set("profile_velocity", 0)
        memory.set("profile_acceleration", 0)
        self.reset_goals()
        self._forget_turns_in_position_mode()
        self._stay()

    def _forget_turns_in_position_mode(self) -> None:
        if self._memory.get("operating_mode") == 3:
            self._collapse()

    def _mirror(self) -> None:
        sign = -1 if self._memory.get("drive_mode") & 1 else 1
        if sign != self.sign:
            raw = self.raw(self._drive.position)
            self.sign = sign
            self._drive.load = -self._drive.load
            self._turns = 0.0
            self.place(raw)
            self._apply_stops()

    def _collapse(self) -> None:
        """Forget whole turns: the position is within 0 .. 4095 again."""
        turns = floor(self._drive.position / TURN) * TURN
        self._drive.position -= turns
        self._turns += self.sign * turns
        self._apply_stops()

    def _apply_stops(self) -> None:
        low, high = ((stop - self._turns) * self.sign for stop in self._stops)
        self._drive.low_stop, self._drive.high_stop = min(low, high), max(low, high)

    def _configure(self) -> None:
        """Gains, limits and goals but the position, from the registers."""
        get, drive = self._memory.get, self._drive
        model = self._memory.model
        drive.mode = get("operating_mode")
        drive.gains = Gains(
            position_p=get("position_p_gain") / 128.0,
            position_i=get("position_i_gain") / 65536.0,
            position_d=get("position_d_gain") / 16.0,
            feedforward_1=get("feedforward_1st_gain") / 4.0,
            feedforward_2=get("feedforward_2nd_gain") / 4.0,
            velocity_p=get("velocity_p_gain") / 128.0,
            velocity_i=get("velocity_i_gain") / 65536.0,
        )
        drive.duty_limit = get("pwm_limit") / 885.0
        drive.goal_duty = get("goal_pwm") / 885.0
        goal_velocity = get("goal_velocity") * _VELOCITY_UNIT
        if goal_velocity != drive.goal_velocity:
            drive.goal_velocity = goal_velocity
            drive.ramp = self._ramp()
        if model.current_unit is not None:
            share = model.current_unit / model.motor.stall_current
            drive.torque_limit = get("current_limit") * share
            drive.goal_torque = get("goal_current") * share

    def _ramp(self) -> float:
        """Acceleration of mode 1 [tick/s^2]; 0 means none."""
        acceleration = self._memory.get("profile_acceleration")
        if not self._memory.get("drive_mode") & 4:
            return acceleration * _ACCELERATION_UNIT
        change = abs(self._drive.goal_velocity - self._drive.velocity_reference)
        return change / (acceleration * 1e-3) if acceleration else 0.0

    def _start(self) -> None:
        """A new trajectory from the state of the present one to the goal position."""
        get, drive = self._memory.get, self._drive
        if drive.mode not in _POSITION_MODES:
            return
        goal = float(get("goal_position") - self.homing)
        position, velocity = drive.trajectory
        fastest, acceleration = get("profile_velocity"), get("profile_acceleration")
        profile: Profile
        if get("drive_mode") & 4:
            if goal == drive.profile.goal:
                return
            profile = time_based(position, velocity, goal, fastest * 1e-3, acceleration * 1e-3)
        elif fastest:
            fastest = min(fastest, get("velocity_limit"))
            profile = velocity_based(
                position,
                velocity,
                goal,
                fastest * _VELOCITY_UNIT,
                acceleration * _ACCELERATION_UNIT,
            )
        else:
            profile = Profile(goal, Shape.STEP)
        drive.follow(profile)
