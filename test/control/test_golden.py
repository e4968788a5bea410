"""The tracker does today what it did when the traces were recorded."""

from __future__ import annotations

import json

import numpy as np
import pytest
from control.golden_traces import ARMS, FOLDER, replay

from ik_node.core import resumable_search

TOLERANCE = 1e-6
"""rad: what another compiler or processor may make of the same arithmetic."""


@pytest.mark.parametrize("name", ARMS)
def test_recorded_inputs_give_the_recorded_commands(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resumable_search, "SAMPLES", 1024)  # fewer where kernels are interpreted
    trace = json.loads((FOLDER / f"{name}.json").read_text())
    commands = replay(name, trace["intervals"], trace["events"])
    np.testing.assert_allclose(commands, trace["commands"], rtol=0.0, atol=TOLERANCE)
