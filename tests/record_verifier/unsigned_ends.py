"""Ends of a record behind its last signed head: those that a table at work leaves, and those of forgers.

A forger cuts the file of heads off behind its first head, takes away what lay behind that one, and writes another end
with the journal's key: entries whose clocks stand as close together as those that a power cut leaves.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, Final

from feltd.record.entries import FIELD_NAMES
from feltd.record.head_check import UNSIGNED_ENTRIES
from feltd.record.notes import CLOCK_SET_NOTE, START_NOTE
from feltd.record.signed_heads import heads_file
from tests.record_verifier.forgeries import A_ROUND, ENTRIES, NOON, Forgery, Record, chained_anew, each, heads_cut_back

_BEHIND: Final = ENTRIES - A_ROUND
"""So many entries reach as far as the witness's heads."""
_IN_A_ROUND: Final = 8
"""Entries of a round of `_rounds`."""
_BOOT: Final = 1000.0
"""Seconds after noon at which the machine was started by whose clock these entries are written."""

Line = tuple[str, str, float, float, int | None, str]
"""Kind, name, host's clock, wall clock, round, body."""


def _host(name: str, host: float, *, number: int | None = None, ahead: float = 0.0, **body: object) -> Line:
    return "host", name, host, NOON + _BOOT + host + ahead, number, json.dumps(body)


def _outputs(host: float, many: int, number: int = 2, *, ahead: float = 0.0) -> Iterator[Line]:
    for step in range(many):
        at = host + step * 1e-4
        yield "output", "phase", at, NOON + _BOOT + at + ahead, number, '{"phase":"dealing"}'


def _rounds(host: float, many: int) -> Iterator[Line]:
    for number in range(2, 2 + many):
        yield _host("round.begin", host, number=number)
        yield from _outputs(host, 5, number)
        yield _host("round.end", host + 0.1, number=number)
        yield _host("round.end", host + 0.1, number=number)  # of a second key
        host += 0.2


def _two_and_one_open() -> Iterator[Line]:
    yield from _outputs(5.0, 1, 1)  # of the round that has ended
    yield from _rounds(5.0, 2)
    yield _host("round.begin", 5.5, number=4)


def _rounds_that_end_late(many: int, *, ends: bool = True) -> Iterator[Line]:
    """All in a second; their ends stand one behind the other, as those of one round with several keys, or nowhere."""
    for number in range(2, 2 + many):
        yield _host("round.begin", 5.0, number=number)
        yield from _outputs(5.0, 5, number)
    for number in range(2, 2 + many if ends else 2):
        yield _host("round.end", 5.1, number=number)


def _rounds_of_one_number(many: int) -> Iterator[Line]:
    for _ in range(many):
        yield _host("round.begin", 5.0, number=2)
        yield from _outputs(5.0, 5)
    yield _host("round.end", 5.1, number=2)


def _rounds_without_entries_of_the_host(many: int) -> Iterator[Line]:
    for number in range(2, 2 + many):
        yield from _outputs(5.0, 8, number)


def _answers(number: int, *said: str) -> Iterator[Line]:
    """Answers of a table: a phase by its name, or a prompt by its object."""
    for one in said:
        name, body = ("prompt", f'{{"prompt":{one}}}') if one.startswith("{") else ("phase", f'{{"phase":"{one}"}}')
        yield "output", name, 5.1, NOON + _BOOT + 5.1, number, body


def _two_rounds_of_one_number() -> Iterator[Line]:
    for _ in range(2):
        yield _host("round.begin", 5.0, number=2)
        yield from _outputs(5.0, _BEHIND, 2)
        yield _host("round.end", 5.1, number=2)


def _games_of_one_round(*between: str) -> Iterator[Line]:
    yield _host("round.begin", 5.0, number=2)
    yield from _answers(2, "waiting", "dealing", '{"turn":3}', *between)
    yield from _answers(2, *['{"shuffle":{}}'] * _BEHIND)
    yield _host("round.end", 5.1, number=2)


def _games_of_two_rounds() -> Iterator[Line]:
    """The first is halted and goes on, and has late answers."""
    yield from _games_of_one_round("halted", "dealing", '{"turn":4}', "complete", '{"shuffle":{}}', "halted", "cutting")
    yield _host("round.begin", 5.1, number=3)
    yield from _answers(3, "dealing", '{"turn":3}', "{}")
    for body in ('{"phase":["complete"]}', '{"phase":null}', '{"phase":7}'):
        yield "output", "phase", 5.1, NOON + _BOOT + 5.1, 3, body


def _starts(many: int) -> Iterator[Line]:
    for number in range(many):
        yield _host("note", 5.0, ahead=600.0 * number, note=START_NOTE)
        yield from _outputs(6.0, _BEHIND, ahead=600.0 * number)


