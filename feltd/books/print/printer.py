"""A rulebook as a document for a regulator, its rulings in the order of the clauses.

In the book a row may depend on those above it; printed in another order it may not. So a row's conditions are printed
as the cases that really reach it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from feltd.books.print.document import Block, Document, Grid, Items, Section, Text, grid, markdown
from feltd.books.print.numbers import count_in_words
from feltd.books.print.printed_betting import betting_sentences
from feltd.books.print.printed_precedence import precedence_section
from feltd.books.print.printed_structures import structure_blocks
from feltd.text.rule_address import row_addresses
from table_fsm.felt import AmountUnit
from table_fsm.rulebook.book import Rulebook, allowed_words
from table_fsm.rulebook.cases import Case, cases_of, first_rows
from table_fsm.rulebook.irregularities import ANY_IRREGULARITY, Irregularity, irregularity_in_words
from table_fsm.rulebook.model import AmountRules, ButtonRules, ClockRules, DealStep, OptionRule, Row, Street
from toml_text.words import values_in_words

_NUMBERS: Final = re.compile(r"(\d+)")
_OPENERS: Final = {
    "after_blinds": "opened by the player after the last blind",
    "after_button": "opened by the first active player after the button",
    "anyone": "players decide in any order",
    "low_or_high_card": "opened by the lowest or the highest card showing, as the option `opener` says",
    "high_card": "opened by the highest card showing",
    "high_card_by_suit": "opened by the highest card showing, the ace low, equals by suit: spade, heart, diamond, club",
    "high_hand": "opened by the highest hand showing",
    "low_hand": "opened by the lowest hand showing, the ace low",
}
_PLACES: Final = {
    "seats": "to each seat in the deal",
    "boxes": "to each box with its wagers",
    "board": "to the board",
    "dealer": "to the dealer",
}
_CUTTERS: Final = {
    "anyone": "",
    "right_of_first": ", by the player on the right of who gets the first card, else the dealer",
    "dealer": ", by the dealer alone",
}
_JOINS: Final = {
    "at_once": "is dealt in at once",
    "wait_for_blind": "waits for the big blind or posts it",
    "wait_between_button_and_small_blind": "is dealt in at once, but waits between the button and the small blind",
}
_Key: TypeAlias = tuple[tuple[int, int, str], ...]


def print_book(rulebook: Rulebook) -> str:
    """The whole book as Markdown.

    It has its facts, deck and seats, deal, options, rulings by clause, behaviours.
    """
    return markdown(book_document(rulebook))


def book_document(rulebook: Rulebook) -> Document:
    """The whole book in parts."""
    sections = [
        Section("deck", "Deck, seats and people", (_sentences(_deck(rulebook)),)),
        Section(
            "deal",
            "The deal, street by street",
            (Items(tuple(_street(street, rulebook) for street in rulebook.streets), numbered=True),),
        ),
        Section("play", "Button, betting, clock and showdown", (_sentences(_play(rulebook)),)),
        Section("options", "Options of a table", (_options(rulebook),)),
        Section("rulings", "Rulings", tuple(_rulings(rulebook))),
        precedence_section(rulebook),
        Section("behaviours", "What the table does by itself", (_behaviours(rulebook),)),
    ]
    if rulebook.structures:
        blocks = structure_blocks(list(rulebook.structures.values()), rulebook.amounts)
        sections.append(Section("structures", "Blind structures", tuple(blocks)))
    return Document(rulebook.title, tuple(_facts(rulebook)), tuple(sections))


def clause_order(clause: str) -> _Key:
    """Sort key of clauses as people count: 9.4 before 19.1(c) before 19.11.

    Clauses that begin with a number come first.
    """
    parts = (part for part in _NUMBERS.split(clause) if part)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts)


def conditions_in_words(rows: Sequence[Row]) -> list[str]:
    """The cases that reach each row of a book; `always` where all do."""
    takers = first_rows(rows)
    return [_conditions(row, position, takers) for position, row in enumerate(rows)]


def _conditions(row: Row, position: int, takers: Mapping[Irregularity, Mapping[Case, int]]) -> str:
    if row.irregularity == ANY_IRREGULARITY:
        return "no other row answers it"
    irregularity = Irregularity(row.irregularity)
    cases = [case for case in cases_of(irregularity) if takers[irregularity].get(case) == position]
    return _cases_in_words(irregularity, cases)


def _cases_in_words(irregularity: Irregularity, cases: Sequence[Case]) -> str:
    facts = irregularity.facts
    if not cases:
        return "never: the rows above take every case"
    seen = [tuple(dict.fromkeys(values)) for values in zip(*cases, strict=True)]
    product = 1
    for values in seen:
        product *= len(values)
    if product != len(cases):  # no simple "this and that": say each case
        return "; or ".join(_cases_in_words(irregularity, [case]) for case in cases)
    words = [
        _one_of(values, facts[fact]) for fact, values in zip(facts, seen, strict=True) if len(values) < len(facts[fact])
    ]
    return ", ".join(words) or "always"


def _one_of(values: tuple[str, ...], words: Mapping[str, str]) -> str:
    """Return the condition that a fact has one of `values`.

    If a long list lacks only a few, the words name those.
    """
    rest = tuple(value for value in words if value not in values)
    if len(words) > 4 and 0 < len(rest) < len(values):
        return f"not: {' or '.join(words[value] for value in rest)}"
    return " or ".join(words[value] for value in values)


# --- the sections


def _facts(rulebook: Rulebook) -> Iterator[str]:
    yield f"Book: `{rulebook.id}`"
    if rulebook.source:
        yield f"Source: {rulebook.source}"
    if rulebook.book.extends:
        yield f"Stands on: {', '.join(f'`{base}`' for base in rulebook.book.extends)}"
    if rulebook.book.abstract:
        yield "A base for other books: no table opens with it"
    if rulebook.amounts.unit is not None:
        yield f"Amounts: {_amounts(rulebook.amounts)}"
    yield f"Digest (SHA-256): `{rulebook.digest}`"


def _amounts(rules: AmountRules) -> str:
    """What amounts are, for the head of the book."""
    units = _units(rules)
    if rules.currency is None:
        return units
    in_money = AmountUnit.CENTS in (rules.unit, rules.tournament)
    return f"{units}; the currency is {rules.currency}" if in_money else f"{units}; prizes are in {rules.currency}"


def _units(rules: AmountRules) -> str:
    if rules.tournament in (None, rules.unit):
        return rules.unit or AmountUnit.CENTS
    return f"{rules.unit} (in a tournament {rules.tournament})"


def _sentences(lines: Iterable[str]) -> Items:
    return Items(tuple(f"{line}." for line in lines))


def _deck(rulebook: Rulebook) -> Iterator[str]:
    deck, seats, cut, box = rulebook.deck, rulebook.seats, rulebook.cut, rulebook.box
    packs = "one pack" if deck.packs == 1 else "two packs of different backs, in turns"
    joker = " and a joker" if deck.joker else ""
    yield f"{deck.size} cards{joker}, {packs}"
    yield f"A card-by-card check before gaming is {deck.check}" + _after(
        "; replacement cards need one badge of: ", deck.replacement_badges
    )
    if deck.from_shoe:
        yield "Every card comes from the shoe"
    begin = f", {seats.least_to_begin} to begin" if seats.least_to_begin is not None else ""
    yield f"Up to {seats.most} seats, {seats.least_players} or more players{begin}; the {rulebook.banked} banks"
    if seats.reduced_most is not None:
        yield f"With fewer than 52 cards at most {seats.reduced_most} players"
    if rulebook.banked == "player":
        yield f"A player who joins a running game {_JOINS[seats.newcomers]}"
        absent = {
            "may_be_dealt_in": "may be dealt in or passed over",
            "dealt_in_and_folded": "is dealt in and folded",
            "dealt_in_and_dead": "when the first card comes is dealt in, and the hand is dead",
        }
        yield f"A player who is not there {absent[seats.absent]}"
    if seats.halts_when_short is not None:
        yield (
            f"With {seats.halts_when_short} players fewer than the option `seats_max`, no hand begins once the big "
            "blind is at an empty seat"
        )
    if seats.away_seconds is not None:
        yield f"A seat left for more than {seats.away_seconds} seconds is told to the supervisor"
    if seats.idle_rounds is not None:
        yield f"{seats.idle_rounds} rounds without a wager at a full table are told to the supervisor"
    if cut.asked:
        depth = f", {cut.least_depth} or more from either end" if cut.least_depth > 1 else ""
        yield f"The cards are cut before the deal{depth}{_CUTTERS[cut.by]}"
    if box.used:
        yield "There is a drop box" + _after(
            f"; changing up needs, in the last {box.witness_seconds} seconds, one badge of: ", box.witness_roles
        )
    if rulebook.needs:
        yield f"No round starts without: {values_in_words(rulebook.needs)}"


def _after(lead: str, names: Sequence[str]) -> str:
    return lead + ", ".join(names) if names else ""


def _street(street: Street, rulebook: Rulebook) -> str:
    steps = [_step(step) for step in street.deal]
    if street.burn:
        steps.insert(
            0, "burn as many cards as the option `burn` says" if "burn" in rulebook.options else "burn one card"
        )
    if street.draw:
        steps.append("each player may replace any of their cards")
    if street.turn:
        steps.append(f"turn {', '.join(street.turn)} face up")
    dealt = "; ".join(steps) or "no cards"
    return f"**{street.name.replace('_', '-')}**: {dealt}. {_betting(street)}."


def _step(step: DealStep) -> str:
    if step.to == "discards":
        return f"each player gives up {count_in_words(step.cards)} of their cards, face {step.face}"
    cards = f"{count_in_words(step.cards)} card{'s' if step.cards > 1 else ''}"
    pace = f", {count_in_words(step.at_a_time)} at a time" if step.cards > 1 else ""
    return f"{cards} {_PLACES[step.to]}{pace}, face {step.face}"


def _betting(street: Street) -> str:
    if street.opener == "nobody":
        return "No betting"
    multiples = " or ".join(f"{multiple}×" for multiple in street.play_multiples)
    return f"Then betting, {_OPENERS[street.opener]}" + (f"; a play wager is {multiples} the ante" if multiples else "")


def _play(rulebook: Rulebook) -> Iterator[str]:
    yield _button(rulebook.button)
    if rulebook.banked == "player":
        yield from betting_sentences(rulebook)
    clock = rulebook.clock
    if clock.seconds is not None:
        shown = f", shown again at {values_in_words(clock.warnings)} seconds" if clock.warnings else ""
        confirm = "; called by a seat, it runs when a supervisor confirms" if clock.seat_call_needs_confirm else ""
        yield f"A clock on a player runs {clock.seconds} seconds{shown}{confirm}"
        yield _callers(clock)
    if rulebook.book.tournament.penalty_orbits is not None:
        yield f"A penalty lasts at most {count_in_words(rulebook.book.tournament.penalty_orbits)} orbits or rounds"
    if clock.action is not None:
        first = _after(", shown again at (with a time bank to come) ", [str(at) for at in clock.action.warnings])
        last = _after(", (in the last period) ", [str(at) for at in clock.action.final_warnings])
        yield f"Where the structure or the options give its seconds, an action clock on every decision{first}{last}"


def _callers(clock: ClockRules) -> str:
    seats = "a seat" if clock.seat_calls == "any" else "the seat of another player who is there"
    beside = "" if clock.called_beside_action else "; not where an action clock runs"
    return f"That clock is called by {seats}, or by: {values_in_words(clock.callers)}{beside}"


def _button(button: ButtonRules) -> str:
    if not button.used:
        return "There is no button"
    first = {
        "right_of_dealer": "begins at the first active player to the dealer's right",
        "left_of_dealer": "begins at the first active player to the dealer's left",
        "as_opened": "begins where the table is opened with it",
        "drawn": "begins where the table is opened with it, or at the high card of a draw",
    }
    deal = "the deal begins with the next player" if button.marker == "button" else "the deal begins with its player"
    bought = "; who would wait behind it may buy it with both blinds" if button.may_be_bought else ""
    missing = "; if who owes the small blind has left, the round has none" if button.small_blind_may_be_missing else ""
    moves = {
        "to_next_player": "moves to the next player",
        "dead": "moves to where the small blind was, be there a player or not (a dead button)",
    }
    return f"The {button.marker} {first[button.first]} and {moves[button.moves]}; {deal}{missing}{bought}"


def _options(rulebook: Rulebook) -> Grid:
    units = _units(rulebook.amounts)
    rows = [
        (f"`{name}`", allowed_words(rulebook, name, units), *_option(rule))
        for name, rule in sorted(rulebook.options.items())
    ]
    return grid(("Option", "Values", "Default", "Clause"), rows)


def _option(rule: OptionRule) -> tuple[str, str]:
    default = rule.default
    if default is None:
        default_words = "not set"
    elif isinstance(default, bool):
        default_words = "true" if default else "false"
    else:
        default_words = values_in_words(default) if isinstance(default, tuple) else str(default)
    return default_words, rule.clause or ""


def _rulings(rulebook: Rulebook) -> Iterator[Block]:
    order = sorted(range(len(rulebook.rulings)), key=lambda at: clause_order(rulebook.rulings[at].rule))
    conditions = conditions_in_words(rulebook.rulings)
    notes: list[str] = []
    rows = []
    for position in order:
        row, source = rulebook.rulings[position], rulebook.row_sources[position]
        if row.note:
            notes.append(row.note)
        mark = f" [{len(notes)}]" if row.note else ""
        origin = "" if source == rulebook.id else source
        rows.append((*_ruling(row), conditions[position], *_answer(row), origin, row.text + mark))
    heads = ("Clause", "What went wrong", "When", "Outcome", "Also", "Who", "From base", "What the dealer reads")
    ruled = [rulebook.rulings[position] for position in order]
    yield grid(heads, rows, row_addresses((row.rule, row.text) for row in ruled))
    if notes:
        yield Text("Notes")
        yield Items(tuple(notes), numbered=True)


def _ruling(row: Row) -> tuple[str, str]:
    return row.rule, irregularity_in_words(row.irregularity)


def _answer(row: Row) -> tuple[str, str, str]:
    return row.outcome.words, "; ".join(outcome.words for outcome in row.also), row.authority.words


def _behaviours(rulebook: Rulebook) -> Grid:
    items = sorted(rulebook.behaviours, key=lambda item: clause_order(item.rule))
    return grid(("Clause", "Behaviour"), [(item.rule, item.text) for item in items])
