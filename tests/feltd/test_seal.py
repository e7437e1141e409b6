"""Face-down cards in the journal: nowhere in clear until their round is over, and from then on for everybody."""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from feltd.record import Entry, JournalReader, Reveal, Seal, Span
from feltd.record.database import COLUMNS
from feltd.record.entries import Row, chain_next, chain_start, digest
from feltd.record.notes import BY_HAND_NOTE
from feltd.record.sealing import CARDS_OF, WORDS_OF, MasterKey, RoundKey, commitment, padded
from feltd.record.unseal_keys import PublicKey
from feltd.record.verify import verify
from feltd.table.journal import Journal
from feltd.text.errors import JournalEntryInvalid, JournalKeyMissing, JournalKeyWrong
from table_fsm.events import (
    EVENT_TYPES,
    CardExposed,
    CardLeftTable,
    CardPlaced,
    CardRemoved,
    CardTurned,
    DeviceState,
    Event,
    HandShown,
    ShoeCard,
    ShoeDeckChecked,
    Supervisor,
)
from table_fsm.outputs import Output, Refusal
from table_fsm.prompts.types import Collect
from tests.feltd.seal_support import OTHER, PRIVATE, PUBLIC

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
def test_a_card_that_its_round_does_not_show_is_in_no_byte_of_the_files_for_good(tmp_path: Path, event: Event) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, KEY, sealed_to=PUBLIC)
    journal.begin_round(1)
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

    again = Journal.open(path, KEY, sealed_to=PUBLIC)
    again.end_round(1)
    again.append_snapshot("{}", round_number=1, rulebook_digest=DIGEST)
    again.close()
    assert SECRET.encode() not in on_disk(tmp_path)
    shown = isinstance(event, CardExposed)  # somebody saw it: the round showed it
    with JournalReader.open(path) as reader:
        over = entry(reader, seq)
        assert over.seal is (Seal.OPENED if shown else Seal.NEVER_SHOWN)
        assert over.to_dict().get("sealed_to") == (None if shown else PUBLIC.fingerprint)
        assert next(reader.events_since(0)).sealed is not shown
    with JournalReader.open(path, KEY) as reader:
        assert entry(reader, seq, Reveal.ALL).seal is over.seal, "the table's own keys do not open it any more"
    with JournalReader.open(path, unseal=OTHER) as reader:
        assert entry(reader, seq).seal is over.seal
    with JournalReader.open(path, unseal=PRIVATE) as reader:
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
    assert [len(padded("x" * size)) for size in (0, 32, 33, 1024, 1025, 8192, 8193)] == [32, 32, 1024, 1024, 8192, 8192,
                                                                                         16384]  # fmt: skip
    journal.close()


WORDS = ("he held As", "he held nothing", "x" * 500)


def test_a_persons_reason_is_sealed_while_a_round_is_open_whatever_it_says(tmp_path: Path) -> None:
    def said(reason: str) -> Event:
        return Supervisor(t=2.0, decision="void", staff="7", reason=reason)

    journal = Journal.open(tmp_path / "table.journal", KEY)
    take(journal, ShoeCard(t=1.0, card="As"))
    seqs = [take(journal, said(words)) for words in WORDS]
    journal.flush_blocking(10)
    rows = list(journal.reader.rows(Span(after=seqs[0] - 1)))
    assert len({(row.body, len(row.sealed or b"")) for row in rows}) == 1
    assert "held" not in rows[0].body
    assert [entry(journal.reader, seq).body["reason"] for seq in seqs] == [None] * 3
    assert [recorded.event for recorded in journal.events_since(seqs[0] - 1)] == [said(words) for words in WORDS]
    journal.end_round(1)
    journal.flush_blocking(10)
    assert [entry(journal.reader, seq).body["reason"] for seq in seqs] == list(WORDS)
    open_again = take(journal, said("between two rounds nothing is secret"))
    journal.flush_blocking(10)
    assert entry(journal.reader, open_again, Reveal.NOTHING).body["reason"] == "between two rounds nothing is secret"
    journal.close()


