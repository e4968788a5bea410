"""The colours of the picture, one place, one meaning each: red, green, blue."""

from __future__ import annotations

GHOST = (244, 140, 40)
"""The other branch."""
REACH = (64, 156, 214)
"""Where the tool can be."""
TRACE = (226, 62, 87)
"""Where the tool was."""
TARGET = (22, 160, 90)
"""Where the tool is asked to be."""
ELLIPSOID = (150, 84, 214)
"""How fast the tool can go each way."""
GRID = (236, 239, 243)
SECTION = (220, 225, 232)

GOOD = "#16a05a"
WATCH = "#e8890c"
BAD = "#d6304f"
QUIET = "rgba(128,134,144,.22)"


def css(colour: tuple[int, int, int]) -> str:
    """The colour for a style sheet."""
    return f"rgb{colour}"
