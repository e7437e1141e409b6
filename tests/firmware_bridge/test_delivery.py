"""The rules of PROTOCOL.md section 4, one by one."""

import pytest

from firmware_bridge.delivery import EventInbox, EventOutbox
from firmware_bridge.errors import DeliveryError, FaultCode, MessageError, PendingFullError
from firmware_bridge.facts import ResumePoint
from firmware_bridge.limits import SEQUENCE_MAX
from firmware_bridge.messages import Event, from_device
from firmware_bridge.store import MemoryStore

A, B, C = b"boot.A..", b"boot.B..", b"boot.C.."


def sent(outbox: EventOutbox, window: int = 32) -> list[tuple[bytes, int]]:
    names = []
    while (pending := outbox.next(window)) is not None:
        event = from_device(pending.message)
        assert isinstance(event, Event)
        names.append((event.boot_id, event.seq))
    return names


def outbox_with(count: int, boot_id: bytes = A, store: MemoryStore | None = None) -> EventOutbox:
    outbox = EventOutbox(store or MemoryStore(), boot_id)
    for n in range(count):
        outbox.append({"n": n})
    return outbox


def fault(inbox: EventInbox, boot_id: bytes, seq: int) -> FaultCode:
    with pytest.raises(DeliveryError) as caught:
        inbox.take(boot_id, seq)
    return caught.value.fault.code


# -- the device's end


def test_events_are_kept_until_acknowledged_and_sent_again_in_each_session() -> None:
    outbox = outbox_with(3)
    assert sent(outbox) == [(A, 1), (A, 2), (A, 3)]
    outbox.begin(None)
    assert sent(outbox) == [(A, 1), (A, 2), (A, 3)]
    outbox.forget_through(A, 2)
    outbox.begin(None)
    assert sent(outbox) == [(A, 3)]
    assert len(outbox) == 1


def test_no_more_than_the_window_is_in_flight() -> None:
    outbox = outbox_with(5)
    assert sent(outbox, 2) == [(A, 1), (A, 2)]
    assert not outbox.all_sent
    outbox.forget_through(A, 1)
    assert sent(outbox, 2) == [(A, 3)]
    outbox.forget_through(A, 3)
    assert sent(outbox, 2) == [(A, 4), (A, 5)]
    assert outbox.all_sent


def test_a_resume_point_forgets_what_the_host_holds_and_no_more() -> None:
    outbox = outbox_with(4)
    outbox.begin((A, 2))
    assert sent(outbox) == [(A, 3), (A, 4)]
    for unknown in ((A, 2), (B, 3), (A, 99)):
        outbox.begin(unknown)
        assert sent(outbox) == [(A, 3), (A, 4)]


def test_events_not_yet_sent_may_be_acknowledged() -> None:
    outbox = outbox_with(4)
    assert sent(outbox, 1) == [(A, 1)]
    outbox.forget_through(A, 3)
    assert sent(outbox) == [(A, 4)]


def test_a_restart_carries_events_over_under_their_names() -> None:
    store = MemoryStore(persistent=True)
    outbox_with(2, A, store)
    outbox = outbox_with(2, B, store)
    assert sent(outbox) == [(A, 1), (A, 2), (B, 1), (B, 2)]
    outbox.forget_through(B, 1)
    assert sent(EventOutbox(store, C)) == [(B, 2)]


def test_a_full_store_refuses_and_keeps_everything() -> None:
    outbox = outbox_with(3, store=MemoryStore(3))
    assert outbox.full
    with pytest.raises(PendingFullError, match="3 events wait"):
        outbox.append({"n": 4})
    outbox.forget_through(A, 1)
    assert outbox.append({"n": 4}) == 4
    assert sent(outbox) == [(A, 2), (A, 3), (A, 4)]


def test_an_event_that_cannot_travel_uses_no_sequence() -> None:
    outbox = outbox_with(1)
    with pytest.raises(MessageError):
        outbox.append({"n": object()})
    assert outbox.append({"n": 2}) == 2


def test_the_last_sequence_is_the_end_of_a_boot() -> None:
    outbox = outbox_with(0)
    outbox._last = SEQUENCE_MAX - 1
    assert outbox.append({}) == SEQUENCE_MAX
    with pytest.raises(PendingFullError):
        outbox.append({})


