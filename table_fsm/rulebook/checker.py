"""Checks of a book beyond its schema.

Each case is answered, no row is dead, the cards suffice, texts are plain. `file_faults` looks at what one file says by
itself, `book_faults` at a book with its bases merged into it. The loader uses both, so that no faulty book is ever
loaded; `check_book` uses both on a loaded book.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from table_fsm.felt import DECK_SIZES, AmountUnit, StaffRole
from table_fsm.rulebook.book import SEATS_OPTION, Rulebook, allows, kind_words
from table_fsm.rulebook.cases import cases_of, first_rows, reached
from table_fsm.rulebook.irregularities import ANY_IRREGULARITY, Irregularity
from table_fsm.rulebook.model import Behaviour, Book, OptionRule, Row, StandsRow, Street
from table_fsm.rulebook.named_structures import STRUCTURE_OPTION
from table_fsm.rulebook.outcomes import PENDING_OUTCOMES, Authority
from table_fsm.rulebook.precedence_checks import precedence_faults, stands_faults
from table_fsm.rulebook.round_cards import cards_needed
from toml_text.faults import Fault, key_of
from toml_text.words import not_allowed, value_in_words, values_in_words

BOARD_ZONES: Final = 5
MOST_SENTENCES: Final = 3
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+")
_LISTED_KINDS: Final = ("number", "choice", "flag")


def check_book(rulebook: Rulebook) -> list[str]:
    """Return every fault of a merged book as `key: what`; an empty list for a good one.

    A row is named by its place, from 1. An abstract book need not be complete: only its own rows and options are
    checked.
    """
    book = rulebook.book
    own = [
        entry for entry, source in zip(enumerate(book.rulings), rulebook.row_sources, strict=True) if source == book.id
    ]
    inherited = [entry for entry in enumerate(book.rulings) if entry not in own]
    faults = [
        *file_faults(own, list(book.options.items()), list(enumerate(book.behaviours)), list(enumerate(book.stands))),
        *(fault for at, row in inherited for fault in row_faults(at, row)),
        *(() if book.abstract else book_faults(rulebook)),
    ]
    return [_in_a_line(book, fault) for fault in faults]


def _in_a_line(book: Book, fault: Fault) -> str:
    key = key_of(fault.path)
    if fault.path[:1] == ("rulings",) and len(fault.path) > 1:
        at = int(fault.path[1])
        key = f"{key} (row {at + 1}, {book.rulings[at].irregularity}, {book.rulings[at].rule})"
    return f"{key}: {fault.what}" if key else fault.what


# --- what a file says by itself


def file_faults(
    rows: Sequence[tuple[int, Row]],
    options: Iterable[tuple[str, OptionRule]],
    behaviours: Iterable[tuple[int, Behaviour]],
    stands: Iterable[tuple[int, StandsRow]],
) -> list[Fault]:
    """The faults of a file's rows, options, behaviours and rules of precedence, each given with its place or name."""
    return [
        *(fault for at, row in rows for fault in row_faults(at, row)),
        *_dead_rows(rows),
        *(fault.below("options", name) for name, rule in options for fault in _option_faults(name, rule)),
        *(fault.below("behaviours", at) for at, item in behaviours for fault in _behaviour_faults(item)),
        *(fault.below("stands", at) for at, rule in stands for fault in _stands_faults(rule)),
    ]


def row_faults(at: int, row: Row) -> Iterator[Fault]:
    """The faults of one row by itself; `at`: its place."""
    for fault in (*_when_faults(row), *_outcome_faults(row), *_clause_faults(row.rule), *_text_faults(row.text)):
        yield fault.below("rulings", at)


def _when_faults(row: Row) -> Iterator[Fault]:
    if row.irregularity == ANY_IRREGULARITY:
        if row.when:
            yield Fault(("when",), "the row '*' takes whatever is left and has no conditions; leave `when` out")
        return
    facts = Irregularity(row.irregularity).facts
    for fact, values in row.when.items():
        if fact not in facts:
            yield Fault(("when", fact), f"{row.irregularity} has no such fact: {not_allowed(fact, list(facts))}")
            continue
        if not values:
            yield Fault(("when", fact), f"no value, so the row never holds; allowed: {', '.join(facts[fact])}")
        for value in values:
            if value not in facts[fact]:
                yield Fault(("when", fact), not_allowed(value, list(facts[fact])))
        for twice in _repeated(values):
            yield Fault(("when", fact), f"{value_in_words(twice)} stands here twice; name it once")


