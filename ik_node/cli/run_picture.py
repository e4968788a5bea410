"""The picture of `ik_arm plot`: a recorded run against time."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Mapping
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ik_node.control.recording import Recording
from ik_node.control.status import StatusCode
from ik_node.datatypes import Severity

Array = NDArray[np.float64]

COLOURS = {Severity.OK: "#2e7d32", Severity.WARN: "#e69f00", Severity.ERROR: "#b3261e"}
AXES = ("x", "y", "z")


def draw_run(path: Path, run: Recording, title: str) -> None:
    """Write the picture; its format follows the file's ending.

    Raises:
        OSError: it cannot be written.
        ValueError: an ending that matplotlib does not know.
    """
    run_figure(run, title).savefig(path, dpi=120)


def run_figure(run: Recording, title: str) -> Figure:
    """The picture before it is written."""
    figure = Figure(figsize=(11.0, 12.0), layout="constrained")
    tool, error, joints, speeds, measure, status = figure.subplots(
        6, 1, sharex=True, height_ratios=(3, 2, 3, 3, 2, 1.6)
    )
    _draw_tool(tool, run)
    _draw_error(error, run)
    _draw_joints(joints, run)
    _draw_speeds(speeds, run)
    _draw_manipulability(measure, run)
    _draw_status(status, run)
    for ax in (tool, error, joints, speeds, measure):
        ax.grid(alpha=0.3)
    status.set_xlabel("time [s]")
    figure.suptitle("\n".join([title, *textwrap.wrap(_last_words(run), 110)]))
    return figure


def _last_words(run: Recording) -> str:
    """What the status said last about a fault; without one, what it said last."""
    faults = run.sentence[run.status == StatusCode.FAULT.value]
    return str([*run.sentence, *faults][-1])


def _draw_tool(ax: Axes, run: Recording) -> None:
    for i, axis in enumerate(AXES):
        ax.plot(run.time, run.target[:, i], "--", color=f"C{i}", linewidth=1.0)
        ax.plot(run.time, run.measured_tool[:, i], ":", color=f"C{i}")
        ax.plot(run.time, run.tool[:, i], color=f"C{i}", label=axis)
    _line_names(ax, {"--": "goal", "-": "commanded", ":": "measured"})
    ax.set_ylabel("tool [m]")
    _legend(ax)


def _draw_error(ax: Axes, run: Recording) -> None:
    ax.plot(
        run.time,
        1000.0 * run.distance,
        color="C3",
        linewidth=3.0,
        alpha=0.5,
        label="to the target asked for, by the status",
    )
    for tool, line, name in ((run.tool, "-", "commanded"), (run.measured_tool, ":", "measured")):
        goal = np.linalg.norm(tool - run.target, axis=1)
        ax.plot(run.time, 1000.0 * goal, line, color="C0", label=f"{name}, to the goal")
    largest = np.nanmax(run.distance, initial=0.0)
    if largest > 0.0:
        ax.set_yscale("symlog", linthresh=1.0)
    ax.set_ylim(bottom=0.0)
    ax.set_ylabel("tool error [mm]")
    _legend(ax)


def _draw_joints(ax: Axes, run: Recording) -> None:
    """Every joint between its limits, so that one scale fits all."""
    span = run.upper - run.lower
    bounded = np.isfinite(span)
    low = np.where(bounded, run.lower, -np.pi)
    span = np.where(bounded, span, 2.0 * np.pi)
    for i, name in enumerate(run.joint_names):
        ax.plot(run.time, (run.measured[:, i] - low[i]) / span[i], ":", color=f"C{i}")
        ax.plot(run.time, (run.command[:, i] - low[i]) / span[i], color=f"C{i}", label=str(name))
    _line_names(ax, {"-": "commanded", ":": "measured"})
    ax.axhspan(1.0, 1.05, color=COLOURS[Severity.ERROR], alpha=0.15)
    ax.axhspan(-0.05, 0.0, color=COLOURS[Severity.ERROR], alpha=0.15)
    ax.set_ylim(-0.05, 1.05)
    ax.set_ylabel("joint, 0 lower\nto 1 upper limit")
    _legend(ax)


def _draw_speeds(ax: Axes, run: Recording) -> None:
    if len(run.time) > 1:
        passed = np.diff(run.time)
        moved = np.diff(run.command, axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            speeds = np.where(passed[:, None] > 0.0, moved / passed[:, None], np.nan)
        for i, name in enumerate(run.joint_names):
            ax.plot(run.time[1:], speeds[:, i] / run.velocity[i], color=f"C{i}", label=str(name))
    for limit in (-1.0, 1.0):
        ax.axhline(limit, color=COLOURS[Severity.ERROR], linewidth=1.0, linestyle="--")
    ax.set_ylim(-1.15, 1.15)
    ax.set_ylabel("commanded speed\nover its limit")
    _legend(ax)


def _draw_manipulability(ax: Axes, run: Recording) -> None:
    ax.fill_between(run.time, run.manipulability, color="C2", alpha=0.3)
    ax.plot(run.time, run.manipulability, color="C2")
    ax.set_ylim(0.0, 1.05)
    ax.set_ylabel("relative\nmanipulability")


def _draw_status(ax: Axes, run: Recording) -> None:
    codes = [code.value for code in StatusCode if code.value in set(run.status)]
    for start, end in _spells(run.status):
        code = str(run.status[start])
        last = run.time[min(end, len(run.time) - 1)]
        ax.barh(
            codes.index(code),
            max(last - run.time[start], 0.0),
            left=run.time[start],
            height=0.8,
            color=COLOURS.get(StatusCode(code).severity, "grey"),
        )
    for change in np.flatnonzero(run.branch[1:] != run.branch[:-1]):
        ax.axvline(run.time[change + 1], color="k", linewidth=1.0)
        late = run.time[change + 1] > 0.7 * run.time[-1]
        ax.text(
            run.time[change + 1],
            len(codes) - 0.45,
            f" branch {run.branch[change + 1]} ",
            va="bottom",
            ha="right" if late else "left",
            fontsize="small",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.0},
        )
    ax.set_yticks(range(len(codes)), codes, fontsize="small")
    ax.set_ylim(len(codes) - 0.4, -0.6)
    ax.set_ylabel("status")


def _spells(status: NDArray[np.str_]) -> list[tuple[int, int]]:
    """First tick and one past the last of every run of equal codes."""
    edges = [0, *(np.flatnonzero(status[1:] != status[:-1]) + 1).tolist(), len(status)]
    return [(a, b) for a, b in itertools.pairwise(edges) if b > a]


def _line_names(ax: Axes, names: Mapping[str, str]) -> None:
    for line, name in names.items():
        ax.plot([], [], line, color="grey", label=name)


def _legend(ax: Axes) -> None:
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize="small")
