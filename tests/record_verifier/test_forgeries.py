"""Each way to forge a record is found, with its entries: by `feltd journal verify`, and by a verifier in JavaScript.

The second one (`verify.mjs`) was written from `docs/record.md` and runs without feltd. It needs Node 18 or later.
"""

import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from feltd.cli import cli
from feltd.record import JournalReader, Span
from feltd.record.entries import encode
from feltd.record.restored import RestoredJournal
from feltd.record.signed_heads import heads_file
from feltd.table.check.record import record_faults
from feltd.table.journal import Journal
from feltd.text.errors import JournalError
from tests.record_verifier.forgeries import (
    A_ROUND,
    ENTRIES,
    FORGERIES,
    KEY,
    WITHOUT_WITNESS,
    Record,
    another_format,
    another_moment,
    copied,
    edition_put_back,
    heads_begun_anew,
    heads_cut_back,
    heads_lost,
    never_made,
    set_made_long_ago,
    sound,
    started,
)
from tests.record_verifier.unsigned_ends import DRAWN_TOGETHER, LEFT_BY_POWER_CUTS, MALFORMED

NODE: Final = shutil.which("node")
PROGRAM: Final = Path(__file__).with_name("verify.mjs")
FINDING: Final = re.compile(r"entry (-?\d+): ([a-z ]+):")
with_node: Final = pytest.mark.skipif(NODE is None, reason="the second verifier wants Node: apt install nodejs")

ALL: Final = FORGERIES | DRAWN_TOGETHER | MALFORMED
Findings = frozenset[tuple[str, int]]


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Record:
    return sound(tmp_path_factory.mktemp("record"))


def options(record: Record) -> list[str]:
    return ["--key", str(record.key_file), "--first-key", record.first_key, "--witness", str(record.witness)]


def by_feltd(record: Record, *more: str) -> tuple[int, Findings]:
    answer = CliRunner().invoke(cli, ["journal", "verify", str(record.path), *(more or options(record))])
    return answer.exit_code, findings(answer.output)


def by_other(record: Record, *more: str) -> tuple[int, Findings]:
    assert NODE is not None
    words = [NODE, str(PROGRAM), str(record.path), *(more or options(record))]
    answer = subprocess.run(words, capture_output=True, text=True, check=False)
    assert answer.stderr == "", answer.stderr
    return answer.returncode, findings(answer.stdout)


def findings(text: str) -> Findings:
    return frozenset((found[2], int(found[1])) for found in FINDING.finditer(text))


def alike(found: Findings) -> Findings:
    """A verifier may call an entry out of its place changed."""
    return frozenset(("changed" if kind == "reordered" else kind, seq) for kind, seq in found)


def test_the_sound_record_is_sound(record: Record) -> None:
    assert by_feltd(record) == (0, frozenset())


@pytest.mark.parametrize("name", ALL)
def test_a_forgery_is_found_and_its_entries_are_named(record: Record, tmp_path: Path, name: str) -> None:
    forged, forgery = copied(record, tmp_path), ALL[name]
    forgery.make(forged)
    assert by_feltd(forged) == (0 if forgery.sound else 1, forgery.found)


@with_node
def test_both_verifiers_find_the_sound_record_sound(record: Record) -> None:
    assert by_other(record) == (0, frozenset())


@with_node
@pytest.mark.parametrize("torn", [b"", b"33 17000", bytes(300) + b"4f6f5c\n"])
def test_room_behind_the_heads_and_what_a_cut_left_in_it_count_for_nothing(
    record: Record, tmp_path: Path, torn: bytes
) -> None:
    cut = copied(record, tmp_path)
    with heads_file(cut.path).open("ab") as file:
        file.write(torn.ljust(4096, b"\0"))
    assert by_feltd(cut) == by_other(cut) == (0, frozenset())


@with_node
def test_both_verifiers_find_a_record_sound_that_was_restored_from_its_rows(record: Record, tmp_path: Path) -> None:
    original = copied(record, tmp_path)
    set_made_long_ago(original)
    started(original)
    restored = tmp_path / "restored.journal"
    with JournalReader.open(original.path) as reader, RestoredJournal(restored, reader.journal_id) as made:
        made.add(encode(row) for row in reader.rows(Span()))
        made.finish(heads_file(original.path).read_text().splitlines())
    copy = replace(original, path=restored)
    kept = ["--first-key", record.first_key, "--witness", str(record.witness)]
    assert by_feltd(copy, *kept) == by_other(copy, *kept) == (0, frozenset())


