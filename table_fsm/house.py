"""House-banked rounds: boxes, wagers, the deal in legs, decisions in any order, the dealer's hand, settlement."""

from typing import Final

from table_fsm import house_settlement
from table_fsm.core import Core
from table_fsm.errors import Refused
from table_fsm.events import Action, Wager
from table_fsm.layout import BOARD, BOARD_ZONES, SEAT_ZONE
from table_fsm.rulebook.vocabulary import Irregularity
from table_fsm.state import HouseSeat
from table_fsm.tracker import Origin, Placement

_DEAL: Final = {"noticed": "deal"}
_LATER: Final = {"during": "later", "exposed": "one", "burn": "off"}


def dealing(core: Core) -> bool:
    """The cards are being dealt."""
    return core.rounds.phase == "dealing"


def box_of(core: Core, seat: int) -> HouseSeat:
    """The seat's box in this round."""
    return core.round.house.boxes.setdefault(seat, HouseSeat())


def has_wager(core: Core, seat: int) -> bool:
    """Ante and blind lie in the box."""
    box = core.round.house.boxes.get(seat)
    return box is not None and box.ante > 0 and box.blind > 0


def playing(core: Core) -> list[int]:
    """Seats whose hand is still in play, clockwise."""
    boxes = core.round.house.boxes
    return [s for s in sorted(boxes) if has_wager(core, s) and not boxes[s].folded and not boxes[s].void]


# -- cards


def card_came(core: Core, zone: str, seat: int | None, placement: Placement, up: bool) -> None:
    """A card came to rest in a house-banked game."""
    if placement.origin is Origin.LIFTED:
        _moved(core, zone, seat, placement, up=up)
        return
    if zone == "burn":
        core.rule(Irregularity.BURN_EXTRA)
        return
    if zone in {"muck", "shoe"}:
        return
    if not dealing(core):
        core.rule(Irregularity.WRONG_CARD_COUNT, _DEAL, seat=seat)
        return
    _dealt(core, zone, seat)
    if core.collecting():
        return
    if up and not placement.boxed:
        core.rule(Irregularity.DEAL_REVEALED, seat=seat)
        if core.collecting():
            return
    _complete_if_so(core)


def _dealt(core: Core, zone: str, seat: int | None) -> None:
    """One card of the deal. Going on to the next leg of the deal ends the one before: what is short there shows now."""
    leg = _leg_of(core, zone)
    house = core.round.house
    while house.step < leg:
        short = _short(core, house.step)
        house.step += 1
        if short is not None:
            core.rule(Irregularity.WRONG_CARD_COUNT, _DEAL, seat=short or None)
            return
    if seat is not None and house.any_wager and not has_wager(core, seat):
        _without_wager(core, seat)
        return
    step = core.street.deal[leg]
    held = _on_board(core) if step.to == "board" else _given(core, zone)
    if held > step.cards:
        core.rule(Irregularity.WRONG_CARD_COUNT, _DEAL, seat=seat)


def _leg_of(core: Core, zone: str) -> int:
    kind = "board" if zone in BOARD_ZONES else "dealer" if zone == "dealer" else "boxes"
    return next(index for index, step in enumerate(core.street.deal) if step.to == kind)


def _given(core: Core, zone: str) -> int:
    """Cards dealt to a zone: those that lie there, and those taken up from it."""
    return core.round.tracker.holds(zone) + core.round.tracker.lifted_from(zone)


def _on_board(core: Core) -> int:
    return sum(_given(core, zone) for zone in BOARD)


def _short(core: Core, leg: int) -> int | None:
    """Who lacks cards of a leg of the deal: a seat, 0 for the board or the dealer, None for nobody."""
    step = core.street.deal[leg]
    if step.to == "board":
        return 0 if _on_board(core) < step.cards else None
    if step.to == "dealer":
        return 0 if _given(core, "dealer") < step.cards else None
    for seat in _due_seats(core):
        if _given(core, SEAT_ZONE[seat]) < step.cards:
            return seat
    return None


def _due_seats(core: Core) -> list[int]:
    """Boxes with ante and blind; where no wager is reported at all, those that have been given cards."""
    if core.round.house.any_wager:
        return playing(core)
    return [seat for seat, zone in SEAT_ZONE.items() if _given(core, zone)]


def _without_wager(core: Core, seat: int) -> None:
    box = box_of(core, seat)
    if box.hand_ruled:
        return
    box.hand_ruled = True
    looked = "yes" if core.round.looks.seats else "no"
    if core.option("look_sensor") is False:
        looked = "unknown"
    core.rule(Irregularity.HAND_WITHOUT_WAGER, {"looked": looked}, seat=seat)


