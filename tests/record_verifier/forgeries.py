"""A sound record with what was kept of it elsewhere, and the ways in which one could be forged."""

import shutil
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from feltd.record import JournalReader, Source
from feltd.record.entries import FIELD_NAMES, chain_next, chain_start, digest
from feltd.record.made import NAME
from feltd.record.notes import START_NOTE
from feltd.record.sealing import MasterKey
from feltd.record.short_keys import keys_file
from feltd.record.signed_heads import heads_file, signer_file
from feltd.table.journal import Journal
from feltd.table.journal.signer import HeadSigner
from table_fsm.events import CardPlaced, CardTurned
from table_fsm.outputs import Output, Phase

KEY: Final = bytes(range(32))
ROUNDS: Final = 4
A_ROUND: Final = 8
"""Entries of a round: its begin, its key, two cards with an answer each, the first turned face up, its end."""
ENTRIES: Final = ROUNDS * A_ROUND
CARDS: Final = (11, 13)
"""The sealed entries of the second round."""
NOON: Final = 1_700_000_000.0
_HOUR: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Record:
    """A record at rest, and what its holders kept elsewhere.

    `older`: a folder with all its files as they were after the second round. `witness`: a copy of its heads.
    """

    path: Path
    key_file: Path
    first_key: str
    witness: Path
    older: Path


def play(path: Path, numbers: Iterable[int], *, wall: float = NOON) -> None:
    """Rounds of `A_ROUND` entries; each is signed, since the table stops after it."""
    for number in numbers:
        now = number * 100.0
        journal = Journal.open(path, KEY, monotonic=lambda now=now: now, wall=lambda now=now: wall + now)  # type: ignore[misc]
        journal.begin_round(number)
        for step, card in enumerate(("As", "Kd")):
            source = Source("reader", b"boot", number * 2 + step)
            event = CardPlaced(t=now + step, zone="seat:1", card=card)
            journal.append_event(event, source=source, round_number=number, rulebook_digest="ab" * 32)
            output = Output(now + step, Phase("dealing"))
            journal.append_output(output, round_number=number, rulebook_digest="ab" * 32)
        turned = CardTurned(t=now + 2, zone="seat:1", card="As", face="up")
        journal.append_event(turned, source=None, round_number=number, rulebook_digest="ab" * 32)
        journal.end_round(number)
        journal.close()


def sound(folder: Path) -> Record:
    """Make a sound record of `ENTRIES` entries in a new folder."""
    table = folder / "table"
    table.mkdir(parents=True)
    path = table / "table.journal"
    play(path, range(1, 3))
    shutil.copytree(table, folder / "older")
    play(path, range(3, ROUNDS + 1))
    witness = folder / "witness.heads"
    shutil.copy(heads_file(path), witness)
    key_file = folder / "journal.key"
    key_file.write_bytes(KEY)
    with JournalReader.open(path) as reader:
        first_key = reader.first_key()
    assert first_key is not None
    return Record(path, key_file, first_key.hex(), witness, folder / "older")


def copied(record: Record, folder: Path) -> Record:
    """The same record in another folder, to be forged there."""
    shutil.copytree(record.path.parent, folder / "table")
    return Record(folder / "table" / record.path.name, record.key_file, record.first_key, record.witness, record.older)


def _sql(record: Record, *statements: str) -> None:
    database = sqlite3.connect(record.path)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()


def chained_anew(record: Record, *statements: str, key: bytes | None = KEY) -> None:
    """Change entries, chain them all anew and set the head to fit, with the journal's key or without."""
    database = sqlite3.connect(record.path)
    for statement in statements:
        database.execute(statement)
    journal_id = database.execute("SELECT value FROM meta WHERE name = 'journal_id'").fetchone()[0]
    seq, chain = 0, chain_start(journal_id)
    for row in database.execute("SELECT * FROM entries ORDER BY seq").fetchall():
        seq, chain = row[0], chain_next(chain, digest(row[:-1]))
        database.execute("UPDATE entries SET chain = ? WHERE seq = ?", (chain, seq))
    database.execute("UPDATE head SET seq = ?, chain = ?", (seq, chain))
    if key is not None:
        database.execute("UPDATE head SET mac = ?", (MasterKey(key).head_mac(journal_id, seq, chain),))
    database.commit()
    database.close()


