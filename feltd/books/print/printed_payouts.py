"""The source's table of payouts in print: each place's part of the prize pool."""

from decimal import Decimal
from typing import Any, Final

from feltd.books.print.document import Block, Text, grid
from feltd.text.catalogue import say
from feltd.text.language import Language, spoken
from table_fsm.poker.tournament.payouts import FEWEST_PLAYERS, MOST_PLAYERS, PLAYERS_A_COLUMN, column_of, payout
from table_fsm.rulebook.book import Rulebook

_WHOLE: Final = Decimal(100)


def payout_data(book: Rulebook, players: int) -> dict[str, Any]:
    """The percentages as text, exact to the thousandth.

    Raises ValueError for numbers that the table has not.
    """
    parts = payout(players)
    return {
        "book": book.id,
        "players": players,
        "percent": [f"{part:.3f}" for part in parts],
        "sum": f"{sum(parts, Decimal()):.3f}",
    }


def payout_blocks(players: int) -> tuple[Block, ...]:
    """The places and their parts, with a note on odd values.

    Raises ValueError for numbers that the table has not.
    """
    parts = payout(players)
    least, column = column_of(players)
    rows = [(str(place), _figure(f"{part:.3f} %")) for place, part in enumerate(parts, 1)]
    return (
        Text(
            say(
                "With {players} players (the column for {least} to {most}) {places} places are paid.",
                players=players,
                least=least,
                most=column,
                places=len(parts),
            )
        ),
        grid((say("Place"), say("Of the prize pool")), rows),
        Text(_sum_in_words(sum(parts, Decimal())) + _odd_in_words(players, parts)),
    )


def all_payouts() -> tuple[Block, ...]:
    """The whole table, one row for every column of the source's."""
    columns = range(PLAYERS_A_COLUMN, MOST_PLAYERS + 1, PLAYERS_A_COLUMN)
    rows = []
    for column in columns:
        parts = payout(column)
        least, _ = column_of(column)
        between = "; " if spoken() is Language.GERMAN else ", "
        percent = between.join(_figure(f"{part.normalize():f}") for part in parts)
        rows.append(
            (
                say("{least} to {most}", least=least, most=column),
                str(len(parts)),
                percent,
                _sum_in_words(sum(parts, Decimal())),
            )
        )
    head = (say("Players"), say("Places"), say("Percent of the prize pool, first place first"), say("Sum"))
    return (grid(head, rows),)


def _figure(english: str) -> str:
    """A figure with the decimal mark of the language that is spoken."""
    return english.replace(".", ",") if spoken() is Language.GERMAN else english


def _sum_in_words(total: Decimal) -> str:
    if total == _WHOLE:
        return say("They sum to 100 %.")
    return say("Odd: they sum to {total} %.", total=_figure(f"{total:.3f}"))


def _odd_in_words(players: int, parts: tuple[Decimal, ...]) -> str:
    """Places that get more than they would with fewer players: as the source has it."""
    if players <= PLAYERS_A_COLUMN:
        return ""
    before = payout(max(FEWEST_PLAYERS, players - PLAYERS_A_COLUMN))
    more = [place for place, (now, then) in enumerate(zip(parts, before, strict=False), 1) if now > then]
    if not more:
        return ""
    places = ", ".join(map(str, more))
    if len(more) == 1:
        said = say(
            "Odd, but as printed: place {place} gets more than with {fewer} players fewer.",
            place=places,
            fewer=PLAYERS_A_COLUMN,
        )
    else:
        said = say(
            "Odd, but as printed: places {places} get more than with {fewer} players fewer.",
            places=places,
            fewer=PLAYERS_A_COLUMN,
        )
    return f" {said}"
