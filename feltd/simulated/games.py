"""What the simulated table plays under each rulebook: read from the book, so that every book can be played."""

from collections.abc import Mapping
from itertools import accumulate
from types import MappingProxyType
from typing import Any, Final

from devices.simulated.people.game import Break, FloorKnows, Game, Limit, Remedy, Wagering
from devices.simulated.people.mistakes import Kind
from devices.simulated.things.pack import FULL_PACK
from table_fsm.felt import Built, full_deck
from table_fsm.rulebook import Rulebook
from table_fsm.rulebook.irregularities import SHOE_MATTERS, Irregularity
from table_fsm.rulebook.model import Book
from table_fsm.rulebook.outcomes import Outcome
from table_fsm.structures.structure import Structure

DECKS: Final = ("blue", "red")
BLINDS: Final = (100, 200)
ANTE: Final = 200
HOUSE_MINIMUM: Final = 500
_OF_PACK: Final = (
    Irregularity.SHORT_DECK,
    Irregularity.FOREIGN_CARD,
    Irregularity.DUPLICATE_CARD,
    Irregularity.DECK_UNCHECKED,
)
FLOOR: Final = FloorKnows(
    remedies=MappingProxyType(
        {matter.value: Remedy.CLEAR_SHOE for matter in SHOE_MATTERS}
        | {matter.value: Remedy.CHECK_PACKS for matter in _OF_PACK}
        | {Irregularity.DROPBOX_UNSAFE.value: Remedy.CLOSE_BOX}
    ),
    stops_table=Outcome.STOP_TABLE.value,
)
"""What the simulated supervisor knows of rulings."""
_BEST_STRUCTURE: Final = "action-clock"
"""Chosen where a book leaves the choice: it has everything."""


def options_for(rulebook: Rulebook, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the options to open the table with: those the book takes, replaced by `given`.

    A tournament with a structure has its amounts from there; other games have blinds or an ante in cents.
    """
    options = dict(given or {})
    takes = rulebook.book.options
    if rulebook.book.banked == "house":
        return {"table_min": HOUSE_MINIMUM, **options}
    if "commission" in takes and "commission" not in options:
        options["commission"] = next((v for v in takes["commission"].values or () if v != "none"), "none")
    if options.keys() & {"blinds", "ante", "structure"} or _default_structure(rulebook) is not None:
        return options
    if _named(rulebook, _BEST_STRUCTURE):
        return {**options, "structure": _BEST_STRUCTURE}
    if "blinds" not in takes:
        return {**options, "ante": ANTE}
    amounts: dict[str, Any] = {"blinds": list(BLINDS), "table_min": BLINDS[-1]}
    if rulebook.book.tournament.ante_from == "big_blind":
        amounts["ante"] = ANTE
    return {**options, **amounts}


def _default_structure(rulebook: Rulebook) -> str | None:
    option = rulebook.book.options.get("structure")
    return option.default if option is not None and isinstance(option.default, str) else None


def _named(rulebook: Rulebook, structure: str) -> bool:
    option = rulebook.book.options.get("structure")
    return option is not None and option.values is not None and structure in option.values


def _structure(rulebook: Rulebook, options: Mapping[str, Any]) -> Structure | None:
    if options.keys() & {"blinds", "ante"}:
        return None
    name = options.get("structure", _default_structure(rulebook))
    return rulebook.structures.get(name) if isinstance(name, str) else None


def game_for(rulebook: Rulebook, seats: tuple[int, ...], options: Mapping[str, Any], **more: Any) -> Game:
    """The game of this book with these options. `more`: other fields of the Game."""
    book, structure = rulebook.book, _structure(rulebook, options)
    built = Built(options.get("built", Built.FULL))
    faces = options.get("faces") is not False
    first = structure.levels[0] if structure is not None else None
    fields: dict[str, Any] = {
        "kind": kind_of(book),
        "wagering": _wagering(book, options),
        "decks": DECKS[: book.deck.packs],
        "pack": _pack(book, options),
        "hole_cards": book.streets[0].own_cards,
        "built": built,
        "faces": faces,
        "look_sensor": options.get("look_sensor") is not False,
        "blinds": first.blinds if first is not None else tuple(options.get("blinds", ())),
        "ante": (first.ante if first is not None else options.get("ante")) or 0,
        "table_min": options.get("table_min", HOUSE_MINIMUM),
        "button": seats[-1] if _button_is_given(book, built, faces=faces) else None,
        "marker": book.button.marker,
        "least_cut": book.cut.least_depth,
        "checks_first": book.deck.check == "advised",
        "levels": structure is not None,
        "breaks": _breaks(structure),
        "action_clock": structure is not None and structure.action_clock is not None,
    }
    return Game(rulebook=rulebook.id, seats=seats, floor=FLOOR, **{**fields, **more})


def _button_is_given(book: Book, built: Built, *, faces: bool) -> bool:
    """Whether the table opens with its button: also where nobody would see the cards that draw for it."""
    unseen = not faces or built in {Built.NO_SEAT_READERS, Built.BOARD_ONLY}
    drawn_unseen = book.button.first == "drawn" and unseen
    return book.banked == "player" and (book.button.first == "as_opened" or drawn_unseen)


def _breaks(structure: Structure | None) -> tuple[Break, ...]:
    levels = () if structure is None else structure.levels
    ends = accumulate(level.seconds for level in levels)
    return tuple(Break(level.number, end) for level, end in zip(levels, ends, strict=True) if level.break_after)


def kind_of(book: Book) -> Kind:
    """Return the way in which the cards of this book's game are dealt."""
    if book.banked == "house":
        return Kind.HOUSE
    if any(street.draw for street in book.streets):
        return Kind.DRAW
    if any(street.own_cards for street in book.streets[1:]):
        return Kind.STUD
    return Kind.FLOP if any(street.burn for street in book.streets) else Kind.SINGLE


def _wagering(book: Book, options: Mapping[str, Any]) -> Wagering:
    betting = options.get("betting")
    if betting is None and "betting" in book.options:
        betting = book.options["betting"].default
    return Wagering(
        limit=Limit(betting) if betting in tuple(Limit) else Limit.NONE,
        raise_is_call=book.betting.least_raise == "amount_to_call",
        last_street=book.streets[-1].name,
    )


def _pack(book: Book, options: Mapping[str, Any]) -> tuple[str, ...]:
    """The cards of a deck, in the order of the box."""
    cards = full_deck(options.get("deck", book.deck.size), options.get("joker", book.deck.joker))
    return tuple(card for card in (*FULL_PACK, "Jo") if card in cards)
