"""The view as a user meets it: what is dragged and pressed in a browser is what the arm does."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from browser import PHONE, Window
from executables import ROOT
from live_arm import LiveArm

FOLDER = ROOT / "config" / "planar_2r"
START = {"joint1": 0.5, "joint2": 0.9}
HOME = (0.306, 0.0, 0.390)
NEAR = 0.004


@pytest.fixture(scope="module")
def live(ros: None, chromium: object) -> Iterator[LiveArm]:
    arm = LiveArm(FOLDER, START, port=8090)
    yield arm
    arm.close()


@pytest.fixture(scope="module")
def window(live: LiveArm, chromium: object) -> Iterator[Window]:
    window = Window(chromium, live.url)
    window.aim(live.urdf, "base_link", "tool")
    yield window
    window.close()


def test_the_view_says_what_the_arm_does(live: LiveArm, window: Window) -> None:
    for text in ("HOLDING", "holding: there is no target", "joint1", "joint2", "elbow down"):
        window.wait_for_text(text)
    window.keep("holding")


def test_the_tool_follows_the_target_across_the_workspace(live: LiveArm, window: Window) -> None:
    window.drag(HOME, (0.45, 0.0, 0.15), (0.30, 0.0, -0.2))
    live.until_target_at(0.30, 0.0, -0.2, NEAR)
    live.until_code("REACHED")
    live.until_tool_at(0.30, -0.2, NEAR)
    assert live.branch == "down"
    window.wait_for_text("REACHED")
    window.keep("across")


def test_past_the_edge_the_arm_waits_at_it_and_says_how_far_it_is(
    live: LiveArm, window: Window
) -> None:
    window.drag(live.targets[-1], (0.5, 0.0, 0.1), (0.6, 0.0, 0.2))
    live.until_target_at(0.6, 0.0, 0.2, NEAR)
    live.until_code("UNREACHABLE")
    live.until(lambda: math.hypot(live.tool()[0], live.tool()[2]) > 0.54)
    window.wait_for_text("UNREACHABLE")
    window.keep("edge")


def test_through_the_hole_the_arm_goes_round_it(live: LiveArm, window: Window) -> None:
    live.arm.statuses.clear()
    window.drag(live.targets[-1], (0.3, 0.0, 0.1), (0.0, 0.0, 0.0), (-0.3, 0.0, 0.1))
    live.until_target_at(-0.3, 0.0, 0.1, NEAR)
    live.until_code("REACHED")
    live.until_tool_at(-0.3, 0.1, NEAR)
    assert live.branch == "down"
    assert {value_of(status, "branch") for status in live.arm.statuses} == {"down"}
    window.keep("hole")


def value_of(status: object, key: str) -> str:
    return {v.key: v.value for v in status.values}[key]


def test_the_elbow_flips_when_its_button_is_pressed_even_on_a_busy_machine(
    live: LiveArm, window: Window
) -> None:
    with live.busy(2.0):
        window.press("elbow up")
    live.until(lambda: live.branch == "up")
    live.until_code("REACHED", "HOLDING")
    window.keep("flipped")


def test_hold_pause_enable_and_home_do_what_they_say(live: LiveArm, window: Window) -> None:
    window.press("pause")
    live.until_code("PAUSED")
    window.wait_for_text("paused: no commands are sent")
    window.press("enable")
    live.until(lambda: live.arm.code() != "PAUSED")
    window.press("hold")
    live.until_code("HOLDING")
    window.press("home")
    live.until(lambda: live.targets and math.dist(live.targets[-1], HOME) < 0.001)
    live.until_tool_at(HOME[0], HOME[2], NEAR)
    assert live.branch == "up"


def test_the_sliders_change_the_links_while_the_arm_holds(live: LiveArm, window: Window) -> None:
    live.until_code("REACHED", "HOLDING")
    before = dict(live.arm.positions)
    field = window.page.get_by_role("textbox").last
    field.fill("300")
    field.press("Enter")
    live.until(lambda: live.descriptions)
    assert 'xyz="0.3 0' in live.descriptions[-1]
    live.until_code("HOLDING")
    assert live.arm.positions == pytest.approx(before, abs=0.01)
    window.wait_for_text("manipulability")
    window.keep("equal_links")


def test_the_switches_put_faults_into_the_emulated_bus(live: LiveArm, window: Window) -> None:
    window.page.get_by_text("faults on the emulated bus").click()
    window.page.get_by_text("silent servo").click()
    live.until(lambda: live.faults() == [("mute", "joint1")])
    window.press("clear all faults")
    live.until(lambda: live.faults() == [])


@pytest.fixture(scope="module")
def phone(live: LiveArm, window: Window, chromium: object) -> Iterator[Window]:
    phone = Window(chromium, live.url, PHONE)
    yield phone
    phone.close()


def test_on_a_phone_the_arm_stands_above_the_sheet_with_the_buttons(
    live: LiveArm, phone: Window
) -> None:
    phone.aim(live.descriptions[-1], "base_link", "tool")
    x, y = phone.pixel((0.0, 0.0, 0.0))
    assert 100 < x < 290 and 100 < y < 337
    phone.press("hold")
    live.until_code("HOLDING")
    phone.keep("phone")
