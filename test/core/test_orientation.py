"""Under six joints: the position exactly, and the orientation as near as brute force finds."""

import numpy as np
import pytest
from strategies import FIXED_ARMS, arm_of, examples

from bench.brute_force import Chain
from bench.orientation import POSITION, trials
from bench.robots import plain_urdf, random_arm

SAMPLES = 300


def arm_by(name):
    if name in FIXED_ARMS:
        return arm_of(FIXED_ARMS[name])
    return random_arm(int(name[-1]), np.random.default_rng(int(name[-1])))


ARMS = ["omx", "wx200", "random 3", "random 4", "random 5"]


@pytest.mark.parametrize("name", ARMS)
def test_the_position_is_exact_and_brute_force_finds_no_nearer_orientation(name):
    rng = np.random.default_rng(0)
    found = list(trials(arm_by(name), examples(8), rng, SAMPLES))
    assert max(trial.position for trial in found) <= POSITION
    assert all(trial.good for trial in found)
    assert sum(np.isfinite(trial.best) for trial in found) > 0.8 * len(found), "a blind judge"


@pytest.mark.parametrize("name", [*ARMS, "ur5", "scara"])
def test_the_judge_sees_the_same_arm(name):
    arm = arm_by(name)
    chain = Chain.read(plain_urdf(arm), "base", "tool")
    configurations = arm.random_configurations(5, np.random.default_rng(1))
    R, p, J = chain.kinematics(configurations)
    for i, q in enumerate(configurations):
        T = arm.forward_kinematics(q)
        np.testing.assert_allclose(R[i], T[:3, :3], atol=1e-12)
        np.testing.assert_allclose(p[i], T[:3, 3], atol=1e-12)
        np.testing.assert_allclose(J[i], arm.jacobian(q), atol=1e-12)
