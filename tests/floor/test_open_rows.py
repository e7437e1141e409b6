"""Whatever a table writes into its own record: the pit, the search, webhook and broker of all tables go on."""

import asyncio
import json
import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from feltd.custody.errors import FloorUnfitError
from feltd.custody.messages import Beat, Result
from feltd.door.pit.searching import PitFound, PitSearch
from feltd.door.pit.state import PitNews, PitSince, PitTable
from feltd.door.wire.codec import from_json, parse, to_json
from feltd.floor.commanding import found_in_journal
from feltd.floor.engine import Batch, Engine, Ordered
from feltd.floor.facts import Fact, FactKind, Made, MemoryFacts, Reading, Told
from feltd.floor.folding import ALARMS_MOST, OF_A_KIND_MOST, Fold
from feltd.floor.groups import EVERYTHING
from feltd.floor.memory import MemoryEngine
from feltd.floor.mqtt import state_of
from feltd.floor.open_rows import DEPTH_MOST, READ_MOST, SEAT_MOST, RowUnreadError, body_of, read, seat_of
from feltd.floor.own_record import OwnRecord
from feltd.floor.pit_book import Line, PitBook
from feltd.floor.searching import Searching
from feltd.floor.webhook import body_of as posted
from feltd.page.pit.band import band_of_table
from feltd.page.pit.shown import table_as_json
from feltd.record.entries import LARGEST_INTEGER, EntryKind, Field, HostEntry, Row, encode
from feltd.record.notes import BY_HAND_NOTE, SETTLED_NOTE, START_NOTE, WISH_SETTINGS_NOTE
from feltd.text.language import Language, speaking
from tests.floor.custody_support import FakeJournal
from tests.floor.pit_support import NOW, alarm, entry, ruling
from tests.floor.test_exports import all_facts
from tests.floor.test_scenes import Run

odd_numbers = st.integers() | st.floats() | st.sampled_from([2**31, 2**53, 2**63, 10**400, -1, 0, 1e308])
odd_texts = st.text(max_size=8) | st.sampled_from(["\0", "\ud800", "x" * 5000, "raised", "cleared", "acknowledged"])
anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | odd_numbers | odd_texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(odd_texts, inner, max_size=3),
    max_leaves=8,
)
FIELDS = (
    *("kind", "deck", "device", "seat", "state", "id", "supersedes", "rulebook", "rule", "irregularity", "outcome"),
    *("authority", "pending", "text", "alarm", "decision", "ruling", "minutes", "staff", "on", "online", "present"),
    *(
        "locked",
        "options",
        "settings",
        "software",
        "note",
        "what",
        "rulings",
        "level",
        "phase",
        "street",
        "gate",
        "error",
    ),
    *("seats", "spots", "tournament", "time_banks", "cents", "entry", "nth", "order", "imposed", "left", "banks"),
    *("absent", "entrants", "remaining", "elapsed", "running", "comes", "goes", "waits", "chip", "new_chip", "odd"),
    *("last", "race", "winners", "removed", "penalty", "prompt", "places", "first", "round_number", "put_in", "role"),
    *("reason", "who", "from", "command", "also", "1", "2", "99", "٣"),
)
NOTES = (START_NOTE, SETTLED_NOTE, BY_HAND_NOTE, WISH_SETTINGS_NOTE)
sensible = st.sampled_from([1, 2, 5, True, False, "raised", "cleared", "shelve", "shelved", "device_offline", *NOTES])
objects = st.dictionaries(st.sampled_from(FIELDS), sensible | anything, max_size=8)
bodies = st.dictionaries(st.sampled_from(FIELDS), sensible | objects | st.dictionaries(
    st.sampled_from(FIELDS), objects, max_size=3) | anything, max_size=8)  # fmt: skip
NAMES = (
    *("phase", "gate", "level", "ruling", "alarm", "error", "race", "penalty", "prompt", "device.state", "test.mode"),
    *(
        "dropbox.state",
        "supervisor",
        "badge",
        "table.open",
        "table.close",
        "seat.in",
        "seat.out",
        "stack",
        "race.start",
    ),
    *("tournament.hand_for_hand", "tournament.go", "tournament.field", "tournament.clock", "tournament.moves"),
    *("seat.entry", "tournament.placed", "tournament.race", "seat.conduct", "seat.away", "seat.back", *HostEntry),
)
values: st.SearchStrategy[Field] = (
    st.none() | st.integers(-(2**63), LARGEST_INTEGER) | st.floats() | st.text(st.characters(codec="utf-8"), max_size=4)
    | st.binary(max_size=4)
)  # fmt: skip


