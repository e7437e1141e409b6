"""What players see on the seat screen and the clock screen: names as the operator chooses, and nothing else of them."""

from enum import StrEnum
from typing import Any

from feltd.text.amounts import house_currency
from floor_fsm.core.parts import Parts
from floor_fsm.state.draw import Draw
from floor_fsm.state.entries import Entries, Entry, Standing
from floor_fsm.state.floor import Stacks
from floor_fsm.state.hands import Hands, field_of
from floor_fsm.state.money import amounts_of, pool_of
from floor_fsm.state.opening import opened
from floor_fsm.state.seating import Seating


class Names(StrEnum):
    """How players are named on the screens."""

    FULL = "full"
    SHORT = "short"
    """The first name, and the first letter of the last one."""
    NUMBER = "number"
    """The number of the entry alone."""


def shown_name(entry: Entry, names: Names) -> str:
    """The name of an entry on a screen.

    >>> shown_name(Entry(7, "100017", "Anna Lena Meier", 0, 1), Names.SHORT)
    'Anna M.'
    """
    return shown_words(entry.number, entry.name, names)


def shown_words(number: int, name: str, names: Names) -> str:
    """How somebody with this number and this name is called on a screen."""
    words = name.split()
    if names is Names.NUMBER or not words:
        return str(number)
    if names is Names.FULL:
        return name
    return words[0] if len(words) == 1 else f"{words[0]} {words[-1][0]}."


def screen_as_json(parts: Parts, phase: str, names: Names) -> dict[str, Any]:
    """The seats, and what is played for. `seats`: by name; who waits has no table."""
    entries, places = parts.of(Entries), parts.of(Seating).places
    seats: list[dict[str, Any]] = []
    for one in entries.by_number.values():
        place = places.get(one.number)
        if place is not None or one.standing in (Standing.WAITING, Standing.BETWEEN):
            table, seat = (None, None) if place is None else (place.table, place.seat)
            seats.append({"name": shown_name(one, names), "table": table, "seat": seat})
    by_number = names is Names.NUMBER
    seats.sort(key=lambda one: (int(one["name"]), "") if by_number else (0, one["name"].casefold()))
    in_play, draw = parts.of(Stacks).on_tables, parts.of(Draw)
    return {
        "title": opened(parts).name,
        "phase": phase,
        "names": names.value,
        "seats": seats,
        "playing": len(places),
        "entries": field_of(parts),
        "tables": len({place.table for place in places.values()}),
        "average": in_play // len(places) if places else None,
        "hand_for_hand": parts.of(Hands).play is not None,
        "pool": pool_of(parts),
        "currency": house_currency(),
        "amounts": list(amounts_of(parts))[:9],
        "draw": {
            "drawn": draw.seed is not None,
            "kept_by": None if draw.kept_by is None else draw.kept_by.value,
            "annulled": sum(one.annulled is not None for one in draw.drawn),
        },
    }
