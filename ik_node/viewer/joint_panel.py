"""Joint bars: where each joint stands between its limits, and how fast against its rate limit."""

from __future__ import annotations

import html
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ik_node.core import JointGroup
from ik_node.core.kernels import kinematics
from ik_node.viewer import palette

Array = NDArray[np.float64]

_NEAR_LIMIT = 0.02
"""Share of the range within which a joint counts as at its limit."""


class JointPanel:
    """One piece of HTML with a row a joint, sent when a number changes."""

    def __init__(self, gui: Any, arm: JointGroup) -> None:
        self._html = gui.add_html("")
        self._arm = arm
        sliding = {
            int(row[kinematics.INDEX]) for row in arm.chain[:-1] if row[kinematics.PRISMATIC]
        }
        self._sliding = [i in sliding for i in range(arm.size)]

    def show(self, q: Array, speeds: Array | None) -> None:
        """Show the measured joints (n,) and their speeds (n,), None where they are not known."""
        rates = np.zeros(self._arm.size) if speeds is None else speeds
        rows = [self._row(i, float(q[i]), float(rates[i])) for i in range(self._arm.size)]
        content = f'<div style="{_TABLE}">{"".join(rows)}</div>'
        if content != self._html.content:
            self._html.content = content

    def _row(self, i: int, value: float, rate: float) -> str:
        arm = self._arm
        lower, upper = float(arm.lower[i]), float(arm.upper[i])
        if not (math.isfinite(lower) and math.isfinite(upper)):
            lower, upper = -math.pi, math.pi
            value = math.remainder(value, 2.0 * math.pi)
            ends, limited = ("∞", "∞"), False
        else:
            ends = (self._number(i, lower), self._number(i, upper))
            margin = _NEAR_LIMIT * (upper - lower)
            limited = value < lower + margin or value > upper - margin
        place = 100.0 * min(1.0, max(0.0, (value - lower) / max(upper - lower, 1e-9)))
        share = 100.0 * min(1.0, abs(rate) / float(arm.velocity[i]))
        colour = palette.BAD if limited else palette.css(palette.REACH)
        unit = "mm" if self._sliding[i] else "°"
        return (
            f"<span>{html.escape(arm.joint_names[i])}</span>"
            f'<div title="{ends[0]} to {ends[1]} {unit}">'
            f'<div style="{_TRACK}"><div style="{_MARK}left:calc({place:.1f}% - 4px);'
            f'background:{colour}"></div></div>'
            f'<div style="{_SCALE}"><span>{ends[0]}</span><span>{ends[1]}</span></div></div>'
            f'<div style="text-align:right"><b>{self._number(i, value)} {unit}</b>'
            f'<div style="{_RATE}"><div style="height:100%;border-radius:2px;width:{share:.0f}%;'
            f'background:{palette.GOOD if share < 95.0 else palette.WATCH}"></div></div>'
            f'<span style="{_SMALL}">{self._number(i, rate)} {unit}/s</span></div>'
        )

    def _number(self, i: int, value: float) -> str:
        text = f"{value * 1e3 if self._sliding[i] else math.degrees(value):.0f}"
        return text.replace("-0", "0") if float(text) == 0.0 else text.replace("-", "−")


_TABLE = (
    "display:grid;grid-template-columns:auto 1fr 62px;gap:5px 10px;align-items:center;"
    "padding:2px 14px 8px;font-size:12px;line-height:1.25"
)
_TRACK = f"position:relative;height:8px;border-radius:4px;background:{palette.QUIET}"
_MARK = "position:absolute;top:-2px;width:8px;height:12px;border-radius:3px;"
_SCALE = "display:flex;justify-content:space-between;font-size:10px;opacity:.6;margin-top:2px"
_RATE = f"height:4px;border-radius:2px;margin-top:2px;background:{palette.QUIET}"
_SMALL = "font-size:10px;opacity:.6"
