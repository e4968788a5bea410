"""Sections of the reach, held against what is known of the arms."""

import numpy as np
import pytest
from strategies import FIXED_ARMS, arm_of, examples

from ik_node.core.dexterous import REACHED, most_dexterous
from ik_node.core.section import branches_of, reached, sections, window_on, working_plane


def test_the_section_of_a_planar_arm_is_its_annulus_on_both_branches() -> None:
    arm = arm_of(FIXED_ARMS["planar_2r"])
    plane = working_plane(arm)
    last = {
        section.branch: section
        for section in sections(arm, window_on(arm, plane, max(12, examples(24))))
    }
    assert set(last) == set(branches_of(arm)) and len(last) == 2
    elbow = arm.elbow
    inner = np.sqrt(
        elbow.upper_arm**2
        + elbow.forearm**2
        + 2.0 * elbow.upper_arm * elbow.forearm * np.cos(arm.upper[elbow.index])
    )
    for section in last.values():
        a, b = np.meshgrid(section.window.across, section.window.along)
        radius = np.hypot(a, b)
        step = section.window.across[1] - section.window.across[0]
        reached = np.isfinite(section.manipulability)
        surely = (radius > inner + step) & (radius < elbow.upper_arm + elbow.forearm - step)
        never = (radius < inner - 1e-3) | (radius > elbow.upper_arm + elbow.forearm + 1e-3)
        assert reached[surely].mean() > 0.97
        assert not reached[never].any()


def test_every_point_shows_the_best_configuration_for_it() -> None:
    arm, rng = arm_of(FIXED_ARMS["omx"]), np.random.default_rng(0)
    window = window_on(arm, working_plane(arm), 24)
    for section in {s.branch: s for s in sections(arm, window)}.values():
        places = np.argwhere(np.isfinite(section.manipulability))
        for row, column in rng.permutation(places)[: examples(60)]:
            point = window.plane.point(window.across[column], window.along[row])
            q = section.q[row, column]
            assert np.linalg.norm(arm.forward_kinematics(q)[:3, 3] - point) < REACHED
            seeds = arm.random_configurations(4, rng)
            best = most_dexterous(arm, point, seeds, section.branch, 3)
            assert best is None or best.relative <= section.manipulability[row, column] + 0.02


@pytest.mark.parametrize("name", ["omx", "wx200"])
def test_the_plane_of_a_spatial_arm_is_x_and_z_of_the_base(name: str) -> None:
    plane = working_plane(arm_of(FIXED_ARMS[name]))
    np.testing.assert_allclose(plane.point(0.2, 0.3), [0.2, 0.0, 0.3])
    np.testing.assert_allclose(plane.coordinates(np.array([[0.2, 0.7, 0.3]])), [[0.2, 0.3]])


@pytest.mark.parametrize("name", sorted(FIXED_ARMS))
def test_a_window_holds_all_that_the_arm_reaches(name: str) -> None:
    arm = arm_of(FIXED_ARMS[name])
    plane = working_plane(arm)
    window = window_on(arm, plane, 20)
    tips = arm.random_configurations(examples(5000), np.random.default_rng(1))
    points = plane.coordinates(np.array([arm.forward_kinematics(q)[:3, 3] for q in tips]))
    assert window.across[0] < points[:, 0].min() and points[:, 0].max() < window.across[-1]
    assert window.along[0] < points[:, 1].min() and points[:, 1].max() < window.along[-1]


@pytest.mark.parametrize("name", ["omx", "planar_2r"])
def test_the_border_of_a_window_is_empty(name: str) -> None:
    arm = arm_of(FIXED_ARMS[name])
    window = window_on(arm, working_plane(arm), max(12, examples(24)))
    inner = np.ones((len(window.along), len(window.across)), dtype=bool)
    inner[[0, -1], :] = inner[:, [0, -1]] = False
    (*_, found) = reached(arm, window, inner)
    assert np.array_equal(found, inner)
