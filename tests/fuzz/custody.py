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
