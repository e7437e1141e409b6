"""Actions and betting rounds of player-banked games, as the dealer keys them."""

from typing import Final

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.errors import Refused
from table_fsm.events import Action, BettingClosed
from table_fsm.felt import SEAT_ZONE, PlayerAction
from table_fsm.play.betting import button_purchase, forced_bets, forced_faults, out_of_turn, rounds
from table_fsm.play.betting.findings import rule_findings
from table_fsm.play.board import corrections, replacement, tabling
from table_fsm.play.deal import counts, seats, turned
from table_fsm.play.deck import cutting
from table_fsm.play.stud import last_cards
from table_fsm.play.tournament import clock
from table_fsm.poker.betting import acting
from table_fsm.poker.betting import early as betting_early
from table_fsm.poker.betting.acting import AGGRESSIVE, PUTS_CHIPS
from table_fsm.poker.betting.state import Betting
from table_fsm.rulebook.irregularities import Irregularity

_ACTIONS: Final = frozenset(PlayerAction)
FORCED: Final = frozenset({PlayerAction.POST, PlayerAction.ANTE})
_NEED_CHIPS: Final = AGGRESSIVE | {PlayerAction.ALL_IN}


def on_action(core: Core, event: Action) -> None:
    """Take a player's action; raise Refused for one that makes no sense."""
    core.need_open()
    if event.action not in _ACTIONS:
        raise Refused(f"action {event.action!r}: {', '.join(sorted(_ACTIONS))}")
    if event.seat not in SEAT_ZONE:
        raise Refused(f"there is no seat {event.seat}: 1 to 10")
    if event.cents is not None and event.cents < 0:
        raise Refused("cents: what the player put in with this action, 0 or more")
    if event.cents == 0 and event.action in _NEED_CHIPS:
        raise Refused(f"seat {event.seat}: {event.action} of nothing: give its cents, or none where they are not known")
    if core.collecting() and event.action not in FORCED:
        return
    core.stage().act(event)


def post(core: Core, event: Action) -> None:
    if event.seat not in core.standing.seats:
        raise Refused(f"seat {event.seat} has no player: a post or ante needs one")
    betting = core.round.betting
    if betting is not None and betting.begun:
        raise Refused("the betting has begun: blinds and antes come before it")
    if button_purchase.posted(core, event):
        return
    forced, seat = core.round.forced, core.standing.seats[event.seat]
    before = forced.posts.get(event.seat)
    if core.in_round:
        forced_faults.judge_late(core, event.seat, ante=event.action == PlayerAction.ANTE)
    if event.action == PlayerAction.ANTE:
        forced.pay_ante(event.seat, event.cents)
    else:
        if seat.newcomer:
            forced.enter(event.seat)
        forced.post(event.seat, event.cents)
    level = clock.level_of_deal(core)
    if level is not None:
        forced.levels.add(level)
    clock.deal_begins(core, "post")
    if not core.in_round:
        seat.newcomer = False  # who posts is dealt in
    owed = betting is not None and event.seat in forced_bets.blind_seats(core, betting.ring)
    if betting is not None and event.action == PlayerAction.POST and not owed:
        rounds.post_beside(core, betting, event.seat, event.cents, before=before)


def goes_all_in_blind(core: Core, event: Action) -> bool:
    """Take an all-in for less than the blind or ante due, before the betting; return whether it is one.

    `cents`: what the player adds to what was keyed before; None adds nothing.
    """
    betting = core.round.betting
    if event.action != PlayerAction.ALL_IN or event.seat not in core.standing.seats:
        return False
    if betting is not None and (betting.begun or betting.to_act() == event.seat):
        return False
    if not forced_faults.takes_all_in(core, event.seat, event.cents or 0):
        return _goes_all_in_over_blind(core, event)
    core.round.forced.go_all_in(event.seat, event.cents)
    clock.deal_begins(core, "post")
    if betting is not None:
        rounds.put_less(core, betting, event.seat)
    return True


def _goes_all_in_over_blind(core: Core, event: Action) -> bool:
    """Take an all-in before the first card that is an over-blind; return whether it is one."""
    parts = forced_faults.of_all_in_over_blind(core, event.seat, event.cents)
    if parts is None:
        return False
    (ante, over_blind), forced = parts, core.round.forced
    if ante:
        forced.pay_ante(event.seat, ante)
    forced.post(event.seat, over_blind)
    forced.go_all_in(event.seat, None)
    clock.deal_begins(core, "post")
    return True


