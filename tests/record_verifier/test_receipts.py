"""The floor's receipts in a record: both verifiers say the same of sound ones, forged ones, and the entries before."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from feltd.cli import cli
from feltd.record.entries import chain_next, chain_start, digest
from feltd.record.notes import RECEIPT_NOTE
from feltd.record.receipts import ReceiptKey
from feltd.record.sealing import MasterKey
from feltd.record.signed_heads import heads_file
from feltd.table.journal import Journal
from tests.record_verifier.forgeries import KEY, Record, sound
from tests.record_verifier.test_forgeries import NODE, by_other, findings, with_node

FLOOR = ReceiptKey(Ed25519PrivateKey.from_private_bytes(bytes([3]) * 32))
OTHER = ReceiptKey(Ed25519PrivateKey.from_private_bytes(bytes([4]) * 32))
NOON = 1_700_000_000.0
NOW = NOON + 500.0
RECEIPT = 33
"""The entry of the first receipt, about entry 32; the second is entry 34, about entry 33."""

Said = tuple[int, frozenset[tuple[str, int]]]


@pytest.fixture
def record(tmp_path: Path) -> Record:
    """A sound record of four rounds, and two receipts behind it."""
    made = sound(tmp_path)
    for _ in range(2):
        journal = Journal.open(made.path, KEY, monotonic=lambda: 500.0, wall=lambda: NOON + 500.0)
        head = journal.reader.head()
        receipt = FLOOR.receipt(journal.reader.journal_id, head.seq, head.chain, NOW)
        journal.append_note(RECEIPT_NOTE, receipt.to_body())
        journal.close()
    made.witness.write_bytes(heads_file(made.path).read_bytes())
    return made


def said(record: Record, *more: str) -> Said:
    """What feltd says, which the other verifier must say too."""
    options = ["--key", str(record.key_file), *more]
    answer = CliRunner().invoke(cli, ["journal", "verify", str(record.path), *options])
    mine = answer.exit_code, findings(answer.output)
    if NODE is not None:
        assert by_other(record, *options) == mine
    return mine


@contextmanager
def anew(record: Record) -> Iterator[sqlite3.Connection]:
    """Change the record as who has every key of the table: chained anew, its head and its signed heads to fit."""
    database = sqlite3.connect(record.path)
    yield database
    journal_id = database.execute("SELECT value FROM meta WHERE name = 'journal_id'").fetchone()[0]
    seq, chain = 0, chain_start(journal_id)
    for row in database.execute("SELECT * FROM entries ORDER BY seq").fetchall():
        seq, chain = row[0], chain_next(chain, digest(row[:-1]))
        database.execute("UPDATE entries SET chain = ? WHERE seq = ?", (chain, seq))
    mac = MasterKey(KEY).head_mac(journal_id, seq, chain)
    database.execute("UPDATE head SET seq = ?, chain = ?, mac = ?", (seq, chain, mac))
    database.execute("DELETE FROM meta WHERE name = 'first_key'")
    database.commit()
    database.close()
    heads_file(record.path).unlink()


def body_of(database: sqlite3.Connection, seq: int) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(database.execute("SELECT body FROM entries WHERE seq = ?", (seq,)).fetchone()[0])
    return body


def put(database: sqlite3.Connection, seq: int, body: object) -> None:
    database.execute("UPDATE entries SET body = ? WHERE seq = ?", (json.dumps(body), seq))


def test_a_record_with_receipts_is_sound_and_the_floors_key_is_asked_for(record: Record) -> None:
    assert said(record) == (0, frozenset())
    assert said(record, "--floor-key", FLOOR.public.hex()) == (0, frozenset())
    assert said(record, "--floor-key", OTHER.public.hex(), "--floor-key", FLOOR.public.hex()) == (0, frozenset())
    both = frozenset({("receipt", RECEIPT), ("receipt", RECEIPT + 1)})
    assert said(record, "--floor-key", OTHER.public.hex()) == (1, both)
    answer = CliRunner().invoke(cli, ["journal", "verify", str(record.path), "--floor-key", FLOOR.public.hex()])
    assert f"the floor's receipts: 2, up to entry 33, key {FLOOR.public.hex()}" in answer.output
    wrong = CliRunner().invoke(cli, ["journal", "verify", str(record.path), "--floor-key", "12"])
    assert wrong.exit_code != 0
    assert "no key of a floor" in str(wrong.exception) + wrong.output


def test_who_has_every_key_of_the_table_cannot_write_anew_what_has_a_receipt(record: Record) -> None:
    with anew(record) as database:
        database.execute("UPDATE entries SET t = 99.0 WHERE seq = 12")
    assert said(record) == (1, frozenset({("receipt", 1)}))


def test_what_comes_after_a_receipt_that_holds_is_named_alone(record: Record) -> None:
    with anew(record) as database:
        database.execute("UPDATE entries SET wall = wall + 1 WHERE seq = 33")
    assert said(record) == (1, frozenset({("receipt", 33)}))


CHANGES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "another moment": lambda body: {**body, "at": body["at"] + 1},
    "another entry": lambda body: {**body, "entry": 31},
    "its own entry": lambda body: {**body, "entry": RECEIPT},
    "no entry": lambda body: {**body, "entry": 0},
    "a fraction": lambda body: {**body, "entry": 32.0},
    "true": lambda body: {**body, "entry": True},
    "too large": lambda body: {**body, "at": 2**63},
    "large and rounded": lambda body: {**body, "at": 2**53 + 1},
    "no signature": lambda body: {name: value for name, value in body.items() if name != "signature"},
    "short": lambda body: {**body, "chain": body["chain"][:-2]},
    "capitals": lambda body: {**body, "signature": body["signature"].upper()},
    "no key at all": lambda body: {**body, "key": "ff" * 32},
    "another's key": lambda body: {**body, "key": OTHER.public.hex()},
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_receipt_that_is_not_as_the_floor_signed_it_is_named(record: Record, name: str) -> None:
    with anew(record) as database:
        put(database, RECEIPT, CHANGES[name](body_of(database, RECEIPT)))
        database.execute("DELETE FROM entries WHERE seq > ?", (RECEIPT,))
    assert said(record) == (1, frozenset({("receipt", RECEIPT)}))


def _text(receipt: dict[str, Any], before: str, after: str) -> str:
    """A receipt's text with other words in the place of `before`."""
    text = json.dumps(receipt)
    assert before in text
    return text.replace(before, after)