@pytest.mark.parametrize("number", [1, 7, None], ids=["of the round", "of another", "of none"])
def test_words_of_a_note_are_sealed_while_a_round_is_open_whatever_they_say(tmp_path: Path, number: int | None) -> None:
    journal = Journal.open(tmp_path / "table.journal", KEY)
    journal.begin_round(1)  # no card has come yet: the words come first, and the key with them
    note = {"who": "anna", "why": "he held As"}
    seqs = [journal.append_note(BY_HAND_NOTE, {**note, "why": words}, round_number=number) for words in WORDS]
    fault = journal.append_note("a device broke the rules of its messages", {"fault": "card: As is no card"})
    journal.flush_blocking(10)
    told = [entry(journal.reader, seq).body for seq in seqs]
    assert told == [{"note": BY_HAND_NOTE, "who": "anna", "why": None}] * 3
    rows = [row for row in journal.reader.rows(Span(name="note")) if row.seq != fault]
    assert len({(row.body, row.key, len(row.sealed or b"")) for row in rows}) == 1
    assert entry(journal.reader, fault).body["fault"] is None
    journal.end_round(1)
    journal.flush_blocking(10)
    assert [entry(journal.reader, seq).body["why"] for seq in seqs] == list(WORDS)
    journal.close()


def test_a_snapshot_in_an_open_round_is_refused(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "table.journal", KEY)
    take(journal, ShoeCard(t=1.0, card="As"))
    with pytest.raises(JournalEntryInvalid, match="a snapshot while round 1 is open"):
        journal.append_snapshot("{}", round_number=1, rulebook_digest=DIGEST)
    journal.end_round(1)
    seq = journal.append_snapshot('{"rest":"closed"}', round_number=1, rulebook_digest=DIGEST)
    journal.flush_blocking(10)
    assert entry(journal.reader, seq, Reveal.NOTHING).body == {"rest": "closed"}
    journal.close()


def test_a_note_that_cannot_be_written_leaves_no_key_behind(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "table.journal", KEY)
    journal.begin_round(1)
    with pytest.raises(JournalEntryInvalid):
        journal.append_note("x", {"why": float("nan")})
    journal.flush_blocking(10)
    assert [row.name for row in journal.reader.rows(Span())] == ["round.begin"]
    journal.close()


def test_every_field_of_an_event_that_takes_any_text_is_known() -> None:
    """A new field of text is either a name that the table knows, or words: say which."""
    names = {"rulebook", "staff", "role", "decision", "outcome", "device", "deck", "by", "to", "kind", "face", "zone",
             "marker", "box", "action", "alarm", "ev", "pack", "trouble"}  # fmt: skip
    texts = {(kind, f.name) for kind in EVENT_TYPES for f in fields(kind) if f.type in (str, str | None)}
    cards = {(kind, name) for kind, of in CARDS_OF.items() for name in of}
    words = {(kind, name) for kind, of in WORDS_OF.items() for name in of}
    shown_to_all = {(DeviceState, "reason")}
    assert {name for _, name in texts - cards - words - shown_to_all} <= names
    assert words == {(Supervisor, "reason")}


def test_a_card_that_comes_after_its_round_was_ended_gets_a_key_of_its_own(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "table.journal", KEY, sealed_to=PUBLIC)
    take(journal, ShoeCard(t=1.0, card="As"))
    journal.end_round(1)
    late = take(journal, CardRemoved(t=2.0, zone="seat:1", card="Kd"))
    journal.flush_blocking(10)
    assert entry(journal.reader, late).seal is Seal.CLOSED
    assert journal.open_rounds == (1,)
    journal.end_round(1)
    journal.flush_blocking(10)
    assert entry(journal.reader, late).seal is Seal.NEVER_SHOWN
    with JournalReader.open(journal.path, unseal=PRIVATE) as reader:
        assert entry(reader, late).body["card"] == "Kd"
    journal.close()


