"""Names of serial devices: a number may change at every plugging-in, a by-id link does not."""

from __future__ import annotations

from pathlib import Path

BY_ID = Path("/dev/serial/by-id")


def serial_devices() -> list[str]:
    """The adapters that are present, lasting names first."""
    found = sorted(BY_ID.glob("*"))
    for pattern in ("ttyUSB*", "ttyACM*"):
        found += sorted(Path("/dev").glob(pattern))
    return [str(path) for path in found]


def lasting_name(port: str, by_id: Path = BY_ID) -> str | None:
    """The by-id link of the adapter behind `port`, where `port` is not such a link itself."""
    if Path(port).is_symlink():
        return None
    for link in sorted(by_id.glob("*")):
        if link.resolve() == Path(port).resolve():
            return str(link)
    return None
