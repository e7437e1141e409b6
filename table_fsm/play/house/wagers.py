"""Players' actions in house-banked games: wagers in boxes, play wagers, folds, checks."""

from functools import partial
from typing import Final

from table_fsm.core.core import Core
from table_fsm.core.house_state import CARRIED, BettingBox, LaidAhead, LatePlay
from table_fsm.core.round import Matter
from table_fsm.errors import Refused
from table_fsm.events import Action, Wager
from table_fsm.felt import SEAT_ZONE, WAGER_BOXES, PlayerAction
from table_fsm.play.house import boxes, settlement
from table_fsm.poker.betting.acting import AGGRESSIVE
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.model import Row, Street

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
    if event.action == PlayerAction.FOLD:
        boxes.fold(core, event.seat)
        return
    _check(core, event.seat)


def _check(core: Core, seat: int) -> None:
    """Take a check, also of a player who was passed over; on the last street there is none."""
    late, betting = boxes.owed_late(core, seat), core.rounds.phase == "betting"
    if not betting and late is None:
        raise Refused(f"seat {seat}: check, and no decision is asked")
    core.round.house.keyed = True
    box, last = boxes.betting_box(core, seat), core.book.streets[-1]
    if not box.play and (late or core.street) is last:
        core.find(Irregularity.ACTION_ILLEGAL, {"kind": "check_facing_bet"}, seat=seat)
        return
    if late is None or not betting:
        box.check((late or core.street).name)
    else:
        box.check_late((late if core.street is last else core.street).name)
    if betting:
        core.round.house.open_window(core.t)


def on_betting_closed(core: Core) -> None:
    """Close the decisions of a street for the dealer.

    Raises Refused where none are asked, and while the cards are being dealt.
    """
    if boxes.dealing(core):
        raise Refused("no betting round is open: the cards are being dealt")
    if core.rounds.phase != "betting":
        raise Refused("no betting round is open")
    boxes.close_decisions(core, "closed")


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
    if event.box == "play":
        play(core, event.seat, event.cents)
    else:
        house = core.round.house
        no_wager = house.stays(event.seat) and not house.box(event.seat).seen_in(event.box)
        left = house.fetch(event.seat, event.box, event.cents)
        if not core.in_round:  # wagers for the next round may lie before the shuffle
            _judge_order(core, event, left=left)
            _place(core, event)
        elif not (left and no_wager):  # who was away at "no more bets" may fetch what stays
            _changed(core, event)
    if core.in_round:
        boxes.note_payment(core)


def _changed(core: Core, event: Wager) -> None:
    """Judge chips reported in ante, blind or trips after the first card."""
    box = boxes.betting_box(core, event.seat)
    if _is_ahead(core, event, box):
        core.round.house.lay_ahead(event.seat, event.box, LaidAhead(event.cents, event.marker is True))
        return
    before, had_none = box.seen_in(event.box), box.empty
    box.see(event.box, event.cents)
    if event.cents in {before, box.lies_in(event.box)}:
        return  # a sensor repeats itself, or the wager is put back as it was
    late_player = not (box.ante or box.blind or box.trips)
    if late_player and not had_none:
        return  # ante, blind and trips of a late player are one fault
    if not _being_settled(core, event.seat, box, event.box, event.cents - before):
        core.find(Irregularity.WAGER_AFTER_DEAL, seat=event.seat)


def _is_ahead(core: Core, event: Wager, box: BettingBox) -> bool:
    """Whether chips are a wager for the next round: the box was settled and is empty, or one was laid there since."""
    if event.box in core.round.house.ahead.get(event.seat, {}):
        return True
    settled = box.settled or core.rounds.phase == "settling"
    return settled and event.cents > 0 and not box.seen_in(event.box)


def _being_settled(core: Core, seat: int, box: BettingBox, name: str, change: int) -> bool:
    """Whether a change of chips, in cents, is a payment, or comes after the wagers of the box have been settled.

    ACT 2019, 4.6: "until a decision and settlement has been made in respect of any wager". A hand that is folded or
    void is paid by taking its chips, any other one after its cards have been turned (9.3); the antes go back before
    where the dealer does not qualify (9.2).
    """
    if box.folded or box.void:
        return change < 0 or (box.empty and not box.reported.get(name))
    if box.settled or core.rounds.phase == "settling":
        return True
    if not core.round.house.dealer_open:
        return False
    zone, tracker = SEAT_ZONE[seat], core.round.tracker
    if tracker.holds(zone) == tracker.ups(zone):
        return True
    return name == "ante" and change < 0 and not settlement.dealer_qualifies(core)