def written(seq: int, kind: str, name: str, body: object, changed: dict[str, Field]) -> bytes:
    row = Row(seq, kind, name, 1.0, 1.0, NOW, 7, None, seq - 1, None, None, None, json.dumps(body), None, None)
    return encode(tuple((row._asdict() | changed).values()))


@st.composite
def histories(draw: st.DrawFn) -> list[bytes]:
    """Rows of which every part may be of any kind."""
    said = st.tuples(st.sampled_from(EntryKind), st.sampled_from(NAMES), bodies)
    known = st.builds(lambda body: (EntryKind.OUTPUT, "ruling", {"ruling": body}), objects.map(lambda o: ruling(5) | o))
    raised = st.builds(lambda body: (EntryKind.OUTPUT, "alarm", {"alarm": body}), objects.map(lambda o: alarm() | o))
    fields: st.SearchStrategy[dict[str, Field]] = st.just({}) | st.dictionaries(
        st.sampled_from(Row._fields), values, max_size=2
    )
    rows: list[bytes] = []
    for kind, name, body in draw(st.lists(said | known | raised, min_size=1, max_size=6)):
        rows.append(written(len(rows) + 1, kind, name, body, draw(fields)))
    return rows


def require_shown(fold: Fold) -> None:
    """The pit's page, a browser in either language, a broker and the database take what was folded."""
    shown = Line("7", bytes(16), fold).shown()
    assert from_json(PitTable, parse(to_json(shown))) == shown
    for language in Language:
        with speaking(language):
            json.dumps(table_as_json(shown), allow_nan=False).encode()
    json.dumps(state_of(shown), ensure_ascii=False, allow_nan=False).encode()
    kept = fold.to_text()
    assert "\0" not in kept
    assert Fold.from_text(kept).to_text() == kept


@given(histories())
@example([written(1, "output", "ruling", {"ruling": ruling(5, supersedes=[])}, {})])
@example([written(1, "event", "table.open", {"options": {"a": math.nan}}, {})])
@example([written(1, "host", "snapshot", {"seats": {"9" * 5000: {}}}, {})])
@example([written(1, "output", "level", {"level": {"level": True}}, {})])
@example([written(1, "host", "round.begin", {}, {"wall": math.inf})])
def test_the_pit_shows_a_table_whatever_it_has_written(rows: list[bytes]) -> None:
    fold, reading = Fold(), Reading()
    for seq, row in enumerate(rows, 1):
        fold.take(row)
        fact = reading.take(seq, row)
        reading = Reading.from_text(reading.to_text())
        if fact is not None:
            posted(Told(1, "7", bytes(16), fact))
            json.dumps(fact.body, allow_nan=False).encode()
    assert fold.seq == len(rows)
    assert fold.unread <= len(rows)
    require_shown(fold)


@given(st.binary(max_size=60))
def test_bytes_that_are_no_row_are_counted(data: bytes) -> None:
    fold = Fold()
    fold.take(data)
    assert (fold.seq, fold.unread) == (1, 1)


DEEP = "[" * 5000 + "]" * 5000
NESTED: Any = []
for _ in range(DEPTH_MOST + 1):
    NESTED = [NESTED]


@pytest.mark.parametrize(
    "body",
    [
        "[]", "{", "null", '{"a": NaN}', '{"a": -Infinity}', '{"a": 1e999}', f'{{"a": {10**30}}}', f'{{"a": {DEEP}}}',
        json.dumps({"a": NESTED}), r'{"a": "\u0000"}', r'{"a": "\ud800"}', r'{"\ud800": 1}', f'{{"a": {"9" * 5000}}}',
    ],
)  # fmt: skip
def test_a_body_that_some_reader_would_not_take_is_not_read(body: str) -> None:
    row = Row(1, "event", "supervisor", 1.0, 1.0, NOW, 7, None, None, None, None, None, body, None, None)
    with pytest.raises(RowUnreadError):
        body_of(row)
    fold = Fold()
    fold.take(encode(row))
    assert (fold.seq, fold.unread) == (1, 1)


def test_what_a_table_writes_by_itself_is_read() -> None:
    body = {"text": "Größe 😀", "n": 2**62, "x": 1.5e10, "deep": [[[{"a": []}]]], "all": [[]] * 100}
    assert body_of(read(entry(1, "event", "note", body))) == body
    assert [seat_of(name) for name in ("1", "64", "65", "0", "٣", "x", "123")] == [1, SEAT_MOST, *[None] * 5]