def test_a_seal_opens_in_no_other_entrys_place(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, KEY, sealed_to=PUBLIC)
    first = take(journal, CardPlaced(t=1.0, zone="seat:1", card="As"))
    second = take(journal, CardPlaced(t=1.0, zone="seat:2", card="Kd"))
    journal.end_round(1)
    journal.close()
    with sqlite3.connect(path) as database:
        database.execute(
            f"UPDATE entries SET sealed = (SELECT sealed FROM entries WHERE seq = {second}) WHERE seq = {first}"
        )
    database.close()
    with JournalReader.open(path, unseal=PRIVATE) as reader:
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
    with pytest.raises(JournalKeyWrong, match="does not vouch for the end of the record"):
        Journal.open(path, OTHER_KEY)
    again = Journal.open(path, KEY)  # the refused openings left no lock behind
    again.end_round(1)
    again.close()
    with pytest.raises(JournalKeyWrong, match="does not vouch for the end of the record"):
        Journal.open(path, OTHER_KEY)  # between rounds, too: a key belongs to its record


def test_no_key_is_in_what_the_objects_say_of_themselves() -> None:
    master = MasterKey(KEY)
    key = RoundKey(bytes(16), 5, 1, OTHER_KEY)
    said = repr(master) + repr(key) + str(key)
    assert KEY.hex() not in said
    assert OTHER_KEY.hex() not in said
    with pytest.raises(ValueError, match="32 bytes, not 5"):
        MasterKey(b"short")


def test_a_wrapped_key_opens_only_for_its_own_entry_and_journal() -> None:
    master = MasterKey(KEY)
    short = bytes(32)
    wrapped = master.wrap(bytes(16), 5, OTHER_KEY, short)
    assert master.unwrap(bytes(16), 5, wrapped, short) == OTHER_KEY
    assert master.unwrap(bytes(16), 5, wrapped, b"\1" * 32) is None
    assert master.unwrap(bytes(16), 5, wrapped, None) is None
    assert master.unwrap(bytes(16), 6, wrapped, short) is None
    assert master.unwrap(b"\1" * 16, 5, wrapped, short) is None
    assert master.unwrap(bytes(16), 5, b"short", short) is None
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


@pytest.mark.parametrize("later", [None, OTHER.public], ids=["nobody's", "another's"])
@pytest.mark.parametrize("first", [None, PUBLIC], ids=["nobody's", "the holder's"])
def test_a_round_stays_sealed_to_the_key_with_which_it_began(
    tmp_path: Path, first: PublicKey | None, later: PublicKey | None
) -> None:
    """Who writes the table's file and starts feltd in mid-round gets no card of that round."""
    path = tmp_path / "table.journal"
    journal = Journal.open(path, KEY, sealed_to=first)
    seq = take(journal, CardPlaced(t=1.0, zone="seat:1", card="As"))
    journal.close()
    again = Journal.open(path, KEY, sealed_to=later)
    more = take(again, CardPlaced(t=2.0, zone="seat:1", card="Kd"))
    again.end_round(1)
    next_round = take(again, CardPlaced(t=3.0, zone="seat:1", card="Kd"), 2)
    again.end_round(2)
    again.close()
    with JournalReader.open(path) as reader:
        assert verify(reader).sound
        sealed_to = [entry(reader, one).to_dict()["sealed_to"] for one in (seq, more, next_round)]
    named = [None if key is None else key.fingerprint for key in (first, later)]
    assert sealed_to == [named[0], named[0], named[1]]
    with JournalReader.open(path, unseal=OTHER) as reader:
        assert [entry(reader, one).seal for one in (seq, more)] == [Seal.NEVER_SHOWN] * 2


@pytest.mark.parametrize("restarted", [False, True], ids=["at once", "after a restart"])
@pytest.mark.parametrize(
    ("answered", "seal"),
    [
        (Collect(), Seal.OPENED),
        (Refusal("hand.shown", "hand.shown: the hand of seat 1 is not to be shown now"), Seal.NEVER_SHOWN),
    ],
    ids=["taken", "refused"],
)
def test_the_dealer_s_word_opens_a_hand_where_the_table_took_it(
    tmp_path: Path, answered: Collect | Refusal, seal: Seal, restarted: bool
) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, KEY)
    journal.begin_round(1)
    seq = take(journal, CardPlaced(t=1.0, zone="seat:1", card=SECRET))
    take(journal, HandShown(t=2.0, seat=1))
    answer(journal, Output(2.0, answered))
    if restarted:
        journal.close()
        journal = Journal.open(path, KEY)
    journal.end_round(1)
    journal.close()
    with JournalReader.open(path) as reader:
        assert entry(reader, seq).seal is seal


