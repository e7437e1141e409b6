"""Opening cards that no round showed, for the holder of the private half: of a journal or of an export."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from feltd.record.entries import EntryKind, HostEntry, Row
from feltd.record.known_keys import RoundEnd, boxed_key, round_end
from feltd.record.row_json import parse
from feltd.record.sealing import AnyRoundKey, FirstEditionKey
from feltd.record.unseal_keys import BoxOpener
from feltd.text.errors import UnsealKeyError


@dataclass(frozen=True, slots=True)
class Unsealed:
    """An event of a round with its cards. `opened`: False where they did not open: the entry or its box was changed."""

    seq: int
    round: int | None
    name: str
    t: float | None
    wall: float
    body: dict[str, Any]
    opened: bool


def sealed_to(rows: Iterable[Row]) -> dict[int, str | None]:
    """By the `seq` of each `round.end` entry with a key: the fingerprint its round is sealed to; None for nobody's."""
    found: dict[int, str | None] = {}
    for row in rows:
        if row.name == HostEntry.ROUND_END and row.key is not None:
            end = round_end(b"", row.key, row.round or 0, row.body)
            if end is not None:
                found[row.seq] = end.to
    return found


def require_one_of(fingerprints: dict[int, str | None], key: str, place: Path) -> None:
    """Raise UnsealKeyError where rounds are sealed to keys, and none of them to this one."""
    others = {to for to in fingerprints.values() if to is not None}
    if others and key not in others:
        named = ", ".join(sorted(others))
        raise UnsealKeyError(
            f"{place}: is sealed to the key {named}, and the key given is {key}; give the file of that "
            "key, or the record that belongs to this one"
        )


def unsealed(rows: Sequence[Row], journal_id: bytes, key: BoxOpener, rounds: Collection[int]) -> Iterator[Unsealed]:
    """The events of these rounds whose cards were sealed, opened, in order; without those of `sealed_later`.

    Raises UnsealKeyError: a round is not there, is not over, or is sealed to another key or to nobody's.
    """
    keys = _keys(rows, journal_id, key, rounds)
    for row in rows:
        if row.kind != EntryKind.EVENT or row.sealed is None or row.key not in keys:
            continue
        text = keys[row.key].open(row.seq, row.sealed)
        body: dict[str, Any] = parse(row.body)
        yield Unsealed(
            row.seq, row.round, row.name, row.t, row.wall, body | parse(text or "{}"), opened=text is not None
        )


def sealed_later(rows: Sequence[Row], rounds: Collection[int]) -> list[int]:
    """The entries that these rounds sealed after they were over (a check of the pack), while that has no end yet.

    They open once the next round is over.
    """
    ended, over = _ended(rows)
    late = {row.seq for row in rows if row.name == HostEntry.ROUND_KEY and row.round in rounds and row.round in over}
    return [row.seq for row in rows if row.sealed is not None and row.key in late - ended]


def _ended(rows: Sequence[Row]) -> tuple[set[int | None], set[int | None]]:
    """The keys that have their end, and the rounds that are over."""
    ends = [row for row in rows if row.name == HostEntry.ROUND_END]
    return {row.key for row in ends}, {row.round for row in ends}


def boxes_of(rows: Sequence[Row], journal_id: bytes, fingerprint: str, rounds: Collection[int]) -> dict[int, bytes]:
    """By the `seq` of each key of these rounds: the box that holds it, sealed to this pair.

    Raises UnsealKeyError: a round is not there, is not over, or is sealed to another key or to nobody's.
    """
    found: dict[int, bytes] = {}
    for row, said in _ends(rows, journal_id, rounds):
        if not isinstance(said.opener, FirstEditionKey):
            _require_sealed_to(row, said, fingerprint)
            found[row.seq] = said.box or b""
    return found


def _keys(
    rows: Sequence[Row], journal_id: bytes, private: BoxOpener, rounds: Collection[int]
) -> dict[int, AnyRoundKey]:
    return {row.seq: _key_of(row, said, journal_id, private) for row, said in _ends(rows, journal_id, rounds)}


