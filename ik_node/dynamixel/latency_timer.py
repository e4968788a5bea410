"""The latency timer of an FTDI adapter: how long it sits on a short reply.

Its factory value, 16 ms, limits a bus to about 55 cycles a second whatever the baud. The kernel
shows it in sysfs; pseudo-terminals and CDC-ACM adapters have none.
"""

from __future__ import annotations

from pathlib import Path

SYSFS = Path("/sys/bus/usb-serial/devices")

UDEV_RULE = 'ACTION=="add", SUBSYSTEM=="usb-serial", DRIVER=="ftdi_sio", ATTR{latency_timer}="1"'
"""The line for /etc/udev/rules.d that sets it to 1 ms at every plugging-in."""


def read_latency_timer(port: str, sysfs: Path = SYSFS) -> float | None:
    """The timer of the adapter behind `port` [s], or None where there is none."""
    try:
        text = (sysfs / Path(port).resolve().name / "latency_timer").read_text(encoding="ascii")
        return int(text) / 1000.0
    except (OSError, ValueError):
        return None


def latency_warning(port: str, timer: float | None) -> str | None:
    """A sentence with the remedy where the timer is over 1 ms, else None."""
    if timer is None or timer <= 0.001:
        return None
    return (
        f"the latency timer of {port} is {timer * 1000:.0f} ms and slows every cycle by as much; "
        f"put this line into /etc/udev/rules.d/99-dynamixel.rules and replug: {UDEV_RULE}"
    )
