"""The phrases of a printed book that a setting of the book chooses, in English, and how each is said in other words.

Other languages have them in `phrases.toml` of the catalogues, by their English.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from feltd.text.catalogue import by_id, phrase, say, word
from feltd.text.language import Language, spoken
from table_fsm.felt import PHASE_WORDS, FaultKind
from table_fsm.rulebook.clauses import By
from table_fsm.rulebook.irregularities import ANY_IRREGULARITY, Irregularity
from table_fsm.structures.structure import ReEntry

OPENERS: Final = {
    "after_blinds": "opened by the player after the last blind",
    "after_button": "opened by the first active player after the button",
    "anyone": "players decide in any order",
    "low_or_high_card": "opened by the lowest or the highest card showing, as the option `opener` says",
    "high_card": "opened by the highest card showing",
    "high_card_by_suit": "opened by the highest card showing, the ace low, equals by suit: spade, heart, diamond, club",
    "high_hand": "opened by the highest hand showing",
    "low_hand": "opened by the lowest hand showing, the ace low",
}
PLACES: Final = {
    "seats": "to each seat in the deal",
    "boxes": "to each box with its wagers",
    "board": "to the board",
    "dealer": "to the dealer",
}
FACES: Final = {"up": "face up", "down": "face down"}
CUTTERS: Final = {
    "anyone": "",
    "right_of_first": ", by the player on the right of who gets the first card, else the dealer",
    "dealer": ", by the dealer alone",
}
JOINS: Final = {
    "at_once": "is dealt in at once",
    "wait_for_blind": "waits for the big blind or posts it",
    "wait_between_button_and_small_blind": "is dealt in at once, but waits between the button and the small blind",
}
ABSENT: Final = {
    "may_be_dealt_in": "may be dealt in or passed over",
    "dealt_in_and_folded": "is dealt in and folded",
    "dealt_in_and_dead": "when the first card comes is dealt in, and the hand is dead",
}
CHECKED: Final = {"required": "required", "advised": "advised"}
MARKERS: Final = {"button": "button", "buck": "buck"}
BEGINS: Final = {
    "right_of_dealer": "begins at the first active player to the dealer's right",
    "left_of_dealer": "begins at the first active player to the dealer's left",
    "as_opened": "begins where the table is opened with it",
    "drawn": "begins where the table is opened with it, or at the high card of a draw",
}
MOVES: Final = {
    "to_next_player": "moves to the next player",
    "dead": "moves to where the small blind was, even if no player is there (a dead button)",
}
LEAST_BETS: Final = {
    "ante": "No bet or raise is less than the ante",
    "blind": "No bet or raise is less than the option table_min, else the last blind, else the ante",
    "table_minimum": "No bet or raise is less than the option table_min, else the last blind",
}
MADE_OF: Final = {
    "any_five": "any five of own and communal cards",
    "two_of_four": "two of four own cards and three communal ones",
    "two_of_three": "two of three own cards and three communal ones",
    "five_held": "the five own cards",
}
SHOWS_FIRST: Final = {
    "last_aggressor": "the last to bet or raise",
    "last_street_aggressor": "the last to bet or raise on the last street, else the first after the button,",
    "last_called": "the player called in the last betting round, else the first after the button,",
    "after_button": "the first after the button",
}
UNITS: Final = {"points": "points", "cents": "cents"}
NEEDED: Final = {"shoe": "shoe", "reader": "reader", "dropbox": "dropbox"}
COUNTS: Final = {"0": "no", "1": "one", "2": "two", "3": "three", "4": "four", "5": "five"}
GAMES: Final = {
    "no_limit": "no limit",
    "pot": "pot",
    "half_pot": "half pot",
    "limit": "limit",
    "structured": "structured",
    "manila": "manila",
}
BY_WORDS: Final[Mapping[str, str]] = {
    By.RULINGS: "rulings",
    By.BEHAVIOUR: "the table itself",
    By.HARDWARE: "devices and page",
    By.FLOOR: "the floor",
    By.PEOPLE: "people",
    By.DEFINITION: "–",
}
COUNTED: Final[Mapping[str, str]] = {
    By.RULINGS: "ruled on when they are broken",
    By.BEHAVIOUR: "followed by the table itself",
    By.HARDWARE: "kept by devices and page",
    By.FLOOR: "kept by the floor, where it runs tournaments and waiting lists; else left to people",
    By.PEOPLE: "left to people",
    By.DEFINITION: "definitions, with nothing to see to",
}
RE_ENTRY: Final[Mapping[str, str]] = {
    ReEntry.NONE.value: "no re-entry",
    ReEntry.SINGLE.value: "one re-entry",
    ReEntry.UNLIMITED.value: "any number of re-entries",
}
TRIGGERS: Final = {
    "shuffled": "shuffled",
    "cards_checked": "cards checked",
    "cut": "cut",
    "begin": "begin",
    "dealt": "dealt",
    "closed": "closed",
    "won": "won",
    "finish": "finish",
    "misdeal": "misdeal",
    "void": "void",
}
TABLES: Final[tuple[Mapping[str, str], ...]] = (
    OPENERS, PLACES, FACES, CUTTERS, JOINS, ABSENT, CHECKED, MARKERS, BEGINS, MOVES, LEAST_BETS, MADE_OF, SHOWS_FIRST,
    UNITS, NEEDED, COUNTS, GAMES, BY_WORDS, COUNTED, RE_ENTRY, TRIGGERS,
)  # fmt: skip
"""All of them: a test holds the catalogues to them."""


def named(table: Mapping[str, str], name: str) -> str:
    """Return the phrase of a name in one of these tables; of a name that only an own book has: the name itself."""
    return phrase(table.get(name, name.replace("_", " ")))


def listed(table: Mapping[str, str], names: Iterable[str]) -> str:
    """Return these names of a table, parted by commas."""
    return ", ".join(named(table, name) for name in names)


def irregularity_words(irregularity: Irregularity | str) -> str:
    """Return what went wrong in a row, in the language that is spoken. Raises ValueError for an unknown name."""
    return say("Anything else") if irregularity == ANY_IRREGULARITY else word(Irregularity(irregularity))


def street_words(street: str) -> str:
    """Return a street's name."""
    english = street.replace("_", "-")
    return english if spoken() is Language.ENGLISH else by_id(f"Street.{street}", english.capitalize())


def state_words(state: str) -> str:
    """Return a state of the round.

    >>> state_words("betting.pre_flop")
    'betting: pre flop'
    """
    phase, dot, street = state.partition(".")
    if spoken() is Language.ENGLISH or phase not in PHASE_WORDS:
        return state.replace(".", ": ").replace("_", " ")
    words = by_id(f"Phase.{phase}", phase)
    return f"{words}: {street_words(street)}" if dot else words


def trigger_words(trigger: str) -> str:
    """Return what leads from a state to another."""
    return named(TRIGGERS, trigger)


def fact_words(value: str, english: str) -> str:
    """Return a fact's value in words. A fault of the shoe has those of its set."""
    kinds = {kind.value: kind for kind in FaultKind}
    return word(kinds[value]) if value in kinds and kinds[value].words == english else phrase(english)


def people_words(roles: Iterable[str]) -> str:
    """Return roles of staff, as the page writes them, parted by commas."""
    return ", ".join(by_id(f"StaffRole.{role}", role) for role in roles)


def count_in_words(number: int) -> str:
    """Return `no` to `five` as words, as a count of cards, other numbers as figures."""
    return named(COUNTS, str(number))
