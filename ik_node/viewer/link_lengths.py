"""Sliders for the numbers that an arm's xacro file takes, such as link lengths."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ik_node.core.xacro_file import load_description
from ik_node.errors import IkNodeError

LENGTH = re.compile(r"l\d+")
"""Names of arguments that are lengths of links [m]."""
SHORTEST, LONGEST = 0.5, 1.5
"""Of what the file says."""
QUIET = 0.25
"""Seconds that the sliders have to rest before the arm is made anew."""


def lengths_of(file: str, arguments: Mapping[str, str]) -> dict[str, float]:
    """The lengths `l1`, `l2`, ... [m] that a xacro file declares; none for other files."""
    path = Path(file).expanduser()
    if path.suffix != ".xacro" or not path.is_file():
        return {}
    found: dict[str, float] = {}
    pattern = r'<xacro:arg\s+name="([^"]+)"\s+default="([^"]*)"'
    for name, default in re.findall(pattern, path.read_text(encoding="utf-8")):
        if LENGTH.fullmatch(name):
            try:
                found[name] = float(arguments.get(name, default))
            except ValueError:
                continue
    return found


class LinkLengths:
    """Publishes the robot description with the lengths that the sliders show."""

    def __init__(
        self,
        gui: Any,
        file: str,
        arguments: Mapping[str, str],
        publish: Callable[[str], None],
        say: Callable[[str], None],
    ) -> None:
        self._file = file
        self._arguments = dict(arguments)
        self._publish = publish
        self._say = say
        self._timer: threading.Timer | None = None
        self._sliders: dict[str, Any] = {}
        for name, length in lengths_of(file, arguments).items():
            slider = gui.add_slider(
                f"{name} [mm]",
                min=round(SHORTEST * length * 1e3),
                max=round(LONGEST * length * 1e3),
                step=5,
                initial_value=round(length * 1e3),
            )
            slider.on_update(lambda _: self._changed())
            self._sliders[name] = slider

    @property
    def present(self) -> bool:
        """Whether the file has any."""
        return bool(self._sliders)

    def close(self) -> None:
        """Forget a change that has not been made yet."""
        if self._timer is not None:
            self._timer.cancel()

    def _changed(self) -> None:
        self.close()
        self._timer = threading.Timer(QUIET, self._apply)
        self._timer.daemon = True
        self._timer.start()

    def _apply(self) -> None:
        lengths = {name: f"{slider.value * 1e-3:g}" for name, slider in self._sliders.items()}
        try:
            self._publish(load_description(self._file, {**self._arguments, **lengths}))
        except IkNodeError as error:
            self._say(str(error))
