"""Watching servos in service: who fell silent, who lost its torque, who needs a restart.

A servo out of service keeps its reason as a sentence. Nothing here moves anything: the way back is
always the start of `start.py`, which derives the goal from a fresh reading.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from ik_node.datatypes import Severity
from ik_node.dynamixel.block import RawState
from ik_node.dynamixel.bus import Bus
from ik_node.dynamixel.config import BusConfig
from ik_node.dynamixel.event_log import EventLog
from ik_node.dynamixel.plausibility import Verdict
from ik_node.dynamixel.servo import Servo, Stage, error_words
from ik_node.dynamixel.settings import DROOP
from ik_node.errors import BusError, NoReplyError, PortError

MISSES = 3
"""Cycles without an answer after which a servo is left out of the cycle."""

BUS_STALL = 0.15
"""A bus on which nobody answers is given up after this long [s]."""

BOOT_PAUSE, BOOT_POLL, BOOT_LIMIT = 0.3, 0.1, 5.0
"""After a reboot: first call, further calls, and when to give up waiting [s]."""

LAG_TIME = 0.3
"""A joint that stands this long [s], far from its goal, does not follow."""

FLAPS, FLAP_WINDOW, LONGEST_PAUSE = 5, 30.0, 8.0
"""A servo lost more often than this in this time [s] has to wait, up to so long [s]: starting it
over and over wears the arm and fills the log."""

DISAGREEMENT = math.radians(3.0)
"""Two servos of one joint may differ by this much [rad of the servo]."""

_STANDING = 2  # velocity units
_STRAYS = 3  # long reads with a goal that was never sent
_OVERLOAD = ("overload",)


class Watch:
    """Judges what was heard of each servo, and restarts those in error when asked or allowed."""

    def __init__(self, config: BusConfig, servos: Iterable[Servo], log: EventLog) -> None:
        self._config = config
        self._servos = tuple(servos)
        self._log = log
        self._strays = dict.fromkeys(self._servos, 0)
        self._told: dict[Servo, int] = {}
        self._apart: dict[Servo, float] = {}
        self._restart_due = False

    def heard(self, servo: Servo, state: RawState, now: float) -> None:
        """Judge a state that arrived whole."""
        servo.misses = 0
        reason = self._restart_reason(servo, state)
        if reason:
            self._restart(servo, reason, now)
            return
        if servo.offer(state, now) is Verdict.DISPLACED:
            self._restart(servo, "its position jumped by more than a motor can turn", now)
            return
        if servo.stage is Stage.READY and not state.torque_enable:
            words = " and ".join(error_words(state.hardware_error))
            servo.set_stage(
                Stage.FAULT,
                f"{words}; its torque is off; mend the cause, then call the reboot service",
            )
            self._log.say(f"{servo}: {servo.reason}", Severity.ERROR)
        elif state.hardware_error != self._told.get(servo, 0):
            words = " and ".join(error_words(state.hardware_error)) or "no error any more"
            self._log.say(f"{servo} reports: {words}", Severity.WARN)
        self._told[servo] = state.hardware_error
        self._follows(servo, state, now)

    def _follows(self, servo: Servo, state: RawState, now: float) -> None:
        """Note a joint that stands still although its goal is elsewhere (a gripper may)."""
        droop = DROOP * servo.map.turn / math.tau
        stands = abs(state.velocity) <= _STANDING and servo.stage is Stage.READY
        if (
            servo.config.mode == "current_based_position"
            or not stands
            or abs(state.position - servo.goal_ticks) <= droop
        ):
            self._apart[servo] = now
        lagging = now - self._apart.setdefault(servo, now) >= LAG_TIME
        if lagging and not servo.lagging:
            self._log.say(
                f"{servo} does not follow its goal; is it jammed or overloaded?", Severity.WARN
            )
        servo.lagging = lagging

    def missed(self, servo: Servo, error: BusError, now: float, *, alone: bool) -> None:
        """Note a cycle without an answer; the third running takes the servo out of service.

        Where nobody answers (not `alone`) it is rather the bus that stalls: that is given longer.
        """
        servo.misses += 1
        if servo.misses < MISSES or (not alone and now - servo.stamp < BUS_STALL):
            return
        silent = isinstance(error, NoReplyError)
        how = "does not answer any more" if silent else "answers only in damaged packets"
        servo.set_stage(Stage.SILENT, f"id {servo.id} {how}; check its power and cable")
        servo.next_probe = now
        self._log.say(f"{servo.joint}: {servo.reason}; the others go on", Severity.ERROR)
        self._lost(servo, now)

    def started(self, servo: Servo) -> None:
        """Note how a start ended; two servos of one joint must agree where it stands."""
        self._strays[servo] = 0
        self._apart.pop(servo, None)
        for other in self._servos:
            self._compare(servo, other)
            self._compare(other, servo)
        self._told[servo] = servo.state.hardware_error if servo.state else 0
        if servo.stage is Stage.READY:
            self._log.say(f"{servo}: in service, {servo.model.name} firmware {servo.firmware}")
        else:
            key = f"{servo.joint} {servo.reason}"
            self._log.say(f"{servo.joint}: {servo.reason}", Severity.ERROR, key)

    def _compare(self, leader: Servo, shadow: Servo) -> None:
        both_ready = leader.stage is Stage.READY and shadow.stage is Stage.READY
        if not both_ready or shadow.config.shadow_of != leader.joint:
            return
        if leader.state is None or shadow.state is None:
            return
        apart = leader.map.position(leader.state.position) - shadow.map.position(
            shadow.state.position
        )
        if abs(apart * leader.map.ticks_per_unit) > DISAGREEMENT * leader.map.turn / math.tau:
            shadow.set_stage(
                Stage.REFUSED,
                f"it and {leader.joint} disagree by {abs(apart):.3f} where the joint stands; "
                f"correct servos.{shadow.joint}.zero or .direction",
            )

    def booted(self, now: float) -> Servo | None:
        """A rebooted servo whose next call is due; one that stays away counts as silent."""
        for servo in self._servos:
            if servo.stage is not Stage.BOOTING:
                continue
            if now > servo.rebooted_at + BOOT_LIMIT:
                servo.set_stage(Stage.SILENT, f"id {servo.id} did not come back from its reboot")
                self._log.say(f"{servo.joint}: {servo.reason}", Severity.ERROR)
            elif now >= servo.next_probe:
                servo.next_probe = now + BOOT_POLL
                return servo
        return None

    def reboot(self, bus: Bus, now: float) -> str:
        """Restart the servos that report a hardware error; returns a sentence."""
        wrong = [servo for servo in self._servos if servo.error_words and servo.readable]
        if not wrong:
            return "no servo reports a hardware error; nothing to reboot"
        return "; ".join(self._reboot_one(bus, servo, now) for servo in wrong)

    def recover(self, bus: Bus, now: float) -> bool:
        """Reboot a servo in overload where that is allowed; True if a servo waits to be called."""
        if self._config.overload_recovery:
            for servo in self._servos:
                since = now - servo.rebooted_at
                allowed = since >= self._config.overload_recovery_interval
                if servo.stage is Stage.FAULT and servo.error_words == _OVERLOAD and allowed:
                    self._log.say(self._reboot_one(bus, servo, now), Severity.WARN)
        due, self._restart_due = self._restart_due, False
        return due

    def _reboot_one(self, bus: Bus, servo: Servo, now: float) -> str:
        words = " and ".join(servo.error_words)
        servo.rebooted_at = now
        unsaid = ""
        try:
            bus.reboot(servo.id)
        except PortError:
            raise
        except NoReplyError:
            unsaid = ", which it has not confirmed"
        except BusError as error:
            return f"{servo} ({words}) refuses to reboot: {error}"
        servo.set_stage(Stage.BOOTING, f"it was told to restart after {words}")
        servo.next_probe = now + BOOT_PAUSE
        return f"rebooting {servo} after {words}{unsaid}"

    def _restart_reason(self, servo: Servo, state: RawState) -> str:
        """Why the servo must be started anew before anything it says is believed, or ''."""
        if servo.stage is Stage.READY:
            if not state.torque_enable and not state.hardware_error:
                return "it lost its torque without an error: it restarted, or lost power"
            if state.slow is not None and state.slow.bus_watchdog < 0:
                return f"its bus watchdog stopped it after {self._config.bus_watchdog:g} s silence"
            return self._stray(servo, state)
        if servo.stage is Stage.FAULT and not state.hardware_error:
            return "its error is gone, so it has booted"
        if servo.stage is Stage.RELAXED and state.torque_enable:
            return "its torque was switched on by somebody else"
        return ""

    def _stray(self, servo: Servo, state: RawState) -> str:
        if state.slow is None:
            return ""
        same = state.slow.goal_position == servo.goal_ticks
        self._strays[servo] = 0 if same else self._strays[servo] + 1
        if self._strays[servo] < _STRAYS:
            return ""
        return f"its goal is {state.slow.goal_position}, but {servo.goal_ticks} was sent"

    def _restart(self, servo: Servo, reason: str, now: float) -> None:
        servo.set_stage(Stage.SILENT, f"{reason}; it is started anew")
        servo.next_probe = servo.stamp
        self._restart_due = True
        self._log.say(f"{servo}: {servo.reason}", Severity.WARN)
        self._lost(servo, now)

    def _lost(self, servo: Servo, now: float) -> None:
        """Let a servo that falls out of service again and again wait longer and longer."""
        losses = servo.losses
        losses.append(now)
        while now - losses[0] > FLAP_WINDOW:
            losses.popleft()
        if len(losses) <= FLAPS:
            return
        pause = min(LONGEST_PAUSE, 2.0 ** (len(losses) - FLAPS))
        servo.not_before = now + pause
        self._log.say(
            f"{servo} was lost {len(losses)} times within {FLAP_WINDOW:g} s: it stays out for "
            f"{pause:g} s; check its cable, connectors and supply",
            Severity.WARN,
        )
