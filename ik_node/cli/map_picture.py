"""The picture of `ik_arm map`: where the tool can be on each branch, and how well it moves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from ik_node.core.joint_group import JointGroup
from ik_node.core.section import Mask, Section

Array = NDArray[np.float64]

OTHER_BRANCH = "#d9d9d9"
LINKS = "#222222"
LIMITLESS = "#b3261e"
_AROUND_CELLS = 0.01
"""Level of the outline between 1 at reached points and 0: outside of every coloured cell."""


def draw_map(
    path: Path,
    arm: JointGroup,
    name: str,
    branches: Sequence[Section],
    limitless: Mask,
) -> None:
    """Write the picture; its format follows the file's ending.

    Args:
        path: .png, .svg or .pdf.
        arm: the joints.
        name: of the arm, for the title.
        branches: one section for each branch.
        limitless: (m, k) which points of the same grid it reaches without joint limits.

    Raises:
        OSError: it cannot be written.
        ValueError: an ending that matplotlib does not know.
    """
    map_figure(arm, name, branches, limitless).savefig(path, dpi=130)


def map_figure(arm: JointGroup, name: str, branches: Sequence[Section], limitless: Mask) -> Figure:
    """The picture before it is written; arguments as for `draw_map`."""
    figure = Figure(figsize=(6.2 * len(branches) + 1.0, 6.4), layout="constrained")
    axes = figure.subplots(1, len(branches), squeeze=False, sharex=True, sharey=True)[0]
    for ax, section in zip(axes, branches, strict=True):
        _draw_branch(ax, arm, section, branches, limitless)
    colours = axes[-1].collections[0] if axes[-1].collections else None
    if colours is not None:
        figure.colorbar(
            colours, ax=list(axes), label="best manipulability there, relative to the arm's best"
        )
    figure.legend(
        handles=[
            Patch(color=OTHER_BRANCH, label="only the other branch gets here"),
            Patch(fill=False, edgecolor=LIMITLESS, linestyle="--", label="without joint limits"),
        ],
        loc="outside lower center",
        ncols=2,
        frameon=False,
    )
    plane = branches[0].window.plane
    letters = f"{_axis_letter(plane.across)} and {_axis_letter(plane.along)}"
    figure.suptitle(f"{name}: where the tool can be, in the plane of {letters} of the base")
    return figure


def _draw_branch(
    ax: Axes,
    arm: JointGroup,
    section: Section,
    branches: Sequence[Section],
    limitless: Mask,
) -> None:
    values = section.manipulability
    here = np.isfinite(values)
    anywhere = np.any([np.isfinite(other.manipulability) for other in branches], axis=0)
    elsewhere = np.where(anywhere & ~here, 1.0, np.nan)
    window = section.window
    grid = (window.across, window.along)
    ax.pcolormesh(*grid, values, cmap="viridis", vmin=0.0, vmax=1.0, shading="nearest")
    ax.contourf(*grid, np.nan_to_num(elsewhere), levels=[0.5, 1.5], colors=[OTHER_BRANCH])
    ax.contour(
        *grid,
        limitless.astype(float),
        [_AROUND_CELLS],
        colors=LIMITLESS,
        linestyles="--",
        linewidths=1.0,
    )
    _draw_arm(ax, arm, section)
    title = "no elbow" if section.branch == "none" else f"elbow {section.branch}"
    ax.set_title(f"{title}: {100.0 * here.sum() / max(1, anywhere.sum()):.0f} % of what it reaches")
    ax.set_aspect("equal")
    ax.set_xlabel(_axis_name(window.plane.across))
    ax.set_ylabel(_axis_name(window.plane.along))
    ax.grid(alpha=0.25)


def _draw_arm(ax: Axes, arm: JointGroup, section: Section) -> None:
    """The links as a line, at the point of this branch where the tool moves best."""
    if not np.isfinite(section.manipulability).any():
        return
    window = section.window
    forward = window.across > 0.3 * window.across.max()
    values = np.where(forward[None, :], np.nan_to_num(section.manipulability), 0.0)
    row, column = np.unravel_index(int(np.argmax(values)), values.shape)
    q = section.q[row, column]
    tip = arm.forward_kinematics(q)[None, :3, 3]
    line = window.plane.coordinates(np.vstack((np.zeros((1, 3)), arm.joint_axes(q)[:, :3], tip)))
    ax.plot(line[:, 0], line[:, 1], "-o", color=LINKS, linewidth=3, markersize=6, zorder=3)
    ax.plot(line[-1:, 0], line[-1:, 1], "o", color="white", markersize=4, zorder=4)


def _axis_letter(direction: Array) -> str:
    place = int(np.argmax(np.abs(direction)))
    if abs(direction[place]) < 0.999:
        return "(" + ", ".join(f"{value:.2f}" for value in direction) + ")"
    return ("-" if direction[place] < 0.0 else "") + "xyz"[place]


def _axis_name(direction: Array) -> str:
    return f"{_axis_letter(direction)} [m]"