@with_node
@pytest.mark.parametrize("name", ALL)
def test_both_verifiers_name_the_same_entries(record: Record, tmp_path: Path, name: str) -> None:
    forged, forgery = copied(record, tmp_path), ALL[name]
    forgery.make(forged)
    assert by_other(forged) == (0 if forgery.sound else 1, alike(forgery.found))


@with_node
def test_both_verifiers_find_heads_that_were_cut_back_without_a_witness(record: Record, tmp_path: Path) -> None:
    forged = copied(record, tmp_path)
    heads_cut_back(forged)
    kept = ["--key", str(record.key_file), "--first-key", record.first_key]
    assert by_feltd(forged, *kept) == by_other(forged, *kept) == (1, WITHOUT_WITNESS)


@with_node
@pytest.mark.parametrize("name", DRAWN_TOGETHER)
def test_both_verifiers_count_what_lies_behind_the_last_head_whatever_its_clocks_say(
    record: Record, tmp_path: Path, name: str
) -> None:
    forged = copied(record, tmp_path)
    DRAWN_TOGETHER[name].make(forged)
    kept = ["--key", str(record.key_file), "--first-key", record.first_key]
    assert by_feltd(forged, *kept) == by_other(forged, *kept) == (1, frozenset({("signature", A_ROUND + 1)}))


@with_node
@pytest.mark.parametrize("name", LEFT_BY_POWER_CUTS)
def test_what_a_power_cut_leaves_behind_the_last_head_is_sound_to_both(
    record: Record, tmp_path: Path, name: str
) -> None:
    cut = copied(record, tmp_path)
    LEFT_BY_POWER_CUTS[name].make(cut)
    kept = ["--key", str(record.key_file), "--first-key", record.first_key]
    assert by_feltd(cut, *kept) == by_other(cut, *kept) == (0, frozenset())


@with_node
@pytest.mark.parametrize("forge", [heads_lost, heads_begun_anew])
def test_heads_that_no_start_named_are_found_without_anything_kept_elsewhere(
    record: Record, tmp_path: Path, forge: Callable[[Record], None]
) -> None:
    """And no start goes on: it would sign the older record as its own."""
    forged = copied(record, tmp_path)
    forge(forged)
    kept = ["--key", str(record.key_file)]
    assert by_feltd(forged, *kept) == by_other(forged, *kept) == (1, frozenset({("signature", ENTRIES + 1)}))
    with pytest.raises(JournalError, match="signed heads") as refused:
        Journal.open(forged.path, KEY)
    assert [refused.value.what in fault for fault in record_faults(forged.path, list, KEY)] == [True]


@pytest.mark.parametrize("forge", [another_moment, another_format, edition_put_back, never_made])
def test_no_start_goes_on_with_a_file_that_says_another_making_of_itself(
    record: Record, tmp_path: Path, forge: Callable[[Record], None]
) -> None:
    forged = copied(record, tmp_path)
    forge(forged)
    with pytest.raises(JournalError, match="was changed by somebody else") as refused:
        Journal.open(forged.path, KEY)
    assert [refused.value.what in fault for fault in record_faults(forged.path, list, KEY)] == [True]


def test_a_record_whose_starts_tell_its_making_is_told_from_an_older_one(record: Record, tmp_path: Path) -> None:
    bound = copied(record, tmp_path)
    words = "no start of this record tells when and in which edition it was made"
    assert words in CliRunner().invoke(cli, ["journal", "verify", str(bound.path)]).stderr
    started(bound)
    answer = CliRunner().invoke(cli, ["journal", "verify", str(bound.path)])
    assert answer.exit_code == 0
    assert words not in answer.stderr


@with_node
def test_both_verifiers_name_the_same_entries_of_a_damaged_page(record: Record, tmp_path: Path) -> None:
    damaged = copied(record, tmp_path)
    content = bytearray(damaged.path.read_bytes())
    size = int.from_bytes(content[16:18], "big")
    page = next(at for at in range(size, len(content), size) if b'"dealing"' in content[at : at + size])
    content[page] = 0xFF
    damaged.path.write_bytes(content)
    code, found = by_feltd(damaged)
    assert "unreadable" in {kind for kind, _ in found}
    assert by_other(damaged) == (code, found)


HIDDEN: Final = "\x1b[2J\x1b[H\nsound: nothing found\x9b8m\u202e"


