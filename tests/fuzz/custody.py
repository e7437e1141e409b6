"""What the floor reads from who shows a table's certificate, and a table from who shows the floor's."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from feltd.custody.errors import CustodyError
from feltd.custody.messages import (
    FROM_FLOOR,
    FROM_TABLE,
    Beat,
    Down,
    Hello,
    Refused,
    Rows,
    Stand,
    Time,
    Up,
    from_bytes,
    to_bytes,
)
from feltd.door.commands import Person
from feltd.door.decisions import DecisionRequest
from feltd.door.signed_orders import command_of
from feltd.door.wire.codec import to_json
from feltd.door.wire.errors import WireError
from feltd.door.wishing import BookPlay, WishedBook, WishedVersion
from tests.fuzz.target import Judge, Target


@contextmanager
def _custody() -> Iterator[Judge]:
    def judge(data: bytes) -> None:
        for expected in (FROM_TABLE, FROM_FLOOR):
            with suppress(CustodyError):
                message = from_bytes(data, expected)
                assert from_bytes(to_bytes(message), expected) == message, "it is not read as it was written"

    yield judge


def _messages() -> Sequence[bytes]:
    rows = Rows(2, bytes(32), bytes(range(32)), 4, 1, (b"one", b"", b"three" * 300))
    said: list[Up] = [Hello(1, bytes(16), 2, "feltd"), rows, Beat(1.5, 3, -0.25, 0.01), Beat(1.5, 3)]
    answered: list[Down] = [
        Stand(7, bytes(32), forked=True),
        Time(1.5, 2.5, 7, bytes(32)),
        Refused("what", "where", "remedy"),
    ]
    return [*map(to_bytes, said), *map(to_bytes, answered)]


CUSTODY = Target("custody", _custody, _messages, (b"\0", b"\1", b"\0\0\0\2{}", b"null", b"1e999", b'"rows":'))


@contextmanager
def _orders() -> Iterator[Judge]:
    def judge(data: bytes) -> None:
        with suppress(WireError, UnicodeDecodeError):
            command = command_of("ab" * 16, data.decode(), 5.0)
            assert command.id == "ab" * 16

    yield judge


def _signed_orders() -> Sequence[bytes]:
    person = Person("Lea", "lea", "floor", "10.20.0.9")
    play = BookPlay("onyx-cash", "ab" * 32, {"blinds": [100, 200]})
    return [
        to_json({"person": person, "decision": DecisionRequest("acknowledge", None, None, None)}),
        to_json({"person": person, "event": {"ev": "seat.in", "seat": 3}, "why": "event 17"}),
        to_json({"person": person, "wish": WishedBook(4, play), "why": "wish 4"}),
        to_json({"person": person, "version": WishedVersion(4, "0.9.0"), "why": "wish 4"}),
    ]


ORDERS = Target("orders", _orders, _signed_orders, (b"null", b"1e999", b'"wish":', b'"version":', b'"options":', b"[]"))
