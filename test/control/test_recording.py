"""What the recorder keeps, and that it comes back from a file as it was."""

from pathlib import Path

import numpy as np
import pytest
from strategies import FIXED_ARMS, arm_of

from ik_node.control import PoseTracker
from ik_node.control.recording import Recorder, Recording
from ik_node.core import JointGroup
from ik_node.errors import ConfigurationError

DT = 0.01


@pytest.fixture(scope="module")
def arm() -> JointGroup:
    return arm_of(FIXED_ARMS["omx"])


def recorded(arm: JointGroup, ticks: int, seconds: float) -> Recording:
    tracker, recorder = PoseTracker(arm), Recorder(arm, seconds)
    q = np.array([0.1, -0.5, 0.4, 0.3])
    target = arm.forward_kinematics(q + 0.2)
    for k in range(ticks):
        output = tracker.step(q, target, k * DT, DT)
        recorder.note(k * DT, q, output, output.status)
        q = output.q_command
    return recorder.recording()


def test_the_last_seconds_are_kept_and_no_more(arm: JointGroup) -> None:
    run = recorded(arm, 120, 0.5)
    assert 50 <= len(run.time) <= 51
    assert run.time[0] == 0.0
    np.testing.assert_allclose(np.diff(run.time), DT)


def test_a_recording_holds_what_the_tracker_did(arm: JointGroup) -> None:
    run = recorded(arm, 150, 10.0)
    np.testing.assert_array_equal(run.measured[1:], run.command[:-1])
    tip = arm.forward_kinematics(run.command[-1])[:3, 3]
    np.testing.assert_allclose(run.tool[-1], tip, atol=1e-12)
    assert run.status[0] == "TRACKING"
    assert run.status[-1] == "REACHED"
    assert run.distance[-1] < 1e-6 < run.distance[10]


def test_a_recording_knows_where_the_tool_was_and_what_was_said(arm: JointGroup) -> None:
    tracker, recorder = PoseTracker(arm), Recorder(arm, 10.0)
    q = np.array([0.1, -0.5, 0.4, 0.3])
    for k in range(3):
        output = tracker.step(q, np.array([0.2, 0.05, 0.15]), k * DT, DT)
        recorder.note(k * DT, None if k == 1 else q, output, output.status)
    run = recorder.recording()
    tip = arm.forward_kinematics(q)[:3, 3]
    np.testing.assert_allclose(run.measured_tool[[0, 2]], [tip, tip], atol=1e-12)
    assert np.isnan(run.measured_tool[1]).all()
    assert run.sentence[-1] == output.status.sentence


def test_a_recording_from_before_the_tool_was_measured_still_loads(
    arm: JointGroup, tmp_path: Path
) -> None:
    kept = vars(recorded(arm, 5, 10.0))
    older = {name: kept[name] for name in kept if name not in ("measured_tool", "sentence")}
    np.savez_compressed(tmp_path / "old.npz", **older)
    run = Recording.load(tmp_path / "old.npz")
    assert np.isnan(run.measured_tool).all() and run.measured_tool.shape == run.tool.shape
    assert list(run.sentence) == [""] * 5
    np.savez_compressed(tmp_path / "none.npz", time=kept["time"])
    with pytest.raises(ConfigurationError, match="is not a recording"):
        Recording.load(tmp_path / "none.npz")


def test_a_saved_recording_comes_back_as_it_was(arm: JointGroup, tmp_path: Path) -> None:
    run = recorded(arm, 30, 10.0)
    run.save(tmp_path / "run.npz")
    back = Recording.load(tmp_path / "run.npz")
    for name in vars(run):
        np.testing.assert_array_equal(getattr(back, name), getattr(run, name))


def test_a_file_that_is_no_recording_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"gone\.npz: is missing"):
        Recording.load(tmp_path / "gone.npz")
    for content in (b"", b"joint1, joint2", b"PK\x03\x04 broken"):
        (tmp_path / "other.npz").write_bytes(content)
        with pytest.raises(ConfigurationError, match="is not a recording"):
            Recording.load(tmp_path / "other.npz")


def test_an_arm_that_was_never_seen_leaves_an_empty_recording(
    arm: JointGroup, tmp_path: Path
) -> None:
    Recorder(arm, 1.0).recording().save(tmp_path / "run.npz")
    assert len(Recording.load(tmp_path / "run.npz").time) == 0
