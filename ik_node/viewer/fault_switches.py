"""Switches that put faults into the emulated servo bus, to watch how driver and arm take them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ik_node.dynamixel.emulator.control import send
from ik_node.errors import IkNodeError

EVERY = "all"


@dataclass(frozen=True)
class Switch:
    """One fault: its kind for the emulator, what the switch says, and how strong it is."""

    kind: str
    words: str
    probability: float = 1.0
    value: float | None = None
    one_servo: bool = True


SWITCHES = (
    Switch("mute", "silent servo"),
    Switch("drop_reply", "30 % of the replies lost", 0.3),
    Switch("corrupt_reply", "30 % of the replies corrupted", 0.3),
    Switch("stuck", "joint jammed"),
    Switch("overload", "servo overloaded"),
    Switch("over_temperature", "servo too hot", value=85.0),
    Switch("voltage_sag", "supply sags to 9 V", value=9.0, one_servo=False),
    Switch("unplug", "bus unplugged", one_servo=False),
)


def emulated_servos(link: str) -> tuple[str, ...]:
    """Joints of the servos on the emulated bus behind `link`.

    Raises:
        PortError: there is no emulator.
    """
    return tuple(send(Path(link), {"do": "status"})["servos"])


class FaultSwitches:
    """A menu of servos and a box to tick for each fault; boxes go out when a fault has ended."""

    def __init__(
        self, gui: Any, link: str, servos: Sequence[str], say: Callable[[str], None]
    ) -> None:
        self._link = Path(link)
        self._say = say
        self._servo = gui.add_dropdown("servo", (*servos, EVERY), initial_value=servos[0])
        self._servo.on_update(lambda _: self.refresh())
        self._boxes = {switch: gui.add_checkbox(switch.words, False) for switch in SWITCHES}
        for switch, box in self._boxes.items():
            box.on_update(lambda event, switch=switch: self._on_tick(event, switch))
        gui.add_button("clear all faults").on_click(lambda _: self._clear())

    def refresh(self) -> None:
        """Show which faults hold now."""
        try:
            held = {(f["kind"], f["servo"]) for f in send(self._link, {"do": "status"})["faults"]}
        except IkNodeError:
            return
        for switch, box in self._boxes.items():
            on = any((switch.kind, servo) in held for servo in self._servos(switch))
            if box.value != on:
                box.value = on

    def _servos(self, switch: Switch) -> list[str | None]:
        """The servos that the fault is for; None is all of them at once."""
        if not switch.one_servo:
            return [None]
        if self._servo.value == EVERY:
            return [name for name in self._servo.options if name != EVERY]
        return [self._servo.value]

    def _on_tick(self, event: Any, switch: Switch) -> None:
        if event.client is None:  # set by `refresh`, not by a hand
            return
        request: dict[str, Any] = {"do": "clear", "kind": switch.kind}
        if event.target.value:
            request = {
                "do": "fault",
                "kind": switch.kind,
                "probability": switch.probability,
                "value": switch.value,
            }
        for servo in self._servos(switch):
            self._send({**request, "servo": servo})

    def _clear(self) -> None:
        self._send({"do": "clear"})
        self.refresh()

    def _send(self, request: dict[str, Any]) -> None:
        try:
            send(self._link, request)
        except IkNodeError as error:
            self._say(str(error))
