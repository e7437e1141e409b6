"""Rebuys and add-ons: for whom, how long, how often and for what; each is refused with its clause."""

from dataclasses import replace
from typing import Final

from floor_fsm.core.parts import Parts, Step, Subject
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law, ruled
from floor_fsm.law.matters import GameRow, RebuyRules
from floor_fsm.messages import entries as messages
from floor_fsm.messages.entries import AddOn, EntryBack, Rebuy
from floor_fsm.messages.hands import HandOver, HandReleased
from floor_fsm.messages.opening import AddOnTerms, RebuyTerms, Refund, TournamentOpen
from floor_fsm.messages.sessions import SessionEnded
from floor_fsm.messages.tables import HandBegan
from floor_fsm.messages.undone import AddOnTakenBack, RebuyTakenBack
from floor_fsm.state.entries import Entries, entry_of
from floor_fsm.state.floor import Stacks
from floor_fsm.state.money import pool_rules
from floor_fsm.state.opening import opened
from floor_fsm.state.rebuys import Bought, Rebuys, bought_by, game_of
from floor_fsm.state.seating import Seating, place_of


def _open(parts: Parts, event: TournamentOpen) -> Step:
    """Refuse a game, sizes and rebuys that the book does not have."""
    law, step = parts.law, Step(parts.of(Rebuys))
    row = game_of(law, event)
    if event.game is not None and row is None:
        names = ", ".join(game.game for game in law.book.games) or "no games"
        raise Refused(Reason.NOT_IN_THE_BOOK, f"the book has no row for the game {event.game}; it has {names}")
    if row is not None:
        _require_sizes(event, row)
    if event.rebuy is None and event.add_on is None:
        return step
    rules = ruled(law.book.rebuys, "rebuys")
    if row is None and law.book.games:
        raise Refused(Reason.NOT_DECIDED, "rebuys are another matter in each game: name the game", rules.clause)
    for terms in (event.rebuy, event.add_on):
        if terms is not None and terms.house and pool_rules(law).house == "of_the_fee":
            raise Refused(
                Reason.KEPT_TOO_MUCH, f"{terms.house} cents kept of each: all of it is the pool's", rules.clause
            )
    if event.rebuy is not None and event.re_entries != 0 and not rules.re_entry_beside:
        raise Refused(Reason.NOT_ALLOWED, "where there are rebuys nobody enters again: announce 0", rules.clause)
    if event.add_on is not None and not rules.add_on:
        raise Refused(Reason.NOT_ALLOWED, "the book knows no add-on", rules.clause)
    if row is not None:
        _require_in_row(event, row)
    return step


def _require_sizes(event: TournamentOpen, row: GameRow) -> None:
    large = next((table for table in event.tables if len(table.seats) > row.seats), None)
    if large is not None:
        raise Refused(
            Reason.NOT_ALLOWED, f"table {large.table} has {len(large.seats)} seats: {row.seats} at most", row.clause
        )
    if event.most is not None and event.most > row.most:
        raise Refused(Reason.NOT_ALLOWED, f"{event.most} entries at most: the book takes {row.most}", row.clause)


def _require_in_row(event: TournamentOpen, row: GameRow) -> None:
    if event.rebuy is not None and row.rebuy_below is None:
        raise Refused(Reason.NOT_ALLOWED, f"there are no rebuys in {row.game}", row.clause)
    if event.rebuy is not None and row.rebuy_below is not None:
        if (event.rebuy.below or 0) > row.rebuy_below:
            raise Refused(
                Reason.NOT_ALLOWED, f"rebuys below {event.rebuy.below} chips: below {row.rebuy_below}", row.clause
            )
        if row.rebuy_until is not None and event.rebuy.until_level > row.rebuy_until:
            raise Refused(
                Reason.NOT_ALLOWED,
                f"rebuys through level {event.rebuy.until_level}: {row.rebuy_until} is the last",
                row.clause,
            )
    if event.add_on is not None and not row.top_up:
        raise Refused(Reason.NOT_ALLOWED, f"there is no top-up in {row.game}", row.clause)


def _rebuy(parts: Parts, event: Rebuy) -> Step:
    rules, terms = ruled(parts.law.book.rebuys, "rebuys"), opened(parts).rebuy
    if terms is None:
        raise Refused(Reason.NOT_ALLOWED, "this tournament has no rebuys", rules.clause)
    bought = _require(parts, event, terms, rules, bought_by(parts, event.entry).rebuys)
    row = game_of(parts.law, opened(parts))
    limits = [limit for limit in (terms.below, None if row is None else row.rebuy_below) if limit is not None]
    if limits and event.stake >= min(limits):
        clause = rules.clause if row is None else row.clause
        raise Refused(
            Reason.NOT_ALLOWED, f"entry {event.entry} has {event.stake} chips: below {min(limits)} alone", clause
        )
    return _given(parts, event.entry, replace(bought, rebuys=bought.rebuys + 1), terms, (1, 0))