@with_node
@pytest.mark.parametrize(
    "sql",
    [
        f"UPDATE entries SET name = '{HIDDEN}' WHERE seq = 12",
        f"UPDATE entries SET kind = '{HIDDEN}' WHERE seq = 12",
        f'CREATE VIEW "{HIDDEN}" AS SELECT 1',
        f"UPDATE entries SET body = json_set(body, '$.keys.\"{HIDDEN}\"', '{'07' * 32}') WHERE seq = 16",
    ],
)
def test_nothing_in_a_record_writes_on_the_auditors_screen(record: Record, tmp_path: Path, sql: str) -> None:
    forged = copied(record, tmp_path)
    database = sqlite3.connect(forged.path)
    database.execute(sql)
    database.commit()
    database.close()
    verified = CliRunner().invoke(cli, ["journal", "verify", str(forged.path)])
    shown = [CliRunner().invoke(cli, ["journal", "show", str(forged.path), *more]) for more in ([], ["--json"])]
    assert NODE is not None
    other = subprocess.run([NODE, str(PROGRAM), str(forged.path)], capture_output=True, text=True, check=False)
    assert (verified.exit_code, other.returncode) == (1, 1)
    for text in (verified.output, other.stdout, *(answer.output for answer in shown)):
        assert all(line.isprintable() for line in text.split("\n")), text
        assert not re.search("^sound: nothing", text, re.MULTILINE)


@with_node
@pytest.mark.parametrize(
    "told", ["'' WHERE name = 'first_key'", "x'07' WHERE name = 'first_key'", "9e999 WHERE name = 'created'"]
)
def test_both_verifiers_find_what_meta_cannot_say(record: Record, tmp_path: Path, told: str) -> None:
    forged = copied(record, tmp_path)
    database = sqlite3.connect(forged.path)
    database.execute(f"UPDATE meta SET value = {told}")
    database.commit()
    database.close()
    by = [verifier(forged, "--key", str(record.key_file)) for verifier in (by_feltd, by_other)]
    assert [code for code, _ in by] == [1, 1]
    assert all(("structure", 0) in found for _, found in by)


@with_node
def test_both_verifiers_refuse_a_record_of_an_edition_that_they_do_not_know(record: Record, tmp_path: Path) -> None:
    newer = copied(record, tmp_path)
    database = sqlite3.connect(newer.path)
    database.execute("PRAGMA user_version = 3")
    database.close()
    assert NODE is not None
    other = subprocess.run([NODE, str(PROGRAM), str(newer.path)], capture_output=True, text=True, check=False)
    answer = CliRunner().invoke(cli, ["journal", "verify", str(newer.path)])
    assert (answer.exit_code, other.returncode) == (2, 2)
    assert "is of edition 3" in other.stderr
    assert "format 3" in answer.output


@with_node
def test_both_verifiers_want_the_key_that_was_kept_elsewhere(record: Record) -> None:
    other = "00" * 32
    answer = CliRunner().invoke(cli, ["journal", "verify", str(record.path), "--first-key", other])
    assert (answer.exit_code, findings(answer.output)) == (1, frozenset({("signature", 1)}))
    assert by_other(record, "--first-key", other) == (1, frozenset({("signature", 1)}))


@with_node
@pytest.mark.parametrize("by_witness", [False, True])
def test_the_key_that_was_kept_elsewhere_must_have_signed_a_head(
    record: Record, tmp_path: Path, *, by_witness: bool
) -> None:
    """Anybody can write the first line of a file of heads."""
    copy = copied(record, tmp_path)
    file = heads_file(copy.path)
    if by_witness:
        file = tmp_path / "witness.heads"
        file.write_text(heads_file(copy.path).read_text())
    file.write_text(file.read_text().splitlines(keepends=True)[0])
    words = ["--first-key", record.first_key, *(["--witness", str(file)] if by_witness else [])]
    assert by_feltd(copy, *words) == by_other(copy, *words)
    assert ("signature", 1) in by_feltd(copy, *words)[1]


@with_node
def test_a_record_that_is_not_at_rest_is_not_judged(record: Record, tmp_path: Path) -> None:
    busy = copied(record, tmp_path)
    busy.path.with_name(busy.path.name + "-wal").write_bytes(b"frames")
    assert NODE is not None
    answer = subprocess.run([NODE, str(PROGRAM), str(busy.path)], capture_output=True, text=True, check=False)
    assert answer.returncode == 2
    assert "is not empty" in answer.stderr
