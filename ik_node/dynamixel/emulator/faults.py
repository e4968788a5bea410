"""The faults that can be injected while the emulator runs: names, reach, duration, chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf
from random import Random

from ik_node.errors import ConfigurationError, UnknownNameError


@dataclass(frozen=True)
class Kind:
    """One kind of fault: whether it strikes packets by chance, and what `value` is to it.

    `value` may be 0 to `highest`, perhaps a `whole` number only. A kind that is not `lasting` takes
    no duration, one `of_the_bus` no servo.
    """

    help: str
    wire: bool = False
    needs_servo: bool = False
    of_the_bus: bool = False
    value: str = ""
    default: float | None = None
    highest: float = inf
    whole: bool = False
    lasting: bool = True


KINDS: Mapping[str, Kind] = {
    "drop_request": Kind("the servo does not hear an instruction", wire=True),
    "drop_reply": Kind("the servo does not reply", wire=True),
    "corrupt_request": Kind("a bit of the instruction flips: bad CRC at the servo", wire=True),
    "corrupt_reply": Kind("a bit of the reply flips: bad CRC at the client", wire=True),
    "truncate": Kind("a reply ends early", wire=True),
    "duplicate": Kind("a reply comes twice", wire=True),
    "noise": Kind(
        "random bytes come before the reply",
        wire=True,
        value="bytes",
        default=8,
        highest=1000,
        whole=True,
    ),
    "delay": Kind("a reply comes late", wire=True, value="seconds", default=0.02, highest=3600),
    "mute": Kind("a servo is silent and deaf", needs_servo=True),
    "mute_all": Kind("every servo is silent and deaf", of_the_bus=True),
    "unplug": Kind("the port disappears until the fault ends", of_the_bus=True),
    "replug": Kind(
        "the port comes back as another tty behind the same link",
        of_the_bus=True,
        value="seconds away",
        highest=3600,
    ),
    "wrong_baud": Kind("a servo's baud code changes", needs_servo=True, value="bit/s", whole=True),
    "same_id": Kind(
        "a servo takes the ID of another one",
        needs_servo=True,
        value="ID",
        highest=252,
        whole=True,
    ),
    "overload": Kind("a servo shuts down with the overload error", needs_servo=True),
    "over_temperature": Kind("a servo is too hot", needs_servo=True, value="deg C", highest=255),
    "voltage_sag": Kind("the supply breaks down", value="V", highest=60),
    "reboot": Kind("a servo reboots by itself", needs_servo=True, lasting=False),
    "stuck": Kind("a joint is jammed", needs_servo=True),
    "no_fast_read": Kind("the firmware is too old for fast reads"),
}
"""Name of the fault to what it does."""


@dataclass(eq=False)
class Fault:
    """One injected fault; `servo` None means every servo, `remaining` None any number of times."""

    kind: str
    servo: str | None = None
    probability: float = 1.0
    remaining: int | None = None
    until: float = inf
    value: float | None = None
    struck: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot be; raises UnknownNameError or ConfigurationError."""
        if self.kind not in KINDS:
            raise UnknownNameError("fault", self.kind, KINDS)
        kind = KINDS[self.kind]
        if kind.needs_servo and self.servo is None:
            raise self._wrong("needs a servo", "name its joint")
        if kind.of_the_bus and self.servo is not None:
            raise self._wrong("is one of the whole bus", "leave the servo out")
        if not 0.0 <= self.probability <= 1.0:
            raise self._wrong(f"has probability {self.probability:g}", "give 0 to 1")
        if not kind.wire and (self.probability < 1.0 or self.remaining is not None):
            raise self._wrong("takes no probability and no count", "leave them out")
        if not kind.lasting and self.until < inf:
            raise self._wrong("is over at once", "leave duration out")
        if self.kind == "replug" and self.until < inf and self.value is None:
            raise self._wrong("lasts as long as value says", "give value")
        if self.value is None:
            self.value = kind.default
        else:
            self._check_value(kind, self.value)

    def _check_value(self, kind: Kind, value: float) -> None:
        if not kind.value:
            raise self._wrong("takes no value", "leave it out")
        if not 0.0 <= value <= kind.highest:
            raise self._wrong(f"has value {value:g}", f"give 0 to {kind.highest:g}")
        if kind.whole and value != int(value):
            raise self._wrong(f"has value {value:g}", "give a whole number")

    def _wrong(self, problem: str, remedy: str) -> ConfigurationError:
        return ConfigurationError(f"fault {self.kind}", problem, remedy)


class Faults:
    """The faults that hold now; chance comes from the `rng` of the caller."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self._faults: list[Fault] = []

    def __iter__(self) -> Iterator[Fault]:
        """The faults as they are now; ending one does not disturb the loop."""
        return iter(tuple(self._faults))

    def __len__(self) -> int:
        """How many faults hold."""
        return len(self._faults)

    def add(self, fault: Fault) -> None:
        """Let `fault` hold from now on."""
        self._faults.append(fault)

    def remove(self, fault: Fault) -> None:
        """End `fault`."""
        if fault in self._faults:
            self._faults.remove(fault)

    def expired(self, now: float) -> list[Fault]:
        """Faults whose time or number is over; the caller ends them."""
        return [fault for fault in self._faults if now >= fault.until or fault.remaining == 0]

    def holds(self, kind: str, servo: str | None = None) -> Fault | None:
        """The newest fault of a kind that holds for `servo` (or for all)."""
        for fault in reversed(self._faults):
            if fault.kind == kind and fault.servo in (None, servo) and fault.remaining != 0:
                return fault
        return None

    def strikes(self, kind: str, servo: str) -> Fault | None:
        """Like `holds`, but by its probability, and counted."""
        fault = self.holds(kind, servo) if self._faults else None
        if fault is None or self.rng.random() >= fault.probability:
            return None
        fault.struck += 1
        if fault.remaining is not None:
            fault.remaining -= 1
        return fault