def _add_on(parts: Parts, event: AddOn) -> Step:
    rules, terms = ruled(parts.law.book.rebuys, "rebuys"), opened(parts).add_on
    if terms is None:
        raise Refused(Reason.NOT_ALLOWED, "this tournament has no add-on", rules.clause)
    bought = _require(parts, event, terms, rules, bought_by(parts, event.entry).add_ons)
    if parts.of(Entries).level < terms.from_level:
        raise Refused(Reason.NOT_ALLOWED, f"the add-on begins with level {terms.from_level}", rules.clause)
    return _given(parts, event.entry, replace(bought, add_ons=bought.add_ons + 1), terms, (0, 1))


def _require(
    parts: Parts, event: Rebuy | AddOn, terms: RebuyTerms | AddOnTerms, rules: RebuyRules, times: int
) -> Bought:
    """What the entry has bought. Refuses one without a seat, another price, a time too late, and once too often."""
    entry_of(parts, event.entry)
    place_of(parts, event.entry)  # who bought after losing the last chips has the seat again by now
    level = parts.of(Entries).level
    if parts.of(Stacks).night:
        raise Refused(Reason.WRONG_STATE, f"{event.ev}: the tournament is suspended")
    if level > terms.until_level:
        raise Refused(
            Reason.NOT_ALLOWED,
            f"{event.ev}: level {level} is played, and {terms.until_level} was the last",
            rules.clause,
        )
    if terms.most is not None and times >= terms.most:
        raise Refused(
            Reason.NOT_ALLOWED, f"{event.ev}: entry {event.entry} has had {times}, the most here", rules.clause
        )
    price = terms.price + terms.house
    if event.paid != price:
        raise Refused(Reason.WRONG_AMOUNT, f"{event.ev} costs {price} cents, and {event.paid} were paid", rules.clause)
    return bought_by(parts, event.entry)


def _given(parts: Parts, entry: int, bought: Bought, terms: RebuyTerms | AddOnTerms, more: tuple[int, int]) -> Step:
    rebuys = parts.of(Rebuys)
    now = replace(
        bought, chips=bought.chips + terms.chips, pool=bought.pool + terms.price, house=bought.house + terms.house
    )
    just_out = {one: table for one, table in rebuys.just_out.items() if one != entry}
    again = rebuys.unplayed.get(entry, (0, 0))
    unplayed = {**rebuys.unplayed, entry: (again[0] + more[0], again[1] + more[1])}
    said = messages.Bought(entry, now.rebuys, now.add_ons, now.chips)
    return Step(Rebuys({**rebuys.bought, entry: now}, just_out, unplayed), (said,))


def _taken_back(parts: Parts, event: RebuyTakenBack | AddOnTakenBack) -> Step:
    """What was bought is another entry's, or nobody's. Refuses the latter where a hand was played with the chips."""
    is_rebuy = isinstance(event, RebuyTakenBack)
    rules, terms = ruled(parts.law.book.rebuys, "rebuys"), _terms(parts, is_rebuy=is_rebuy)
    rebuys, had = parts.of(Rebuys), bought_by(parts, event.entry)
    entry_of(parts, event.entry)
    if terms is None or not (had.rebuys if is_rebuy else had.add_ons):
        raise Refused(Reason.WRONG_STATE, f"{event.ev}: entry {event.entry} has bought none", rules.clause)
    less = _changed(had, terms, -1, is_rebuy=is_rebuy)
    bought = {one: it for one, it in rebuys.bought.items() if one != event.entry}
    if less.rebuys or less.add_ons:
        bought[event.entry] = less
    unplayed = _one_less(rebuys, event.entry, is_rebuy=is_rebuy)
    said = messages.Bought(event.entry, less.rebuys, less.add_ons, less.chips)
    now = replace(rebuys, bought=bought, unplayed=unplayed)
    if event.to is not None:
        more = _others(parts, event, event.to, terms, rules)
        told = messages.Bought(event.to, more.rebuys, more.add_ons, more.chips)
        return Step(replace(now, bought={**bought, event.to: more}), (said, told))
    place_of(parts, event.entry)
    if not rebuys.unplayed.get(event.entry, (0, 0))[0 if is_rebuy else 1]:
        raise Refused(
            Reason.WRONG_STATE,
            f"{event.ev}: the table of entry {event.entry} has played a hand with these chips: name the entry that "
            "bought them (`to`)",
            rules.clause,
        )
    return Step(now, (said, Refund(event.entry, terms.price + terms.house)))


