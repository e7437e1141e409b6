"""Replay: events in, outputs out."""

import io
import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltd.books.own import library_as_asked, loaded_of
from feltd.books.replay import ReplayError, blocks_of, replay
from table_fsm.events import Event, TableOpen
from table_fsm.outputs import Display, Kind, Output
from table_fsm.table import Table
from tests.some_outputs import ruling


class Echo:
    """A table that answers each event with its name, and a ruling at each burn."""

    def apply(self, event: Event) -> list[Output]:
        outputs = [Output(event.t, Display(event.ev))]
        if getattr(event, "zone", None) == "burn":
            outputs.append(ruling(event.t))
        return outputs


class Run:
    """A replay of lines, with what came out of it however it ended."""

    def __init__(self, *lines: str, only: Kind | None = None, block: int = 50) -> None:
        self.warnings: list[str] = []
        self.error: ReplayError | None = None
        out = io.BytesIO()
        encoded = [line.encode() for line in lines]
        blocks = [encoded[first : first + block] for first in range(0, len(encoded), block)]
        try:
            replay(blocks, Echo(), out.write, file="events.jsonl", warn=self.warnings.append, only=only)
        except ReplayError as error:
            self.error = error
        self.printed: list[Any] = [json.loads(line) for line in out.getvalue().splitlines()]


BURN = '{"t": 2, "ev": "card.placed", "zone": "burn"}'


def test_each_output_is_one_line_of_json() -> None:
    assert Run('{"t": 1.5, "ev": "deal.start"}', BURN).printed == [
        {"t": 1.5, "display": {"text": "deal.start", "rule": None}},
        {"t": 2.0, "display": {"text": "card.placed", "rule": None}},
        ruling(2.0).to_dict(),
    ]


def test_rulings_only() -> None:
    assert Run('{"t": 1, "ev": "no.such"}', BURN, only=Kind.RULING).printed == [ruling(2.0).to_dict()]


def test_empty_lines_and_comments_say_nothing_but_are_counted() -> None:
    run = Run("", "  ", "# a comment", "  # another", "\r", '{"t": 1, "ev": "tick"}\r', "x")
    assert [out["display"]["text"] for out in run.printed] == ["tick"]
    assert run.error is not None
    assert run.error.line == 7


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON: EOF while parsing an object at line 1 column 1"),
        ("[1]", 'not a JSON object: an event is written {"t": seconds, "ev": name, …}'),
        ('{"ev": "tick"}', "`t` must be a number of seconds"),
        ('{"t": 1}', "`ev` must be the event's name"),
        ('{"t": 1, "ev": "seat.in", "seat": "3"}', "seat.in: `seat`: input should be a valid integer"),
    ],
)
def test_a_malformed_line_ends_the_replay_after_what_came_before(line: str, reason: str) -> None:
    run = Run('{"t": 1, "ev": "tick"}', line, '{"t": 3, "ev": "tick"}')
    assert run.error is not None
    assert str(run.error) == f"events.jsonl:2: {reason}"
    assert (run.error.file, run.error.line, run.error.reason) == ("events.jsonl", 2, reason)
    assert [out["t"] for out in run.printed] == [1.0]


def test_an_event_that_no_table_knows_is_answered_and_play_goes_on() -> None:
    run = Run('{"t": 1, "ev": "card.eaten"}', '{"t": 2, "ev": "tick"}')
    assert run.printed == [
        {"t": 1.0, "error": {"ev": "card.eaten", "reason": "unknown event 'card.eaten': see the list of events"}},
        {"t": 2.0, "display": {"text": "tick", "rule": None}},
    ]


def test_a_field_that_nothing_reads_is_warned_of_once_for_each_event_name() -> None:
    odd = '{"t": 1, "ev": "tick", "tock": 2, "sea": 3}'
    run = Run(odd, odd, '{"t": 1, "ev": "deal.start", "tock": 2}')
    assert run.warnings == [
        'events.jsonl:1: tick: nothing reads the field "tock"',
        'events.jsonl:1: tick: nothing reads the field "sea"',
        'events.jsonl:3: deal.start: nothing reads the field "tock"',
    ]


