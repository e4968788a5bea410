"""The buttons: elbow by the arm's own branch names, hold, home, pause, enable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


class Buttons:
    """Two rows of buttons; each call runs on one of viser's threads."""

    def __init__(
        self,
        gui: Any,
        branches: Sequence[str],
        flip: Callable[[str], None],
        hold: Callable[[], None],
        home: Callable[[], None],
        enable: Callable[[bool], None],
    ) -> None:
        actions: dict[str, Callable[[], None]] = {
            "hold": hold,
            "home": home,
            "pause": lambda: enable(False),
            "enable": lambda: enable(True),
        }
        if len(branches) > 1:
            elbow = gui.add_button_group(
                "elbow",
                tuple(f"elbow {branch}" for branch in branches),
                hint="change the branch: the only thing that ever flips the elbow",
            )
            elbow.on_click(lambda event: flip(event.target.value.removeprefix("elbow ")))
        arm = gui.add_button_group(
            "arm", tuple(actions), hint="home is where the arm stood when the view opened"
        )
        arm.on_click(lambda event: actions[event.target.value]())