def _clock_set(times: int, *, told: bool) -> Iterator[Line]:
    yield from _outputs(5.0, _BEHIND)
    for number in range(1, times + 1):
        yield from _outputs(5.0 + number, 1, ahead=600.0 * number)
        if told:
            yield _host("note", 5.5 + number, ahead=600.0 * number, note=CLOCK_SET_NOTE, seconds=600.0)


def _back() -> Iterator[Line]:
    yield from _outputs(25.0, _BEHIND)
    yield from _outputs(5.0, 1)


def another_end(record: Record, lines: Iterator[Line]) -> None:
    file = heads_file(record.path)
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:2]))
    database = sqlite3.connect(record.path)
    database.execute("DELETE FROM entries WHERE seq > ?", (A_ROUND,))
    places = ", ".join("?" * (len(FIELD_NAMES) + 1))
    database.executemany(f"INSERT INTO entries VALUES ({places})", map(_row, count(A_ROUND + 1), lines))
    database.commit()
    database.close()
    chained_anew(record)


def _row(seq: int, line: Line) -> tuple[Any, ...]:
    kind, name, host, wall, number, body = line
    answers = 3 if kind == "output" else None
    return seq, kind, name, None, host, wall, number, None, answers, None, None, None, body, None, None, b""


def _ends_in(lines: Callable[[], Iterator[Line]]) -> Forgery:
    return Forgery(lambda record: another_end(record, lines()), each("signature", A_ROUND + 1) | _BY_WITNESS)


def _drawn_together(record: Record) -> None:
    heads_cut_back(record, 2)
    close = f"{A_ROUND * 10} + seq * 0.01"
    chained_anew(record, f"UPDATE entries SET host = {close}, wall = {NOON} + {close} WHERE seq > {A_ROUND}")


_BY_WITNESS: Final = each("rewritten", A_ROUND + 1)


def _malformed(value: str) -> Forgery:
    """Three rounds whose entries would count for nothing, all chained anew."""

    def forge(record: Record) -> None:
        another_end(record, _rounds(5.0, 3))
        chained_anew(record, f"UPDATE entries SET {value} WHERE seq > {A_ROUND}")

    return Forgery(forge, each("changed", *range(A_ROUND + 1, A_ROUND + 1 + 3 * _IN_A_ROUND)) | _BY_WITNESS)


DRAWN_TOGETHER: Final[dict[str, Forgery]] = {
    "times of three rounds drawn together": Forgery(_drawn_together, each("signature", A_ROUND + 1) | _BY_WITNESS),
    "three rounds in a second": _ends_in(lambda: _rounds(5.0, 3)),
    "four rounds whose ends stand behind all of them": _ends_in(lambda: _rounds_that_end_late(4)),
    "a hundred rounds without an end": _ends_in(lambda: _rounds_that_end_late(100, ends=False)),
    "four rounds that have one number": _ends_in(lambda: _rounds_of_one_number(4)),
    "two rounds that have one number": _ends_in(_two_rounds_of_one_number),
    "two games in one round": _ends_in(lambda: _games_of_one_round("complete", "cutting", "dealing")),
    "two games in one round, one of them halted": _ends_in(lambda: _games_of_one_round("void", "halted", "betting")),
    "a player's turn in no game": _ends_in(lambda: _games_of_one_round("complete", '{"turn":3}')),
    "four rounds that neither begin nor end": _ends_in(lambda: _rounds_without_entries_of_the_host(4)),
    "one round that is long": _ends_in(lambda: _outputs(5.0, UNSIGNED_ENTRIES + 1)),
    "two starts": _ends_in(lambda: _starts(2)),
    "a host's clock that goes back": _ends_in(_back),
    "a wall clock that runs ahead": _ends_in(lambda: _clock_set(2, told=False)),
}
"""Each is found by the files of the record alone."""

MALFORMED: Final[dict[str, Forgery]] = {
    value: _malformed(value)
    for value in ("host = 'x'", "wall = x'00'", "host = 9e999", "wall = -9e999", "kind = x'00'", "body = x'00'")
}
"""Entries that no table can write, and no copy at the floor can have."""

LEFT_BY_POWER_CUTS: Final[dict[str, Forgery]] = {
    "two rounds": _ends_in(lambda: _rounds(5.0, 2)),
    "two rounds, and one that is open": _ends_in(_two_and_one_open),
    "two games, one of them halted for a while": _ends_in(_games_of_two_rounds),
    "a flood": _ends_in(lambda: _outputs(5.0, UNSIGNED_ENTRIES)),
    "a start": _ends_in(lambda: _starts(1)),
    "a clock that was set": _ends_in(lambda: _clock_set(1, told=False)),
    "a clock that was set and told, again and again": _ends_in(lambda: _clock_set(9, told=True)),
}
"""No forgeries by the files alone: a table leaves as much where its power goes."""
