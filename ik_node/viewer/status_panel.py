"""The status in words: the code as a badge, its sentence, branch, distance and manipulability."""

from __future__ import annotations

import html
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ik_node.core import Manipulability
from ik_node.viewer import palette
from ik_node.viewer.heard import Heard

Array = NDArray[np.float64]

_COLOURS = (palette.GOOD, palette.WATCH, palette.BAD)
_GAUGE = ((0.1, palette.BAD), (0.3, palette.WATCH), (1.01, palette.GOOD))
"""Relative manipulability up to which the gauge has a colour."""


class StatusPanel:
    """One piece of HTML, sent when it says something else."""

    def __init__(self, gui: Any) -> None:
        self._html = gui.add_html("", order=0.0)

    def show(
        self, heard: Heard, tool: Array | None, manipulability: Manipulability | None, note: str
    ) -> None:
        """Show the status, the tool's place (3,) [m], and the answer to what was asked last."""
        content = "".join(
            (
                f'<div style="{_BOX}">',
                _headline(heard),
                _facts(heard, tool),
                "" if manipulability is None else _gauge(manipulability),
                f'<div style="{_NOTE}">{html.escape(note)}</div>' if note else "",
                "</div>",
            )
        )
        if content != self._html.content:
            self._html.content = content


_BOX = "padding:2px 14px 8px;font-size:13px;line-height:1.45"
_NOTE = f"margin-top:6px;padding:4px 8px;border-left:3px solid {palette.css(palette.REACH)}"
_BADGE = (
    "display:inline-block;padding:1px 9px;border-radius:9px;color:#fff;font-weight:600;"
    "font-size:12px;letter-spacing:.03em;background:"
)


def _headline(heard: Heard) -> str:
    code = heard.code or "NO STATUS"
    sentence = heard.sentence or "nothing has come on ik_node/status: is ik_node running?"
    colour = _COLOURS[min(heard.level, 2)]
    others = " ".join(html.escape(c) for c in heard.codes[1:])
    more = f' <span style="opacity:.6;font-size:11px">{others}</span>' if others else ""
    return (
        f'<div><span style="{_BADGE}{colour}">{html.escape(code)}</span>{more}</div>'
        f'<div style="min-height:2.9em;margin-top:3px">{html.escape(sentence)}</div>'
    )


def _facts(heard: Heard, tool: Array | None) -> str:
    facts = []
    if heard.branch != "none":
        facts.append(("elbow", heard.branch))
    if tool is not None:
        facts.append(
            ("tool", " ".join(f"{value * 1e3:.0f}".replace("-", "−") for value in tool) + " mm")
        )
    distance = heard.number("distance")
    if math.isfinite(distance):
        facts.append(("to target", f"{distance * 1e3:.1f} mm"))
    return (
        '<div style="display:flex;gap:4px 14px;flex-wrap:wrap">'
        + "".join(
            f'<span><span style="opacity:.6">{name}</span> <b>{html.escape(value)}</b></span>'
            for name, value in facts
        )
        + "</div>"
    )


def _gauge(manipulability: Manipulability) -> str:
    share = min(1.0, max(0.0, manipulability.relative))
    colour = next(colour for limit, colour in _GAUGE if share < limit)
    cause = manipulability.singularity
    words = "" if cause is None else html.escape(cause.sentence)
    return (
        '<div style="margin-top:6px;display:flex;align-items:center;gap:8px">'
        '<span style="opacity:.6">manipulability</span>'
        f'<div style="flex:1;height:9px;border-radius:5px;background:{palette.QUIET}">'
        f'<div style="height:100%;border-radius:5px;width:{100 * share:.0f}%;'
        f'background:{colour}"></div></div><b>{share:.2f}</b></div>'
        f'<div style="font-size:12px;color:{palette.WATCH};min-height:1.4em">{words}</div>'
    )
