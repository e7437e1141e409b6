"""A rulebook as a document for a regulator, its rulings in the order of the clauses.

In the book a row may depend on those above it; printed in another order it may not. So a row's conditions are printed
as the cases that really reach it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from feltd.books.print.document import Block, Document, Grid, Items, Section, Text, grid, markdown, of_the_source
from feltd.books.print.phrases import (
    ABSENT,
    BEGINS,
    CHECKED,
    CUTTERS,
    FACES,
    JOINS,
    MARKERS,
    MOVES,
    NEEDED,
    OPENERS,
    PLACES,
    UNITS,
    count_in_words,
    fact_words,
    irregularity_words,
    listed,
    named,
    people_words,
    street_words,
)
from feltd.books.print.printed_betting import betting_sentences
from feltd.books.print.printed_precedence import precedence_section
from feltd.books.print.printed_structures import structure_blocks
from feltd.text.catalogue import phrase, say, word
from feltd.text.rule_address import row_addresses
from table_fsm.felt import AmountUnit
from table_fsm.rulebook.book import SEATS_OPTION, Rulebook, allowed_words
from table_fsm.rulebook.cases import Case, cases_of, first_rows
from table_fsm.rulebook.irregularities import ANY_IRREGULARITY, Irregularity
from table_fsm.rulebook.model import (
    AmountRules,
    ButtonRules,
    ClockRules,
    CutRules,
    DealStep,
    OptionRule,
    Row,
    SeatRules,
    Street,
)
from toml_text.words import values_in_words

_NUMBERS: Final = re.compile(r"(\d+)")
_Key: TypeAlias = tuple[tuple[int, int, str], ...]


def print_book(rulebook: Rulebook) -> str:
    """The whole book as Markdown.

    It has its facts, deck and seats, deal, options, rulings by clause, behaviours.
    """
    return markdown(book_document(rulebook))


def book_document(rulebook: Rulebook) -> Document:
    """The whole book in parts."""
    sections = [
        Section("deck", say("Deck, seats and people"), (_sentences(_deck(rulebook)),)),
        Section(
            "deal",
            say("The deal, street by street"),
            (Items(tuple(_street(street, rulebook) for street in rulebook.streets), numbered=True),),
        ),
        Section("play", say("Button, betting, clock and showdown"), (_sentences(_play(rulebook)),)),
        Section("options", say("Options of a table"), (_options(rulebook),)),
        Section("rulings", say("Rulings"), tuple(_rulings(rulebook))),
        precedence_section(rulebook),
        Section("behaviours", say("What the table does by itself"), (_behaviours(rulebook),)),
    ]
    if rulebook.structures:
        blocks = structure_blocks(list(rulebook.structures.values()), rulebook.amounts)
        sections.append(Section("structures", say("Blind structures"), tuple(blocks)))
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
        return say("no other row answers it")
    irregularity = Irregularity(row.irregularity)
    cases = [case for case in cases_of(irregularity) if takers[irregularity].get(case) == position]
    return _cases_in_words(irregularity, cases)


def _cases_in_words(irregularity: Irregularity, cases: Sequence[Case]) -> str:
    facts = irregularity.facts
    if not cases:
        return say("never: the rows above take every case")
    seen = [tuple(dict.fromkeys(values)) for values in zip(*cases, strict=True)]
    product = 1
    for values in seen:
        product *= len(values)
    if product != len(cases):  # no simple "this and that": say each case
        return say("; or ").join(_cases_in_words(irregularity, [case]) for case in cases)
    words = [
        _one_of(values, facts[fact]) for fact, values in zip(facts, seen, strict=True) if len(values) < len(facts[fact])
    ]
    return ", ".join(words) or say("always")


def _one_of(values: tuple[str, ...], words: Mapping[str, str]) -> str:
    """Return the condition that a fact has one of `values`.

    If a long list lacks only a few, the words name those.
    """
    rest = tuple(value for value in words if value not in values)
    if len(words) > 4 and 0 < len(rest) < len(values):
        return say("not: {facts}", facts=say(" or ").join(fact_words(value, words[value]) for value in rest))
    return say(" or ").join(fact_words(value, words[value]) for value in values)


# --- the sections


def _facts(rulebook: Rulebook) -> Iterator[str]:
    yield say("Book: `{id}`", id=rulebook.id)
    if rulebook.source:
        yield say("Source: {source}", source=of_the_source(rulebook.source))
    if rulebook.book.extends:
        yield say("Based on: {books}", books=", ".join(f"`{base}`" for base in rulebook.book.extends))
    if rulebook.book.abstract:
        yield say("A base for other books: no table opens with it")
    if rulebook.amounts.unit is not None:
        yield say("Amounts: {amounts}", amounts=_amounts(rulebook.amounts))
    yield say("Digest (SHA-256): `{digest}`", digest=rulebook.digest)


def _amounts(rules: AmountRules) -> str:
    """What amounts are, for the head of the book."""
    units = _units(rules)
    if rules.currency is None:
        return units
    if AmountUnit.CENTS in (rules.unit, rules.tournament):
        return say("{units}; the currency is {currency}", units=units, currency=rules.currency)
    return say("{units}; prizes are in {currency}", units=units, currency=rules.currency)


def _units(rules: AmountRules) -> str:
    unit = named(UNITS, rules.unit or AmountUnit.CENTS)
    if rules.tournament in (None, rules.unit):
        return unit
    return say("{unit} (in a tournament {tournament})", unit=unit, tournament=named(UNITS, rules.tournament))


def _sentences(lines: Iterable[str]) -> Items:
    return Items(tuple(f"{line}." for line in lines))


def _deck(rulebook: Rulebook) -> Iterator[str]:
    deck, box = rulebook.deck, rulebook.box
    packs = say("one pack") if deck.packs == 1 else say("two packs of different backs, in turns")
    joker = say(" and a joker") if deck.joker else ""
    yield say("{count} cards{joker}, {packs}", count=deck.size, joker=joker, packs=packs)
    checked = say("A card-by-card check before gaming is {checked}", checked=named(CHECKED, deck.check))
    if deck.replacement_badges:
        checked += say("; replacement cards need one badge of: {roles}", roles=people_words(deck.replacement_badges))
    yield checked
    if deck.from_shoe:
        yield say("Every card comes from the shoe")
    yield from _seats(rulebook.seats, rulebook.banked)
    if rulebook.cut.asked:
        yield _cut(rulebook.cut)
    if box.used:
        dropped = say("There is a drop box")
        if box.witness_roles:
            dropped += say(
                "; changing up needs, in the last {seconds} seconds, one badge of: {roles}",
                seconds=box.witness_seconds,
                roles=people_words(box.witness_roles),
            )
        yield dropped
    if rulebook.needs:
        yield say("No round starts without: {devices}", devices=listed(NEEDED, rulebook.needs))


def _seats(seats: SeatRules, banked: str) -> Iterator[str]:
    begin = say(", {least} to begin", least=seats.least_to_begin) if seats.least_to_begin is not None else ""
    bank = say("the player banks") if banked == "player" else say("the house banks")
    played = say("Up to {most} seats, {least} or more players", most=seats.most, least=seats.least_players)
    yield f"{played}{begin}; {bank}"
    if seats.reduced_most is not None:
        yield say("With fewer than 52 cards at most {most} players", most=seats.reduced_most)
    if banked == "player":
        yield say("A player who joins a running game {joins}", joins=named(JOINS, seats.newcomers))
        if seats.may_post:
            yield say("A player who joins or comes back may post a blind that they do not owe")
        yield say("A player who is not there {dealt}", dealt=named(ABSENT, seats.absent))
    if seats.halts_when_short is not None:
        yield say(
            "With {players} players fewer than the option `seats_max`, no hand begins once the big blind is at an "
            "empty seat",
            players=seats.halts_when_short,
        )
    if seats.away_seconds is not None:
        yield say("A seat left for more than {seconds} seconds is told to the supervisor", seconds=seats.away_seconds)
    if seats.idle_rounds is not None:
        yield say(
            "{rounds} rounds without a wager at a full table are told to the supervisor", rounds=seats.idle_rounds
        )


def _cut(cut: CutRules) -> str:
    depth = say(", {cards} or more from either end", cards=cut.least_depth) if cut.least_depth > 1 else ""
    return say("The cards are cut before the deal") + depth + named(CUTTERS, cut.by)


def _street(street: Street, rulebook: Rulebook) -> str:
    steps = [_step(step) for step in street.deal]
    if street.burn:
        by_option = say("burn as many cards as the option `burn` says")
        steps.insert(0, by_option if "burn" in rulebook.options else say("burn one card"))
    if street.draw:
        steps.append(say("each player may replace any of their cards"))
    if street.turn:
        steps.append(say("turn {cards} face up", cards=", ".join(street.turn)))
    dealt = "; ".join(steps) or say("no cards")
    return f"**{street_words(street.name)}**: {dealt}. {_betting(street)}."


def _step(step: DealStep) -> str:
    count, face = count_in_words(step.cards), named(FACES, step.face)
    if step.to == "discards":
        return say("each player gives up {count} of their cards, {face}", count=count, face=face)
    cards = say("one card") if step.cards == 1 else say("{count} cards", count=count)
    pace = say(", {count} at a time", count=count_in_words(step.at_a_time)) if step.cards > 1 else ""
    return f"{cards} {named(PLACES, step.to)}{pace}, {face}"


def _betting(street: Street) -> str:
    if street.opener == "nobody":
        return say("No betting")
    opened = say("Then betting, {opener}", opener=named(OPENERS, street.opener))
    if not street.play_multiples:
        return opened
    multiples = say(" or ").join(f"{multiple}×" for multiple in street.play_multiples)
    return opened + say("; a play wager is {multiples} the ante", multiples=multiples)


def _play(rulebook: Rulebook) -> Iterator[str]:
    yield _button(rulebook.button)
    if rulebook.banked == "player":
        yield from betting_sentences(rulebook)
    clock = rulebook.clock
    if clock.seconds is not None:
        shown = clock.warnings and say(", shown again at {seconds} seconds", seconds=values_in_words(clock.warnings))
        confirm = clock.seat_call_needs_confirm and say("; called by a seat, it runs when a supervisor confirms")
        yield say("A clock on a player runs {seconds} seconds", seconds=clock.seconds) + (shown or "") + (confirm or "")
        yield _callers(clock)
    if rulebook.book.tournament.penalty_orbits is not None:
        most = count_in_words(rulebook.book.tournament.penalty_orbits)
        yield say("A penalty lasts at most {count} orbits or rounds", count=most)
    if clock.action is not None:
        first, last = values_in_words(clock.action.warnings), values_in_words(clock.action.final_warnings)
        given = say("Where the structure or the options give its seconds, an action clock on every decision")
        if clock.action.warnings:
            given += say(", shown again at (with a time bank to come) {seconds}", seconds=first)
        if clock.action.final_warnings:
            given += say(", (in the last period) {seconds}", seconds=last)
        yield given


def _callers(clock: ClockRules) -> str:
    seats = say("a seat") if clock.seat_calls == "any" else say("the seat of another player who is there")
    beside = "" if clock.called_beside_action else say("; not where an action clock runs")
    called = say("That clock is called by {seats}, or by: {people}", seats=seats, people=people_words(clock.callers))
    return called + beside


def _button(button: ButtonRules) -> str:
    if not button.used:
        return say("There is no button")
    on_marker = button.marker == "button"
    return (
        say(
            "The {marker} {begins} and {moves}",
            marker=named(MARKERS, button.marker),
            begins=named(BEGINS, button.first),
            moves=named(MOVES, button.moves),
        )
        + (say("; the deal begins with the next player") if on_marker else say("; the deal begins with its player"))
        + (
            say("; if who owes the small blind has left, the round has none")
            if button.small_blind_may_be_missing
            else ""
        )
        + (say("; who would wait behind it may buy it with both blinds") if button.may_be_bought else "")
    )


def _options(rulebook: Rulebook) -> Grid:
    rows = [(f"`{name}`", _allowed(rulebook, name), *_option(rule)) for name, rule in sorted(rulebook.options.items())]
    return grid((say("Option"), say("Values"), say("Default"), say("Clause")), rows)


def _allowed(rulebook: Rulebook, name: str) -> str:
    """The values of an option: names are as a person types them, kinds in words."""
    if name == SEATS_OPTION:
        return say("{least} to {most}", least=rulebook.seats.least_players, most=rulebook.seats.most)
    return phrase(allowed_words(rulebook, name, "{unit}")).replace("{unit}", _units(rulebook.amounts))


def _option(rule: OptionRule) -> tuple[str, str]:
    default = rule.default
    if default is None:
        default_words = say("not set")
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
        rows.append((*_ruling(row), conditions[position], *_answer(row), origin, of_the_source(row.text) + mark))
    heads = (
        say("Clause"),
        say("What went wrong"),
        say("When"),
        say("Outcome"),
        say("Also"),
        say("Who"),
        say("From base"),
        say("What the dealer reads"),
    )
    ruled = [rulebook.rulings[position] for position in order]
    yield grid(heads, rows, row_addresses((row.rule, row.text) for row in ruled))
    if notes:
        yield Text(say("Notes"))
        yield Items(tuple(map(of_the_source, notes)), numbered=True)


def _ruling(row: Row) -> tuple[str, str]:
    return row.rule, irregularity_words(row.irregularity)


def _answer(row: Row) -> tuple[str, str, str]:
    return word(row.outcome), "; ".join(map(word, row.also)), word(row.authority)


def _behaviours(rulebook: Rulebook) -> Grid:
    items = sorted(rulebook.behaviours, key=lambda item: clause_order(item.rule))
    return grid((say("Clause"), say("Behaviour")), [(item.rule, of_the_source(item.text)) for item in items])