def test_a_boot_id_is_new_and_of_its_size() -> None:
    store = MemoryStore(persistent=True)
    outbox_with(1, A, store)
    with pytest.raises(ValueError, match="used before"):
        EventOutbox(store, A)
    with pytest.raises(ValueError, match="8 bytes"):
        EventOutbox(store, b"short")


# -- the host's end


def test_each_event_is_taken_once_and_in_order() -> None:
    inbox = EventInbox(None)
    assert [inbox.take(A, n) for n in (1, 2, 2, 1, 3)] == [True, True, False, False, True]


def test_a_resume_point_is_where_it_goes_on() -> None:
    inbox = EventInbox(ResumePoint(A, 7))
    assert inbox.begin() == (A, 7)
    assert inbox.take(A, 8)
    assert inbox.take(B, 1)
    assert inbox.take(B, 2)


def test_without_a_resume_point_any_event_is_the_first() -> None:
    inbox = EventInbox(None)
    assert inbox.begin() is None
    assert inbox.take(A, 40)
    assert inbox.take(A, 41)


def test_what_was_taken_but_not_synced_comes_again_and_is_dropped() -> None:
    inbox = EventInbox(ResumePoint(A, 1))
    inbox.begin()
    assert all([inbox.take(A, 2), inbox.take(A, 3), inbox.take(B, 1)])
    assert inbox.begin() == (A, 1)
    assert [inbox.take(*name) for name in ((A, 2), (A, 3), (B, 1), (B, 2))] == [False, False, False, True]
    inbox.acknowledge(B, 1)  # while what lies before it is still coming in again
    assert [inbox.take(A, 2), inbox.take(A, 3), inbox.take(B, 1), inbox.take(B, 2)] == [False] * 4
    assert inbox.begin() == (B, 1)
    assert fault(inbox, B, 1) is FaultCode.OUT_OF_ORDER
    assert fault(inbox, A, 2) is FaultCode.OUT_OF_ORDER


def test_a_boot_id_used_again_is_out_of_order() -> None:
    inbox = EventInbox(ResumePoint(A, 7))
    inbox.begin()
    assert fault(inbox, A, 1) is FaultCode.OUT_OF_ORDER


def test_an_earlier_boot_cannot_follow_a_later() -> None:
    inbox = EventInbox(None)
    inbox.take(A, 1)
    inbox.take(B, 1)
    assert fault(inbox, A, 2) is FaultCode.OUT_OF_ORDER


def test_a_gap_is_told_once_and_then_things_go_on() -> None:
    inbox = EventInbox(ResumePoint(A, 2))
    inbox.begin()
    assert fault(inbox, A, 5) is FaultCode.EVENTS_MISSING
    inbox.begin()
    assert inbox.take(A, 5)
    assert inbox.take(A, 6)
    assert fault(inbox, B, 2) is FaultCode.EVENTS_MISSING
    assert fault(inbox, B, 3) is FaultCode.EVENTS_MISSING  # another gap than the one told
    assert inbox.take(B, 3)


def test_more_in_flight_than_granted_is_malformed() -> None:
    inbox = EventInbox(None, 2)
    inbox.take(A, 1)
    inbox.take(A, 2)
    assert fault(inbox, A, 3) is FaultCode.MALFORMED
    inbox.acknowledge(A, 1)
    assert inbox.take(A, 3)


def test_acknowledgements_move_forward_only_and_only_over_what_came() -> None:
    inbox = EventInbox(ResumePoint(A, 1))
    inbox.take(A, 2)
    inbox.take(A, 3)
    assert inbox.acknowledge(A, 3)
    assert not inbox.acknowledge(A, 2)
    assert not inbox.acknowledge(A, 1)
    assert inbox.resume == (A, 3)
    with pytest.raises(ValueError, match="never delivered"):
        inbox.acknowledge(A, 4)
    with pytest.raises(ValueError, match="never delivered"):
        inbox.acknowledge(B, 1)
    inbox.take(B, 1)
    inbox.acknowledge(B, 1)
    inbox.begin()
    assert not inbox.acknowledge(A, 3)
    assert inbox.unsynced == 0


def test_the_memory_of_earlier_boots_is_bounded() -> None:
    inbox = EventInbox(None)
    for n in range(1200):
        boot_id = n.to_bytes(8, "big")
        inbox.take(boot_id, 1)
        inbox.acknowledge(boot_id, 1)
        inbox.begin()
    assert len(inbox._retired) == 1024
    assert len(inbox._taken) == 1
