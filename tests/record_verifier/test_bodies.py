"""What is a body and what is none: both verifiers say the same, whatever a forger with the key has written."""

import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from feltd.record.row_json import DEEPEST, LONGEST_NUMBER, body_fault
from tests.record_verifier.forgeries import A_ROUND, NOON, Record, chained_anew, copied
from tests.record_verifier.test_forgeries import (  # noqa: F401 (the sound record is a fixture)
    Findings,
    alike,
    by_feltd,
    by_other,
    record,
    with_node,
)
from tests.record_verifier.unsigned_ends import Line, another_end

FIRST: Final = A_ROUND + 1
_KEY: Final = "07" * 32
_DEEP: Final = "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1)
NONE: Final = (
    "", "7", "null", "[]", '"note"', "{", '{"a":1}}', "{'a':1}", '{"a":NaN}', '{"a":-Infinity}', '{"a":01}', '{"a":+1}',
    '{"a":.5}', '{"a":1.}', '{"a":"\t"}', '{"a":"\\x"}', '\ufeff{"a":1}', '\x0b{"a":1}', '{"a":1}\0',
    f'{{"a":{"1" * (LONGEST_NUMBER + 1)}}}', f'{{"a":{"1" * 5000}}}', f'{{"a":1.{"0" * LONGEST_NUMBER}}}',
    f'{{"a":[{_DEEP}]}}', f'{{"a":{"[" * 5000}{"]" * 5000}}}',
)  # fmt: skip
BODIES: Final = (
    "{}", ' {"a" : 1 }\r\n', '{"a":1e999,"b":-0,"c":"\\ud800"}', '{"a":1,"a":[2]}', f'{{"a":{"1" * LONGEST_NUMBER}}}',
    f'{{"a":{_DEEP}}}', f'{{"a":"{"[" * 500}{"1" * 500}"}}', '{"__proto__":{"note":1}}', '{"a":"\\"[[","b":"\\\\"}',
)  # fmt: skip


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_body_is_said(text: str) -> None:
    fault = body_fault(text)
    assert fault is not None
    assert len(fault) < 200


@pytest.mark.parametrize("text", BODIES)
def test_what_a_table_could_write_is_a_body(text: str) -> None:
    assert body_fault(text) is None


def both(forged: Record) -> tuple[tuple[int, Findings], tuple[int, Findings]]:
    code, found = by_feltd(forged, "--key", str(forged.key_file))
    return (code, alike(found)), by_other(forged, "--key", str(forged.key_file))


def _notes(bodies: tuple[str, ...]) -> Iterator[Line]:
    for body in bodies:
        yield "host", "note", 5.0, NOON + 1005.0, 2, body


@with_node
def test_both_verifiers_name_each_entry_whose_body_is_none_and_no_other(
    record: Record,  # noqa: F811
    tmp_path: Path,
) -> None:
    forged = copied(record, tmp_path)
    another_end(forged, _notes((*NONE, *BODIES)))
    wanted = frozenset(("changed", FIRST + number) for number in range(len(NONE)))
    assert both(forged) == ((1, wanted), (1, wanted))


@with_node
@pytest.mark.parametrize("column", ["kind", "name", "device", "body"])
def test_a_text_that_is_not_utf_8_makes_an_entry_unreadable_to_both(
    record: Record,  # noqa: F811
    tmp_path: Path,
    column: str,
) -> None:
    forged = copied(record, tmp_path)
    another_end(forged, _notes(('{"a":1}', '{"a":2}', '{"a":3}')))
    _write_bytes(forged, column)
    wanted = frozenset({("unreadable", FIRST + 1)})
    assert both(forged) == ((1, wanted), (1, wanted))


def _write_bytes(forged: Record, column: str) -> None:
    """Bytes that are no text, put where a text is; the chain of the entries behind them is not made anew."""
    database = sqlite3.connect(forged.path)
    database.execute(f"UPDATE entries SET {column} = CAST(x'7bff7d' AS TEXT) WHERE seq = ?", (FIRST + 1,))
    database.commit()
    database.close()


_VALUES: Final = (
    "NaN", "1e999", "-0", "1" * 101, "true", "null", "[]", "{}", '{"turn":1}', "2", "2.0", "2.5", "9007199254740993",
    '"complete"', '"waiting"', '"dealing"', '"halted"', '"feltd \\u0073tarts"', '"feltd starts"',
    '"the floor has the record"', '"the wall clock was set"', '{"created":1.0,"format":true,"edition":1}',
    '{"created":1700000100.0,"format":2,"edition":3.5}', '{"created":1700000100.0,"format":2,"edition":true}',
    f'"{_KEY}"', f'"{_KEY.upper()}"', f'" {_KEY}"', '"0A"', f'{{"12":"{_KEY}"}}', f'{{" 12":"{_KEY}"}}',
    f'{{"1_2":"{_KEY}"}}', f'{{"0012":"{_KEY}"}}', _DEEP, f"[{_DEEP}]",
)  # fmt: skip
_FIELDS: Final = (
    "note", "phase", "prompt", "turn", "key", "keys", "box", "to", "public", "commitment", "record", "first_key",
    "entry", "chain", "at", "signature", "edition",
)  # fmt: skip
_NAMES: Final = (
    ("host", "note"), ("host", "round.key"), ("host", "round.end"), ("host", "round.begin"), ("output", "phase"),
    ("output", "prompt"), ("event", "card"),
)  # fmt: skip


def _by_chance(chance: random.Random, many: int) -> Iterator[Line]:
    for number in range(many):
        fields = [chance.choice(_FIELDS[:3]), *chance.sample(_FIELDS, chance.randint(0, 5))]
        body = ",".join(f'"{field}":{chance.choice(_VALUES)}' for field in fields)
        at = 5.0 + number * 0.01
        kind, name = chance.choice(_NAMES)
        yield kind, name, at, NOON + 1000.0 + at, chance.choice((1, 2, 2, 2, 3)), f"{{{body}}}"


@with_node
@pytest.mark.parametrize("seed", range(8))
def test_both_verifiers_judge_bodies_by_chance_alike(
    record: Record,  # noqa: F811
    tmp_path: Path,
    seed: int,
) -> None:
    forged, chance = copied(record, tmp_path), random.Random(seed)
    another_end(forged, _by_chance(chance, 3 if seed % 2 else 40))
    keyed = f"UPDATE entries SET key = seq - {chance.choice((1, 2, 7))} WHERE name = 'round.end' AND seq > {A_ROUND}"
    chained_anew(forged, keyed)
    by_ours, by_the_other = both(forged)
    assert by_ours == by_the_other
    assert by_ours[0] == 1, "each of these seeds has something to find, so agreeing is not silence"
