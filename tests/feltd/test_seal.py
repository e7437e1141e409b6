"""Face-down cards in the journal: nowhere in clear until their round is over, and from then on for everybody."""

import asyncio
import json
import sqlite3
from dataclasses import fields
from pathlib import Path

import pytest

from feltd.record import Entry, JournalReader, Reveal, Seal, Span
from feltd.record.sealing import BLOCK_BYTES, CARDS_OF, MasterKey, RoundKey, commitment, padded
from feltd.table.journal import Journal
from feltd.text.errors import JournalKeyMissing, JournalKeyWrong
from table_fsm.events import (
    EVENT_TYPES,
    CardExposed,
    CardLeftTable,
    CardPlaced,
    CardRemoved,
    CardTurned,
    DeviceState,
    Event,
    ShoeCard,
    ShoeDeckChecked,
    Supervisor,
)
from table_fsm.outputs import Display, Output, Refusal

KEY = bytes(range(32))
OTHER_KEY = bytes(32)
DIGEST = "ab" * 32
SECRET = "Qzx-secret-card"
"""No card has such a name, so no byte of anything else is mistaken for it; a seal keeps whatever a sensor said."""

FACE_DOWN: list[Event] = [
    ShoeCard(t=1.0, card=SECRET),
    ShoeCard(t=1.0, card=SECRET, face="sideways"),
    CardPlaced(t=1.0, zone="seat:1", card=SECRET),
    CardTurned(t=1.0, zone="seat:1", card=SECRET, face="down"),
    CardExposed(t=1.0, zone="seat:1", card=SECRET, by="player"),
    CardRemoved(t=1.0, zone="seat:1", card=SECRET),
    CardLeftTable(t=1.0, zone="seat:1", card=SECRET),
    ShoeDeckChecked(t=1.0, count=40, missing=[SECRET], foreign=[SECRET], duplicate=[SECRET]),
]
FACE_UP: list[Event] = [
    ShoeCard(t=1.0, card=SECRET, face="up"),
    CardPlaced(t=1.0, zone="board:1", card=SECRET, face="up"),
    CardTurned(t=1.0, zone="board:1", card=SECRET),
]


def take(journal: Journal, event: Event, number: int = 1) -> int:
    return journal.append_event(event, source=None, round_number=number, rulebook_digest=DIGEST)


def answer(journal: Journal, output: Output, number: int = 1) -> int:
    return journal.append_output(output, round_number=number, rulebook_digest=DIGEST)


def on_disk(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.iterdir()))


def entry(reader: JournalReader, seq: int, reveal: Reveal = Reveal.FINISHED) -> Entry:
    return next(reader.entries(Span(after=seq - 1, until=seq), reveal=reveal))


@pytest.mark.parametrize("event", FACE_DOWN, ids=lambda event: f"{event.ev} {getattr(event, 'face', '')}")
def test_a_face_down_card_is_in_no_byte_of_the_files_until_its_round_is_over(tmp_path: Path, event: Event) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, KEY)
    seq = take(journal, event)
    journal.flush_blocking(10)
    assert SECRET.encode() not in on_disk(tmp_path)  # database, log, index of the log
    with JournalReader.open(path) as reader:
        shut = entry(reader, seq)
        assert shut.seal is Seal.CLOSED
        assert {shut.body[name] for name in CARDS_OF[type(event)]} == {None}
        assert shut.to_dict()["sealed"] == "closed"
        assert next(reader.events_since(0)).sealed
    journal.close()
    assert SECRET.encode() not in on_disk(tmp_path)

    again = Journal.open(path, KEY)
    again.end_round(1)
    again.close()
    with JournalReader.open(path) as reader:
        assert entry(reader, seq).seal is Seal.OPENED
        assert next(reader.events_since(0)).event == event
        assert entry(reader, seq, Reveal.NOTHING).seal is Seal.CLOSED


@pytest.mark.parametrize("event", FACE_UP, ids=lambda event: event.ev)
def test_a_card_that_lies_face_up_needs_no_key(tmp_path: Path, event: Event) -> None:
    journal = Journal.open(tmp_path / "table.journal", KEY)
    seq = take(journal, event)
    journal.flush_blocking(10)
    shown = entry(journal.reader, seq, Reveal.NOTHING)
    assert (shown.seal, shown.body["card"]) == (Seal.NONE, SECRET)
    journal.close()


def test_every_event_with_a_field_that_can_name_a_card_is_known_to_the_seals() -> None:
    named = {kind for kind in EVENT_TYPES if any("card" in f.name or f.type == list[str] for f in fields(kind))}
    assert named == set(CARDS_OF)