def _complete_if_so(core: Core) -> None:
    if not dealing(core) or any(_short(core, leg) is not None for leg in range(len(core.street.deal))):
        return
    core.move("dealt")
    core.round.house.window_from = core.t


def _deal_over(core: Core) -> None:
    """A decision shows that the deal is over, once the dealer has begun their own hand: who is short stays short."""
    if not dealing(core) or not _given(core, "dealer"):
        return
    _rule_short(core)


def _rule_short(core: Core) -> None:
    for leg in range(len(core.street.deal)):
        short = _short(core, leg)
        if short is not None:
            core.rule(Irregularity.WRONG_CARD_COUNT, _DEAL, seat=short or None)
            return


def _moved(core: Core, zone: str, seat: int | None, placement: Placement, *, up: bool) -> None:
    before = placement.zone_before
    if before == zone or {before, zone} <= BOARD_ZONES:  # put back, laid down open, or the stacked five spread out
        if up:
            card_turned(core, zone, seat)
        return
    if zone == "muck":
        for number, place in SEAT_ZONE.items():
            if place == before:
                fold(core, number)
        return
    if seat is not None and before == "muck":
        if ("returned", seat) in core.round.ruled_seats:
            return
        core.round.ruled_seats.add(("returned", seat))
        core.rule(Irregularity.MUCKED_CARD_RETURNED, seat=seat)
    elif not core.has_pending(Irregularity.CARDS_MIXED):  # the other half of an exchange, or its undoing
        core.rule(Irregularity.CARDS_MIXED, seat=seat)


def card_turned(core: Core, zone: str, seat: int | None) -> None:
    """A card was turned face up in the normal course: board, dealer's hand, or a player's hand."""
    if core.rounds.phase == "settling":
        return  # everybody has folded, or everything is settled: what is turned now is for show
    if dealing(core) and zone in BOARD_ZONES and _short(core, _leg_of(core, zone) + 1) is None:
        _rule_short(core)  # every box has its hand and the board is turned: the dealer's own hand was forgotten
    elif dealing(core):
        core.rule(Irregularity.DEAL_REVEALED, seat=seat)
    elif zone in BOARD_ZONES:
        _board_turned(core, zone)
    elif zone == "dealer":
        _dealer_turned(core)
    elif seat is not None and core.rounds.phase in {"betting", "board"} and not core.round.house.dealer_open:
        _player_showed(core, seat)
    elif seat is not None:
        house_settlement.settle_shown(core)


def _player_showed(core: Core, seat: int) -> None:
    if seat not in core.round.exposures.players:
        core.round.exposures.players.add(seat)
        core.rule(Irregularity.PLAYER_EXPOSED, seat=seat)


def _board_turned(core: Core, zone: str) -> None:
    streets = core.book.streets
    following = core.round.street if core.rounds.phase == "board" else core.round.street + 1
    if following >= len(streets) or zone not in streets[following].turn:
        if core.rounds.phase in {"betting", "board"}:
            core.rule(Irregularity.BOARD_PREMATURE)
        return
    if core.rounds.phase == "betting":
        close_decisions(core)
    if all(core.round.tracker.ups(place) for place in streets[following].turn):
        core.move("dealt")
        core.round.house.window_from = core.t
        _open_if_so(core)


def _board_open(core: Core) -> bool:
    return all(core.round.tracker.ups(zone) for zone in BOARD)


def _dealer_turned(core: Core) -> None:
    if not _board_open(core):
        _dealer_seen(core)
        return
    if core.rounds.phase == "betting":
        close_decisions(core)
    _open_if_so(core)


def _open_if_so(core: Core) -> None:
    """The dealer's hand counts as opened when both its cards and the whole board show."""
    tracker = core.round.tracker
    if _board_open(core) and tracker.holds("dealer") and tracker.ups("dealer") == tracker.holds("dealer"):
        core.round.house.dealer_open = True
        house_settlement.settle_shown(core)


def _dealer_seen(core: Core) -> None:
    house = core.round.house
    if house.dealer_ruled:
        return
    house.dealer_ruled = True
    made = any(box.play for box in house.boxes.values())
    core.rule(Irregularity.DEALER_HAND_EXPOSED, {"play_wager": "made" if made else "none"})


def card_exposed(core: Core, zone: str, seat: int | None, by: str) -> None:
    """A face-down card was seen that should not have been."""
    if dealing(core):
        core.rule(Irregularity.DEAL_REVEALED, seat=seat)
    elif zone == "dealer":
        if not core.round.house.dealer_open and core.rounds.phase != "settling":
            _dealer_seen(core)
    elif zone in BOARD_ZONES:
        core.rule(Irregularity.BOARD_PREMATURE)
    elif seat is not None and by == "player":
        _player_showed(core, seat)
    elif seat is not None:
        core.rule(Irregularity.HOLE_EXPOSED, _LATER, seat=seat)
    else:
        core.rule(Irregularity.FOLD_EXPOSED)