def _outcome_faults(row: Row) -> Iterator[Fault]:
    for outcome in _repeated([row.outcome, *row.also]):
        yield Fault(("also",), f'"{outcome}" stands twice among outcome and also; name it once')
    pending = [outcome for outcome in (row.outcome, *row.also) if outcome in PENDING_OUTCOMES]
    if pending and row.authority is Authority.DEALER:
        yield Fault(
            ("authority",), f"a person other than the dealer decides after {pending[0]}; allowed: supervisor, director"
        )


def _clause_faults(clause: str) -> Iterator[Fault]:
    if clause != " ".join(clause.split()):
        yield Fault(
            ("rule",), f"{value_in_words(clause)} has stray blanks; write the words with one blank between them"
        )
    if clause.count("(") != clause.count(")"):
        yield Fault(("rule",), f"{value_in_words(clause)} has a bracket that is not closed or not opened")


def _text_faults(text: str) -> Iterator[Fault]:
    if text != " ".join(text.split()):
        yield Fault(("text",), "stray blanks or lines; write it in one line with one blank between the words")
    if not text.rstrip().endswith((".", "!", "?")):
        yield Fault(("text",), f"{value_in_words(text)} does not end with a stop; each sentence does")
    sentences = _SENTENCE_END.split(text.strip())
    if len(sentences) > MOST_SENTENCES:
        yield Fault(("text",), f"{len(sentences)} sentences; a dealer reads at most {MOST_SENTENCES}")
    for sentence in sentences:
        if sentence[:1].islower():
            yield Fault(("text",), f"{value_in_words(sentence)} begins a sentence and has no capital letter")


def _behaviour_faults(item: Behaviour) -> Iterator[Fault]:
    yield from _clause_faults(item.rule)
    yield from _text_faults(item.text)


def _stands_faults(rule: StandsRow) -> Iterator[Fault]:
    yield from stands_faults(rule)
    yield from _clause_faults(rule.rule)
    yield from _text_faults(rule.text)


def _dead_rows(rows: Sequence[tuple[int, Row]]) -> Iterator[Fault]:
    live = reached([row for _, row in rows])
    wild_at: int | None = None
    for position, (at, row) in enumerate(rows):
        if position not in live:
            yield Fault(("rulings", at), f"dead row: {_takers(rows[:position], row)}; leave it out, or narrow those")
        elif wild_at is not None:
            yield Fault(("rulings", at), "stands below the row '*', which takes whatever is left; move '*' to the end")
        if row.irregularity == ANY_IRREGULARITY:
            wild_at = at


def _takers(above: Sequence[tuple[int, Row]], row: Row) -> str:
    clauses = [other.rule for _, other in above if other.irregularity == row.irregularity]
    if clauses:
        return f"the rows above it ({', '.join(dict.fromkeys(clauses))}) take every case of {row.irregularity} it would"
    return "its conditions hold in no case" if row.irregularity != ANY_IRREGULARITY else "every case has a row already"


def _option_faults(name: str, rule: OptionRule) -> Iterator[Fault]:
    if name == STRUCTURE_OPTION and rule.kind != "choice":
        yield Fault(("kind",), f'{value_in_words(rule.kind)} is no kind for it; allowed: "choice"')
        return
    if rule.values is not None and rule.kind not in _LISTED_KINDS:
        yield Fault(("values",), f"an option of the kind {rule.kind} has no list of values; leave it out")
        return
    any_there_is = name == STRUCTURE_OPTION and rule.values is None
    if rule.kind == "choice" and not rule.values and not any_there_is:
        yield Fault(("values",), "a choice names what there is to choose from: give a list with at least one value")
        return
    wrong = [value for value in rule.values or () if not allows(rule, value)]
    for value in wrong:
        yield Fault(("values",), f"{value_in_words(value)} is no value of the kind {rule.kind}")
    for value in _repeated(rule.values or ()):
        yield Fault(("values",), f"{value_in_words(value)} stands here twice; name it once")
    if rule.default is not None and not wrong and not allows(rule, rule.default):
        yield Fault(("default",), f"{value_in_words(rule.default)} is not allowed; allowed: {kind_words(rule)}")
    if rule.clause is not None:
        yield from (Fault(("clause",), fault.what) for fault in _clause_faults(rule.clause))


def _repeated(values: Iterable[str | int]) -> list[str | int]:
    return [value for value, count in Counter(values).items() if count > 1]


# --- what a merged book says


