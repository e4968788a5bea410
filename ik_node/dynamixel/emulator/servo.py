"""One emulated servo: register memory, motion and health, moving along with time."""

from __future__ import annotations

from math import inf
from struct import pack_into

from ik_node.dynamixel.config import ServoConfig
from ik_node.dynamixel.control_table import BAUD_RATES, baud_code
from ik_node.dynamixel.emulator.drive import Drive
from ik_node.dynamixel.emulator.eeprom import Eeprom
from ik_node.dynamixel.emulator.effects import TURN, Effects
from ik_node.dynamixel.emulator.firmware import table
from ik_node.dynamixel.emulator.health import HardwareError, Health
from ik_node.dynamixel.emulator.memory import Memory
from ik_node.dynamixel.emulator.placement import Placement
from ik_node.dynamixel.emulator.rules import GOALS

BOOT_TIME = 0.3
"""How long a servo is away after a reboot [s]; an estimate."""

FRICTION = 0.003
"""Dry friction as a share of the stall torque: less than a tick of error at factory gains."""

HEAVIEST = 5.0
"""What a joint is ever loaded with, as a share of the stall torque; a gear would break."""

_CHUNK = 0.1  # health is looked at this often [s]
_STANDBY = 0.05  # [A]
_IN_POSITION = 5  # [tick]
_FOLLOWING_ERROR = 100  # [tick]
_VELOCITY_UNIT = 0.229 * TURN / 60.0


