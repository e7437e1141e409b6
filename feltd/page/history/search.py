"""Rounds and rulings found again: by time, seat, kind, book, dealer, and whether somebody still had to decide."""

import json
import sqlite3
from dataclasses import dataclass
from typing import Any, Final

from feltd.page.history.index import HistoryError, HistoryIndex

PAGE: Final = 50
PAGE_MOST: Final = 500


@dataclass(frozen=True, slots=True)
class Wanted:
    """The conditions of a search; None does not limit.

    Times are wall seconds since 1970, both ends included. `kind`: an irregularity. `pending`: true for rulings that
    wait for a decision, false for those that do not. `before`: the number after which the list goes on, newest first.
    """

    since: float | None = None
    until: float | None = None
    seat: int | None = None
    kind: str | None = None
    book: str | None = None
    dealer: str | None = None
    result: str | None = None
    pending: bool | None = None
    before: int | None = None
    limit: int = PAGE


@dataclass(frozen=True, slots=True)
class FoundRound:
    """One round. `after`: the entry from whose snapshot it can be played again; `last` is None while it goes on."""

    number: int
    after: int
    first: int
    last: int | None
    began: float
    ended: float | None
    book: str | None
    digest: str | None
    result: str | None
    dealer: str | None
    seats: tuple[int, ...]
    rulings: int


@dataclass(frozen=True, slots=True)
class FoundRuling:
    """One ruling, and what became of it. `pending`: a person had to decide; `waits`: nobody has yet; `decision`: by
    whom, when and why, None where nobody has decided."""

    id: int
    entry: int
    round: int | None
    wall: float
    irregularity: str
    outcome: str
    also: tuple[str, ...]
    rule: str
    book: str
    seat: int | None
    pending: bool
    authority: str
    text: str
    supersedes: int | None
    dealer: str | None
    decision: str | None
    decided_by: str | None
    decided: float | None
    decided_outcome: str | None
    reason: str | None
    waits: bool


_ROUND: Final = "SELECT r.*, (SELECT count(*) FROM rulings WHERE round = r.number) AS rulings FROM rounds r"


def find_rounds(index: HistoryIndex, wanted: Wanted) -> list[FoundRound]:
    """Return the rounds that were in play within the time asked for, newest first.

    At most `wanted.limit` of them.
    """
    limits: list[tuple[str, Any]] = [
        ("coalesce(r.ended, r.began) >= :since", wanted.since),
        ("r.began <= :until", wanted.until),
        ("instr(r.seats, ',' || :seat || ',') > 0", wanted.seat),
        ("EXISTS (SELECT 1 FROM rulings WHERE round = r.number AND irregularity = :kind)", wanted.kind),
        ("r.book = :book", wanted.book),
        ("r.dealer = :dealer", wanted.dealer),
        ("r.result = :result", wanted.result),
        ("r.number < :before", wanted.before),
    ]
    if wanted.pending is not None:
        waits = "EXISTS (SELECT 1 FROM rulings WHERE round = r.number AND waits)"
        limits.append((waits if wanted.pending else f"NOT {waits}", True))
    rows = _select(index, _ROUND, limits, wanted, "r.number")
    return [_round(row) for row in rows]


def find_round(index: HistoryIndex, number: int) -> FoundRound:
    """The round of this number. Raises HistoryError."""
    rows = index.select(f"{_ROUND} WHERE r.number = ?", (number,))
    if not rows:
        raise HistoryError(f"there is no round {number} in the record")
    return _round(rows[0])


def find_rulings(index: HistoryIndex, wanted: Wanted, *, round_number: int | None = None) -> list[FoundRuling]:
    """The rulings looked for, newest first, at most `limit`."""
    limits: list[tuple[str, Any]] = [
        ("wall >= :since", wanted.since),
        ("wall <= :until", wanted.until),
        ("seat = :seat", wanted.seat),
        ("irregularity = :kind", wanted.kind),
        ("book = :book", wanted.book),
        ("dealer = :dealer", wanted.dealer),
        ("id < :before", wanted.before),
        (f"round = {round_number or 0:d}", None if round_number is None else True),
    ]
    if wanted.pending is not None:
        limits.append(("waits" if wanted.pending else "NOT waits", True))
    return [_ruling(row) for row in _select(index, "SELECT * FROM rulings", limits, wanted, "id")]


def _select(
    index: HistoryIndex, statement: str, limits: list[tuple[str, Any]], wanted: Wanted, order: str
) -> list[sqlite3.Row]:
    conditions = [condition for condition, value in limits if value is not None]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    values = {name: getattr(wanted, name) for name in Wanted.__slots__}
    values["limit"] = max(1, min(wanted.limit, PAGE_MOST))
    return index.select(f"{statement}{where} ORDER BY {order} DESC LIMIT :limit", values)


def _round(row: sqlite3.Row) -> FoundRound:
    seats = tuple(sorted(int(seat) for seat in row["seats"].split(",") if seat))
    return FoundRound(
        row["number"], row["after"], row["first"], row["last"], row["began"], row["ended"], row["book"], row["digest"],
        row["result"], row["dealer"], seats, row["rulings"],
    )  # fmt: skip


def _ruling(row: sqlite3.Row) -> FoundRuling:
    return FoundRuling(
        row["id"], row["seq"], row["round"], row["wall"], row["irregularity"], row["outcome"],
        tuple(json.loads(row["also"])), row["rule"], row["book"], row["seat"], bool(row["pending"]), row["authority"],
        row["text"], row["supersedes"], row["dealer"], row["decision"], row["decided_by"], row["decided"],
        row["decided_outcome"], row["reason"], bool(row["waits"]),
    )  # fmt: skip