def _renumbered(first: int, by: int) -> list[str]:
    """Statements that move the entries from `first` on by one, up or down."""
    seqs = range(first, ENTRIES + 1) if by < 0 else range(ENTRIES, first - 1, -1)
    return [f"UPDATE entries SET seq = seq + ({by}) WHERE seq = {seq}" for seq in seqs]


def change(record: Record) -> None:
    """Another amount of time in one entry."""
    _sql(record, "UPDATE entries SET t = 99.0 WHERE seq = 12")


def drop(record: Record) -> None:
    """An entry taken out."""
    _sql(record, "DELETE FROM entries WHERE seq = 12")


def insert(record: Record) -> None:
    """An entry put in between, chained to the one before it, with all behind it numbered on."""
    _sql(record, *_renumbered(13, 1), "UPDATE head SET seq = seq + 1")
    database = sqlite3.connect(record.path)
    row: tuple[Any, ...] = database.execute("SELECT * FROM entries WHERE seq = 11").fetchone()
    before = database.execute("SELECT chain FROM entries WHERE seq = 12").fetchone()[0]
    made = (13, *row[1:-1])
    places = ", ".join("?" * (len(FIELD_NAMES) + 1))
    database.execute(f"INSERT INTO entries VALUES ({places})", (*made, chain_next(before, digest(made))))
    database.commit()
    database.close()


def swap(record: Record) -> None:
    """Two entries in each other's place."""
    _sql(
        record,
        "UPDATE entries SET seq = -1 WHERE seq = 12",
        "UPDATE entries SET seq = 12 WHERE seq = 22",
        "UPDATE entries SET seq = 22 WHERE seq = -1",
    )


def cut(record: Record) -> None:
    """The end cut off, and the head set back with the journal's key."""
    chained_anew(record, "DELETE FROM entries WHERE seq > 28", key=KEY)


def rollback(record: Record) -> None:
    """All files put back as they were after the second round."""
    shutil.rmtree(record.path.parent)
    shutil.copytree(record.older, record.path.parent)


def rechain_with_key(record: Record) -> None:
    """An entry changed, and all chained anew by who has the journal's key."""
    chained_anew(record, "UPDATE entries SET t = 99.0 WHERE seq = 12", key=KEY)


def rechain_without_key(record: Record) -> None:
    """The same by who does not have it."""
    chained_anew(record, "UPDATE entries SET t = 99.0 WHERE seq = 12", key=None)


def index(record: Record) -> None:
    """An index that leaves out the rounds' ends, so that no reader finds them; its text is feltd's own."""
    database = sqlite3.connect(record.path)
    [text] = database.execute("SELECT sql FROM sqlite_schema WHERE name = 'host_entries'").fetchone()
    database.execute("DROP INDEX host_entries")
    database.execute(text.replace("kind = 'host'", "kind = 'host' AND name <> 'round.end'"))
    database.execute("PRAGMA writable_schema=ON")
    database.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'host_entries'", (text,))
    database.commit()
    database.close()


def trigger(record: Record) -> None:
    """A trigger that takes away each ruling as it is written."""
    _sql(
        record,
        "CREATE TRIGGER tidy AFTER INSERT ON entries WHEN new.name = 'ruling' BEGIN DELETE FROM entries WHERE seq ="
        " new.seq; END",
    )


def before_the_first(record: Record) -> None:
    """Two rulings put in before the first entry, where nothing is chained to them."""
    for seq in (-3, 0):
        _sql(
            record,
            f"INSERT INTO entries SELECT {seq}, 'output', 'ruling', t, host, wall, 3, rulebook, 11, NULL, NULL, NULL,"
            " '{\"forged\":1}', NULL, NULL, chain FROM entries WHERE seq = 12",
        )


