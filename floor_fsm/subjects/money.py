"""Money: the pool, what each place gets, a chop, and the prizes of those whose place is settled."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final

from floor_fsm.core.output import Output
from floor_fsm.core.parts import Parts, Step, Subject
from floor_fsm.errors import Reason, Refused
from floor_fsm.law.law import Law, ruled
from floor_fsm.messages.entries import (
    AddOn,
    EntryBack,
    EntryCame,
    EntryGivenUp,
    EntryNeverCame,
    EntryNoShow,
    EntryOut,
    EntryWithdrawn,
    LateClosed,
    LevelBegan,
    Rebuy,
)
from floor_fsm.messages.hands import HandOver, PlaceDecided, TableExcused
from floor_fsm.messages.money import Chopped, Payout, PayoutsSet, PoolIs, PrizePaid, PrizeTakenBack
from floor_fsm.messages.opening import TournamentCancelled, TournamentOpen
from floor_fsm.messages.people import PersonLeft
from floor_fsm.messages.sessions import EntryStayedAway, SessionEnded
from floor_fsm.messages.undone import (
    AddOnTakenBack,
    ChopTakenBack,
    LateTakenBack,
    RebuyTakenBack,
    SessionTakenBack,
)
from floor_fsm.play.places import Finish
from floor_fsm.play.prizes import chop, pool, prizes, shares
from floor_fsm.state.entries import ALIVE, Entries, entry_of
from floor_fsm.state.floor import People
from floor_fsm.state.hands import Places, how_many_left, left
from floor_fsm.state.money import Money, amounts_of, fees_of, pool_of, pool_rules


def _open(parts: Parts, event: TournamentOpen) -> Step:
    """Refuse terms that keep more than the book allows."""
    pool(pool_rules(parts.law), fees_of(parts.law, event, 1))
    return Step(parts.of(Money))


def _set(parts: Parts, event: PayoutsSet) -> Step:
    money, rules = parts.of(Money), pool_rules(parts.law)
    if money.told:
        raise Refused(Reason.WRONG_STATE, "prizes have been told: what each place gets stands")
    entries = parts.of(Entries)
    shares(rules, entries.counted if entries.closed else max(entries.counted, len(event.percent)), event.percent)
    for place, (above, part) in enumerate(pairwise(event.percent), 2):
        if part > above:
            raise Refused(Reason.DOES_NOT_ADD_UP, f"place {place} would get more than place {place - 1}", rules.clause)
    if 0 in event.percent:
        place = event.percent.index(Decimal(0)) + 1
        raise Refused(Reason.DOES_NOT_ADD_UP, f"place {place} would get nothing: leave it out", rules.clause)
    new = replace(money, percent=event.percent)
    return _settled(parts.having(new)) if entries.closed else Step(new)


def _closing(parts: Parts, _event: LateClosed | LevelBegan) -> Step:
    told = parts.of(Money).pool is not None
    return _settled(parts) if parts.of(Entries).closed and not told else Step(parts.of(Money))


def _reopened(parts: Parts, _event: LateTakenBack) -> Step:
    """Nobody has a prize while entries are taken. Refuses once the rest was divided, or the cage has paid one."""
    money = parts.of(Money)
    if money.chop is not None:
        raise Refused(Reason.WRONG_STATE, "the rest of the pool was divided: take the chop back first")
    none = {entry: 0 for entry, cents in money.told.items() if cents}
    _require_unpaid(money, none)
    return Step(replace(money, pool=None, told={}), tuple(Payout(entry, 0) for entry in sorted(none)))


def _settled(parts: Parts) -> Step:
    return _paid(parts.having(replace(parts.of(Money), pool=None)), None)


def _paid(parts: Parts, _event: Any) -> Step:
    """Tell the pool where it has changed, and the prizes of those whose place has become final."""
    money = parts.of(Money)
    if not parts.of(Entries).closed:
        return Step(money)
    amounts, cents, outputs = amounts_of(parts), pool_of(parts), list[Output]()
    if cents != money.pool:
        outputs.append(PoolIs(cents, amounts))
        money = replace(money, pool=cents)
    if not amounts:
        _require_none_told(parts)
        return Step(money, tuple(outputs))
    final = _in_the_money(parts, len(amounts))
    if money.chop is not None:
        final = {entry: finish for entry, finish in final.items() if entry not in money.chop.cents}
    won, left = prizes(amounts, final, parts.of(People).unpaid)
    if left and money.chop is None and len(final) >= len(amounts):  # each paid place has somebody, and none is paid
        won, _ = prizes(amounts, final | _next_below(parts, len(amounts)), parts.of(People).unpaid)
    if money.chop is not None:
        won = {**won, **money.chop.cents}
    won = {**{entry: 0 for entry in money.told if entry not in won and _is_settled(parts, entry)}, **won}
    news = {entry: prize for entry, prize in won.items() if money.told.get(entry) != prize}
    _require_unpaid(money, news)
    outputs += [Payout(entry, prize) for entry, prize in sorted(news.items())]
    return Step(replace(money, told={**money.told, **news}), tuple(outputs))


def _require_none_told(parts: Parts) -> None:
    """Refuse what leaves fewer entries than places that are paid, once prizes have been told."""
    money = parts.of(Money)
    if any(money.told.values()):
        raise Refused(
            Reason.WRONG_STATE,
            f"{len(money.percent or ())} places are paid, and {parts.of(Entries).counted} entries would be left: "
            "open late entry again, and set the payouts anew",
            pool_rules(parts.law).clause,
        )


def _in_the_money(parts: Parts, paid: int) -> dict[int, Finish]:
    """The final places that are paid, of so many. While more are left nobody has one, and nobody is looked through."""
    still = how_many_left(parts)
    if still > 1 and still >= paid:
        return {}
    return {entry: finish for entry, finish in parts.of(Places).final.items() if finish.first <= paid}


def _next_below(parts: Parts, paid: int) -> dict[int, Finish]:
    """The first place below so many paid ones that has somebody who gets a prize; empty where there is none."""
    final, unpaid = parts.of(Places).final, parts.of(People).unpaid
    below = [one for entry, one in final.items() if one.first > paid and entry not in unpaid]
    next_one = min(below, key=lambda one: one.first, default=None)
    return {entry: finish for entry, finish in final.items() if finish == next_one}


def _is_settled(parts: Parts, entry: int) -> bool:
    """Whether an entry has no place, or one that does not change any more."""
    _, provisional = parts.of(Places).said.get(entry, (None, True))
    return not provisional or parts.of(Entries).by_number[entry].standing in ALIVE


def _require_unpaid(money: Money, news: Mapping[int, int]) -> None:
    """Refuse what would change a prize that the cage has paid."""
    for entry, prize in sorted(news.items()):
        if entry in money.paid:
            raise Refused(
                Reason.PAID_ALREADY,
                f"entry {entry} was paid {money.paid[entry]} cents, and would get {prize}: take the prize back first",
            )


def _left(parts: Parts, event: PersonLeft) -> Step:
    """Refuse, where the book has it so, to pay somebody's part of a deal who has lost the right to a prize."""
    rule, chop = parts.law.book.chop, parts.of(Money).chop
    no_prize = event.entry in parts.of(People).unpaid
    if no_prize and chop is not None and chop.cents.get(event.entry) and rule is not None and rule.without_prize:
        raise Refused(
            Reason.WRONG_STATE,
            f"entry {event.entry} has {chop.cents[event.entry]} cents of the deal, and would leave without a prize: "
            "take the chop back first, and let those who stay agree anew",
            rule.clause,
        )
    return _paid(parts, event)