class Servo:
    """A servo on the bus; times are seconds of the caller's clock, `config` places it on its joint.

    A new servo has the factory's EEPROM but for the ID of `config` and the baud of the bus, then
    what `eeprom` holds of it.
    """

    def __init__(
        self,
        config: ServoConfig,
        baud: int,
        eeprom: Eeprom,
        friction: float = FRICTION,
        firmware: int | None = None,
    ) -> None:
        self.name = config.joint
        self.joint = config.shadow_of or config.joint
        self.firmware = config.servo_model.firmware if firmware is None else firmware
        self.model = table(config.servo_model, self.firmware)
        self.eeprom = eeprom
        self.memory = Memory(self.model)
        self.drive = Drive(self.model.motor, TURN, friction)
        self.health = Health()
        self.placement = Placement.of(config)
        self.effects = Effects(self.memory, self.drive)
        self.registered: tuple[int, bytes] | None = None
        self.voltage = self.model.motor.voltage
        self.time = 0.0
        self.boots = 0
        self.held = False
        self._latched = HardwareError.NONE
        self._away_until = -inf
        self._heard = 0.0
        self._delivered = {"id": config.id, "baud_rate": baud_code(baud)}
        for name, value in {**self._delivered, **eeprom.load(self.name, self.model)}.items():
            self.memory.set(name, value)
        self.drive.position = float(config.zero)
        self.power_up()

    @property
    def id(self) -> int:
        """The identity that it answers to."""
        return self.memory.bytes[7]

    @property
    def baud(self) -> int:
        """The line speed that it listens at [bit/s]."""
        return BAUD_RATES[self.memory.bytes[8]]

    @property
    def return_delay(self) -> float:
        """Time between the end of an instruction and the begin of the reply [s]."""
        return self.memory.bytes[9] * 2e-6

    @property
    def alert(self) -> bool:
        """Whether a hardware error is set."""
        return self.memory.bytes[70] != 0

    @property
    def torque(self) -> bool:
        """Whether torque is on."""
        return self.memory.bytes[64] == 1

    @property
    def tripped(self) -> bool:
        """Whether the bus watchdog has stopped it."""
        return self.memory.bytes[98] == 0xFF

    @property
    def fast_read(self) -> bool:
        """Whether its firmware knows the fast reads."""
        return self.model.fast_read(self.firmware)

    @property
    def current(self) -> float:
        """What it draws from the supply [A]."""
        return _STANDBY + abs(self.drive.torque * self.drive.duty) * self.model.motor.stall_current

    @property
    def joint_position(self) -> float:
        """Where its joint really is [rad, m]."""
        return self.placement.position(self.effects.raw(self.drive.position))

    @property
    def joint_velocity(self) -> float:
        """How fast its joint really moves [rad/s, m/s]."""
        return self.placement.per_tick * self.effects.sign * self.drive.velocity

    def carry(self, position: float, velocity: float) -> None:
        """Let the joint be at `position` [rad, m], moving at `velocity`."""
        self.effects.place(self.placement.ticks(position))
        self.drive.velocity = self.effects.sign * velocity / self.placement.per_tick

    def place(self, position: float) -> None:
        """Put the joint at `position` [rad, m], as a hand would, and power up there."""
        self.effects.place(self.placement.ticks(position))
        self.power_up()

    def set_stops(self, lower: float, upper: float) -> None:
        """Hard stops of the joint [rad, m]."""
        ticks = sorted((self.placement.ticks(lower), self.placement.ticks(upper)))
        self.effects.set_stops(ticks[0], ticks[1])

    def set_load(self, effort: float) -> None:
        """The effort [N m, N] that the joint needs to stand still."""
        share = max(-HEAVIEST, min(HEAVIEST, self.placement.share(effort)))
        self.drive.load = self.effects.sign * share

    def pretend(self, name: str, value: int | None) -> None:
        """Let `id` or `baud_rate` be another than its EEPROM holds; None ends that."""
        kept = {**self._delivered, **self.eeprom.registers(self.name)}[name]
        self.memory.set(name, kept if value is None else value)

    def awake(self, now: float) -> bool:
        """Whether it listens: not while it boots, nor when Protocol 1.0 is set."""
        return now >= self._away_until and self.memory.bytes[13] != 1

    def hear(self, now: float) -> None:
        """An instruction packet for anyone passed by: the bus watchdog starts anew."""
        self._heard = now

    def reboot(self, now: float) -> None:
        """Lose the RAM and be away for a while; the horn goes limp meanwhile."""
        self.advance(now)
        self.boots += 1
        self.power_up()
        self._away_until = now + BOOT_TIME
        self._heard = self._away_until

    def power_up(self) -> None:
        """What happens as power comes: RAM from the factory, errors forgotten."""
        memory = self.memory
        backup = self.eeprom.backup(self.name)
        ram = [register for register in self.model.registers.values() if not register.eeprom]
        for register in ram:
            memory.set(register.name, register.initial)
        self.effects.reset_goals()
        if backup is not None and memory.get("startup_configuration") & 2:
            for register in ram:
                memory.set(register.name, backup.get(register.name, memory.get(register.name)))
        memory.set("backup_ready", backup is not None)
        memory.set("torque_enable", memory.get("startup_configuration") & 1)
        self.registered = None
        self._latched = HardwareError.NONE
        self.health.restart()
        self.effects.power_up()

    def advance(self, now: float) -> None:
        """Let time pass until `now`; an earlier time changes nothing."""
        while self.time < now:
            until = min(now, self.time + _CHUNK)
            trip = self._watchdog_deadline()
            if self.time < trip <= until:
                self._run(trip - self.time)
                self.time = trip
                self._trip()
                continue
            self._run(until - self.time)
            self.time = until

    def _watchdog_deadline(self) -> float:
        period = self.memory.bytes[98]
        if not 0 < period <= 127 or not self.torque:
            return inf
        return max(self._heard + 0.02 * period, self.time + 1e-9)

    def _trip(self) -> None:
        self.memory.set("bus_watchdog", -1)
        self.effects.stop()

    def _run(self, duration: float) -> None:
        drive = self.drive
        drive.supply = self.voltage / self.model.motor.voltage
        drive.powered = self.torque and self.time >= self._away_until
        drive.braked = self.tripped
        self.held = self.held and not drive.powered
        if not self.held:
            drive.advance(duration)
        data = self.memory.bytes
        limits = ((data[34] | data[35] << 8) / 10.0, (data[32] | data[33] << 8) / 10.0, data[31])
        moving = abs(drive.velocity) > _VELOCITY_UNIT
        errors = self.health.update(duration, drive.torque, moving, self.voltage, limits)
        if errors or data[70]:
            self._judge(errors)

    def _judge(self, errors: HardwareError) -> None:
        """Errors that the mask names shut torque off and stay; the others come and go."""
        self._latched |= errors & HardwareError(self.memory.get("shutdown"))
        self.memory.set("hardware_error_status", int(errors | self._latched))
        if self._latched and self.torque:
            self.memory.set("torque_enable", 0)
            self.effects.torque_changed()

    def written(self, names: set[str]) -> None:
        """Registers `names` have new values; a goal may bring torque, but not after a shutdown."""
        if not self.torque and names & GOALS and self.memory.get("drive_mode") & 8:
            self.memory.set("torque_enable", 1)
            names = {*names, "torque_enable"}
        if self._latched:
            self.memory.set("torque_enable", 0)
        self.effects.written(names)

    def refresh(self) -> None:
        """Bring the registers that the servo reports up to date."""
        drive, motor = self.drive, self.model.motor
        homing = self.effects.homing
        target, rate = drive.trajectory
        velocity = drive.velocity / _VELOCITY_UNIT
        running = drive.profile_running
        status = int(drive.profile.shape) << 4 if running else 0
        if self.torque:
            lag = abs(target - drive.position)
            status |= (not running and lag <= _IN_POSITION) | running << 1
            status |= (lag > _FOLLOWING_ERROR) << 3
        if self.model.current_unit is None:
            effort = round(drive.torque * 1000.0)
        else:
            effort = round(drive.torque * motor.stall_current / self.model.current_unit)
        pack_into(
            "<HBBhhiIiIHB",
            self.memory.bytes,
            120,
            int(self.time * 1000.0) & 0x7FFF,
            running or abs(velocity) > self.memory.get("moving_threshold"),
            status,
            round(drive.duty * 885.0),
            effort,
            round(velocity),
            round(drive.position) + homing & 0xFFFFFFFF,
            round(rate / _VELOCITY_UNIT),
            round(target) + homing & 0xFFFFFFFF,
            round(self.voltage * 10.0),
            min(0xFF, round(self.health.temperature)),
        )