def another_head(record: Record) -> None:
    """The head and the signed heads of another journal, which has the same key."""
    other = record.path.with_name("other.journal")
    play(other, range(1, ROUNDS + 1))
    _sql(
        record,
        f"ATTACH DATABASE '{other}' AS other",
        "UPDATE head SET (seq, chain, mac) = (SELECT seq, chain, mac FROM other.head)",
    )
    shutil.copy(heads_file(other), heads_file(record.path))


def heads_cut_back(record: Record, lines: int = 3) -> None:
    """The heads' file cut off behind its second head, and an entry behind it changed by who has the journal's key."""
    file = heads_file(record.path)
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:lines]))
    chained_anew(record, "UPDATE entries SET t = 99.0 WHERE seq = 20", key=KEY)


def all_heads_cut_off(record: Record) -> None:
    """The same behind the first line, which names the first key."""
    heads_cut_back(record, 1)


def started(record: Record) -> None:
    """A start of a table, whose note names the first key as every one does."""
    journal = Journal.open(record.path, KEY, monotonic=lambda: 900.0, wall=lambda: NOON + 900.0)
    made = journal.reader.made().to_body()
    journal.append_note(START_NOTE, {"first_key": journal.first_key.hex(), NAME: made})
    journal.close()


def heads_lost(record: Record) -> None:
    """A start, then heads and their keys taken away, and the first key out of `meta`, for which nobody needs a key."""
    started(record)
    for file in (heads_file(record.path), signer_file(record.path), keys_file(record.path)):
        file.unlink()
    _sql(record, "DELETE FROM meta WHERE name = 'first_key'")


def heads_begun_anew(record: Record) -> None:
    """The same, and what an earlier version's first start did then: heads with another first key."""
    heads_lost(record)
    with JournalReader.open(record.path) as reader:
        signer, head = HeadSigner(record.path, reader.journal_id, None), reader.head()
    signer.make_ready()
    signer.sign(head.seq, head.chain, 0)
    _sql(record, f"INSERT INTO meta VALUES ('first_key', x'{signer.first_key.hex()}')")


def all_begun_anew(record: Record) -> None:
    """A start whose note names no first key, all chained anew with the journal's key, and heads that a start begins."""
    started(record)
    for file in (heads_file(record.path), signer_file(record.path)):
        file.unlink()
    chained_anew(
        record,
        "DELETE FROM meta WHERE name = 'first_key'",
        f"UPDATE entries SET body = json_remove(body, '$.first_key') WHERE seq = {ENTRIES + 1}",
        "UPDATE entries SET t = 99.0 WHERE seq = 12",
        key=KEY,
    )
    Journal.open(record.path, KEY, monotonic=lambda: 950.0, wall=lambda: NOON + 950.0).close()


def set_made_long_ago(record: Record) -> None:
    """No forgery: a record that was made long before anybody looks at it, which no start has told yet."""
    _sql(record, "UPDATE meta SET value = 1690000000.25 WHERE name = 'created'")


def another_moment(record: Record) -> None:
    """A start, and then another moment in `meta` at which the record was made."""
    started(record)
    _sql(record, "UPDATE meta SET value = value - 86400.0 WHERE name = 'created'")


def another_format(record: Record) -> None:
    """A start, and then an edition in `meta` in which the record was not made."""
    started(record)
    _sql(record, "UPDATE meta SET value = 1 WHERE name = 'format'")


def edition_put_back(record: Record) -> None:
    """The file's own number put back, so that an earlier version opens it."""
    _sql(record, "PRAGMA user_version=1")


def never_made(record: Record) -> None:
    """No moment at which the record was made."""
    _sql(record, "DELETE FROM meta WHERE name = 'created'")


def clock_set_back(record: Record) -> None:
    """A round that is played an hour after the others, by a clock set back to before them."""
    play(record.path, [ROUNDS + 1], wall=NOON - _HOUR)


