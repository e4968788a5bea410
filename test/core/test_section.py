"""Sections of the reach, held against what is known of the arms."""

import numpy as np
import pytest
from strategies import FIXED_ARMS, arm_of, examples

from ik_node.core.section import branches_of, sections, working_plane


def test_the_section_of_a_planar_arm_is_its_annulus_on_both_branches() -> None:
    arm = arm_of(FIXED_ARMS["planar_2r"])
    plane = working_plane(arm)
    last = {section.branch: section for section in sections(arm, plane, max(12, examples(24)))}
    assert set(last) == set(branches_of(arm)) and len(last) == 2
    elbow = arm.elbow
    inner = np.sqrt(
        elbow.upper_arm**2
        + elbow.forearm**2
        + 2.0 * elbow.upper_arm * elbow.forearm * np.cos(arm.upper[elbow.index])
    )
    for section in last.values():
        a, b = np.meshgrid(section.across, section.along)
        radius = np.hypot(a, b)
        step = section.across[1] - section.across[0]
        reached = np.isfinite(section.manipulability)
        surely = (radius > inner + step) & (radius < elbow.upper_arm + elbow.forearm - step)
        never = (radius < inner - 1e-3) | (radius > elbow.upper_arm + elbow.forearm + 1e-3)
        assert reached[surely].mean() > 0.97
        assert not reached[never].any()


@pytest.mark.parametrize("name", ["omx", "wx200"])
def test_the_plane_of_a_spatial_arm_is_x_and_z_of_the_base(name: str) -> None:
    plane = working_plane(arm_of(FIXED_ARMS[name]))
    np.testing.assert_allclose(plane.point(0.2, 0.3), [0.2, 0.0, 0.3])
    np.testing.assert_allclose(plane.coordinates(np.array([[0.2, 0.7, 0.3]])), [[0.2, 0.3]])