def _place(core: Core, event: Wager) -> None:
    box = boxes.betting_box(core, event.seat)
    if event.cents and box.reported.get(event.box) == event.cents:
        return  # the wager that the dealer is to return
    if box.lies_in(event.box) != event.cents:
        core.round.rulings.reopen((Matter.WAGER, event.seat))  # a box that is laid anew is judged anew
    core.round.house.lay(event.seat, event.box, event.cents, marker=event.marker is True)


def _judge_order(core: Core, event: Wager, *, left: bool) -> None:
    """Rule on a wager out of order in a tournament.

    Wagers go clockwise from the starting marker, and a player's opportunity ends with the next one's. `left`: the chips
    are of the round before; those that lie there are wagered in their turn, those that are fetched are no wager. A
    report of chips that stay begins no turn: their player may have touched them, and the players before wager still.
    """
    start = core.standing.start_marker
    order = core.round.house.wager_order
    if not core.options.tournament or start is None:
        return
    seats = sorted(number for number, record in core.standing.seats.items() if record.away_since is None)
    ring = [s for s in seats if s >= start] + [s for s in seats if s < start]
    if left or (event.seat not in order and not event.cents):
        box = boxes.betting_box(core, event.seat)
        others = any(box.lies_in(name) for name in CARRIED if name != event.box)
        if core.round.house.stays(event.seat):
            return
        core.round.house.count_as_placed(event.seat, placed=event.cents > 0 or others)
        return
    for seat in ring[: ring.index(event.seat)] if event.seat in ring else ():
        if core.round.house.stays(seat):  # its chips lie there, and no sensor tells them again
            core.round.house.count_as_placed(seat, placed=True)
    if event.seat in order:
        late = order[-1] != event.seat
    else:
        late = next((s for s in ring if s not in order), None) != event.seat
        core.round.house.count_as_placed(event.seat, placed=True)
    if late:
        matter, facts = (Matter.WAGER_ORDER, event.seat), {"earlier": "same", "action": "wager"}
        core.find(Irregularity.ACTION_OUT_OF_TURN, facts, seat=event.seat, once=matter)


def play(core: Core, seat: int, cents: int) -> None:
    """Take a play wager; `cents`: the chips that lie in the box.

    One a round, a permitted multiple of the ante, before the next cards show: until then it belongs to the street
    whose decisions the dealer may have closed. The chips of a round that was ended without settlement may be fetched
    until the next one begins, also in several grips (ACT 2019, 13.1).
    """
    left = core.round.house.fetch(seat, "play", cents)
    if core.collecting() or (left and not core.in_round):
        return
    box = boxes.betting_box(core, seat)
    before = box.seen_in("play")
    box.see("play", cents)
    if cents in {before, box.play}:
        return  # a sensor repeats itself, or the wager is put back as it was
    if not core.in_round or seat not in boxes.playing(core):
        if cents > before:
            _play_fault(core, seat, "not_allowed")
    elif _being_settled(core, seat, box, "play", cents - before):
        return
    elif box.play:
        _play_changed(core, seat, box, cents)
    elif (street := _street_of_play(core, seat, cents)) is None:
        core.find(Irregularity.WAGER_AFTER_DEAL, seat=seat)
    elif box.checked != street.name:
        _accept_play(core, seat, box, cents, street)
    else:  # who has checked may bet once the next cards are revealed (8.3, 8.5)
        late = partial(_note_late, box, cents, street)
        core.find(Irregularity.WAGER_AFTER_DEAL, seat=seat, then=late)


def _note_late(box: BettingBox, cents: int, street: Street, number: int, _: Row) -> None:
    box.note_late_play(LatePlay(number, cents, street.name))


def check_was_no_check(core: Core, ruling: int) -> None:
    """Take back a keyed check because of which a play wager was ruled on: a person says that nobody checked.

    The wager is one of its street (8.1, 8.3, 8.5) if its chips lie there still.
    """
    for seat in boxes.unsettled(core):
        box = boxes.betting_box(core, seat)
        late = box.late_play
        if late is None or late.ruling != ruling or box.play:
            continue
        box.take_back_check(late.street)
        if box.seen_in("play") == late.cents:
            street = next(street for street in core.book.streets if street.name == late.street)
            box.make_play(late.cents, street.name)
            _judge_multiple(core, seat, box, street)


def _street_of_play(core: Core, seat: int, cents: int) -> Street | None:
    """The street on which a play wager is made now; None where the player may make none.

    A street lasts until a card of the next one shows (dictionary: before the flop, after the flop, on the river). For a
    player who was passed over it lasts longer: while the next one's decisions are made, its own multiples tell.
    """
    phase, streets = core.rounds.phase, core.book.streets
    late = boxes.owed_late(core, seat)
    if late is not None and (phase != "betting" or _is_multiple(core, seat, cents, late)):
        return late
    if phase in {"dealing", "betting"}:
        return core.street
    shown = core.round.tracker.ups
    if phase == "board" and not any(shown(zone) for zone in core.street.turn):
        return streets[core.round.street - 1]
    if phase == "showdown" and not shown("dealer"):
        return core.street
    return None


