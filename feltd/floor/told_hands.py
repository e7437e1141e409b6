"""What a table tells of its hands and races, as the tournament's events have it. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from feltd.floor.streams import TableEntry
from feltd.floor.table_values import HandEnded, RaceDone, WentOutAt
from feltd.floor.tournament_fold import Fold
from floor_fsm.core.event import CHIPS_MOST
from floor_fsm.core.parts import Parts
from floor_fsm.law.matters import Measure
from floor_fsm.play.chips import RaceOrder
from floor_fsm.play.hand_for_hand import At, TableStand
from floor_fsm.state.entries import Entries, Standing
from floor_fsm.state.rebuys import chips_of
from floor_fsm.state.seating import Seating
from floor_fsm.state.tables import Tables
from table_fsm.poker.tournament.races import RaceMethod, start_race

_AMOUNT: Final[Mapping[Measure, str]] = {Measure.STACK: "stack", Measure.CONTRIBUTION: "put_in"}
"""What of a player who is out ranks them; of the book's other measure a person says it."""


def parts_of(fold: Fold) -> Parts:
    """The state of a tournament that has terms."""
    assert fold.tournament is not None
    return fold.tournament.parts


def went_out(fold: Fold, entry: int, out: WentOutAt) -> dict[str, int]:
    """Who is out of a hand, as `hand.over` has it: in chips of the tournament.

    An amount that no event can have is not known: with it the whole hand would be refused.
    """
    law, told = parts_of(fold).law, {"entry": entry}
    for name, amount in (("stack", out.stack), ("put_in", out.put_in)):
        if amount is not None and 0 <= chips_of(law, amount) <= CHIPS_MOST:
            told[name] = chips_of(law, amount)
    return told


def told_around(
    fold: Fold, moved: Sequence[tuple[int, WentOutAt]], stayed: Sequence[Mapping[str, int]]
) -> tuple[list[tuple[int, WentOutAt]], list[tuple[int, WentOutAt]]]:
    """Who was moved in a hand and is out of it: told in front of those who sat there to its end, and behind them.

    Each of them is told alone, and who is told later is placed higher. So whoever had more than all who sat there to
    the end is told behind them. Where the book has no measure, or an amount is not known, all are told in front.
    """
    rules = parts_of(fold).law.book.places
    name = None if rules is None else _AMOUNT.get(rules.measure)
    amounts = {entry: went_out(fold, entry, one).get(name or "") for entry, one in moved}
    theirs = [one.get(name or "") for one in stayed]
    known = {entry: amount for entry, amount in amounts.items() if amount is not None}
    sitting = [amount for amount in theirs if amount is not None]
    if len(known) < len(moved) or len(sitting) < len(stayed):
        return list(moved), []
    upwards = sorted(moved, key=lambda one: known[one[0]])
    most = max(sitting, default=None)
    before = [one for one in upwards if most is None or known[one[0]] <= most]
    return before, upwards[len(before) :]


def of_seat(journal: bytes, hand: HandEnded, out: WentOutAt) -> TableEntry:
    """The entry by which a seat is out whose player was moved meanwhile, or that no entry of the tournament has.

    One of the hand's own, for each seat, in front of those by which others are out. A hand has more of them than twice
    its players; where a strange record has fewer, none is in front of the hand: its first has the blinds.
    """
    return TableEntry(journal, max(hand.began + 1, hand.ended - len(hand.out) - hand.out.index(out)))


def is_out(fold: Fold, entry: int | None) -> bool:
    """Whether an entry is out already: a person has said it before its table could."""
    known = None if entry is None else parts_of(fold).of(Entries).by_number.get(entry)
    return known is not None and known.standing is Standing.OUT


def hand_number(stand: TableStand) -> int:
    """The number of a hand that ended at a table in hand for hand.

    Of one that the others did not wait for, or that a person has told for the table, its report comes before that of a
    hand which the table played alone.
    """
    if stand.at is not At.DONE:
        return stand.hand
    return min(stand.untold) if stand.untold else stand.hand + 1


def has_told(fold: Fold, journal: bytes, hand: HandEnded) -> bool:
    """Whether somebody is out of this hand already: an answer was lost in the middle of it, or another floord is."""
    entries = range(max(hand.began, hand.ended - 2 * len(hand.out)) + 1, hand.ended + 1)
    return any(fold.knows(TableEntry(journal, entry)) for entry in entries)


def race_told(fold: Fold, table: str, race: RaceDone, ordered: RaceOrder) -> dict[str, Any]:
    """A table's race, as `race.told` has it.

    A table tells new chips alone: what it gave beyond the prize went to who would have been raced out.
    """
    odd, won = ({int(seat): count for seat, count in chips.items()} for chips in (race.odd, race.won))
    prize = start_race(ordered.rules.method, race.chip, race.new_chip, odd, race.last).prize
    given = 0 if ordered.rules.method is RaceMethod.TAKES_ALL else sum(won.values()) - prize
    kept = [seat for seat in race.last if seat in won][:given]
    told = {"ev": "race.told", "table": table, "odd": list(odd.items()), "chips": list(won.items())}
    return {**told, "last": list(race.last), "kept_in": kept, "out": chips_of(parts_of(fold).law, race.removed)}


def blinds(fold: Fold, table: str, hand: HandEnded) -> dict[str, Any] | None:
    """The event of a hand's blinds; None where the table does not know them, or the big blind's player is gone."""
    if hand.big is None or hand.big not in parts_of(fold).of(Seating).at(table):
        return None
    before = parts_of(fold).of(Tables).blinds.get(table)
    told = {"ev": "hand.began", "table": table, "hand": 1 if before is None else before.hand + 1, "big_blind": hand.big}
    return told if hand.small is None else {**told, "small_blind": hand.small}
