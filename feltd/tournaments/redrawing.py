"""A draw done again from what was published: the list of entries, the secret, the commitment and the tables."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from feltd.text.errors import FeltdError
from floor_fsm.drawing import Place, commitment_of, drawn, seed_of

_TABLE: Final = re.compile(r"^(?P<table>[^:]{1,40}):(?P<seats>[0-9,-]+)$")
_MOST_SEATS: Final = 11


class RedrawError(FeltdError):
    """What was published cannot be read, or does not fit together."""


def read_list(text: str, file: str) -> dict[int, str]:
    """Return the person of each entry of a published list: a line `entry TAB person` for each. Raises RedrawError."""
    persons: dict[int, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        entry, tab, person = line.partition("\t")
        if not tab or not (entry.isascii() and entry.isdigit()) or not person:
            raise RedrawError(f"{file}:{number}: a line is the entry's number, a tab and the person's number")
        if int(entry) in persons:
            raise RedrawError(f"{file}:{number}: entry {int(entry)} is there twice")
        persons[int(entry)] = person
    if not persons:
        raise RedrawError(f"{file}: the list is empty")
    return persons


def read_table(text: str) -> tuple[str, tuple[int, ...]]:
    """Return a table and its seats, of `NAME:1-9` or `NAME:1,3,5-7`. Raises RedrawError."""
    match = _TABLE.match(text)
    if match is None:
        raise RedrawError(f"{text}: a table is its name, a colon and its seats: T1:1-9")
    seats: list[int] = []
    for part in match["seats"].split(","):
        first, _, last = part.partition("-")
        if not first or (not last and "-" in part) or "-" in last:
            raise RedrawError(f"{text}: {part!r} is no seat and no run of seats: T1:1-9")
        seats += range(int(first), int(last or first) + 1)
        if len(seats) > _MOST_SEATS or 0 in seats:
            raise RedrawError(f"{text}: a table has seats 1 to {_MOST_SEATS}")
    return match["table"], tuple(sorted(set(seats)))


def redraw(
    persons: Mapping[int, str],
    secret: str,
    commitment: str,
    tables: Mapping[str, tuple[int, ...]],
    apart: Sequence[Sequence[str]] = (),
    *,
    not_beside: bool = False,
) -> dict[int, Place]:
    """Return each entry's place.

    `tables`: those that were drawn for, in the tournament's order. `apart`: groups of persons that were named as
    belonging together; `not_beside`: the book keeps them apart at one table too. Raises RedrawError where the secret
    is not the one committed to, or there are too few seats.
    """
    try:
        told = bytes.fromhex(secret)
    except ValueError:
        raise RedrawError("the secret is not hexadecimal") from None
    if commitment_of(told) != commitment.lower():
        raise RedrawError(
            f"this secret's commitment is {commitment_of(told)}, not {commitment}: it is not what was committed to"
        )
    associates = {
        entry: frozenset(
            other
            for other in persons
            if other != entry and any(persons[entry] in group and persons[other] in group for group in apart)
        )
        for entry in persons
    }
    try:
        return drawn(seed_of(told, persons), sorted(persons), tables, associates, not_beside=not_beside)
    except ValueError as error:
        raise RedrawError(f"{error}: name each table that was drawn for") from None
