"""Betting rounds of player-banked games: how each opens, with which stakes, how it ends."""

from collections.abc import Mapping

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.play import showdown
from table_fsm.play.betting import antes, forced_bets
from table_fsm.play.betting.findings import LIMIT_GAMES, LIMITS_IN_BLINDS
from table_fsm.play.betting.forced_bets import Posted
from table_fsm.play.board import communal, corrections
from table_fsm.play.deal import counts
from table_fsm.play.stud import deal as stud_deal
from table_fsm.play.stud import last_cards, openers
from table_fsm.poker.betting.least_bets import LeastBets, least_bets
from table_fsm.poker.betting.limits import limit_for
from table_fsm.poker.betting.state import Betting
from table_fsm.poker.betting.terms import Terms
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import Outcome


def open_first_street(core: Core) -> None:
    """Open the first betting round, after the last blind, when the initial deal is complete."""
    round_ = core.round
    deal = round_.deals.current
    assert deal is not None
    book = core.book
    ring = forced_bets.betting_ring(core, deal.seats)
    amounts = forced_bets.blind_seats(core, ring)
    owed = amounts if core.street.opener == "after_blinds" else {}
    forced = forced_bets.posted(core, ring, owed)  # once for all that asks: the dearest part of a round's dearest event
    due = {seat: forced[seat].blind for seat in owed}
    betting = _new_betting(core, ring, owed, forced)
    round_.betting = betting
    core.move("dealt")
    betting.open_street(book.streets[0].name, capped=_capped(core, 0))
    antes.put(core, betting)
    if due:
        least = list(amounts.values())[-1] if amounts else None
        betting.post_blinds(due, list(due)[-1], aggressive=book.showdown.blind_is_aggressive, least=least)
    for seat, paid in forced.items():
        if paid.all_in:
            betting.players[seat].go_all_in()
    communal.cap_street(core)
    betting.limit_checks(limited=book.betting.first_round_check != "where_nothing_is_owed")
    betting.last_blind_is(list(due)[-1] if due else None)
    extra = forced_bets.over_blinds(core, due)
    if extra and (due or not antes.in_use(core)):
        betting.post_blinds(extra, None, aggressive=False)
        for seat, cents in extra.items():
            if core.options.over_blind and forced_bets.used_up_by_over_blind(core, seat, cents):
                betting.players[seat].go_all_in()
        if core.options.over_blind:
            _open_behind_over_blind(core, betting, extra)
    away = absent(core)
    for seat in ring:
        if seat in away:
            round_.early.fold(seat)
    if betting.last_blind in round_.early.folds and book.betting.inactive_last_blind == "from_button":
        betting.first_to_act(ring[0])
    for seat in round_.early.folds:
        core.flow.fold(seat)
    openers.choose(core)


def _open_behind_over_blind(core: Core, betting: Betting, extra: Mapping[int, int | None]) -> None:
    """Let the largest over-blind be the last blind; of equal ones the one that is farthest from the button.

    At limits that are counted in the blinds it does not raise them: no raise would be within them (ACT A 3.2, I 3.2).
    """
    known = {seat: cents for seat in reversed(betting.ring) if (cents := extra.get(seat)) is not None}
    if not known or not betting.bet_made or betting.level is None:
        return
    seat = max(known, key=known.__getitem__)
    if known[seat] > betting.level:
        betting.over_blind(seat, known[seat], sets_raise=core.options.betting not in LIMITS_IN_BLINDS)


def post_beside(core: Core, betting: Betting, seat: int, cents: int | None, *, before: int | None) -> None:
    """Take a post in cents of a seat that owes no blind, before the first action.

    `before`: the seat's earlier post, which it takes the place of; None where there is none, or of no known amount.
    """
    level = forced_bets.over_blind_level(core, forced_bets.blind_seats(core, betting.ring))
    cents, before = (forced_bets.of_over_blind(core, seat, put, level) for put in (cents, before))
    player = betting.players.get(seat)
    counted = before is not None and player is not None and player.street == before
    if counted:
        betting.return_post(seat, before)
    betting.post_blinds({seat: cents}, None, aggressive=False)
    if counted and core.options.over_blind:
        _open_anew(core, betting)


def _open_anew(core: Core, betting: Betting) -> None:
    """Open the first betting round by the posts as they are now: the over-blind that it opened behind may be gone."""
    due = forced_bets.blind_seats(core, betting.ring)
    known = [cents for cents in due.values() if cents is not None]
    if not due or len(known) < len(due):
        return
    betting.over_blind(list(due)[-1], max(known), sets_raise=True)
    _open_behind_over_blind(core, betting, forced_bets.over_blinds(core, due))
    openers.choose(core)


def all_in_before(core: Core, seat: int) -> bool:
    """Whether a seat's forced bets use up its chips, before the first betting round is open."""
    deal = core.round.deals.current
    assert deal is not None
    due = forced_bets.blind_seats(core, deal.seats) if core.street.opener == "after_blinds" else {}
    paid = forced_bets.posted(core, deal.seats, due).get(seat)
    return paid is not None and paid.all_in


