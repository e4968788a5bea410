"""What the picture of an arm's reach promises: nothing cut off, no colour outside the outline."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.collections import Collection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.path import Path
from strategies import FIXED_ARMS, arm_of, examples

from ik_node.cli.ik_arm import _without_limits
from ik_node.cli.map_picture import LIMITLESS, map_figure
from ik_node.core.elements import Array, JointKind
from ik_node.core.section import Mask, Section, reached, sections, window_on, working_plane


@pytest.fixture(scope="module")
def branches() -> list[Section]:
    arm = arm_of(FIXED_ARMS["omx"])
    window = window_on(_without_limits(arm), working_plane(arm), max(14, examples(30)))
    return list({section.branch: section for section in sections(arm, window)}.values())


@pytest.fixture(scope="module")
def figure(branches: list[Section]) -> Figure:
    arm = arm_of(FIXED_ARMS["omx"])
    known = np.any([np.isfinite(section.manipulability) for section in branches], axis=0)
    *_, limitless = reached(_without_limits(arm), branches[0].window, known)
    return map_figure(arm, "omx", branches, limitless)


def test_no_colour_lies_at_the_border_of_the_window(branches: list[Section]) -> None:
    for section in branches:
        inside = np.isfinite(section.manipulability)
        assert inside.any()
        assert not inside[[0, -1]].any() and not inside[:, [0, -1]].any()


def test_no_coloured_cell_sticks_out_of_the_outline(
    branches: list[Section], figure: Figure
) -> None:
    window = branches[0].window
    half = 0.49 * (window.across[1] - window.across[0])
    for ax, section in zip(figure.axes, branches, strict=False):
        (outline,) = [c for c in ax.collections if LIMITLESS in colours_of(c)]
        ring = max(outline.get_paths()[0].to_polygons(), key=len)
        rows, columns = np.nonzero(np.isfinite(section.manipulability))
        x, y = window.across[columns], window.along[rows]
        for dx, dy in ((half, half), (half, -half), (-half, half), (-half, -half)):
            assert inside(ring, x + dx, y + dy).all()


def colours_of(collection: Collection) -> set[str]:
    return {to_hex(colour) for colour in collection.get_edgecolor()}


def inside(ring: Array, x: Array, y: Array) -> Mask:
    return Path(ring).contains_points(np.column_stack((x, y)), radius=1e-6)


def test_a_slide_stays_on_its_rail_where_limits_are_left_out() -> None:
    arm = arm_of(FIXED_ARMS["scara"])
    middle = 0.5 * (arm.lower + arm.upper)
    arm = replace(arm, lower=middle + 0.01, upper=arm.upper + 0.02)
    free = _without_limits(arm)
    kinds = [arm.model.joints[joint].kind for joint in arm.joint_names]
    assert JointKind.PRISMATIC in kinds
    for i, kind in enumerate(kinds):
        if kind is JointKind.PRISMATIC:
            assert (free.lower[i], free.upper[i]) == (arm.lower[i], arm.upper[i])
        else:
            assert free.lower[i] <= -np.pi and free.upper[i] >= np.pi