def test_a_row_that_is_longer_than_any_that_plays_is_kept_and_not_read() -> None:
    fold = Fold()
    for seq, size in enumerate((READ_MOST // 2, READ_MOST), 1):
        fold.take(entry(seq, "output", "phase", {"phase": "betting", "more": "x" * size}))
    assert (fold.seq, fold.unread, fold.phase) == (2, 1, "betting")


def test_what_nobody_thought_of_costs_one_row_and_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(_fold: Fold, _row: Row) -> None:
        raise KeyError("nobody thought of it")

    with monkeypatch.context() as patched:
        patched.setattr(Fold, "_output", fails)
        fold = Fold()
        fold.take(entry(1, "output", "phase", {"phase": "betting"}))
    fold.take(entry(2, "output", "phase", {"phase": "betting"}))
    assert (fold.seq, fold.unread, fold.phase) == (2, 1, "betting")
    assert "entry 1 of a table is not read: report it" in caplog.text


def test_a_row_of_another_number_than_its_place_is_not_read() -> None:
    fold = Fold()
    fold.take(entry(7, "output", "phase", {"phase": "betting"}))
    assert (fold.unread, fold.phase) == (1, None)


def test_settings_that_cannot_be_read_are_not_known() -> None:
    fold = Fold()
    for seq, settings in enumerate(({"language": "de"}, {"a": "x" * 9000}), 1):
        fold.take(entry(seq, "host", "note", {"note": START_NOTE, "settings": settings}))
    assert (fold.settings, fold.unread) == (None, 1)


# -- alarms without end


def test_alarms_without_end_are_counted_and_the_first_are_kept() -> None:
    fold = Fold()
    kinds = [f"kind {n}" for n in range(10)]

    def say(state: str, kind: str, device: str) -> None:
        fold.take(entry(fold.seq + 1, "output", "alarm", {"alarm": alarm(state, kind, device)}))

    for n in range(500):
        for kind in kinds:
            say("raised", kind, f"device {n}")
    shown = fold.shown_alarms()
    assert len(shown) == ALARMS_MOST
    assert {one.device for one in shown if one.kind == "kind 0"} == {f"device {n}" for n in range(7)}
    assert fold.more_alarms == 5000 - ALARMS_MOST
    assert len(fold.to_text()) < 32 * 1024
    require_shown(fold)
    for n in range(500):
        for kind in kinds:
            say("cleared", kind, f"device {n}")
            say("acknowledged", kind, f"device {n}")
    assert (fold.shown_alarms(), fold.more_alarms) == ((), 0)
    for n in range(40):
        say("raised", "one kind", f"device {n}")
    assert (len(fold.shown_alarms()), fold.more_alarms) == (OF_A_KIND_MOST, 40 - OF_A_KIND_MOST)
    shown_table = table_as_json(Line("7", bytes(16), fold).shown())
    [more] = [one for one in shown_table["items"] if one["cause"] == "more"]
    assert more["text"].startswith("this table has 24 more alarms")
    table = Line("7", bytes(16), fold, connections=1).shown()
    assert state_of(table)["alarms"] == 40
    assert "40 alarms not acknowledged" in str(band_of_table(table))


# -- the whole floor


ODD = [
    entry(1, "output", "ruling", {"ruling": ruling(5, rulebook=["a"], text={"a": 1}, seat="three")}),
    entry(2, "output", "alarm", {"alarm": {"kind": ["a"], "state": "raised", "seat": True, "device": "\ud800"}}),
    entry(3, "output", "ruling", {"ruling": ruling(6, irregularity="\0", supersedes={})}),
    entry(4, "event", "supervisor", {"decision": [1], "ruling": 10**30, "minutes": 1e400}),
    entry(5, "output", "level", {"level": {"level": True}}),
    written(6, "host", "round.begin", {}, {"round": "seven", "wall": math.nan}),
    written(7, "host", "round.end", {}, {"round": b"seven"}),
    entry(8, "host", "access", {"what": "\0", "deep": NESTED}),
    entry(9, "event", "table.open", {"rulebook": 7, "options": {"a": math.nan}}),
    b"no row at all",
]


def test_one_tables_odd_rows_stop_neither_pit_nor_search_nor_webhook(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        book = PitBook(floor, lambda: NOW)
        for number, (table, rows) in enumerate(
            [("7", ODD), ("8", [entry(1, "output", "ruling", {"ruling": ruling(5)})])]
        ):
            journal = FakeJournal(number + 1)
            opened = await floor.open_journal(table, journal.journal_id, 2)
            book.came(table, journal.journal_id, opened.stand)
            [added] = await floor.append_many(
                [Batch(table, journal.journal_id, 1, opened.stand.chain, bytes(32), tuple(rows))]
            )
            book.said(table, added.stand, Beat(NOW, added.stand.seq))
        await book.catch_up()
        await book.keep()
        again = PitBook(floor, lambda: NOW)
        await again.load()
        for one in (book, again):
            news = one.news(PitSince("", 0))
            assert from_json(PitNews, parse(to_json(news))) == news
            odd, good = news.tables
            assert odd.unread == len(ODD) - 1, "who came in is nothing of the pit"
            assert ([ruled.id for ruled in good.waiting], good.unread) == ([5], 0)
        assert table_as_json(odd)["unread"] == len(ODD) - 1
        told = [one for one in await all_facts(floor) if one.table == "8"]
        assert [one.fact.kind for one in told] == [FactKind.RULING]
        assert all(json.loads(posted(one)) for one in await all_facts(floor))
        searching = Searching(floor.facts, floor.searched, OwnRecord(floor))
        found = await searching.search(PitSearch("lea", since=NOW - 10, until=NOW + 10), EVERYTHING)
        assert from_json(PitFound, parse(to_json(found))) == found

    engine(work)


def test_what_the_database_does_not_take_of_one_journal_leaves_the_others(engine: Run) -> None:
    async def work(floor: Engine) -> None:
        if isinstance(floor, MemoryEngine):
            return
        [behind] = await opened_with(floor, "7")
        odd = Fact(1, FactKind.RULING, "seven", NOW, {})  # type: ignore[arg-type]
        with pytest.raises(Exception, match="does not take what it is given"):
            await floor.facts.keep([Made(behind, 1, "", [odd])])

    engine(work)


def test_a_value_that_the_database_does_not_take_stops_the_facts_of_its_journal_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    keep = MemoryFacts.keep

    async def takes_no_first(facts: MemoryFacts, made: Sequence[Made]) -> list[bool]:
        if any(one.behind.journal == FakeJournal(1).journal_id for one in made):
            raise FloorUnfitError("the database does not take what it is given", "database", "Report it as a fault")
        return await keep(facts, made)

    async def work() -> None:
        floor = MemoryEngine(lambda: NOW)
        await opened_with(floor, "7", "8")
        monkeypatch.setattr(MemoryFacts, "keep", takes_no_first)
        assert [one.table for one in await all_facts(floor)] == ["8"]

    asyncio.run(work())
    assert "no facts are made of it any more" in caplog.text


async def opened_with(floor: Engine, *tables: str) -> list[Any]:
    for number, table in enumerate(tables, 1):
        opened = await floor.open_journal(table, FakeJournal(number).journal_id, 2)
        rows = (entry(1, "output", "ruling", {"ruling": ruling(5)}),)
        await floor.append_many([Batch(table, FakeJournal(number).journal_id, 1, opened.stand.chain, bytes(32), rows)])
    return await floor.facts.behind()


def test_a_commands_answer_is_found_between_rows_that_cannot_be_read() -> None:
    async def work() -> None:
        floor, journal = MemoryEngine(lambda: NOW), FakeJournal(1)
        opened = await floor.open_journal("7", journal.journal_id, 2)
        note = {"note": BY_HAND_NOTE, "command": "ab"}
        for said, words in (({"error": ["no"]}, ""), ({"error": {"reason": "no seat"}}, "no seat")):
            floor = MemoryEngine(lambda: NOW)
            opened = await floor.open_journal("7", journal.journal_id, 2)
            rows = (
                b"no row",
                entry(2, "host", "note", note),
                entry(3, "event", "supervisor", {}),
                entry(4, "output", "error", said, 3),
            )
            await floor.append_many([Batch("7", journal.journal_id, 1, opened.stand.chain, bytes(32), rows)])
            found = await found_in_journal(floor, Ordered("ab", "7", journal.journal_id, 0, NOW, "{}"))
            assert found is not None
            assert (found.result, found.words) == (Result.REFUSED, words)

    asyncio.run(work())


def test_a_reading_of_an_older_floor_that_took_anything_is_begun_anew() -> None:
    for text in ('{"round": "seven"}', '{"unknown": ', '{"book": ["a"]}'):
        assert Reading.from_text(text) == Reading()
    assert Reading.from_text('{"book": "onyx"}').book == "onyx"
