"""An exported part of a journal proves itself, up to an anchor, without what lies between."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from feltd.record import JournalReader, Span
from feltd.record.export import export, export_round, rows_of_export, verify_export
from feltd.record.findings import Anchor
from feltd.record.verify import anchor_of
from feltd.table.journal import Journal
from feltd.text.errors import JournalExportInvalid, JournalMissing
from table_fsm.events import CardExposed, CardPlaced, ShoeDeckChecked, Tick
from tests.feltd.seal_support import PUBLIC

KEY = os.urandom(32)
CARDS = ("As", "Kd", "7c", "Th", "2s")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "table.journal"
    journal = Journal.open(path, KEY, sealed_to=PUBLIC)
    for number in range(1, 4):
        journal.begin_round(number)
        journal.append_event(
            ShoeDeckChecked(t=float(number), count=52), source=None, round_number=number, rulebook_digest="ab" * 32
        )
        for seat in range(1, 6):
            event = CardPlaced(t=float(number), zone=f"seat:{seat}", card=CARDS[seat - 1])
            journal.append_event(event, source=None, round_number=number, rulebook_digest="ab" * 32)
        seen = CardExposed(t=float(number), zone="seat:1", card="As")
        journal.append_event(seen, source=None, round_number=number, rulebook_digest="ab" * 32)
        if number < 3:
            journal.end_round(number)
    for number in range(250):
        journal.append_event(Tick(t=4.0 + number), source=None, round_number=3, rulebook_digest="ab" * 32)
    journal.close()
    return path


def test_a_round_proves_itself_with_its_cards(path: Path) -> None:
    with JournalReader.open(path) as reader:
        lines = list(export_round(reader, 2))
        proof = verify_export(lines)
        assert (proof.first, proof.last, proof.entries) == (11, 20, 10)
        assert (proof.proved, proof.unproved) == (2, 0), "the card that was exposed, and where it had come to lie"
        assert not any(f'"{card}"' in "".join(lines) for card in CARDS[1:])
        assert json.loads(lines[4])["opened"] == {"card": "As"}
        first = verify_export(export(reader, 1, 4))
        assert (first.first, first.proved, first.unproved) == (1, 0, 1)  # the key is published later
        with pytest.raises(JournalMissing, match="no round 9"):
            export_round(reader, 9)
        with pytest.raises(JournalMissing, match="entries 5 to 4"):
            list(export(reader, 5, 4))
        with pytest.raises(JournalMissing):
            list(export(reader, 1, 10_000))


def test_a_round_is_proved_through_to_a_later_anchor_and_shows_nothing_in_between(path: Path) -> None:
    with JournalReader.open(path) as reader:
        anchor = anchor_of(reader)
        lines = list(export_round(reader, 1, through=anchor.seq))
    proof = verify_export(lines, anchors=[anchor])
    assert proof.anchor == anchor
    assert proof.last == 10
    assert sum("entry" in json.loads(line) for line in lines) == 10
    with pytest.raises(JournalExportInvalid, match="contradicts the anchor"):
        verify_export(lines, anchors=[Anchor(anchor.journal_id, anchor.seq, bytes(32))])


def test_no_export_has_an_entry_of_a_round_that_is_not_over(path: Path) -> None:
    with JournalReader.open(path, KEY) as reader:
        head = reader.head().seq
        with pytest.raises(JournalMissing, match="of round 3, which is not over"):
            list(export_round(reader, 3))
        with pytest.raises(JournalMissing, match=f"entries 21 to {head} are of round 3"):
            list(export(reader, 21, head))
        lines = list(export(reader, 1, head))
        through = list(export(reader, 11, 100, through=head))
        sealed = [row.sealed.hex() for row in reader.rows(Span(round=3)) if row.sealed is not None]
    assert len(sealed) == 7, "the check below can fail"
    for some in (lines, through):
        assert json.loads(some[0])["ends_before_round"] == 3
        proof = verify_export(some)
        assert (proof.last, proof.ends_before_round, proof.unproved) == (20, 3, 0)
        assert not any(one in "".join(some) for one in sealed)
    assert verify_export(through).anchor.seq == head


def test_a_round_that_has_ended_since_is_in_the_next_export(path: Path) -> None:
    journal = Journal.open(path, KEY)
    journal.end_round(3)
    journal.close()
    with JournalReader.open(path) as reader:
        lines = list(export(reader, 1, reader.head().seq))
    assert "ends_before_round" not in json.loads(lines[0])
    assert verify_export(lines).ends_before_round is None
    assert verify_export(lines).proved == 6


def test_a_key_that_is_not_published_shuts_its_round_without_a_beginning(path: Path) -> None:
    journal = Journal.open(path, KEY)
    journal.end_round(3)
    late = CardPlaced(t=999.0, zone="seat:1", card="Kd")
    seq = journal.append_event(late, source=None, round_number=3, rulebook_digest="ab" * 32)
    journal.close()
    with JournalReader.open(path) as reader:
        assert reader.round_in_progress() is None
        proof = verify_export(export(reader, 1, reader.head().seq))
    assert (proof.last, proof.ends_before_round) == (seq - 2, 3), "the card, and its key before it"


def change(index: int, edit: Callable[[dict[str, Any]], object]) -> Callable[[list[str]], list[str]]:
    def changed(lines: list[str]) -> list[str]:
        said = json.loads(lines[index])
        edit(said)
        return [*lines[:index], json.dumps(said), *lines[index:][1:]]

    return changed


TAMPERING: dict[str, Callable[[list[str]], list[str]]] = {
    "body": change(3, lambda said: said["entry"].update(body="{}")),
    "time": change(3, lambda said: said["entry"].update(wall=1.0)),
    "unknown field": change(3, lambda said: said["entry"].update(more=1)),
    "opened": change(4, lambda said: said.update(opened={"card": "Kd"})),
    "opened, never sealed": change(1, lambda said: said.update(opened={"card": "Kd"})),
    "header": change(0, lambda said: said.update(chain="00" * 32)),
    "format": change(0, lambda said: said.update(feltd_journal_export=3)),
    "anchor": change(-1, lambda said: said.update(anchor=said["anchor"][:-2] + "00")),
    "no anchor": lambda lines: lines[:-1],
    "after the anchor": lambda lines: [*lines, lines[-1]],
    "left out": lambda lines: [*lines[:4], *lines[5:]],
    "exchanged": lambda lines: [*lines[:4], lines[5], lines[4], *lines[6:]],
    "no JSON": lambda lines: [*lines[:4], "{", *lines[5:]],
    "no object": lambda lines: ["[]", *lines[1:]],
    "digest": change(-2, lambda said: said["digests"].reverse()),
    "empty": lambda _: [],
}


@pytest.mark.parametrize("tampering", TAMPERING)
def test_an_export_that_was_tampered_with_is_refused(path: Path, tampering: str) -> None:
    with JournalReader.open(path) as reader:
        lines = list(export_round(reader, 1, through=14))
    verify_export(lines)
    with pytest.raises(JournalExportInvalid):
        verify_export(TAMPERING[tampering](lines))


@pytest.mark.parametrize("line", ["[" * 100_000, '{"entry":' + "[" * 100_000, "null", '{"anchor": 7}'])
def test_a_line_that_no_export_has_is_named_and_no_failure(path: Path, line: str) -> None:
    """An export comes from anybody, and who checks it must not see a traceback."""
    with JournalReader.open(path) as reader:
        lines = list(export(reader, 1, reader.head().seq))
    for number in range(len(lines)):
        with pytest.raises(JournalExportInvalid):
            verify_export([*lines[:number], line, *lines[number + 1 :]])


@pytest.mark.parametrize(("field", "value"), [("kind", 2**70), ("t", 10**400), ("seq", 10**400), ("body", [])])
def test_an_entry_with_a_value_that_no_row_has_is_named_and_no_failure(path: Path, field: str, value: object) -> None:
    with JournalReader.open(path) as reader:
        first, second, *rest = export(reader, 1, reader.head().seq)
    said = json.loads(second)
    said["entry"][field] = value
    with pytest.raises(JournalExportInvalid):
        verify_export([first, json.dumps(said), *rest])
    said["entry"]["t"] = 10**400
    with pytest.raises(JournalExportInvalid):
        rows_of_export([first, json.dumps(said), *rest])
