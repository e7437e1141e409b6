"""Races at all tables at once: ordered, told by each table, and taken back."""

from dataclasses import replace

from floor_fsm.core.parts import Parts, Step
from floor_fsm.errors import Reason, Refused
from floor_fsm.messages.chips import RaceAt, RaceOrdered, RaceOver, RaceTold
from floor_fsm.messages.undone import RaceOff, RaceTakenBack
from floor_fsm.play.chips import TableRace, order_race, raced
from floor_fsm.state.floor import Stacks
from floor_fsm.state.seating import Seating, in_use
from floor_fsm.subjects.chips.ledger import PLAY


def ordered(parts: Parts, event: RaceOrdered) -> Step:
    """Order a race at all tables in use, and let them be told."""
    stacks = parts.of(Stacks)
    if stacks.race is not None:
        raise Refused(
            Reason.WRONG_STATE, f"a race is on: tables {', '.join(stacks.race.waits_for)} have not told theirs"
        )
    tables = tuple(table for table in in_use(parts) if parts.of(Seating).at(table))
    race = order_race(parts.law.book.races, event.chip, event.new_chip, tables)
    return Step(replace(stacks, race=race), (RaceAt(event.chip, event.new_chip, race.tables),))


def told(parts: Parts, event: RaceTold) -> Step:
    """Take what a table has raced; the last one to tell ends the race."""
    stacks = parts.of(Stacks)
    if stacks.race is None:
        raise Refused(Reason.WRONG_STATE, f"table {event.table} tells a race, and none was ordered")
    told = TableRace(dict(event.odd), dict(event.chips), event.last, event.kept_in, event.out)
    race = stacks.race.tell(event.table, told)
    if race.waits_for:
        return Step(replace(stacks, race=race))
    change = sum(race.told.values())
    return Step(replace(stacks, race=None, ledger=raced(stacks.ledger, PLAY, change)), (RaceOver(change),))


def taken_back(parts: Parts, _event: RaceTakenBack) -> Step:
    """Nobody races any more; what tables have raced stays so."""
    stacks, rules = parts.of(Stacks), parts.law.book.races
    if stacks.race is None:
        clause = None if rules is None else rules.clause
        raise Refused(Reason.WRONG_STATE, "no chip race is on: there is no order to take back", clause)
    change = sum(stacks.race.told.values())
    ledger = raced(stacks.ledger, PLAY, change)
    return Step(replace(stacks, race=None, ledger=ledger), (RaceOff(stacks.race.waits_for, change),))
