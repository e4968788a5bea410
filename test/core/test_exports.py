from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from strategies import FIXED_ARMS, arm_of

import ik_node.core as core
from ik_node.core.kernels import jit

NUMBERS = """
import json
import numpy as np
from strategies import FIXED_ARMS, arm_of
from ik_node.core import gravity_torque, manipulability
from ik_node.core.kernels.jit import COMPILED
found = {"compiled": COMPILED}
for name in ("planar_2r", "omx", "wx250s", "scara"):
    arm = arm_of(FIXED_ARMS[name])
    q = arm.random_configurations(1, np.random.default_rng(4))[0]
    m = manipulability(arm, q)
    torque = gravity_torque(arm.model, dict(zip(arm.joint_names, q)))
    found[name] = [
        *arm.forward_kinematics(q).ravel(), *arm.jacobian(q).ravel(),
        m.yoshikawa, m.sigma_min, m.relative, *torque.values(),
    ]
print(json.dumps(found))
"""


def test_every_exported_name_exists() -> None:
    assert [name for name in core.__all__ if not hasattr(core, name)] == []
    assert list(core.__all__) == sorted(core.__all__)


@pytest.mark.parametrize("name", ["planar_2r", "wx250s"])
def test_nothing_is_compiled_after_warming_up(name: str) -> None:
    if not jit.COMPILED:
        pytest.skip("numba is not installed or switched off")
    arm = arm_of(FIXED_ARMS[name])
    core.warm_up(arm)
    before = signatures()
    other = arm_of(FIXED_ARMS["omx"])
    for some in (arm, other):
        q = np.clip(0.1, some.lower, some.upper)
        target = some.forward_kinematics(q) + np.eye(4, k=3)
        core.search(some, target, q)
        core.search(some, target[:3, 3], q)
        core.solve_ik(some, q, target)
        q.flags.writeable = False
        some.forward_kinematics(q)
        for rows in ("pose", "position"):
            core.manipulability(some, q, rows, near=10.0)
        core.gravity_torque(some.model, {some.joint_names[0]: 0.1})
    assert signatures() == before


def signatures() -> dict[str, int]:
    """How many type combinations each kernel is compiled for."""
    counts = {}
    for name, module in sys.modules.items():
        if name.startswith("ik_node.core.kernels."):
            for attribute, value in vars(module).items():
                if hasattr(value, "signatures"):
                    counts[f"{name}.{attribute}"] = len(value.signatures)
    return counts


def test_compiled_and_interpreted_kernels_say_the_same() -> None:
    root = Path(__file__).parents[2]
    numbers = []
    for switch in ("0", "1"):
        run = subprocess.run(
            [sys.executable, "-c", NUMBERS],
            env={
                **os.environ,
                "NUMBA_DISABLE_JIT": switch,
                "PYTHONPATH": os.pathsep.join([str(root), str(root / "test")]),
            },
            capture_output=True,
            text=True,
            timeout=100,
            check=True,
        )
        numbers.append(json.loads(run.stdout))
    compiled, interpreted = numbers
    assert interpreted.pop("compiled") is False
    compiled.pop("compiled")
    for name, values in compiled.items():
        assert interpreted[name] == pytest.approx(values, rel=1e-9, abs=1e-12)