def book_faults(rulebook: Rulebook) -> list[Fault]:
    """The faults that show only once a book's bases are merged into it."""
    book = rulebook.book
    return [
        *_gaps(book),
        *_amount_faults(rulebook),
        *precedence_faults(book),
        *_deck_faults(book),
        *_people_faults(book),
        *_street_faults(book),
        *_board_faults(book),
        *_hand_faults(book),
        *_deal_faults(rulebook),
        *_clock_faults(book),
    ]


def _gaps(book: Book) -> Iterator[Fault]:
    takers = first_rows(book.rulings)
    for irregularity in Irregularity:
        open_cases = [case for case in cases_of(irregularity) if case not in takers[irregularity]]
        if open_cases:
            names = irregularity.facts
            cases = [
                "; ".join(f"{n} = {v}" for n, v in zip(names, case, strict=True)) or "always" for case in open_cases
            ]
            yield Fault(("rulings",), f"no row answers {irregularity} ({' | '.join(cases)}); add one, or a row '*'")


def _amount_faults(rulebook: Rulebook) -> Iterator[Fault]:
    rules = rulebook.amounts
    if rules.unit is None:
        allowed = values_in_words(list(AmountUnit))
        yield Fault(("amounts", "unit"), f"missing: say what the book counts its amounts in; allowed: {allowed}")
    if rules.currency is None:
        needed = next(_needs_currency(rulebook), None)
        if needed is not None:
            what = f'missing: {needed}; name the currency by its three letters, such as "AUD"'
            yield Fault(("amounts", "currency"), what)


def _needs_currency(rulebook: Rulebook) -> Iterator[str]:
    """The reasons why a book needs a currency."""
    if AmountUnit.CENTS in (rulebook.amounts.unit, rulebook.amounts.tournament):
        yield "the amounts are cents"
    if rulebook.tournament.payouts is not None:
        yield "the places of a tournament are paid"
    yield from (f"the structure {name} counts cents" for name, it in rulebook.structures.items() if not it.points)


def _deck_faults(book: Book) -> Iterator[Fault]:
    if book.deck.size not in DECK_SIZES:
        yield Fault(("deck", "size"), not_allowed(book.deck.size, [str(size) for size in DECK_SIZES]))
    option = book.options.get("deck")
    for size in option.values or () if option else ():
        if size not in DECK_SIZES:
            yield Fault(("options", "deck", "values"), not_allowed(size, [str(known) for known in DECK_SIZES]))


def _people_faults(book: Book) -> Iterator[Fault]:
    if book.seats.least_players > book.seats.most:
        text = f"{book.seats.least_players} players are asked for at {book.seats.most} seats"
        yield Fault(("seats", "least_players"), f"{text}; allowed: 1 to {book.seats.most}")
    option = book.options.get(SEATS_OPTION)
    default = option.default if option else None
    if isinstance(default, int) and not book.seats.least_players <= default <= book.seats.most:
        allowed = f"{book.seats.least_players} to {book.seats.most}"
        yield Fault(("options", SEATS_OPTION, "default"), f"{default} is not allowed; allowed: {allowed}")
    for path, roles in (
        (("deck", "replacement_badges"), book.deck.replacement_badges),
        (("box", "witness_roles"), book.box.witness_roles),
    ):
        for role in roles:
            if role not in tuple(StaffRole):
                yield Fault(path, not_allowed(role, tuple(StaffRole)))


def _clock_faults(book: Book) -> Iterator[Fault]:
    seconds = book.clock.seconds
    for left in book.clock.warnings:
        if left <= 0 or (seconds is not None and left >= seconds):
            most = f" to {seconds - 1}" if seconds is not None else ""
            yield Fault(("clock", "warnings"), f"{left} seconds left is no moment of this clock; allowed: 1{most}")


# --- streets: names, board, and whether the deck is large enough


def _street_faults(book: Book) -> Iterator[Fault]:
    names = [street.name for street in book.streets]
    if not book.streets:
        yield Fault(("streets",), "the book has no streets: say what is dealt, in one [[streets]] or more")
    for at, street in enumerate(book.streets):
        if street.name in names[:at]:
            yield Fault(("streets", at, "name"), f'"{street.name}" is the name of two streets; give each its own')
        found = (*_step_faults(book, street), *_draw_faults(book, at, street))
        yield from (fault.below("streets", at) for fault in found)
    for name in book.betting.uncapped_streets:
        if name not in names:
            yield Fault(("betting", "uncapped_streets"), not_allowed(name, names))


def _draw_faults(book: Book, at: int, street: Street) -> Iterator[Fault]:
    if street.draw and (at == 0 or book.banked == "house" or street.deal):
        text = "a draw stands before a later betting round of a game that the players bank, in place of a deal"
        yield Fault(("draw",), f"{text}; leave it out")