def card_removed(core: Core, seat: int | None) -> None:
    """A card left a zone: of a folded hand it went to the discards."""
    if seat is not None and (box := core.round.house.boxes.get(seat)) is not None and box.folded:
        core.round.tracker.discard_lifted(SEAT_ZONE[seat])


# -- decisions


def undecided(core: Core) -> list[int]:
    """Seats that owe a decision on this street."""
    if core.rounds.phase != "betting":
        return []
    boxes = core.round.house.boxes
    name = core.street.name
    return [seat for seat in playing(core) if not boxes[seat].play and boxes[seat].decided != name]


def on_action(core: Core, event: Action) -> None:
    """A player folded or checked; a play wager may be keyed as a bet."""
    if event.action not in {"fold", "check", "bet", "raise"}:
        raise Refused(f"action {event.action!r}: this game knows fold, check, and the play wager")
    if not core.in_round:
        raise Refused(f"seat {event.seat}: {event.action}, and no round is in progress")
    if event.action in {"bet", "raise"}:
        if event.cents is None:
            raise Refused("a play wager needs its amount: wager with box play, or the action with cents")
        play(core, event.seat, event.cents)
        return
    if event.seat not in playing(core):
        raise Refused(f"seat {event.seat} has no hand in play")
    _deal_over(core)
    if core.collecting():
        return
    if event.action == "fold":
        fold(core, event.seat)
        return
    if core.rounds.phase != "betting":
        raise Refused(f"seat {event.seat}: check, and no decision is asked")
    core.round.house.keyed = True
    last = core.round.street + 1 == len(core.book.streets)
    box = box_of(core, event.seat)
    if last and not box.play:
        core.rule(Irregularity.ACTION_ILLEGAL, {"kind": "check_facing_bet"}, seat=event.seat)
        return
    box.decided = core.street.name
    core.round.house.window_from = core.t


def fold(core: Core, seat: int) -> None:
    """A hand is given up, by its player or by a ruling."""
    box = core.round.house.boxes.get(seat)
    if box is None or box.folded or box.settled:
        return
    box.folded = True
    box.decided = core.street.name
    core.round.house.window_from = core.t
    core.round.tracker.discard_lifted(SEAT_ZONE[seat])
    if core.round.house.dealer_open:
        house_settlement.settle_shown(core)
    elif not playing(core) and not dealing(core):
        core.move("won")


def close_decisions(core: Core) -> None:
    """The decisions of this street are over: the dealer closed them, or turned the next cards."""
    waiting = undecided(core)
    if waiting and core.round.house.keyed:
        core.rule(Irregularity.BETTING_INCOMPLETE, seat=waiting[0])
    core.move("closed")
    core.round.house.window_from = None
    if core.round.street + 1 < len(core.book.streets):
        core.round.street += 1


def on_betting_closed(core: Core) -> None:
    """The dealer closed the decisions."""
    if core.in_round and dealing(core):
        _rule_short(core)
        if core.collecting():
            return
    if core.rounds.phase != "betting":
        raise Refused("no betting round is open")
    close_decisions(core)


def judge_time(core: Core) -> None:
    """No decision in the time allowed: every seat that owes one has folded."""
    seconds = core.option("decision_time")
    since = core.round.house.window_from
    if seconds is None or since is None or not core.past(since + seconds):
        return
    core.round.house.window_from = None
    for seat in undecided(core):
        core.rule(Irregularity.NO_DECISION, seat=seat, each=True)


# -- wagers


def on_wager(core: Core, event: Wager) -> None:
    """Chips in a box."""
    if core.book.banked != "house":
        raise Refused("wagers in boxes are for house-banked games: here it is an action")
    if event.box not in {"ante", "blind", "trips", "play"}:
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
        lies = 0 if box is None else getattr(box, event.box)
        taken = box is not None and not event.cents and (box.folded or box.void)
        ruled = ("late", event.seat) in core.round.ruled_seats
        if lies != event.cents and not taken and not ruled and not _settled(core):
            core.round.ruled_seats.add(("late", event.seat))
            core.rule(Irregularity.WAGER_AFTER_DEAL, seat=event.seat)
        return
    _judge_order(core, event)
    _place(core, event)


def _settled(core: Core) -> bool:
    """Wagers are being paid and taken: what leaves the boxes now is settlement."""
    return core.rounds.phase in {"showdown", "settling"}


def _place(core: Core, event: Wager) -> None:
    box = box_of(core, event.seat)
    setattr(box, event.box, event.cents)
    core.round.house.any_wager = core.round.house.any_wager or event.cents > 0