def _paid_out(parts: Parts, event: PrizePaid) -> Step:
    money = parts.of(Money)
    entry_of(parts, event.entry)
    if event.entry in money.paid:
        raise Refused(Reason.PAID_ALREADY, f"entry {event.entry} has had {money.paid[event.entry]} cents already")
    prize = money.told.get(event.entry, 0)
    if not prize or event.cents != prize:
        raise Refused(Reason.WRONG_AMOUNT, f"the prize of entry {event.entry} is {prize} cents, not {event.cents}")
    return Step(replace(money, paid={**money.paid, event.entry: event.cents}))


def _taken_back(parts: Parts, event: PrizeTakenBack) -> Step:
    money = parts.of(Money)
    entry_of(parts, event.entry)
    if event.entry not in money.paid:
        raise Refused(Reason.NOT_PAID, f"entry {event.entry} was paid no prize")
    return Step(replace(money, paid={entry: cents for entry, cents in money.paid.items() if entry != event.entry}))


def _list_changed(
    parts: Parts,
    event: EntryBack
    | EntryCame
    | EntryNoShow
    | EntryWithdrawn
    | Rebuy
    | RebuyTakenBack
    | AddOnTakenBack
    | SessionTakenBack,
) -> Step:
    """Refuse to bring somebody back, or take them off the list or out of the pool, once its rest was divided."""
    if parts.of(Money).chop is not None:
        raise Refused(Reason.WRONG_STATE, "the rest of the pool was divided: take the chop back first")
    return _paid(parts, event)