@pytest.mark.parametrize("last", [False, True], ids=["others follow", "last"])
@pytest.mark.parametrize(
    ("replayed", "seal"), [(True, Seal.OPENED), (False, Seal.NEVER_SHOWN), (None, Seal.NEVER_SHOWN)]
)
def test_a_word_without_an_answer_opens_after_a_restart_what_the_replay_took(
    tmp_path: Path, replayed: bool | None, seal: Seal, last: bool
) -> None:
    """The table took it and had nothing to tell, or a power cut took the answer; where nobody knows, it stays shut."""
    path = tmp_path / "table.journal"
    journal = Journal.open(path, KEY)
    journal.begin_round(1)
    seq = take(journal, CardPlaced(t=1.0, zone="seat:1", card=SECRET))
    other = take(journal, CardPlaced(t=1.0, zone="seat:2", card="Kd"))
    word = take(journal, HandShown(t=2.0, seat=1))
    refused = take(journal, HandShown(t=2.0, seat=2))
    answer(journal, Output(2.0, Refusal("hand.shown", "hand.shown: the hand of seat 2 is not to be shown now")))
    if not last:
        take(journal, CardRemoved(t=3.0, zone="seat:1", card=SECRET))
    journal.close()
    again = Journal.open(path, KEY)
    if replayed is not None:
        again.replayed({refused, word} if replayed else {refused})  # the record says that the other was refused
    again.end_round(1)
    again.close()
    with JournalReader.open(path) as reader:
        assert (entry(reader, seq).seal, entry(reader, other).seal) == (seal, Seal.NEVER_SHOWN)


def test_the_key_in_the_entry_of_a_round_in_progress_cannot_be_exchanged(tmp_path: Path) -> None:
    """Not even by who can chain the record anew: the round's key does not open beside another."""
    path = tmp_path / "table.journal"
    journal = Journal.open(path, KEY, sealed_to=PUBLIC)
    take(journal, CardPlaced(t=1.0, zone="seat:1", card="As"))
    journal.close()
    with closing(sqlite3.connect(path)) as database:
        rechain(database, "round.key", lambda body: {**body, "public": OTHER.public.bytes.hex()})
    with pytest.raises(JournalKeyWrong, match="does not open entry 1"):
        Journal.open(path, KEY, sealed_to=OTHER.public)


def test_a_round_that_was_sealed_to_another_key_than_it_began_with_is_found(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, KEY, sealed_to=PUBLIC)
    take(journal, CardPlaced(t=1.0, zone="seat:1", card="As"))
    journal.end_round(1)
    journal.close()
    with closing(sqlite3.connect(path)) as database:
        rechain(database, "round.end", lambda body: {**body, "to": OTHER.fingerprint})
    with JournalReader.open(path) as reader:
        found = [fault.text for fault in verify(reader).faults]
    assert (
        f"entry 3 seals its round to the key {OTHER.fingerprint}, and entry 1 said that it is sealed to the key "
        f"{PUBLIC.fingerprint}"
    ) in found


def rechain(database: sqlite3.Connection, name: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Change the entries of a name, and chain the whole record anew, as who has the journal's key can."""
    database.row_factory = None
    [(body, seq)] = database.execute("SELECT body, seq FROM entries WHERE name = ?", [name]).fetchall()
    database.execute("UPDATE entries SET body = ? WHERE seq = ?", [json.dumps(change(json.loads(body))), seq])
    [(journal_id,)] = database.execute("SELECT value FROM meta WHERE name = 'journal_id'").fetchall()
    chain = chain_start(journal_id)
    for raw in database.execute(f"SELECT {COLUMNS} FROM entries ORDER BY seq").fetchall():
        row = Row(*raw)
        chain = chain_next(chain, digest(row))
        database.execute("UPDATE entries SET chain = ? WHERE seq = ?", [chain, row.seq])
        database.execute(
            "UPDATE head SET chain = ?, mac = ?", [chain, MasterKey(KEY).head_mac(journal_id, row.seq, chain)]
        )
    database.commit()