def _betting(core: Core, event: Action) -> Betting:
    betting = core.round.betting
    if betting is None:
        raise Refused(f"seat {event.seat}: {event.action}, and the cards are not dealt yet")
    if event.seat not in betting.players:
        raise Refused(f"seat {event.seat} is not in this round")
    if not betting.is_live(event.seat) and not _folds_for_absent(core, event):
        raise Refused(f"seat {event.seat} has folded")
    return betting


def _folds_for_absent(core: Core, event: Action) -> bool:
    """Whether the dealer keys the fold of an absent player whose hand the book has folded."""
    record = core.standing.seats.get(event.seat)
    away = record is not None and record.away_since is not None
    return event.action == PlayerAction.FOLD and (away or event.seat in rounds.absent(core))


def ends_deal(core: Core, event: Action) -> bool:
    """End the deal to the players, because one of them acts; return whether to take the action.

    A fold while cards are still to come does not end the deal. Raises Refused where too much is still to be dealt.
    """
    deal = core.round.deals.current
    if core.rounds.phase != "dealing" or deal is None:
        return True
    if (
        event.action == PlayerAction.FOLD
        and event.seat in deal.dealt
        and (core.round.street > 0 or _dealing_goes_on(core))
    ):
        core.flow.fold(event.seat)
        return False
    if event.seat not in deal.dealt:
        raise Refused(f"seat {event.seat} is not in this round")
    _check_may_act(core, event)
    end_deal(core, f"seat {event.seat}: {event.action}")
    return True


def _check_may_act(core: Core, event: Action) -> None:
    """Raise Refused for a player who cannot act in the betting that the end of the deal would open.

    Afterwards is too late: the deal would be over by an action that is refused.
    """
    betting, seat = core.round.betting, event.seat
    if betting is None:
        folded = seat in core.round.early.folds or seat in rounds.absent(core)
        all_in = rounds.all_in_before(core, seat)
    else:
        folded, player = not betting.is_live(seat), betting.players[seat]
        all_in = player.all_in or player.tapped
    if folded and not _folds_for_absent(core, event):
        raise Refused(f"seat {seat} has folded")
    if all_in and event.action != PlayerAction.FOLD:
        raise Refused(f"seat {seat} is all in and acts no more")


def act(core: Core, event: Action) -> None:
    """Take a bet, check or fold in a betting round, or one that opens it.

    Raises Refused where the player may not act.
    """
    betting, seat, action = _betting(core, event), event.seat, event.action
    if action == PlayerAction.FOLD:
        if tabling.mucked_unseen(core, seat):
            return
        _begin(core, betting, seat, bet=False)
        if not core.collecting():
            _player_folds(core, betting, seat)
        return
    stage = core.stage()
    opens = stage.betting_may_open()
    if not (betting.open or opens):
        raise Refused(f"seat {seat}: {action}, and no betting round is open")
    player = betting.players[seat]
    if player.all_in or player.tapped:
        raise Refused(f"seat {seat} is all in and acts no more")
    if opens:
        stage.open_betting()
    taps_out = betting.taps_out is not None and action == PlayerAction.CHECK
    if betting.keyed and betting.certain and not taps_out and betting.to_act() is None:
        raise Refused(f"seat {seat}: {action}, and everybody has acted: close the betting")
    _begin(core, betting, seat, bet=action in PUTS_CHIPS)
    if core.collecting() or not betting.is_live(seat):
        return
    if core.round.clock.seat == seat:
        core.round.clock.stop()
    if findings := acting.act(betting, seat, action, event.cents):
        rule_findings(core, seat, findings, event.cents)
    out_of_turn.judge_what_followed(core)
    out_of_turn.turn_comes(core)


def _player_folds(core: Core, betting: Betting, seat: int) -> None:
    """Fold a hand; a fold out of turn is valid too.

    Where the book has a ruling on a fold out of turn, the ruling comes when the turn reaches the seat, or as the folds
    leave one hand: no turn comes then.
    """
    ruled = core.book.betting.out_of_turn_folds == "ruled"
    early = betting_early.fold_out_of_turn(betting, seat) if ruled and betting.is_live(seat) else None
    core.flow.fold(seat)
    if early is not None:
        betting.out_of_turn.hold(seat, early)
    if not betting.open:
        out_of_turn.no_turn_comes(core)
    if early is None or not betting.open:
        return
    out_of_turn.judge_what_followed(core)
    out_of_turn.turn_comes(core)