LINES = (
    BURN,
    '{"t": 1, "ev": "tick"}',
    '{"t": 1, "ev": "tick"}\r',
    ' {"ev": "deal.start", "t": 1}',
    '{"t": 1, "ev": "tick", "tock": 2}',
    '{"t": 1, "ev": "card.eaten"}',
    "# a comment",
    "",
    "[1]",
    '{"t": 1, "ev": "seat.in", "seat": "3"}',
)


@given(st.lists(st.sampled_from(LINES), max_size=12), st.integers(2, 12), st.sampled_from([None, Kind.RULING]))
def test_lines_say_the_same_in_a_block_as_one_by_one(lines: list[str], block: int, only: Kind | None) -> None:
    alone, together = (Run(*lines, only=only, block=size) for size in (1, block))
    assert together.printed == alone.printed
    assert together.warnings == alone.warnings
    assert str(together.error) == str(alone.error)


class Stubborn(Echo):
    """A table that fails at a burn."""

    def apply(self, event: Event) -> list[Output]:
        if getattr(event, "zone", None) == "burn":
            raise MemoryError
        return super().apply(event)


def test_what_was_answered_is_written_where_a_later_line_of_its_block_fails() -> None:
    out = io.BytesIO()
    block = [b'{"t": 1, "ev": "tick"}', BURN.encode(), b'{"t": 3, "ev": "tick"}']
    with pytest.raises(MemoryError):
        replay([block], Stubborn(), out.write, file="events.jsonl", warn=print)
    assert [json.loads(line)["t"] for line in out.getvalue().splitlines()] == [1.0]


def test_a_block_is_written_before_the_next_is_asked_for() -> None:
    seen: list[str] = []

    def blocks() -> Iterator[list[bytes]]:
        for _ in range(2):
            seen.append("asked")
            yield [b'{"t": 1, "ev": "tick"}', b'{"t": 1, "ev": "tick"}']

    def write(told: bytes) -> None:
        seen.extend("told" for _ in told.splitlines())

    replay(blocks(), Echo(), write, file="events.jsonl", warn=print)
    assert seen == ["asked", "told", "told"] * 2


class Pieces:
    """A source that gives its pieces one by one, as a pipe does."""

    def __init__(self, pieces: list[bytes]) -> None:
        self.pieces = pieces

    def read(self, size: int, /) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""


@given(st.lists(st.binary(min_size=1, max_size=8).map(lambda b: b.replace(b"x", b"\n"))))
def test_lines_come_whole_however_they_are_cut(pieces: list[bytes]) -> None:
    whole = b"".join(pieces)
    expected = whole.split(b"\n")
    if expected[-1] == b"":
        expected.pop()
    assert list(chain.from_iterable(blocks_of(Pieces(list(pieces)), lambda: None))) == expected


def test_blocks_are_short_and_lines_stay_in_order() -> None:
    blocks = list(blocks_of(Pieces([b"".join(b"%d\n" % n for n in range(1234)), b"last"]), lambda: None))
    assert max(map(len, blocks)) < 200
    assert list(chain.from_iterable(blocks)) == [b"%d" % n for n in range(1234)] + [b"last"]


def test_what_was_written_is_flushed_before_each_wait_and_only_then() -> None:
    seen: list[str] = []
    note = seen.append
    for block in blocks_of(Pieces([b"a\nb\nc", b"c\n"]), lambda: note("flush")):
        seen += [line.decode() for line in block]
    assert seen == ["flush", "a", "b", "flush", "cc", "flush"]


def test_a_line_without_end_is_given_up_not_gathered() -> None:
    source = Pieces([b"x" * (1 << 16)] * 100)
    ((line,),) = blocks_of(source, lambda: None)
    assert len(line) < 2 << 20
    assert source.pieces


def test_a_replay_loads_the_book_that_its_events_open_and_no_other() -> None:
    books = library_as_asked(None)
    table = Table(books)
    assert not loaded_of(books)
    table.apply(TableOpen(t=0.0, rulebook="no-such-book", seats=[1, 2]))
    assert not loaded_of(books)
    table.apply(TableOpen(t=0.0, rulebook="tas-2018-holdem", seats=[1, 2]))
    assert table.rulebook is not None
    assert set(loaded_of(books)) == {"tas-2018-holdem"}
