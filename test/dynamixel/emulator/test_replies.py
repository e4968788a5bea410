from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ik_node.dynamixel.emulator.replies import USB_PACKET, Delivery, in_frames, through_usb

DELIVERIES = st.lists(
    st.tuples(st.floats(0.0, 0.01), st.binary(min_size=1, max_size=70)), max_size=10
).map(lambda pairs: [Delivery(due, data) for due, data in sorted(pairs, key=lambda p: p[0])])


def joined(deliveries: list[Delivery]) -> bytes:
    return b"".join(delivery.data for delivery in deliveries)


@given(DELIVERIES, st.sampled_from([0.0, 0.001, 0.016]))
def test_usb_keeps_every_byte_in_order_and_is_never_early(deliveries, latency):
    passed = through_usb(deliveries, latency)
    assert joined(passed) == joined(deliveries)
    assert [delivery.due for delivery in passed] == sorted(delivery.due for delivery in passed)
    if deliveries:
        assert deliveries[-1].due <= passed[-1].due <= deliveries[-1].due + latency


def test_usb_passes_full_packets_at_once_and_holds_the_rest():
    came = [Delivery(0.001, bytes(50)), Delivery(0.002, bytes(20)), Delivery(0.003, bytes(120))]
    passed = through_usb(came, 0.016)
    assert [(delivery.due, len(delivery.data)) for delivery in passed] == [
        (0.002, USB_PACKET),
        (0.003, 2 * USB_PACKET),
        (0.003 + 0.016, 70 + 120 - 3 * USB_PACKET),
    ]


@given(DELIVERIES, st.floats(0.0, 0.002))
def test_frames_keep_every_byte_and_the_end(deliveries, frame):
    passed = in_frames(deliveries, frame)
    assert joined(passed) == joined(deliveries)
    assert len(passed) <= len(deliveries)
    if deliveries:
        assert passed[-1].due == deliveries[-1].due
