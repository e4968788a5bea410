"""What the picture of a recorded run tells: goal, command and measurement apart, and the fault."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from strategies import FIXED_ARMS, arm_of

from ik_node.cli.run_picture import run_figure
from ik_node.control import PoseTracker
from ik_node.control.recording import Recorder, Recording
from ik_node.control.status import Condition, StatusCode

FAULT = "the driver reports that joint2 is overloaded"
OFF = 0.03
"""rad, by which every joint hangs off its command."""


@pytest.fixture(scope="module")
def run() -> Recording:
    """A target is reached by the command only, then comes a fault; the branch changes late."""
    arm = arm_of(FIXED_ARMS["omx"])
    tracker, recorder = PoseTracker(arm), Recorder(arm, 10.0)
    q = np.array([0.1, -0.5, 0.4, 0.3])
    for k in range(60):
        out = tracker.step(q, np.array([0.2, 0.05, 0.15]), k * 0.02, 0.02)
        fault = (Condition(StatusCode.FAULT, FAULT),) if 50 < k < 58 else ()
        status = out.status._replace(conditions=(*fault, *out.status.conditions))
        recorder.note(k * 0.02, q + OFF, out, status)
        q = q if out.q_command is None else out.q_command
    branch = np.where(np.arange(60) < 59, "down", "up")
    return replace(recorder.recording(), branch=branch)


@pytest.fixture(scope="module")
def figure(run: Recording) -> Figure:
    made = run_figure(run, "run_fault.npz")
    FigureCanvasAgg(made).draw()
    return made


def test_the_measured_tool_stands_beside_the_commanded_one(run: Recording, figure: Figure) -> None:
    ax = figure.axes[0]
    dotted = [line.get_ydata() for line in ax.lines if line.get_linestyle() == ":"]
    for axis in range(3):
        assert any(np.array_equal(line, run.measured_tool[:, axis]) for line in dotted)
    assert np.linalg.norm(run.measured_tool[40] - run.tool[40]) > 0.005
    shown = {text.get_text() for text in ax.get_legend().get_texts()}
    assert shown == {"x", "y", "z", "goal", "commanded", "measured"}


def test_the_errors_of_command_and_measurement_are_told_apart(figure: Figure) -> None:
    lines = {line.get_label(): line.get_ydata() for line in figure.axes[1].lines}
    assert lines["commanded, to the goal"][40] < 0.1 < 5.0 < lines["measured, to the goal"][40]


def test_the_title_says_which_fault_it_was(run: Recording, figure: Figure) -> None:
    assert FAULT in figure.get_suptitle()
    fine = replace(run, status=np.full(60, "REACHED"), sentence=np.full(60, "all is well"))
    assert "all is well" in run_figure(fine, "run.npz").get_suptitle()
    old = replace(run, sentence=np.full(60, ""))
    assert run_figure(old, "run.npz").get_suptitle() == "run.npz"


def test_the_branch_is_named_inside_the_axes(figure: Figure) -> None:
    ax = figure.axes[-1]
    (label,) = ax.texts
    assert label.get_text().strip() == "branch up"
    box, inside = label.get_window_extent(), ax.get_window_extent()
    assert inside.x0 <= box.x0 and box.x1 <= inside.x1
    assert inside.y0 <= box.y0 and box.y1 <= inside.y1