def _judge_order(core: Core, event: Wager) -> None:
    """Tournament: wagers go clockwise from the starting marker, and a player's opportunity ends with the next one's."""
    start = core.standing.start_marker
    order = core.round.house.wager_order
    if not core.option("tournament") or start is None:
        return
    seats = sorted(number for number, record in core.standing.seats.items() if record.away_since is None)
    ring = [s for s in seats if s >= start] + [s for s in seats if s < start]
    if event.seat in order:
        late = order[-1] != event.seat
    else:
        late = next((s for s in ring if s not in order), None) != event.seat
        order.append(event.seat)
    if late and ("order", event.seat) not in core.round.ruled_seats:
        core.round.ruled_seats.add(("order", event.seat))
        core.rule(Irregularity.ACTION_OUT_OF_TURN, {"earlier": "same", "action": "wager"}, seat=event.seat)


def play(core: Core, seat: int, cents: int) -> None:
    """A play wager: one a round, a permitted multiple of the ante, while the street is open. `cents` is what lies."""
    if core.in_round:
        _deal_over(core)
        if core.collecting() or _settled(core):
            return
    box = core.round.house.boxes.get(seat)
    if box is None or seat not in playing(core) or core.rounds.phase not in {"dealing", "betting"}:
        if cents:
            _play_fault(core, seat, "not_allowed")
        return
    if cents == box.play:  # a sensor repeats itself, or what was changed is put back
        return
    if box.play:
        _play_changed(core, seat, box, cents)
        return
    _accept_play(core, seat, box, cents)


def _accept_play(core: Core, seat: int, box: HouseSeat, cents: int) -> None:
    box.play, box.play_street, box.decided = cents, core.street.name, core.street.name
    core.round.house.window_from = core.t
    if dealing(core):
        _play_fault(core, seat, "too_early")
    elif cents not in {multiple * box.ante for multiple in core.street.play_multiples}:
        box.play_wrong = True
        _play_fault(core, seat, "wrong_multiple")


def _play_changed(core: Core, seat: int, box: HouseSeat, cents: int) -> None:
    """A wrong wager may be put right on its street; any other one stays as it is."""
    if box.play_wrong and box.play_street == core.street.name and core.rounds.phase == "betting":
        box.play_wrong = False
        if cents:
            _accept_play(core, seat, box, cents)
        else:
            box.play, box.play_street, box.decided = 0, None, None
        return
    if cents:
        _play_fault(core, seat, "second_play")
    elif ("late", seat) not in core.round.ruled_seats:
        core.round.ruled_seats.add(("late", seat))
        core.rule(Irregularity.WAGER_AFTER_DEAL, seat=seat)


def _play_fault(core: Core, seat: int, kind: str) -> None:
    """One ruling a seat for each kind of fault."""
    if (kind, seat) not in core.round.ruled_seats:
        core.round.ruled_seats.add((kind, seat))
        core.rule(Irregularity.WAGER_INVALID, {"kind": kind}, seat=seat)


def judge_wagers(core: Core) -> None:
    """No more bets: every box as it lies now. Judged at the announcement, and again at the first card."""
    house = core.round.house
    least = core.option("table_min")
    for seat in sorted(house.boxes):
        box = house.boxes[seat]
        placed = [cents for cents in (box.ante, box.blind, box.trips) if cents]
        if box.trips and not (box.ante and box.blind):
            kind = "trips_alone"
        elif box.ante != box.blind:
            kind = "ante_unlike_blind"
        elif isinstance(least, int) and any(cents < least for cents in placed):
            kind = "below_minimum"
        else:
            continue
        if ("wager", seat) not in core.round.ruled_seats:
            core.round.ruled_seats.add(("wager", seat))
            core.rule(Irregularity.WAGER_INVALID, {"kind": kind}, seat=seat, each=True)


# -- the end


def settle_rest(core: Core) -> None:
    """The round is over: settle what has not been, and count who did not wager."""
    house_settlement.settle_rest(core)
    _count_idle(core)


def _count_idle(core: Core) -> None:
    rounds = core.book.seats.idle_rounds
    standing = core.standing
    if rounds is None or not core.round.house.any_wager:
        return
    most = core.option("seats_max") or standing.highest_seat
    full = all(number in standing.seats for number in range(1, most + 1))
    for number, record in standing.seats.items():
        if has_wager(core, number):
            record.idle_rounds, record.idle_told = 0, False
            continue
        record.idle_rounds += 1
        if record.idle_rounds >= rounds and full and not record.idle_told:
            record.idle_told = True
            core.raise_alarm("seat_idle", seat=number)