def test_the_length_and_the_form_of_a_sealed_entry_tell_nothing(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "table.journal", KEY)
    for name in (None, "As", "Td", "Jo", "2c"):
        take(journal, CardPlaced(t=1.0, zone="seat:1", card=name))
    full_deck = [rank + suit for rank in "23456789TJQKA" for suit in "shdc"]
    for missing in ([], ["As"], full_deck):
        take(journal, ShoeDeckChecked(t=1.0, count=52, missing=missing))
    journal.flush_blocking(10)
    for name in ("card.placed", "shoe.deck_checked"):
        rows = list(journal.reader.rows(Span(name=name)))
        assert len({(row.body, len(row.sealed or b"")) for row in rows}) == 1
        assert len({row.sealed for row in rows}) == len(rows)
    assert len(padded("x" * 33)) == BLOCK_BYTES
    journal.close()


@pytest.mark.parametrize(
    "leak",
    [
        Output(2.0, Refusal("card.placed", "As lies there already")),
        Output(2.0, Display("AS As")),
        DeviceState(t=2.0, device="shoe", online=False, reason="card=As"),
        Supervisor(t=2.0, decision="void", staff="7", reason="he held As"),
        "snapshot",
        "note",
    ],
    ids=["error", "display", "device", "supervisor", "snapshot", "note"],
)
def test_whatever_else_names_a_sealed_card_is_sealed_whole(tmp_path: Path, leak: Output | Event | str) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, KEY)
    take(journal, ShoeCard(t=1.0, card="As"))
    if leak == "snapshot":
        seq = journal.append_snapshot('{"burn":["As"]}', round_number=1, rulebook_digest=DIGEST)
    elif leak == "note":
        seq = journal.append_note("x", {"saw": "As"}, round_number=1)
    elif isinstance(leak, Output):
        seq = answer(journal, leak)
    else:
        assert not isinstance(leak, str)
        seq = take(journal, leak)
    journal.flush_blocking(10)
    assert journal.health.counters.sealed_whole == 1
    (row,) = journal.reader.rows(Span(after=seq - 1, until=seq))
    assert "As" not in row.body
    assert entry(journal.reader, seq).seal is Seal.CLOSED
    if leak == "snapshot":
        assert journal.last_snapshot() == ('{"burn":["As"]}', seq)
    if isinstance(leak, DeviceState | Supervisor):
        assert [recorded.event for recorded in journal.events_since(seq - 1)] == [leak]
    journal.end_round(1)
    journal.flush_blocking(10)
    assert "As" in json.dumps(entry(journal.reader, seq).body)
    journal.close()


def test_neither_another_rounds_output_nor_a_note_of_no_round_names_a_sealed_card(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "table.journal", KEY)
    take(journal, ShoeCard(t=1.0, card="As"), 1)
    answer(journal, Output(1.0, Display("As")), 2)
    journal.append_note("x", {"saw": "As"})
    journal.flush_blocking(10)
    assert [row.sealed is not None for row in journal.reader.rows(Span())] == [False, True, True, True]
    assert journal.health.counters.sealed_whole == 2
    journal.close()


def test_what_a_later_round_keeps_secret_is_not_opened_by_an_earlier_rounds_key(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "table.journal", KEY)
    take(journal, ShoeCard(t=1.0, card="As"), 1)
    event = CardPlaced(t=1.0, zone="As?", card="Kd")
    seq = take(journal, event, 2)
    journal.end_round(1)
    journal.flush_blocking(10)
    shut = entry(journal.reader, seq)
    assert (shut.seal, shut.body) == (Seal.CLOSED, {"t": 1.0, "ev": "card.placed"})
    with pytest.raises(JournalKeyMissing, match="sealed whole"), JournalReader.open(journal.path) as reader:
        list(reader.events_since(0))
    assert journal.events_since(0)[-1].event == event
    journal.end_round(2)
    journal.flush_blocking(10)
    assert entry(journal.reader, seq).body["card"] == "Kd"
    journal.close()


def test_a_card_once_shown_may_be_named(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "table.journal", KEY)
    take(journal, ShoeCard(t=1.0, card="As"))
    take(journal, CardPlaced(t=1.0, zone="board:1", card="As"))
    take(journal, CardTurned(t=2.0, zone="board:1", card="As"))
    answer(journal, Output(2.0, Display("As")))
    journal.flush_blocking(10)
    assert journal.health.counters.sealed_whole == 0
    journal.close()


