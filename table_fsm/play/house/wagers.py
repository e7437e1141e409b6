"""Players' actions in house-banked games: wagers in boxes, play wagers, folds, checks."""

from typing import Final

from table_fsm.core.core import Core
from table_fsm.core.house_state import BettingBox
from table_fsm.core.round import Matter
from table_fsm.errors import Refused
from table_fsm.events import Action, Wager
from table_fsm.felt import WAGER_BOXES, PlayerAction
from table_fsm.play.house import boxes, cards
from table_fsm.poker.betting.acting import AGGRESSIVE
from table_fsm.rulebook.irregularities import Irregularity

_KEYED: Final = AGGRESSIVE | {PlayerAction.FOLD, PlayerAction.CHECK}


def on_action(core: Core, event: Action) -> None:
    """Take a fold or a check; a play wager may be keyed as a bet."""
    if event.action not in _KEYED:
        raise Refused(f"action {event.action!r}: this game knows fold, check, and the play wager")
    if not core.in_round:
        raise Refused(f"seat {event.seat}: {event.action}, and no round is in progress")
    if event.action in AGGRESSIVE:
        if event.cents is None:
            raise Refused("a play wager needs its amount: wager with box play, or the action with cents")
        play(core, event.seat, event.cents)
        return
    if event.seat not in boxes.playing(core):
        raise Refused(f"seat {event.seat} has no hand in play")
    cards.deal_over(core)
    if core.collecting():
        return
    if event.action == PlayerAction.FOLD:
        boxes.fold(core, event.seat)
        return
    if core.rounds.phase != "betting":
        raise Refused(f"seat {event.seat}: check, and no decision is asked")
    core.round.house.keyed = True
    last = core.round.street + 1 == len(core.book.streets)
    box = boxes.betting_box(core, event.seat)
    if last and not box.play:
        core.find(Irregularity.ACTION_ILLEGAL, {"kind": "check_facing_bet"}, seat=event.seat)
        return
    box.decide(core.street.name)
    core.round.house.open_window(core.t)


def on_betting_closed(core: Core) -> None:
    """Close the decisions of a street for the dealer."""
    if core.in_round and boxes.dealing(core):
        cards.rule_short(core)
        if core.collecting():
            return
    if core.rounds.phase != "betting":
        raise Refused("no betting round is open")
    boxes.close_decisions(core)


def on_wager(core: Core, event: Wager) -> None:
    """Take chips reported in a box."""
    if core.book.banked != "house":
        raise Refused("wagers in boxes are for house-banked games: here it is an action")
    if event.box not in WAGER_BOXES:
        raise Refused(f"box {event.box!r}: ante, blind, trips or play")
    if event.seat not in core.standing.seats:
        raise Refused(f"seat {event.seat} has no player: a wager needs one")
    if event.cents < 0:
        raise Refused("wager: cents, 0 or more")
    if core.collecting() and not core.round.started:
        _place(core, event)  # wagers for the next round may lie before the shuffle
        return
    if event.box == "play":
        play(core, event.seat, event.cents)
        return
    if core.in_round:
        box = core.round.house.boxes.get(event.seat)
        lies = 0 if box is None else box.lies_in(event.box)
        taken = box is not None and not event.cents and (box.folded or box.void)
        if lies != event.cents and not taken and not _settled(core):
            core.find(Irregularity.WAGER_AFTER_DEAL, seat=event.seat, once=(Matter.WAGER_LATE, event.seat))
        return
    _judge_order(core, event)
    _place(core, event)


def _settled(core: Core) -> bool:
    """Whether wagers are being paid and taken, so chips that leave a box are settlement."""
    return core.rounds.phase in {"showdown", "settling"}


def _place(core: Core, event: Wager) -> None:
    box = boxes.betting_box(core, event.seat)
    box.lay(event.box, event.cents)
    core.round.house.any_wager = core.round.house.any_wager or event.cents > 0


def _judge_order(core: Core, event: Wager) -> None:
    """Rule on a wager out of order in a tournament.

    Wagers go clockwise from the starting marker, and a player's opportunity ends with the next one's.
    """
    start = core.standing.start_marker
    order = core.round.house.wager_order
    if not core.options.tournament or start is None:
        return
    seats = sorted(number for number, record in core.standing.seats.items() if record.away_since is None)
    ring = [s for s in seats if s >= start] + [s for s in seats if s < start]
    if event.seat in order:
        late = order[-1] != event.seat
    else:
        late = next((s for s in ring if s not in order), None) != event.seat
        order.append(event.seat)
    if late:
        matter, facts = (Matter.WAGER_ORDER, event.seat), {"earlier": "same", "action": "wager"}
        core.find(Irregularity.ACTION_OUT_OF_TURN, facts, seat=event.seat, once=matter)


def play(core: Core, seat: int, cents: int) -> None:
    """Take a play wager; `cents`: the chips that lie in the box.

    One a round, a permitted multiple of the ante, while the street is open.
    """
    if core.in_round:
        cards.deal_over(core)
        if core.collecting() or _settled(core):
            return
    box = core.round.house.boxes.get(seat)
    if box is None or seat not in boxes.playing(core) or core.rounds.phase not in {"dealing", "betting"}:
        if cents:
            _play_fault(core, seat, "not_allowed")
        return
    if cents == box.play:  # a sensor repeats itself, or a changed wager is put back
        return
    if box.play:
        _play_changed(core, seat, box, cents)
        return
    _accept_play(core, seat, box, cents)


def _accept_play(core: Core, seat: int, box: BettingBox, cents: int) -> None:
    box.make_play(cents, core.street.name)
    core.round.house.open_window(core.t)
    if boxes.dealing(core):
        _play_fault(core, seat, "too_early")
    elif cents not in {multiple * box.ante for multiple in core.street.play_multiples}:
        box.play_wrong = True
        _play_fault(core, seat, "wrong_multiple")


def _play_changed(core: Core, seat: int, box: BettingBox, cents: int) -> None:
    """Take a changed play wager: a wrong one may be corrected on its street, no other."""
    if box.play_wrong and box.play_street == core.street.name and core.rounds.phase == "betting":
        box.play_wrong = False
        if cents:
            _accept_play(core, seat, box, cents)
        else:
            box.take_play()
        return
    if cents:
        _play_fault(core, seat, "second_play")
    else:
        core.find(Irregularity.WAGER_AFTER_DEAL, seat=seat, once=(Matter.WAGER_LATE, seat))


def _play_fault(core: Core, seat: int, kind: str) -> None:
    """Rule on a play wager, once for each seat and kind of fault."""
    core.find(Irregularity.WAGER_INVALID, {"kind": kind}, seat=seat, once=(Matter.PLAY_WAGER, kind, seat))


def judge_wagers(core: Core) -> None:
    """Rule on every box as it lies at "no more bets".

    Judged at the announcement, and again at the first card.
    """
    state = core.round.house
    least = core.options.table_min
    for seat in sorted(state.boxes):
        box = state.boxes[seat]
        placed = [cents for cents in (box.ante, box.blind, box.trips) if cents]
        if box.trips and not (box.ante and box.blind):
            kind = "trips_alone"
        elif box.ante != box.blind:
            kind = "ante_unlike_blind"
        elif isinstance(least, int) and any(cents < least for cents in placed):
            kind = "below_minimum"
        else:
            continue
        core.find(Irregularity.WAGER_INVALID, {"kind": kind}, seat=seat, once=(Matter.WAGER, seat))
