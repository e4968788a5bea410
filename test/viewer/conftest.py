"""The view in a real browser; skipped with a reason where a piece of it is missing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-unsafe-swiftshader",
)


@pytest.fixture(scope="module")
def chromium() -> Iterator[object]:
    """A headless Chromium."""
    for module in ("viser", "playwright"):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed: pip install {module}")
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if found is None:
        pytest.skip("there is no Chromium: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        yield browser
        browser.close()