def _accept_play(core: Core, seat: int, box: BettingBox, cents: int, street: Street) -> None:
    box.make_play(cents, street.name)
    if core.rounds.phase in {"dealing", "betting"}:
        core.round.house.open_window(core.t)
    if boxes.dealing(core):
        box.play_wrong = True
        _play_fault(core, seat, "too_early")
    else:
        _judge_multiple(core, seat, box, street)


def _is_multiple(core: Core, seat: int, cents: int, street: Street) -> bool:
    return cents in {multiple * boxes.betting_box(core, seat).ante for multiple in street.play_multiples}


def _judge_multiple(core: Core, seat: int, box: BettingBox, street: Street) -> None:
    box.play_wrong = not _is_multiple(core, seat, box.play, street)
    if box.play_wrong:
        _play_fault(core, seat, "wrong_multiple")


def judge_early_plays(core: Core) -> None:
    """Rule on the size of play wagers that were laid during the deal, now that it is over.

    Until then they may be taken back, because a play wager waits until all cards have been dealt (ACT 2019, 8.1).
    """
    for seat in boxes.playing(core):
        box = boxes.betting_box(core, seat)
        if box.play:
            _judge_multiple(core, seat, box, core.street)


def _play_changed(core: Core, seat: int, box: BettingBox, cents: int) -> None:
    """Take a changed play wager: a wrong one may be corrected on its street, no other."""
    street = _street_of_play(core, seat, cents)
    if box.play_wrong and street is not None and box.play_street == street.name:
        box.play_wrong = False
        if cents:
            _accept_play(core, seat, box, cents, street)
        else:
            box.take_play()
    elif cents > box.play:
        _play_fault(core, seat, "second_play")
    else:
        core.find(Irregularity.WAGER_AFTER_DEAL, seat=seat)


def _play_fault(core: Core, seat: int, kind: str) -> None:
    core.find(Irregularity.WAGER_INVALID, {"kind": kind}, seat=seat)


def judge_wagers(core: Core) -> None:
    """Rule on every box as it lies at "no more bets".

    Judged at the announcement, and again at the first card. In a tournament, where every player wagers (16.15), chips
    that lie still from a round that was ended without settlement are wagers: a sensor does not tell them again.
    """
    if core.options.tournament:
        core.round.house.lay_what_stays(_there(core))
    for seat in _wagering(core):
        box = boxes.betting_box(core, seat)
        for matter, kind in ((Matter.WAGER, _unlike(box)), (Matter.WAGER_SIZE, _too_little(core, seat, box))):
            if kind is not None:
                then = partial(_carry_out, core, seat, kind)
                core.find(Irregularity.WAGER_INVALID, {"kind": kind}, seat=seat, once=(matter, seat), then=then)


def _wagering(core: Core) -> list[int]:
    """Seats whose boxes are judged: in a tournament every player's who is there, else those with a wager."""
    house = core.round.house
    return sorted({*house.boxes, *(_there(core) if core.options.tournament and house.any_wager else ())})


def _there(core: Core) -> list[int]:
    seats = core.standing.seats
    return [seat for seat, record in seats.items() if record.away_since is None and not record.leaving]


def _unlike(box: BettingBox) -> str | None:
    if box.trips and not (box.ante and box.blind):
        return "trips_alone"
    return "ante_unlike_blind" if box.ante != box.blind else None


def _too_little(core: Core, seat: int, box: BettingBox) -> str | None:
    """The kind of a wager below the minimum; one of ante and blind that are unlike is taken to be made up."""
    least, stake = core.options.table_min or 1, max(box.ante, box.blind)
    if core.options.tournament and stake < least and seat in core.standing.seats:
        return "below_minimum_in_tournament"
    if not any(0 < cents < least for cents in (stake, box.trips if stake else 0)):
        return None
    record = core.standing.seats.get(seat)
    return "below_minimum_again" if record is not None and record.told_minimum else "below_minimum"


def _carry_out(core: Core, seat: int, kind: str, number: int, row: Row) -> None:
    """Note that the player knows of the minimum, or return the wagers below it."""
    if kind == "below_minimum":
        core.standing.seats[seat].told_minimum = True
    elif kind == "below_minimum_again":
        box, least = boxes.betting_box(core, seat), core.options.table_min or 1
        for name in ("ante", "blind", "trips") if box.ante < least else ("trips",):
            box.give_back(name)
        core.round.rulings.reopen((Matter.WAGER_SIZE, seat))
