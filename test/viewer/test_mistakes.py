"""What is wrong at the start is one sentence, and a parameter file of ik_node's is none."""

from __future__ import annotations

import sys

import pytest
from executables import ROOT
from processes import Process, ros_arguments

FOLDER = ROOT / "config" / "planar_2r"


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"prot": 8080}, "unknown parameter 'prot': did you mean 'port'?"),
        ({"host": "192.0.2.1"}, "no address of this machine"),
        ({"emulator_link": "/tmp/none/servos"}, "port /tmp/none/servos is missing"),
        ({"urdf_file": "/none.xacro"}, "'/none.xacro' is not a file"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_1(
    parameters: dict[str, object], sentence: str
) -> None:
    pytest.importorskip("viser")
    urdf = {"urdf_file": FOLDER / "arm.urdf.xacro"}
    arguments = ros_arguments(FOLDER / "ik_node.yaml", **{**urdf, **parameters})
    with Process("ik_viewer", *arguments) as process:
        assert process.wait() == 1
    lines = [line for line in process.output.splitlines() if line.strip()]
    assert sentence in lines[-1]
    assert "Traceback" not in process.output


def test_without_viser_the_sentence_names_the_package(tmp_path: object) -> None:
    (tmp_path / "viser.py").write_text("raise ImportError('no viser')\n")
    arguments = ros_arguments(FOLDER / "ik_node.yaml", urdf_file=FOLDER / "arm.urdf.xacro")
    with Process("ik_viewer", *arguments, env={"PYTHONPATH": path(tmp_path)}) as process:
        assert process.wait() == 1
    assert "needs viser, which is not installed; run 'pip install viser'" in process.output
    assert "Traceback" not in process.output


def path(first: object) -> str:
    return ":".join([str(first), *filter(None, sys.path)])
