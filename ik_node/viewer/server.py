"""The web server behind the view, and how the page looks."""

from __future__ import annotations

import contextlib
import io
from typing import Any

from ik_node.errors import ConfigurationError
from ik_node.viewer import palette
from ik_node.viewer.address import Address

PANEL = 350
"""Width of the panel beside the picture [pixels]; on a phone it is a sheet below."""


def quiet() -> contextlib.AbstractContextManager[object]:
    """Keep viser's banners out of the log."""
    return contextlib.redirect_stdout(io.StringIO())


def open_server(address: Address, label: str) -> Any:
    """Start viser at an address.

    Raises:
        ConfigurationError: viser is not installed.
    """
    try:
        import viser
    except ImportError:
        raise ConfigurationError(
            "the browser view", "needs viser, which is not installed", "run 'pip install viser'"
        ) from None
    with quiet():
        server = viser.ViserServer(host=address.host, port=address.port, verbose=False)
    server.gui.set_panel_label(label)
    server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=palette.REACH)
    server.gui.main_panel.dock_right()
    server.gui.main_panel.set_width(PANEL)
    server.scene.configure_environment_map(None)
    server.scene.add_light_ambient("/lights/sky", color=(255, 255, 255), intensity=1.6)
    server.scene.add_light_directional(
        "/lights/sun", color=(255, 250, 240), intensity=1.8, cast_shadow=False
    ).position = (1.0, -2.0, 3.0)
    server.scene.configure_default_lights(enabled=False)
    return server