def _step_faults(book: Book, street: Street) -> Iterator[Fault]:
    for at, step in enumerate(street.deal):
        if step.at_a_time > step.cards:
            text = f"{step.at_a_time} at a time of {step.cards}; allowed: 1 to {step.cards}"
            yield Fault(("deal", at, "at_a_time"), text)
        if book.banked == "player" and step.to in ("boxes", "dealer"):
            yield Fault(
                ("deal", at, "to"), f'"{step.to}" is dealt to in games that the house banks; allowed: seats, board'
            )
        if step.to == "discards" and not _may_be_given_up(book, street, at):
            text = (
                "players give up cards before the burn and the board of a later street, face down, in games they bank"
            )
            yield Fault(("deal", at, "to"), f"{text}; leave it out")
    if street.play_multiples and book.banked == "player":
        yield Fault(("play_multiples",), "play wagers belong to games that the house banks; leave it out")
    if any(multiple < 1 for multiple in street.play_multiples):
        yield Fault(
            ("play_multiples",),
            f"{value_in_words(street.play_multiples)} is not allowed; allowed: whole numbers from 1",
        )


def _may_be_given_up(book: Book, street: Street, at: int) -> bool:
    """Whether the leg is the first of a street with a board that comes after a betting round."""
    later = book.streets and street is not book.streets[0] and book.banked == "player"
    return bool(later and at == 0 and street.communal_cards and not street.own_cards and street.deal[at].face == "down")


def _board_faults(book: Book) -> Iterator[Fault]:
    """Faults of the board: it is dealt from the left, each zone once.

    A card that lies face down is turned later, once.
    """
    down: set[str] = set()
    dealt = 0
    for at, street in enumerate(book.streets):
        for step_at, step in enumerate(street.deal):
            if step.to != "board":
                continue
            zones = [f"board:{number}" for number in range(dealt + 1, dealt + step.cards + 1)]
            dealt += step.cards
            if dealt > BOARD_ZONES:
                text = f"the board's card {dealt} is dealt; it has {BOARD_ZONES} zones, and each is dealt once"
                yield Fault(("streets", at, "deal", step_at), text)
            if step.face == "down":
                down.update(zones)
        for zone_at, zone in enumerate(street.turn):
            if zone not in down:
                text = f"{zone} does not lie face down here: it must be dealt so before, and is turned once"
                yield Fault(("streets", at, "turn", zone_at), text)
            down.discard(zone)
    if down and dealt <= BOARD_ZONES:
        yield Fault(("streets",), f"no street turns {', '.join(sorted(down))}, dealt face down; add it to a `turn`")


_OWN_CARDS: Final = {"two_of_four": 4, "two_of_three": 3, "five_held": 5}


def _hand_faults(book: Book) -> Iterator[Fault]:
    """Faults of a hand that needs another number of cards than is dealt."""
    own = sum(street.own_cards - street.given_up for street in book.streets)
    shared = sum(step.cards for street in book.streets for step in street.deal if step.to == "board")
    selection = book.hands.selection
    wanted = _OWN_CARDS.get(selection)
    if book.banked == "player" and book.streets and wanted is not None and own != wanted:
        yield Fault(("hands", "selection"), f'"{selection}" is made of {wanted} own cards, and {own} are dealt')
    if book.banked == "player" and book.streets and wanted is None and shared == BOARD_ZONES and 2 < own <= 5:
        yield Fault(
            ("hands", "selection"),
            f'"{selection}" is made of at most two own cards beside a board, and {own} are dealt',
        )


def _deal_faults(rulebook: Rulebook) -> Iterator[Fault]:
    """Faults of a deck too small for a full table's round.

    Not where a row says what happens when the cards do not suffice.
    """
    book = rulebook.book
    needed = cards_needed(book, book.seats.most, _burns(book))
    option = book.options.get("deck")
    size = option.default if option and isinstance(option.default, int) else book.deck.size
    if needed > size + book.deck.joker and not rulebook.has_own_row(Irregularity.INSUFFICIENT_CARDS):
        text = f"a round of {book.seats.most} seats takes {needed} cards, the deck has {size + book.deck.joker}"
        yield Fault(("streets",), f"{text}; take fewer seats or cards, or add a row for insufficient_cards")


def _burns(book: Book) -> int:
    option = book.options.get("burn")
    numbers = [value for value in (option.values or (option.default,)) if isinstance(value, int)] if option else []
    return max(numbers, default=1)