def _dealing_goes_on(core: Core) -> bool:
    """Whether cards of the deal are to come: a player's, or the communal card that ends the initial deal (A 2.2)."""
    deal = core.round.deals.current
    if deal is None:
        return False
    return deal.goes_on or (core.round.street == 0 and deal.complete and not questions.first_lies(core))


def end_deal(core: Core, what: str, *, closed: bool = False) -> None:
    """End a deal that was never finished, because betting begins or is `closed` already.

    A seat that is short has been missed. `what`: the action, for the refusal. Raises Refused while the cards are still
    being dealt.
    """
    if core.round.stud.communal:
        last_cards.communal_shows(core)  # no reader saw it come
        return
    if _dealing_goes_on(core):
        raise Refused(f"{what}, and the cards are still being dealt")
    if closed:
        core.round.actions.close_round()
    seats.passes_over(core)
    if core.rounds.phase != "dealing" or core.collecting():
        return
    if core.round.street == 0:
        rounds.open_first_street(core)
    else:
        rounds.open_next_street(core)


def _begin(core: Core, betting: Betting, seat: int | None, *, bet: bool) -> None:
    """Note an action: the round's first ends the initial deal, and a first bet needs a cut.

    `seat`: who acts; None where the betting is closed.
    """
    if seat is not None:
        turned.judge_turned(core)
    first_street = core.round.street == 0
    if first_street and bet and cutting.FIRST_BET not in core.round.rulings.matters:
        core.round.rulings.settle(cutting.FIRST_BET)
        cutting.first_bet(core)
    if first_street and not betting.begun:
        forced_faults.judge(core, betting.ring)
    street = core.street
    if not betting.begun and (street.own_cards or street.draw or street.given_up):
        core.stage().count_hands()
        counts.judge_extra_hands(core)
        counts.judge(core, "betting")
    elif (missed := counts.missed(core)) and (not betting.begun or seat in {None, *missed}):
        counts.judge(core, "betting")  # the card that a ruling has ordered was not given
    elif not betting.begun and replacement.left_lying(core) is not None:
        counts.judge(core, "betting")  # the card that a ruling has ordered away is played with
    core.judge()
    betting.begin()
    betting.closed_by_card = False


def on_betting_closed(core: Core, event: BettingClosed) -> None:
    """Close the betting round for the dealer."""
    core.need_open()
    if not core.collecting():
        core.stage().close_betting()


def over_already(core: Core) -> bool:
    """Whether the betting round to be closed has ended already.

    Nobody could bet, or a card of the next street has closed it, and the key comes late.
    """
    betting = core.round.betting
    if betting is None:
        return False
    if betting.closed_by_card:
        betting.closed_by_card = False
        return True
    return betting.idle and _nothing_since(core)


def close_unkeyed(core: Core, betting: Betting) -> None:
    """Close the betting round in progress, because what follows it has come; its key may still come."""
    close(core)
    betting.closed_by_card = True


def close(core: Core) -> None:
    """Close the betting round in progress. Raises Refused where none is open."""
    betting = core.round.betting
    if betting is not None and core.rounds.phase == "settling":
        return  # the fold that left one player has ended it already
    if betting is None or not betting.open:
        raise Refused("no betting round is open")
    while acting.let_restricted_stand(betting):
        out_of_turn.turn_comes(core)  # behind that player another may have acted out of turn
    known = betting.keyed or core.options.actions_keyed is True
    waiting = betting.to_act() if known else None
    _begin(core, betting, None, bet=not known)
    if core.collecting() or betting is not core.round.betting:
        return
    if waiting is not None and not betting.is_live(waiting):
        waiting = betting.to_act()  # who was waited for has been folded by a ruling
    if waiting is not None and betting.is_live(waiting):
        core.rule(Irregularity.BETTING_INCOMPLETE, {"decisions": "none", "noticed": "closed"}, seat=waiting)
    rounds.close_street(core)
    corrections.judge_action(core)
    counts.judge_left_to_floor(core)


def _nothing_since(core: Core) -> bool:
    """Whether no card of the next street has come since a betting round ended by itself."""
    if core.rounds.phase == "dealing":
        return core.round.deals.current is not None and not core.round.deals.current.begun
    return core.rounds.phase in {"board", "showdown"} and not core.round.board.burns


def check_hand(core: Core, seat: int) -> None:
    """Count the player as having checked."""
    betting = core.round.betting
    if betting is not None and betting.open and betting.is_live(seat):
        betting.begin()
        acting.act(betting, seat, PlayerAction.CHECK, None)
        out_of_turn.turn_comes(core)
