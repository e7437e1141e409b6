"""Settings and fields that several drivers share: seats, decks, and who did something."""

from collections.abc import Collection
from typing import Annotated, Final, TypeAlias

from pydantic import Field

from devices.drivers.fields import PLACE_REMEDY, Fields
from devices.limits import NAME
from table_fsm.felt import SEAT_COUNT

DeckNames: TypeAlias = tuple[Annotated[str, Field(pattern=f"^{NAME.pattern}$")], ...]
SeatNumbers: TypeAlias = Annotated[tuple[Annotated[int, Field(ge=1, le=SEAT_COUNT)], ...], Field(min_length=1)]

ALL_SEATS: Final = tuple(range(1, SEAT_COUNT + 1))


def serves_deck(read: Fields, decks: Collection[str]) -> str | None:
    """The deck that a message names, or None.

    Raises DeviceMessageError for a deck not in `decks`, unless that is empty.
    """
    deck = read.optional("deck", read.name)
    if deck is not None and decks and deck not in decks:
        raise read.fault("deck", f"it is not one of this device's decks, {', '.join(decks)}", PLACE_REMEDY)
    return deck


def person(read: Fields, key: str, seats: Collection[int], staff: Collection[str]) -> str:
    """Return the person of a message: one of `staff`, or `seat:N` of a seat in `seats`.

    Default: the first of `staff`.
    """
    words = [*staff, *(f"seat:{n}" for n in seats)]
    return read.optional(key, lambda name: read.choice(name, words)) or next(iter(staff))


def cut_by(read: Fields, seats: Collection[int]) -> str:
    """Return the person who cut: the dealer (the default) or a seat."""
    return person(read, "by", seats, ("dealer",))