def _ends(rows: Sequence[Row], journal_id: bytes, rounds: Collection[int]) -> Iterator[tuple[Row, RoundEnd]]:
    """Each key of these rounds with its end. Raises UnsealKeyError where one is not there or not over."""
    made = {row.seq: row for row in rows if row.name == HostEntry.ROUND_KEY and row.round in rounds}
    ends = {row.key: row for row in rows if row.name == HostEntry.ROUND_END and row.key is not None}
    for number in sorted(rounds):
        if not any(row.round == number for row in rows):
            raise UnsealKeyError(f"round {number} is not in this record; feltd journal show lists what is")
    ended, over = _ended(rows)
    for seq, row in made.items():
        if row.round in over and seq not in ended:
            continue  # made after the round: `sealed_later`
        end = ends.get(seq)
        said = None if end is None else round_end(journal_id, seq, row.round or 0, end.body)
        if said is None:
            raise UnsealKeyError(f"round {row.round} is not over, or its end is not in this file: wait until it is")
        yield row, said


def _key_of(row: Row, said: RoundEnd, journal_id: bytes, private: BoxOpener) -> AnyRoundKey:
    if isinstance(said.opener, FirstEditionKey):
        return said.opener
    _require_sealed_to(row, said, private.fingerprint)
    key = boxed_key(journal_id, row, said.box, private)
    if key is None:
        raise UnsealKeyError(
            f"round {row.round}: its box (key {row.seq}) does not hold the key that sealed it: it was changed; see "
            "what feltd journal verify says"
        )
    return key


def _require_sealed_to(row: Row, said: RoundEnd, fingerprint: str) -> None:
    if said.to is None:
        raise UnsealKeyError(
            f"round {row.round} is sealed to nobody's key: the table had none ([record] sealed_to), and nobody can "
            "open its cards"
        )
    if said.to != fingerprint:
        raise UnsealKeyError(
            f"round {row.round} is sealed to the key {said.to}, and the key given is {fingerprint}; give the "
            "file of that key"
        )


@dataclass(slots=True)
class BoxCheck:
    """What the holder of the private half found. `opened`: entries that opened; `faults`: by entry, in words.

    `others`: rounds that are sealed to another key, or to nobody's.
    """

    opened: int = 0
    faults: list[tuple[int, str]] = field(default_factory=list)
    others: set[int] = field(default_factory=set)


def check_boxes(rows: Iterable[Row], journal_id: bytes, private: BoxOpener) -> BoxCheck:
    """Open everything that rounds sealed, card by card, and say what does not open."""
    found, made = BoxCheck(), dict[int, Row]()
    sealed: dict[int, list[Row]] = {}
    for row in rows:
        if row.name == HostEntry.ROUND_KEY:
            made[row.seq] = row
        elif row.name == HostEntry.ROUND_END and row.key in made:
            _check_round(found, row, made.pop(row.key), sealed.pop(row.key, []), journal_id, private)
        elif row.sealed is not None and row.key in made:
            sealed.setdefault(row.key, []).append(row)
    return found


def _check_round(
    found: BoxCheck, end: Row, made: Row, sealed: list[Row], journal_id: bytes, private: BoxOpener
) -> None:
    said = round_end(journal_id, made.seq, made.round or 0, end.body)
    if said is None or said.to not in (None, private.fingerprint):
        found.others.add(made.round or 0)
        return
    if said.to is None and not isinstance(said.opener, FirstEditionKey):
        found.others.add(made.round or 0)
        return
    try:
        key = _key_of(made, said, journal_id, private)
    except UnsealKeyError as fault:
        found.faults.append((end.seq, str(fault)))
        return
    for row in sealed:
        if key.open(row.seq, row.sealed or b"") is None:
            found.faults.append((row.seq, f"entry {row.seq} does not open with the key of its round"))
        else:
            found.opened += 1
