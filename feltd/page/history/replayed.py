"""A round of the record played again, step by step: each event, what the table answered, and how the table lay.

The rules are asked once more, from the snapshot before the round on: what is shown is what the recorded text of the
rulebook says. A round whose rulebook is no longer here in that text can be read, not played.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from feltd.door import RecordRows
from feltd.page.history.index import HistoryError
from feltd.page.history.search import FoundRound
from feltd.record import Entry, EntryKind, HostEntry, Reveal, Seal, Span
from feltd.record.sealing import CARD_FIELDS
from feltd.text.catalogue import say
from table_fsm.errors import TableError
from table_fsm.events import Event, event_to_dict, parse_event
from table_fsm.outputs import Output
from table_fsm.rulebook import Rulebook
from table_fsm.rulebook.denomination import Denomination
from table_fsm.table import Table
from table_fsm.view.chips import Chips
from table_fsm.view.shapes import TableView

STEPS_MOST: Final = 5000


@dataclass(frozen=True, slots=True)
class Step:
    """One event of a round that is played again.

    `outputs`: the answers that the record has, as JSON: a replay without the cards that stay sealed may answer
    otherwise. `view`: the table after it, as anybody may see it. `cards`: every card on the table, by zone, for those
    who may see them; None for others. `counted`: the denomination of the table's amounts; None while it is closed.
    `sealed`: what stays sealed of the event, in words; None for nothing. `chips`: of each player, by seat.
    """

    number: int
    seq: int
    t: float
    wall: float
    event: dict[str, Any]
    outputs: tuple[dict[str, Any], ...]
    view: TableView
    cards: dict[str, list[str | None]] | None
    counted: Denomination | None
    sealed: str | None
    chips: dict[int, Chips]


def play_again(
    record: RecordRows, round_: FoundRound, rulebooks: Mapping[str, Rulebook], *, see_cards: bool
) -> Iterator[Step]:
    """The steps of a round, from the shuffle before it to its end: as `steps_from` gives them from the first on."""
    return filter(None, steps_from(record, round_, rulebooks, see_cards=see_cards))


def steps_from(
    record: RecordRows, round_: FoundRound, rulebooks: Mapping[str, Rulebook], *, see_cards: bool, after: int = 0
) -> Iterator[Step | None]:
    """The steps of a round behind number `after`, and None for each one before them, which is played all the same.

    Face-down cards stay backs, and their names out of the events, unless the round is over and `see_cards`. Raises
    HistoryError where it cannot be played, JournalError where the record cannot be read.
    """
    open_cards = see_cards and round_.last is not None
    answers = _answers(record, round_)
    for number, (entry, event, _, table) in enumerate(each_event(record, round_, rulebooks), 1):
        if number <= after:
            yield None
            continue
        shown = event_to_dict(event)
        if not open_cards and shown.get("face") != "up":
            shown = {name: value for name, value in shown.items() if name not in CARD_FIELDS}
        cards = table.cards_by_zone() if open_cards else None
        view, counted, sealed = table.view(), table.denomination(), _sealed(entry)
        told = tuple(answers.get(entry.seq, ()))
        yield Step(number, entry.seq, event.t, entry.wall, shown, told, view, cards, counted, sealed, table.chips())


def _answers(record: RecordRows, round_: FoundRound) -> dict[int, list[dict[str, Any]]]:
    """The answers of the record by the event's entry, without what stays sealed."""
    answers: dict[int, list[dict[str, Any]]] = {}
    span = Span(after=round_.after, until=round_.last, kind=EntryKind.OUTPUT)
    for entry in record.entries(span, reveal=Reveal.FINISHED):
        if entry.answers is not None and isinstance(entry.body, dict):
            answers.setdefault(entry.answers, []).append(entry.body)
    return answers


def _sealed(entry: Entry) -> str | None:
    if entry.seal is not Seal.NEVER_SHOWN:
        return None
    if entry.sealed_to is None:
        return say("cards that no round showed stay sealed, and nobody can open them")
    return say("cards that no round showed stay sealed to the key {key}", key=entry.sealed_to)


def each_event(
    record: RecordRows, round_: FoundRound, rulebooks: Mapping[str, Rulebook]
) -> Iterator[tuple[Entry, Event, tuple[Output, ...], Table]]:
    """Give each event of a round with its entry, its outputs and the table after it.

    Plays the round as `play_again` does, with every card that it showed if it is over: the caller sees to it who may
    see them. A card that it did not show has no name in it, as if no reader had read it.
    Raises HistoryError, JournalError.
    """
    table = _table_before(record, round_, rulebooks)
    span = Span(after=round_.after, until=round_.last, kind=EntryKind.EVENT)
    for number, entry in enumerate(record.entries(span, reveal=Reveal.FINISHED), 1):
        if number > STEPS_MOST:
            raise HistoryError(f"round {round_.number} has more than {STEPS_MOST} events: export it and read it there")
        event = _event(entry, round_)
        outputs = tuple(table.apply(event))
        _check_text(table, round_, entry.rulebook_digest)
        yield entry, event, outputs, table


def _table_before(record: RecordRows, round_: FoundRound, rulebooks: Mapping[str, Rulebook]) -> Table:
    """The table between the round before and this one."""
    if round_.after == 0:
        return Table(rulebooks)
    span = Span(after=round_.after - 1, until=round_.after, kind=EntryKind.HOST, name=HostEntry.SNAPSHOT)
    entry = next(record.entries(span, reveal=Reveal.FINISHED), None)
    if entry is None or not entry.body:
        raise HistoryError(f"round {round_.number}: the state before it is still sealed: wait until the next is over")
    try:
        return Table.restore(rulebooks, json.dumps(entry.body))
    except (TableError, ValueError) as fault:
        raise HistoryError(f"round {round_.number} cannot be played again: {fault}") from None


def _check_text(table: Table, round_: FoundRound, recorded: str | None) -> None:
    book = table.rulebook
    if book is not None and recorded is not None and not book.rules_as(recorded):
        raise HistoryError(
            f"round {round_.number} was played under another text of {book.id} ({recorded[:12]}…): bring that text "
            "back to play it again; the record has its rulings unchanged"
        )


def _event(entry: Entry, round_: FoundRound) -> Event:
    """The event of an entry, without what stays sealed.

    Raises HistoryError where it is sealed whole, as version 0.2 sealed an event that named a card.
    """
    try:
        return parse_event(_line(entry.body))
    except TableError:
        if entry.seal not in (Seal.CLOSED, Seal.NEVER_SHOWN):
            raise
    raise HistoryError(f"round {round_.number}: entry {entry.seq} is sealed: wait until the round is over")


def _line(body: Any) -> str:
    """An event's line. What stays sealed is null in it, and is left out: an event's lists may be absent, not null."""
    return json.dumps({name: value for name, value in body.items() if value is not None})
