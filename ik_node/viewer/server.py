"""The web server behind the view, how the page looks, and where its camera stands."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ik_node.errors import ConfigurationError
from ik_node.viewer import palette
from ik_node.viewer.address import Address
from ik_node.viewer.shown_arm import ShownArm

Array = NDArray[np.float64]

PANEL = 350
"""Width of the panel beside the picture [pixels]; on a phone it is a sheet below."""
FIELD_OF_VIEW = 0.7


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
    with contextlib.redirect_stdout(io.StringIO()):  # it draws a banner
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


def stage(server: Any, shown: ShownArm, q: Array) -> None:
    """Set camera and grid for an arm at q (n,): planar ones from the front."""
    reach = shown.arm.reach
    shoulder = shown.arm.joint_axes(q)[0, :3]
    camera = server.initial_camera
    camera.fov = FIELD_OF_VIEW
    if shown.planar:
        normal = shown.arm.joint_axes(q)[0, 3:]
        camera.look_at = shoulder
        camera.position = shoulder + 3.4 * reach * normal + np.array([0.0, 0.0, 0.35 * reach])
        behind = shoulder - 0.14 * reach * normal
        plane = "xy" if abs(normal[2]) > 0.7 else "xz" if abs(normal[1]) > 0.7 else "yz"
    else:
        middle = shoulder + np.array([0.15 * reach, 0.0, 0.2 * reach])
        camera.look_at = middle
        camera.position = middle + reach * np.array([1.1, -2.4, 1.1])
        behind = np.array([shoulder[0], shoulder[1], 0.0])
        plane = "xy"
    server.scene.add_grid(
        "/grid",
        width=4.0 * reach,
        height=4.0 * reach,
        plane=plane,
        cell_size=0.05,
        section_size=0.1,
        cell_color=palette.GRID,
        section_color=palette.SECTION,
        fade_distance=8.0 * reach,
        shadow_opacity=0.1,
        position=behind,
    )