def _terms(parts: Parts, *, is_rebuy: bool) -> RebuyTerms | AddOnTerms | None:
    return opened(parts).rebuy if is_rebuy else opened(parts).add_on


def _changed(had: Bought, terms: RebuyTerms | AddOnTerms, by: int, *, is_rebuy: bool) -> Bought:
    return Bought(
        had.rebuys + by * is_rebuy,
        had.add_ons + by * (not is_rebuy),
        had.chips + by * terms.chips,
        had.pool + by * terms.price,
        had.house + by * terms.house,
    )


def _one_less(rebuys: Rebuys, entry: int, *, is_rebuy: bool) -> dict[int, tuple[int, int]]:
    """What was bought since the last hand, without one of this entry."""
    counted = rebuys.unplayed.get(entry, (0, 0))
    left = max(0, counted[0] - is_rebuy), max(0, counted[1] - (not is_rebuy))
    others = {one: it for one, it in rebuys.unplayed.items() if one != entry}
    return {**others, entry: left} if any(left) else others


def _others(
    parts: Parts, event: RebuyTakenBack | AddOnTakenBack, to: int, terms: RebuyTerms | AddOnTerms, rules: RebuyRules
) -> Bought:
    """What the entry has that bought the chips in truth. Refuses one that never had a seat, and once too often."""
    is_rebuy = isinstance(event, RebuyTakenBack)
    entry_of(parts, to)
    if to == event.entry:
        raise Refused(Reason.NAMED_TWICE, f"{event.ev}: entry {to} has bought it already: name another", rules.clause)
    if to not in parts.of(Stacks).issued:
        raise Refused(Reason.NOT_SEATED, f"{event.ev}: entry {to} has had no seat: it bought nothing", rules.clause)
    had = bought_by(parts, to)
    times = had.rebuys if is_rebuy else had.add_ons
    if terms.most is not None and times >= terms.most:
        raise Refused(Reason.NOT_ALLOWED, f"{event.ev}: entry {to} has had {times}, the most here", rules.clause)
    return _changed(had, terms, 1, is_rebuy=is_rebuy)


def _over(parts: Parts, event: HandOver) -> Step:
    """Who lost the last chips may buy until the table tells of another hand."""
    rebuys = parts.of(Rebuys)
    others = {entry: table for entry, table in rebuys.just_out.items() if table != event.table}
    return _now(_played(parts, event.table), {**others, **{one.entry: event.table for one in event.out}})


def _began(parts: Parts, event: HandBegan) -> Step:
    rebuys = _played(parts, event.table)
    return _now(rebuys, {entry: table for entry, table in rebuys.just_out.items() if table != event.table})


def _released(parts: Parts, _event: HandReleased) -> Step:
    rebuys = parts.of(Rebuys)
    return Step(replace(rebuys, unplayed={}) if rebuys.unplayed else rebuys)


def _played(parts: Parts, table: str) -> Rebuys:
    """A hand of this table is played with the chips that were bought there."""
    rebuys, places = parts.of(Rebuys), parts.of(Seating).places
    left = {one: it for one, it in rebuys.unplayed.items() if one in places and places[one].table != table}
    return rebuys if left == rebuys.unplayed else replace(rebuys, unplayed=left)


def _back(parts: Parts, event: EntryBack) -> Step:
    rebuys = parts.of(Rebuys)
    return _now(rebuys, {entry: table for entry, table in rebuys.just_out.items() if entry != event.entry})


def _session_ended(parts: Parts, _event: SessionEnded) -> Step:
    return _now(replace(parts.of(Rebuys), unplayed={}), {})


def _now(rebuys: Rebuys, just_out: dict[int, str]) -> Step:
    return Step(rebuys if just_out == rebuys.just_out else replace(rebuys, just_out=just_out))


def _begin(_law: Law) -> Rebuys:
    return Rebuys()


SUBJECT: Final = Subject(
    Rebuys,
    _begin,
    {
        TournamentOpen: _open,
        Rebuy: _rebuy,
        AddOn: _add_on,
        RebuyTakenBack: _taken_back,
        AddOnTakenBack: _taken_back,
        HandOver: _over,
        HandReleased: _released,
        HandBegan: _began,
        EntryBack: _back,
        SessionEnded: _session_ended,
    },
)