def put_less(core: Core, betting: Betting, seat: int) -> None:
    """Count a seat's forced bets anew, before the first action, because it is all in with less."""
    due = forced_bets.blind_seats(core, betting.ring)
    forced = forced_bets.posted(core, betting.ring, due)
    paid, for_all = forced[seat], forced_bets.big_blind_antes(core, forced)
    core.round.forced.big_blind_antes = for_all
    betting.dead = sum(for_all.values()) + core.round.purchase.dead_small
    betting.use_up(seat, paid.blind if seat in due else 0, 0 if seat in for_all else paid.ante)


def absent(core: Core) -> set[int]:
    """Seats whose hands the book folds for absence, now or when the first card came."""
    if core.book.seats.absent == "dealt_in_and_dead":
        return core.round.absent
    if core.book.seats.absent == "dealt_in_and_folded":
        return {number for number, seat in core.standing.seats.items() if seat.away_since is not None}
    return set()


def _new_betting(core: Core, ring: list[int], due: dict[int, int | None], forced: Mapping[int, Posted]) -> Betting:
    """`due`: the blinds due, by seat. `forced`: what is put in of them and of the antes."""
    rules = core.book.betting
    blind = list(due.values())[-1] if due else _bet_on_antes(core)
    core.round.forced.big_blind_antes = forced_bets.big_blind_antes(core, forced)
    terms = Terms(
        raise_cap=rules.raise_cap if due or rules.cap_on_antes else None,
        cap_lifted_heads_up=rules.cap_lifted_heads_up or _last_two(core, ring),
        limit=limit_for(str(core.options.betting), core.options.table_max),
        structured=core.options.betting == "structured",
        completes=rules.under_raise == "completed" and core.options.betting in LIMIT_GAMES,
        half_completes=_half_completes(core),
        blind=blind,
        least_bet=core.options.table_min or blind,
        raise_as_call=rules.least_raise == "amount_to_call",
        all_in_reopens=rules.short_all_in == "reopens",
        least=_least_bets(core, list(due.values())[-1] if due else None),
    )
    return Betting(
        ring,
        terms,
        dead=sum(core.round.forced.big_blind_antes.values()) + core.round.purchase.dead_small,
        actions=core.round.actions,
        ever_keyed=core.options.actions_keyed is True,
    )


def _bet_on_antes(core: Core) -> int | None:
    """The bet in cents, in a game without blinds, of which limits are counted."""
    if core.book.betting.least_bet == "table_minimum" and core.options.table_min is not None:
        return core.options.table_min
    return antes.due(core)


def _least_bets(core: Core, last_blind: int | None) -> LeastBets:
    return least_bets(
        core.book.betting.least_bet,
        str(core.options.betting),
        blind=last_blind,
        ante=antes.due(core),
        table_min=core.options.table_min,
    )


def _last_two(core: Core, ring: list[int]) -> bool:
    """Whether the book lifts the cap because a tournament is down to two players."""
    return core.book.betting.cap_lifted_for_last_two and len(ring) == 2 and bool(core.options.final_table)


def _half_completes(core: Core) -> bool:
    """Whether half a raise is completed to a full one, by the book's row."""
    row = core.row(Irregularity.BET_BETWEEN, {"size": "half_or_more"})
    return row.outcome is Outcome.COMPLETE_RAISE


def _capped(core: Core, street: int) -> bool:
    rules = core.book.betting
    name = core.book.streets[street].name
    return core.options.betting in rules.capped and name not in rules.uncapped_streets


def open_next_street(core: Core) -> None:
    """Open the betting round of a street whose cards are complete."""
    betting = core.round.betting
    assert betting is not None
    core.move("dealt")
    core.round.stud.owe_no_burns()
    corrections.street_opens(core)
    last = core.round.street + 1 == len(core.book.streets)
    betting.open_street(core.street.name, capped=_capped(core, core.round.street), last=last)
    communal.cap_street(core)
    openers.choose(core)
    betting.checks_refused = last and core.options.no_check_final is True
    end_idle_street(core)


def close_street(core: Core) -> None:
    """Close the betting round and go on to the next street or the showdown."""
    betting = core.round.betting
    assert betting is not None
    if not betting.open:
        return
    stage = core.stage()
    betting.close_street()
    core.round.clock.stop()
    core.move("closed")
    core.forget_street()
    if core.round.street + 1 < len(core.book.streets):
        if not betting.begun:
            stage.count_hands()
        core.round.next_street()
        core.stages.of_new_street().begin()
        return
    if not betting.begun:
        stage.count_hands()
    counts.judge(core, "showdown")
    counts.judge_tabled(core, questions.cards_of_a_hand(core)[0])
    core.judge()
    showdown.judge(core)


def deal_street(core: Core) -> None:
    """Begin the deal of the next street to the players.

    Where too few cards are left, the book's row decides.
    """
    round_ = core.round
    missed = counts.missed(core)
    stud_deal.open_deal(core)
    round_.deals.owe_before(missed)
    last_cards.judge_supply(core)
    if core.collecting() or round_ is not core.round:
        return
    core.flow.deal_complete()


def end_idle_street(core: Core) -> None:
    """Close the betting round if nobody can bet, because a card of the next street has come."""
    betting = core.round.betting
    if betting is not None and betting.open and betting.certain and not betting.contested:
        close_street(core)
        betting.be_idle()