def _cancelled(parts: Parts, _event: TournamentCancelled) -> Step:
    told = parts.of(Money).told
    return Step(Money(), tuple(Payout(entry, 0) for entry, cents in sorted(told.items()) if cents))


def _chop(parts: Parts, event: Chopped) -> Step:
    rule = ruled(parts.law.book.chop, "a chop")
    money, places, playing = parts.of(Money), parts.of(Places), left(parts)
    assert event.by is not None  # it needs a person
    if money.chop is not None:
        raise Refused(Reason.WRONG_STATE, "the rest of the pool was divided already", rule.clause)
    open_places = len(places.said) - len(places.final)
    amounts = amounts_of(parts)
    if not parts.of(Entries).closed or open_places or not amounts:
        raise Refused(
            Reason.WRONG_STATE,
            "entries must be over, what each place gets be said, and no place be open: what is left is not known yet",
            rule.clause,
        )
    named = [entry for entry, _ in event.cents]
    if len(set(named)) < len(named):
        raise Refused(Reason.NAMED_TWICE, "an entry is in the agreement twice", rule.clause)
    rest = sum(amounts) - sum(money.told.values())
    agreed = chop(rest, playing, dict(event.cents), event.by.who, rule.clause, percent=False)
    return _paid(parts.having(replace(money, chop=agreed)), event)


def _chop_taken_back(parts: Parts, event: ChopTakenBack) -> Step:
    """Prizes follow from places again. Refuses once the cage has paid what somebody agreed to."""
    rule, money = ruled(parts.law.book.chop, "a chop"), parts.of(Money)
    if money.chop is None:
        raise Refused(Reason.WRONG_STATE, "the rest of the pool was not divided: there is no chop", rule.clause)
    none = {entry: 0 for entry in money.chop.cents if money.told.get(entry)}
    _require_unpaid(money, none)
    step = _paid(parts.having(replace(money, chop=None, told={**money.told, **none})), event)
    now = step.part
    assert isinstance(now, Money)
    outputs = [output for output in step.outputs if not isinstance(output, Payout)]
    changed = sorted(entry for entry, cents in now.told.items() if money.told.get(entry, 0) != cents)
    return Step(now, (*outputs, *(Payout(entry, now.told[entry]) for entry in changed)))


def _begin(_law: Law) -> Money:
    return Money()


SUBJECT: Final = Subject(
    Money,
    _begin,
    {
        TournamentOpen: _open,
        PayoutsSet: _set,
        LateClosed: _closing,
        LevelBegan: _closing,
        LateTakenBack: _reopened,
        HandOver: _paid,
        EntryOut: _paid,
        EntryGivenUp: _paid,
        PersonLeft: _left,
        SessionEnded: _paid,
        SessionTakenBack: _list_changed,
        EntryStayedAway: _paid,
        PlaceDecided: _paid,
        TableExcused: _paid,
        Chopped: _chop,
        ChopTakenBack: _chop_taken_back,
        PrizePaid: _paid_out,
        PrizeTakenBack: _taken_back,
        EntryNeverCame: _paid,
        EntryBack: _list_changed,
        EntryCame: _list_changed,
        EntryNoShow: _list_changed,
        EntryWithdrawn: _list_changed,
        Rebuy: _list_changed,
        AddOn: _paid,
        RebuyTakenBack: _list_changed,
        AddOnTakenBack: _list_changed,
        TournamentCancelled: _cancelled,
    },
)