ODD: dict[str, tuple[str, str, bool]] = {
    "a tab before a number": ('"entry": ', '"entry":\t', True),
    "a line's end behind a number": ('"entry": 32', '"entry": 32\n', True),
    "a name in escapes": ('"entry"', '"\\u0065ntry"', True),
    "a name twice, the last one right": ('"entry": ', '"entry": 31, "entry": ', True),
    "a name twice, the last one wrong": ('"entry": 32', '"entry": 32, "entry": 31', False),
    "a name twice, the last one no number": ('"entry": 32', '"entry": 32, "entry": {"entry": 32}', False),
    "a name within a text": ('"entry": 32', '"words": "\\"entry\\": 31, ", "entry": 32', True),
    "a name within another": ('"entry": 32', '"other": {"entry": 31}, "entry": 32', True),
    "a name within another alone": ('"entry": 32', '"other": [{"entry": 32}]', False),
    "minus nothing": ('"entry": 32', '"entry": -0', False),
    "a power of ten": ('"entry": 32', '"entry": 32e0', False),
}
"""What stands in a receipt's text, what in its place, and whether the floor's signature still holds."""


@pytest.mark.parametrize("name", ODD)
def test_both_verifiers_read_the_numbers_of_an_oddly_written_receipt_alike(record: Record, name: str) -> None:
    before, after, sound_still = ODD[name]
    with anew(record) as database:
        text = _text(body_of(database, RECEIPT), before, after)
        database.execute("UPDATE entries SET body = ? WHERE seq = ?", (text, RECEIPT))
        database.execute("DELETE FROM entries WHERE seq > ?", (RECEIPT,))
    faults = frozenset() if sound_still else frozenset({("receipt", RECEIPT)})
    assert said(record) == (int(not sound_still), faults)


@with_node
def test_a_note_that_is_no_receipt_is_none(record: Record) -> None:
    with anew(record) as database:
        put(database, RECEIPT, {"note": ["the floor has the record"]})
        put(database, RECEIPT + 1, {"note": "something else", "entry": 1})
    assert said(record) == (0, frozenset())