def copied_card(record: Record) -> None:
    """The sealed card of one entry in another, all chained anew by who has the journal's key."""
    _sql_copy = (
        f"UPDATE entries SET sealed = (SELECT sealed FROM entries WHERE seq = {CARDS[1]}) WHERE seq = {CARDS[0]}"
    )
    chained_anew(record, _sql_copy, key=KEY)


def another_key(record: Record) -> None:
    """Another key published for a card that the round showed, all chained anew by who has the journal's key."""
    chained_anew(
        record,
        f"UPDATE entries SET body = json_set(body, '$.keys.\"{CARDS[0]}\"', '{'07' * 32}') WHERE seq = {2 * A_ROUND}",
        key=KEY,
    )


def copied_board(record: Record) -> None:
    """The board's SD card, copied after the second round and played on from there."""
    rollback(record)
    play(record.path, range(3, ROUNDS + 2))


@dataclass(frozen=True, slots=True)
class Forgery:
    """A way to forge a record, and what `verify` says of it with all that was kept elsewhere: kinds and entries.

    The witness's finding and the signed heads' own are often the same. `sound`: it is told, and the record is sound.
    """

    make: Callable[[Record], None]
    found: frozenset[tuple[str, int]]
    sound: bool = False


def each(kind: str, *seqs: int) -> frozenset[tuple[str, int]]:
    return frozenset((kind, seq) for seq in seqs)


_MOVED: Final = (
    each("rewritten", 9) | each("changed", 14) | each("reordered", *range(15, 34)) | each("key", 25, 33)
) | each("head", 33)
"""Behind an entry that was put in at 13: between the heads of 8 and 16, each entry out of its place, rounds' keys."""

WITHOUT_WITNESS: Final = each("signature", 17)
"""Of heads that were cut back, by who has the journal's key and the first key alone."""

FORGERIES: Final[dict[str, Forgery]] = {
    "change": Forgery(change, each("changed", 12)),
    "drop": Forgery(drop, each("missing", 12)),
    "insert": Forgery(insert, _MOVED),
    "swap": Forgery(swap, each("reordered", 12, 13, 22, 23) | each("clock", 13, 22)),
    "cut": Forgery(cut, each("cut off", 29)),
    "rollback": Forgery(rollback, each("cut off", 17)),
    "rechain with the key": Forgery(rechain_with_key, each("rewritten", 9)),
    "rechain without the key": Forgery(rechain_without_key, each("rewritten", 9) | each("head", 32)),
    "index": Forgery(index, each("structure", 8, 16, 24, 32)),
    "trigger": Forgery(trigger, each("structure", 0)),
    "before the first": Forgery(before_the_first, each("structure", -3, 0)),
    "another journal's head": Forgery(another_head, each("signature", 0) | each("head", 32)),
    "heads cut back": Forgery(heads_cut_back, each("signature", 17) | each("rewritten", 17)),
    "all heads cut off": Forgery(all_heads_cut_off, each("signature", 1) | each("rewritten", 17)),
    "heads lost": Forgery(heads_lost, each("signature", 0)),
    "heads begun anew": Forgery(heads_begun_anew, each("signature", 1, ENTRIES + 1)),
    "another moment": Forgery(another_moment, each("structure", ENTRIES + 1)),
    "another format": Forgery(another_format, each("structure", ENTRIES + 1)),
    "edition put back": Forgery(edition_put_back, each("structure", 0)),
    "never made": Forgery(never_made, each("structure", 0)),
    "clock set back": Forgery(clock_set_back, each("clock", 33), sound=True),
    "copied card": Forgery(copied_card, each("rewritten", 9) | each("key", 16)),
    "copied board": Forgery(copied_board, each("rewritten", 17)),
    "another key published": Forgery(another_key, each("rewritten", 9) | each("key", 16)),
}
"""Rounds end at 8, 16, 24 and 32, and each end is signed."""
