"""How the table is opened for a stream: seats, button, options, and what the table can see."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Final

from table_fsm.felt import BOARD_ZONES, SEAT_OF, ZONES, Built, full_deck
from table_fsm.rulebook import Rulebook

SEATS: Final = (1, 2, 3, 5)
"""Four players, with an empty seat between them."""
EMPTY_SEAT: Final = 4
PAIR: Final = (2, 5)
SMALL_BLIND: Final = 100
BIG_BLIND: Final = 200
TABLE_MINIMUM: Final = 500


@dataclass(frozen=True, slots=True)
class Setting:
    """A table as it is opened. `options` are those that differ from the book's usual ones; None: not given.

    `keys`: the dealer has a keypad, so that actions come. `shoe`: the shoe tells each card that leaves it. `names`: the
    readers name cards that lie face down. `shoe_names`: the shoe names them too.
    """

    book: Rulebook
    seats: tuple[int, ...] = SEATS
    options: Mapping[str, Any] = field(default_factory=dict)
    keys: bool = True
    shoe: bool = True
    names: bool = True
    shoe_names: bool = False
    built: Built = Built.FULL
    """With less, the events that this table has no device for are not told, and the table knows that it has none."""
    salt: str = ""
    """Another salt, other shuffles."""

    @property
    def key(self) -> str:
        """A text that two settings share only if they are equal."""
        sees = (self.keys, self.shoe, self.names, self.shoe_names, self.built.value, self.salt)
        return f"{self.book.id} {self.seats} {sorted(self.options.items())} {sees}"

    def with_options(self, options: Mapping[str, Any]) -> "Setting":
        """The same table, with these options on top."""
        return replace(self, options={**self.options, **options})

    @property
    def sees(self) -> frozenset[str]:
        """The zones that have a reader."""
        if self.built is Built.BOARD_ONLY:
            return BOARD_ZONES
        return ZONES - set(SEAT_OF) if self.built is Built.NO_SEAT_READERS else ZONES

    @property
    def has_shoe(self) -> bool:
        """Whether a shoe tells the cards that leave it."""
        return self.shoe and self.built not in {Built.NO_SHOE, Built.BOARD_ONLY}

    @property
    def packs(self) -> tuple[str, ...]:
        """The colours of the packs."""
        return ("blue", "red")[: self.book.deck.packs]

    @property
    def button(self) -> int | None:
        """Where the button, or buck, stands when the table opens."""
        if not self.book.button.used:
            return None
        return self.seats[0] if self.book.button.marker == "buck" else self.seats[-1]

    @property
    def all_options(self) -> dict[str, Any]:
        """The options of `table.open`."""
        given = {**usual_options(self.book), **self.options}
        return {name: value for name, value in given.items() if value is not None}

    @property
    def deck(self) -> frozenset[str]:
        """The cards of the pack."""
        options, rules = self.all_options, self.book.deck
        return full_deck(options.get("deck", rules.size), bool(options.get("joker", rules.joker)))


def usual_options(book: Rulebook) -> dict[str, Any]:
    """The options that a clean stream of the book is played with: blinds or an ante, where no structure gives them."""
    options: dict[str, Any] = {}
    structure = book.options.get("structure")
    if structure is not None and structure.default is not None:
        return options
    if "blinds" in book.options:
        options["blinds"] = [SMALL_BLIND, BIG_BLIND]
    elif "table_min" in book.options:
        options["table_min"] = TABLE_MINIMUM
    return options


def shuffled(cards: frozenset[str], salt: str) -> list[str]:
    """The cards in an order of no meaning, the same for the same `salt`. The last is dealt first."""
    return sorted(cards, key=lambda card: sha256(f"{salt} {card}".encode()).digest())
