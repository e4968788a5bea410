"""ik_arm: pictures of an arm's reach and of a recorded run, and sentences for mistakes."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from matplotlib import image
from strategies import FIXED_ARMS, arm_of, examples

from ik_node.cli.ik_arm import cli
from ik_node.control import PoseTracker
from ik_node.control.recording import Recorder
from ik_node.errors import IkNodeError


def run(*arguments: str) -> str:
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def colours(path: Path) -> int:
    pixels = image.imread(path)[:, :, :3].reshape(-1, 3)
    return len(np.unique(np.round(pixels * 255).astype(int), axis=0))


def test_the_map_shows_both_branches(tmp_path: Path) -> None:
    path = tmp_path / "map.png"
    run("map", "--arm", "planar_2r", f"--resolution={max(10, examples(20))}", "--output", str(path))
    assert colours(path) > 60
    svg = tmp_path / "map.svg"
    run(
        "map",
        "--arm",
        "planar_2r",
        "--xacro",
        "l1:=0.2",
        "--resolution",
        "12",
        "--output",
        str(svg),
    )
    assert svg.read_text().lstrip().startswith("<?xml")


def test_a_recorded_run_is_drawn(tmp_path: Path) -> None:
    arm = arm_of(FIXED_ARMS["omx"])
    tracker, recorder = PoseTracker(arm), Recorder(arm, 10.0)
    q = np.array([0.1, -0.5, 0.4, 0.3])
    for k in range(100):
        out = tracker.step(q, np.array([0.2, 0.05, 0.15 if k < 50 else 2.0]), k * 0.02, 0.02)
        recorder.note(k * 0.02, None if k == 30 else q, out, out.status)
        q = q if out.q_command is None else out.q_command
    file = tmp_path / "run.npz"
    recorder.recording().save(file)
    run("plot", str(file))
    assert colours(tmp_path / "run.png") > 50


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("map", "--arm", "planar_3r"), "unknown arm 'planar_3r': did you mean 'planar_2r'"),
        (("map", "--arm", "planar_2r", "--output", "x.bmp"), r"write|ending of a picture"),
        (
            ("map", "--arm", "planar_2r", "--output", "/nowhere/x.png"),
            "folder '/nowhere' is missing",
        ),
        (("map", "--arm", "planar_2r", "--xacro", "l1=3"), "write name:=value"),
        (("map", "--arm", "planar_2r", "--xacro", "l9:=3"), "l9"),
        (("plot", "gone.npz"), "gone.npz: is missing"),
    ],
)
def test_a_mistake_is_one_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(IkNodeError, match=sentence) as error:
        run(*arguments)
    assert "\n" not in str(error.value)