def test_a_restart_in_mid_round_still_knows_what_must_not_be_named(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, KEY)
    for name in ("As", "Td"):
        take(journal, ShoeCard(t=1.0, card=name))
    take(journal, CardTurned(t=1.0, zone="board:1", card="Td"))
    journal.close()
    again = Journal.open(path, KEY)
    answer(again, Output(2.0, Display("Td")))
    answer(again, Output(2.0, Display("As")))
    again.flush_blocking(10)
    assert again.health.counters.sealed_whole == 1
    assert [e.seal for e in again.reader.entries(Span(name="display"))] == [Seal.NONE, Seal.CLOSED]
    again.close()


def test_a_card_that_comes_after_its_round_was_ended_gets_a_key_of_its_own(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "table.journal", KEY)
    take(journal, ShoeCard(t=1.0, card="As"))
    journal.end_round(1)
    late = take(journal, CardRemoved(t=2.0, zone="seat:1", card="Kd"))
    journal.flush_blocking(10)
    assert entry(journal.reader, late).seal is Seal.CLOSED
    assert journal.open_rounds == (1,)
    journal.end_round(1)
    journal.flush_blocking(10)
    assert entry(journal.reader, late).body["card"] == "Kd"
    journal.close()


def test_a_seal_opens_in_no_other_entrys_place(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, KEY)
    first = take(journal, CardPlaced(t=1.0, zone="seat:1", card="As"))
    second = take(journal, CardPlaced(t=1.0, zone="seat:2", card="Kd"))
    journal.end_round(1)
    journal.close()
    with sqlite3.connect(path) as database:
        database.execute(
            f"UPDATE entries SET sealed = (SELECT sealed FROM entries WHERE seq = {second}) WHERE seq = {first}"
        )
    database.close()
    with JournalReader.open(path) as reader:
        broken = entry(reader, first)
        assert (broken.seal, broken.body["card"]) == (Seal.BROKEN, None)
        assert [recorded.sealed for recorded in reader.events_since(0)] == [True, False]


def test_the_master_key_reads_the_round_in_progress_and_another_key_does_not(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, KEY)
    seq = take(journal, CardPlaced(t=1.0, zone="seat:1", card="As"))
    journal.close()
    with JournalReader.open(path, KEY) as reader:
        assert entry(reader, seq, Reveal.ALL).body["card"] == "As"
        assert entry(reader, seq).body["card"] is None
    with JournalReader.open(path, OTHER_KEY) as reader:
        assert entry(reader, seq, Reveal.ALL).seal is Seal.CLOSED
    with JournalReader.open(path) as reader, pytest.raises(JournalKeyMissing):
        entry(reader, seq, Reveal.ALL)
    with pytest.raises(JournalKeyMissing):
        Journal.open(path, None)
    with pytest.raises(JournalKeyWrong, match="does not open entry 1"):
        Journal.open(path, OTHER_KEY)
    again = Journal.open(path, KEY)  # the refused openings left no lock behind
    again.end_round(1)
    again.close()
    Journal.open(path, OTHER_KEY).close()  # between rounds the key may be changed


def test_no_key_and_no_card_is_in_what_the_objects_say_of_themselves() -> None:
    master = MasterKey(KEY)
    key = RoundKey(bytes(16), 5, 1, OTHER_KEY)
    key.hidden.add("As")
    said = repr(master) + repr(key) + str(key)
    assert KEY.hex() not in said
    assert OTHER_KEY.hex() not in said
    assert "As" not in said
    with pytest.raises(ValueError, match="32 bytes, not 5"):
        MasterKey(b"short")


def test_a_wrapped_key_opens_only_for_its_own_entry_and_journal() -> None:
    master = MasterKey(KEY)
    wrapped = master.wrap(bytes(16), 5, OTHER_KEY)
    assert master.unwrap(bytes(16), 5, wrapped) == OTHER_KEY
    assert master.unwrap(bytes(16), 6, wrapped) is None
    assert master.unwrap(b"\1" * 16, 5, wrapped) is None
    assert master.unwrap(bytes(16), 5, b"short") is None
    assert commitment(KEY) != commitment(OTHER_KEY)


def test_the_card_is_nowhere_in_the_log_while_thousands_are_written(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"

    async def main() -> None:
        journal = Journal.open(path, KEY)
        for number in range(1500):
            take(journal, CardPlaced(t=float(number), zone="seat:1", card=SECRET))
            if number % 300 == 0:
                await journal.flush()
                assert SECRET.encode() not in on_disk(tmp_path)
        await journal.flush()
        assert SECRET.encode() not in on_disk(tmp_path)
        journal.close()

    asyncio.run(main())
    assert SECRET.encode() not in on_disk(tmp_path)
