"""Finding the configured servos on a freshly opened port, and saying where a missing one is.

A servo left at another baud is the commonest reason for silence, so the missing ones are called
at every baud once. Like a start, this is a generator that pauses after every transaction.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from ik_node.dynamixel.bus import Bus
from ik_node.dynamixel.servo import Servo, Stage
from ik_node.errors import BusError, NoReplyError, PacketError, PortError

COMMON_FIRST = (57600, 1_000_000, 2_000_000, 3_000_000, 4_000_000, 115200, 9600, 4_500_000)


def silence(servo: Servo, error: BusError, baud: int) -> str:
    """Why `servo` is not in service, with what to check."""
    if servo.elsewhere:
        return servo.elsewhere
    if isinstance(error, PacketError):
        return (
            f"id {servo.id} answers in damaged packets; two servos may share that id, "
            "or a cable is bad"
        )
    if isinstance(error, NoReplyError):
        return f"id {servo.id} does not answer at {baud} bit/s; check power, cable and id"
    return str(error)


def find(
    bus: Bus, servos: Sequence[Servo], baud: int, *, scan: bool
) -> Generator[None, None, list[Servo]]:
    """Ping every servo at `baud`; return those that answer, and give the others their reason.

    With `scan` the missing ones are called at the other bauds too; the port is back at `baud`
    afterwards. Raises PortError only.
    """
    present, missing = [], []
    for servo in servos:
        if scan:
            servo.elsewhere = ""
        try:
            bus.ping(servo.id, retries=2)
            servo.elsewhere = ""
            present.append(servo)
        except PortError:
            raise
        except BusError as error:
            servo.set_stage(Stage.SILENT, silence(servo, error, baud))
            if isinstance(error, NoReplyError):
                missing.append(servo)
        yield
    for other in COMMON_FIRST:
        if not scan or not missing or other == baud:
            continue
        yield from _try_baud(bus, missing, other, baud)
    if bus.port.baudrate != baud:
        bus.port.open(baud)
    return present


def _try_baud(bus: Bus, missing: list[Servo], other: int, baud: int) -> Generator[None, None, None]:
    try:
        bus.port.open(other)
    except PortError as error:
        if error.reason != "refused":
            raise
        return
    for servo in tuple(missing):
        try:
            bus.ping(servo.id, retries=1)
        except PortError:
            raise
        except BusError:
            yield
            continue
        missing.remove(servo)
        servo.elsewhere = (
            f"id {servo.id} answers at {other} bit/s but the bus is configured for {baud}; set "
            f"the servo to {baud} (its register baud_rate, torque off), or set baud: {other}"
        )
        servo.set_stage(Stage.SILENT, servo.elsewhere)
        yield
