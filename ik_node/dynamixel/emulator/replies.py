"""Replies on their way: assembled, collided, hurt by faults, and put on the time line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from ik_node.dynamixel.emulator.faults import Faults
from ik_node.dynamixel.emulator.instructions import Answer
from ik_node.dynamixel.emulator.protocol import ALERT, fast_status_pieces, status_packet
from ik_node.dynamixel.emulator.servo import Servo

USB_PACKET = 62
"""Payload of a full-speed packet of an FTDI chip [bytes]."""

FastAnswer = tuple[Servo, Answer, int]
"""A servo's answer to a fast read, with its length."""


@dataclass(frozen=True)
class Reply:
    """Bytes that a servo sends `delay` seconds after the wire has become free.

    A `chained` one tells the next servo of a group read that it is its turn.
    """

    servo: Servo
    delay: float
    data: bytes
    chained: bool = False


@dataclass(frozen=True)
class Delivery:
    """Bytes whose last one is at the client at `due`."""

    due: float
    data: bytes


def _error(servo: Servo, answer: Answer) -> int:
    return int(answer.error) | (ALERT if servo.alert else 0)


def status(servo: Servo, servo_id: int, answer: Answer, *, chained: bool = False) -> Reply:
    """The status packet of one servo, which it sends as `servo_id`."""
    data = status_packet(servo_id, _error(servo, answer), answer.parameters)
    return Reply(servo, servo.return_delay, data, chained)


def fast(
    answers: Sequence[FastAnswer], doubles: Sequence[Sequence[FastAnswer]], expected: int
) -> list[Reply]:
    """The one packet of a fast read, piece by piece; `doubles` answer in the same place too."""
    pieces = _fast_pieces(answers, expected)
    for place, others in enumerate(doubles):
        for other in others:
            instead = [*answers[:place], other, *answers[place + 1 :]]
            pieces[place] = _overlap(pieces[place], _fast_pieces(instead, expected)[place])
    delays = [answers[0][0].return_delay] + [0.0] * (len(answers) - 1) if answers else []
    servos = [servo for servo, _, _ in answers]
    return [Reply(*parts, True) for parts in zip(servos, delays, pieces, strict=True)]


def _fast_pieces(answers: Sequence[FastAnswer], expected: int) -> list[bytes]:
    return fast_status_pieces(
        [
            (servo.id, _error(servo, answer), answer.parameters or bytes(length))
            for servo, answer, length in answers
        ],
        expected,
    )


def collide(sent: list[Reply]) -> list[Reply]:
    """Replies of servos with one ID at once."""
    merged: list[Reply] = []
    for reply in sent:
        if merged and merged[-1].data[4] == reply.data[4]:
            merged[-1] = replace(merged[-1], data=_overlap(merged[-1].data, reply.data))
        else:
            merged.append(reply)
    return merged


def _overlap(first: bytes, second: bytes) -> bytes:
    """What two at once put on the line, which is low wherever one of them pulls it low.

    They never start at quite the same time: the second is a byte behind.
    """
    pairs = zip_longest(first, b"\xff" + second, fillvalue=0xFF)
    return bytes(a & b for a, b in pairs)


def schedule(
    sent: Sequence[Reply], free: float, byte_time: float, faults: Faults
) -> list[Delivery]:
    """When the bytes of replies are at the client, the wire being free from `free` on [s]."""
    deliveries = []
    for reply in sent:
        name = reply.servo.name
        data = reply.data
        noise = faults.strikes("noise", name)
        if noise is not None and noise.value is not None:
            data = faults.rng.randbytes(int(noise.value)) + data
        if faults.strikes("drop_reply", name):
            if reply.chained:
                break
            continue
        if faults.strikes("corrupt_reply", name):
            at = faults.rng.randrange(len(data))
            flipped = data[at] ^ 1 << faults.rng.randrange(8)
            data = data[:at] + bytes((flipped,)) + data[at + 1 :]
        short = faults.strikes("truncate", name) is not None
        if short:
            data = data[: faults.rng.randrange(1, len(data))]
        if faults.strikes("duplicate", name):
            data += reply.data
        late = faults.strikes("delay", name)
        free += reply.delay + (late.value or 0.0 if late else 0.0)
        free += len(data) * byte_time
        deliveries.append(Delivery(free, data))
        if short and reply.chained:
            break
    return deliveries


def through_usb(deliveries: Sequence[Delivery], latency: float) -> list[Delivery]:
    """The same bytes behind a USB adapter that holds them back.

    An FTDI chip sends packets of 62 bytes as they fill up, and the rest `latency` [s] after the
    last packet, or after the first byte where there was none.
    """
    if latency <= 0.0:
        return list(deliveries)
    passed = []
    held, deadline = b"", 0.0
    for delivery in deliveries:
        if held and deadline <= delivery.due:
            passed.append(Delivery(deadline, held))
            held = b""
        if not held:
            deadline = delivery.due + latency
        held += delivery.data
        full = len(held) // USB_PACKET * USB_PACKET
        if full:
            passed.append(Delivery(delivery.due, held[:full]))
            held, deadline = held[full:], delivery.due + latency
    if held:
        passed.append(Delivery(deadline, held))
    return passed


def in_frames(deliveries: Sequence[Delivery], frame: float) -> list[Delivery]:
    """The same bytes in fewer pieces: what is due within `frame` [s] comes with the last of it."""
    joined: list[Delivery] = []
    first = 0.0
    for delivery in deliveries:
        if joined and delivery.due - first <= frame:
            joined[-1] = Delivery(delivery.due, joined[-1].data + delivery.data)
        else:
            joined.append(delivery)
            first = delivery.due
    return joined
