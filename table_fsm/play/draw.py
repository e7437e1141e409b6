"""The draw of Draw Poker (ACT 2001, B 2.3 to 2.6, 4.2): discards, replacements, the stub.

`table_fsm.poker.draw_order` counts what each player is due. A hand's number of cards is judged when betting begins
(17.8), not here.
"""

from typing import Final

from table_fsm.core.core import Core
from table_fsm.core.deal_state import DealError
from table_fsm.errors import Refused
from table_fsm.events import Draw
from table_fsm.felt import SEAT_OF, SEAT_ZONE
from table_fsm.play.deck import cutting, stub_count
from table_fsm.poker.cards.tracker import Origin, Placement
from table_fsm.poker.draw_order import AT_ONCE, WHOLE_HAND, DrawOrder, SeatDraw
from table_fsm.prompts import types as ask
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.model import Row

_STUB: Final = {"pack": "stub"}
_LATE: Final = {"action": "draw", "earlier": "same", "passed_over": "acted", "sufficient": "no"}


def begin(core: Core) -> None:
    """Begin the draw: the players still in the round replace cards, from the buck on."""
    betting, tracker = core.round.betting, core.round.tracker
    assert betting is not None
    out = max(tracker.left_shoe, sum(map(len, tracker.zones.values())) + len(tracker.lifted))
    core.round.draw = DrawOrder(betting.live, max(0, core.deck_size - out))


def drawing(core: Core) -> DrawOrder | None:
    """The draw in progress, until the betting after it has begun; else None."""
    draw, betting = core.round.draw, core.round.betting
    if draw is None or betting is None or core.rounds.phase not in {"draw", "betting"}:
        return None
    return None if betting.open and betting.begun else draw


def on_draw(core: Core, event: Draw) -> None:
    """Take the number of cards that a player replaces."""
    if not any(street.draw for street in core.book.streets):
        raise Refused(f"draw has no meaning under {core.standing.rulebook}")
    if event.seat not in SEAT_ZONE:
        raise Refused(f"there is no seat {event.seat}: 1 to 10")
    if not 0 <= event.count <= WHOLE_HAND:
        raise Refused(f"draw of {event.count} cards: 0 to {WHOLE_HAND}")
    if core.collecting():
        return
    betting = core.round.betting
    if betting is None or (drawing(core) is None and not _next_after_idle(core)):
        raise Refused("no draw is in progress: it comes between the betting rounds")
    if not betting.is_live(event.seat) or (core.round.draw and event.seat not in core.round.draw.order):
        raise Refused(f"seat {event.seat} is not in this round, or has folded: no cards to replace")
    core.flow.end_idle_street()
    draw = drawing(core)
    assert draw is not None
    mine = draw.seats[event.seat]
    if event.count and mine.asked is None and not mine.given:
        _judge_late(core, draw, event.seat)
    mine.asked = event.count
    _has_decided(core, event.seat)
    _was_asked_for(core, draw, event.seat)
    _judge_enough(core, draw, event.seat)
    _judge_discard(core, draw)
    _end_if_complete(core)


def is_deciding(core: Core, seat: int) -> bool:
    """Whether the player at this seat still has to say, or show, how many cards they replace."""
    draw = drawing(core)
    if draw is None or core.rounds.phase != "draw" or seat not in draw.order:
        return False
    next_one = draw.to_draw()
    if next_one is not None and any(mine.asked is not None for mine in draw.seats.values()):
        return next_one == seat
    return draw.seats[seat].asked is None and not draw.seats[seat].given


def _has_decided(core: Core, seat: int) -> None:
    """Stop the clock that runs on this player: the number of cards is known, or one has come."""
    if core.round.clock.seat == seat:
        core.round.clock.stop()


def _next_after_idle(core: Core) -> bool:
    """Whether the draw comes next, after a betting round in which nobody can bet.

    Nobody has closed that round.
    """
    betting, following = core.round.betting, core.round.street + 1
    idle = betting is not None and betting.open and betting.certain and not betting.contested
    return idle and following < len(core.book.streets) and core.book.streets[following].draw


def _judge_late(core: Core, draw: DrawOrder, seat: int) -> None:
    """Rule on a player who draws after others have got cards as if this player had stood pat.

    If it is one before this player who got the fifth card at once, that card is at fault and not this player.
    """
    mine = draw.seats[seat]
    too_soon = draw.fifth_given_before(seat)
    if too_soon is not None:
        theirs = draw.seats[too_soon]
        if not theirs.fifth_ruled:
            core.find(
                Irregularity.DEALT_OUT_OF_TURN,
                {"looked": "unknown", "during": "later", "card": "fifth"},
                seat=too_soon,
                then=lambda _, __: setattr(theirs, "fifth_ruled", True),
            )
    if draw.is_late(seat) and not mine.late_ruled:
        core.find(
            Irregularity.ACTION_OUT_OF_TURN, _LATE, seat=seat, then=lambda _, __: setattr(mine, "late_ruled", True)
        )


def _lifted(core: Core, draw: DrawOrder) -> dict[int, int]:
    return {seat: core.round.tracker.lifted_from(SEAT_ZONE[seat]) for seat in draw.order}


def _judge_enough(core: Core, draw: DrawOrder, seat: int) -> None:
    """Rule on a draw for which there are too few cards, even with the others' discards."""
    whole = seat == draw.order[-1] and draw.seats[seat].asked == WHOLE_HAND
    needed = draw.outstanding(seat) + (whole and not draw.discarded)
    if needed > draw.stub + draw.returnable(_lifted(core, draw)) and not draw.short_ruled:
        draw.short_ruled = True
        core.find(Irregularity.INSUFFICIENT_CARDS, {"short": "earlier"}, seat=seat)


# -- cards


def card_left_shoe(core: Core) -> None:
    """Count a card that left the undealt cards.

    With none left the discards must be shuffled first (2.6).
    """
    draw = drawing(core)
    if draw is None:
        return
    if draw.stub <= 0 and not draw.stub_ruled:
        core.find(Irregularity.NOT_SHUFFLED, _STUB)
        _discards_back(core, draw, None)  # they are dealt unshuffled, and that has been ruled on
        draw.stub_ruled = True
    draw.stub = max(0, draw.stub - 1)


def before_placed(core: Core, zone: str) -> None:
    """Note a discard that no reader saw, when a card comes to a seat with two out of the shoe."""
    draw, mouth = core.round.draw, core.round.tracker.mouth
    if draw is None or len(mouth) < 2 or drawing(core) is None:
        return
    seat = SEAT_OF.get(zone)
    if seat is not None and draw.discard_due() and draw.due() == seat:
        core.round.tracker.discard_mouth()
        draw.discarded = True


def card_came(core: Core, seat: int, placement: Placement, *, up: bool) -> None:
    """Take a card from the stub to a player: a replacement, one too many, or another's."""
    draw = drawing(core)
    if draw is None:
        return
    if placement.origin is Origin.NOWHERE:
        card_left_shoe(core)
    wrong = _what_is_wrong(core, draw, seat)
    if wrong is None:
        _given(core, draw, seat, draw.seats[seat])
    else:
        _went_wrong(core, draw, seat, placement.card, wrong)
    if up and not placement.boxed:
        seen(core, seat, placement.card)
    if draw.cut_due:
        draw.cut_over()
        cutting.stub_uncut(core)
    core.judge()
    if core.collecting():
        return
    _end_if_complete(core)


def _what_is_wrong(core: Core, draw: DrawOrder, seat: int) -> Irregularity | None:
    """What is wrong with a card that comes to this seat: it is another player's, or one too many; None for nothing."""
    mine = draw.seats[seat] if seat in draw.order else None
    if mine is None or not _takes(core, draw, seat, mine):
        return Irregularity.DEALT_OUT_OF_TURN
    return Irregularity.EXCESS_CARD if _is_one_too_many(core, draw, seat, mine) else None


def _takes(core: Core, draw: DrawOrder, seat: int, mine: SeatDraw) -> bool:
    """Whether the card may be this player's.

    A card too many is theirs too where no other player is due one.
    """
    others_due = any(draw.owed_at_once(other) for other in draw.order if other != seat)
    fifth = mine.asked == WHOLE_HAND and mine.given >= WHOLE_HAND - 1
    if draw.outstanding(seat) and not (fifth and others_due):
        return True
    lifted = core.round.tracker.lifted_from(SEAT_ZONE[seat])
    if mine.asked is None and mine.mucked + lifted > mine.given:
        return True
    return not others_due


def _is_one_too_many(core: Core, draw: DrawOrder, seat: int, mine: SeatDraw) -> bool:
    """Whether the player has had all cards that they announced, and has passed no more than those.

    A player who has announced none gets none where numbers are keyed (2.4), but for cards that were seen to leave. At
    other tables a card may replace one that no reader saw leave: hands are counted as betting begins.
    """
    lifted = core.round.tracker.lifted_from(SEAT_ZONE[seat]) - draw.taken.count(seat)
    if mine.asked is None:
        return _is_keyed(core, draw) and mine.given >= mine.mucked + lifted
    return not draw.outstanding(seat) and mine.given >= mine.passed(lifted)


def _is_keyed(core: Core, draw: DrawOrder) -> bool:
    """Whether the table has a keypad: an action of this round has been keyed, or a number of this draw."""
    betting = core.round.betting
    return (betting is not None and betting.ever_keyed) or any(mine.asked is not None for mine in draw.seats.values())


def _given(core: Core, draw: DrawOrder, seat: int, mine: SeatDraw) -> None:
    if mine.asked is None and not mine.given:
        _judge_late(core, draw, seat)
    mine.given += 1
    _has_decided(core, seat)
    if mine.given == AT_ONCE:
        mine.out_at_fourth = _settled(core)
    elif mine.given == WHOLE_HAND and draw.excludes(seat, core.round.tracker.lifted_from(SEAT_ZONE[seat])):
        mine.fifth_at_once = _came_at_once(core, draw, mine)
        _judge_discard(core, draw)


def _came_at_once(core: Core, draw: DrawOrder, mine: SeatDraw) -> bool:
    """Whether a fifth card came straight behind the fourth. Only a shoe can tell."""
    before = mine.out_at_fourth
    straight = before is not None and _settled(core) - before == 1
    return straight and core.standing.shoe_gives_cards and not draw.discarded


def _judge_discard(core: Core, draw: DrawOrder) -> None:
    """Rule on the fifth card of the last player to replace cards if none was discarded before it (2.5(b)).

    Where players behind are to draw still it is not known yet who the last one is.
    """
    seat = draw.last_to_replace()
    if seat is not None and draw.seats[seat].fifth_at_once and not draw.seats[seat].fifth_ruled:
        mine = draw.seats[seat]
        core.find(Irregularity.BURN_MISSING, seat=seat, then=lambda _, __: setattr(mine, "fifth_ruled", True))


def _settled(core: Core) -> int:
    """Number of cards that have left the shoe and come to rest."""
    return core.round.tracker.left_shoe - len(core.round.tracker.mouth)


def _went_wrong(core: Core, draw: DrawOrder, seat: int, card: str | None, irregularity: Irregularity) -> None:
    """Rule on a card that is another player's, or nobody's. Only a look by who has it makes that graver."""
    facts = {"card": "other"} if irregularity is Irregularity.DEALT_OUT_OF_TURN else {}
    draw.misplaced.append(seat)
    if card is not None:
        draw.wrong_names.add(card)
    looked = "no" if core.options.look_sensor is not False else "unknown"
    deals = core.round.deals

    def ruled(number: int, _: Row) -> None:
        draw.wrong.append(number)
        deals.note_error(DealError(number, irregularity.value, seat, own_look=True))

    core.find(irregularity, {"looked": looked, "during": "later", **facts}, seat=seat, then=ruled)


def _was_asked_for(core: Core, draw: DrawOrder, seat: int) -> None:
    """Count a card too many among the player's replacements, because the number is keyed again and has risen."""
    too_many = _too_many_at(core, seat)
    if too_many and draw.outstanding(seat) and seat in draw.misplaced:
        draw.misplaced.remove(seat)
        draw.seats[seat].given += 1
        if not (draw.misplaced or draw.taken):
            draw.wrong_names.clear()
        _end_rulings(core, draw, too_many[:1])


def _too_many_at(core: Core, seat: int) -> list[int]:
    """Rulings on cards too many that came to this player."""
    wrong = Irregularity.EXCESS_CARD.value
    return [error.ruling for error in core.round.deals.errors if error.irregularity == wrong and error.seat == seat]


def moved_here(core: Core, seat: int, placement: Placement) -> bool:
    """Take a lifted card that came to a seat; return whether it belongs to the draw.

    It does if it is a wrong card being moved, or a replacement.
    """
    draw = drawing(core)
    if draw is None or seat not in draw.order:
        return False
    mine = draw.seats[seat]
    before = SEAT_OF.get(placement.zone_before or "")
    if before in draw.taken:
        draw.taken.remove(before)
        wrong = _what_is_wrong(core, draw, seat)
        if wrong is None:
            mine.given += 1
            _put_right(core, draw)
            _end_if_complete(core)
        elif before == seat:
            draw.misplaced.append(seat)  # it has been ruled on as it came
        else:
            _went_wrong(core, draw, seat, placement.card, wrong)
        return True
    unread = placement.card is None and placement.zone_before == SEAT_ZONE[seat]
    if unread and draw.outstanding(seat) and not core.standing.shoe_gives_cards:
        mine.mucked += 1  # no shoe and no names: a card that comes to a seat due cards is one of them
        mine.given += 1
        _end_if_complete(core)
        return True
    return False


def card_removed(core: Core, seat: int) -> bool:
    """Take a card that left a player in the draw; return whether it belongs to the draw.

    It was lifted, passed to the dealer, or a wrong one is taken back.
    """
    draw = drawing(core)
    if draw is None:
        return False
    if seat in draw.misplaced:
        draw.misplaced.remove(seat)
        draw.taken.append(seat)
        _end_rulings(core, draw, _too_many_at(core, seat)[:1])  # nobody can look at it any more
    return True


def put_back(core: Core, placement: Placement) -> None:
    """Take a card that went wrong and comes back to the undealt cards."""
    draw = drawing(core)
    seat = SEAT_OF.get(placement.zone_before or "")
    if draw is not None and placement.origin is Origin.LIFTED and seat in draw.taken:
        draw.taken.remove(seat)
        draw.stub += 1
        _put_right(core, draw)


def taken_back_from(core: Core) -> int | None:
    """The seat from which a card that went wrong is to be taken back; None for none."""
    draw = drawing(core)
    return draw.misplaced[-1] if draw is not None and draw.misplaced else None


def _put_right(core: Core, draw: DrawOrder) -> None:
    """End the rulings on wrong cards once each lies where it belongs; a later look does no harm."""
    if not (draw.misplaced or draw.taken):
        draw.wrong_names.clear()
        _end_rulings(core, draw, draw.wrong)


def _end_rulings(core: Core, draw: DrawOrder, rulings: list[int]) -> None:
    core.resolve([pending for pending in core.standing.pending if pending.id in rulings])
    core.round.deals.forget_ruled(rulings)
    draw.wrong = [ruling for ruling in draw.wrong if ruling not in rulings]


def mucked(core: Core, placement: Placement) -> bool:
    """Take a card that came to the discards; return whether the draw explains it.

    It does if a player replaces the card, or if it is the one of 2.5(b).
    """
    draw = drawing(core)
    if draw is None:
        return False
    if placement.origin is not Origin.LIFTED:
        return discards(core, placement)
    seat = SEAT_OF.get(placement.zone_before or "")
    mine = draw.seats.get(seat) if seat is not None else None
    if seat is None or mine is None:
        return False
    if seat in draw.taken and draw.may_be_wrong(placement.card):  # a card that went wrong is taken out of play
        draw.taken.remove(seat)
        _put_right(core, draw)
        return True
    if core.rounds.phase == "betting" and _beyond_the_draw(core, draw, seat, mine):
        return False  # everybody has drawn: the hand is folded
    mine.mucked += 1
    if placement.card is not None:
        mine.names.append(placement.card)
    return True


def _beyond_the_draw(core: Core, draw: DrawOrder, seat: int, mine: SeatDraw) -> bool:
    """Whether a card passed after the draw is more than the player replaced.

    Without an announced number: whether it is the last one of a hand.
    """
    if mine.asked is not None:
        return mine.mucked >= mine.asked and not draw.outstanding(seat)
    return mine.mucked >= mine.given and _nothing_left(core, seat)


def _nothing_left(core: Core, seat: int) -> bool:
    """Whether no card of the player lies before them or is lifted."""
    tracker = core.round.tracker
    return not tracker.holds(SEAT_ZONE[seat]) and not tracker.lifted_from(SEAT_ZONE[seat])


def discards(core: Core, placement: Placement) -> bool:
    """Take a card from the stub that is discarded or burnt; return whether 2.5(b) requires it."""
    draw = drawing(core)
    if draw is None:
        return False
    if placement.origin is Origin.NOWHERE:
        card_left_shoe(core)
    if not draw.may_discard():
        return False
    draw.discarded = True
    return True


def seen(core: Core, seat: int | None, card: str | None) -> bool:
    """Rule on a hole card seen in the draw, which lasts until betting has begun (4.2).

    Returns whether a draw is in progress.
    """
    if drawing(core) is None:
        return False
    exposures = core.round.exposures
    if card is None or card not in exposures.seen:
        core.find(Irregularity.HOLE_EXPOSED_IN_DRAW, seat=seat, then=lambda _, __: exposures.note_seen(card))
    return True


def next_seen(core: Core) -> bool:
    """Rule on the top card of the undealt cards if it is seen in the draw.

    It is a player's card there. Returns whether a draw is in progress.
    """
    draw = drawing(core)
    return draw is not None and seen(core, draw.due(), None)


def prompt(draw: DrawOrder) -> ask.Prompt:
    """What the dealer should do next in the draw."""
    due = draw.due()
    if due is None:
        asked = draw.to_draw()
        return ask.DrawCards(asked) if asked is not None else ask.Close()
    if draw.stub <= 0:
        return ask.ShuffleStub()
    if draw.cut_due:
        return ask.Cut()
    return ask.Burn(1) if draw.discard_due() else ask.deal(SEAT_ZONE[due], "down")


# -- the stub runs out


def stub_shuffled(core: Core, count: int | None) -> bool:
    """Return the others' discards to the stub, but not those of players who replace all five.

    Source: 2.6. `count`: number of undealt cards afterwards, where the shoe counts. Returns whether a draw is in
    progress.
    """
    draw = drawing(core)
    if draw is None:
        return False
    right = stub_count.in_draw(core, draw, _lifted(core, draw))
    _discards_back(core, draw, count)
    stub_count.judge(core, count, right)
    draw.stub_ruled = False
    draw.ask_for_cut(core.book.cut.asked and core.round.cut.done)
    return True


def _discards_back(core: Core, draw: DrawOrder, count: int | None) -> None:
    lifted = _lifted(core, draw)
    back = draw.returnable(lifted)
    due = draw.due()
    tracker = core.round.tracker
    kept: set[str] = set()
    for seat in draw.order:
        mine = draw.seats[seat]
        if seat == due or draw.excludes(seat, lifted[seat]):
            kept.update(mine.names)
            if mine.mucked + lifted[seat] <= mine.passed(lifted[seat]):
                mine.mucked += lifted[seat]
                mine.names += tracker.discard_lifted(SEAT_ZONE[seat])
            continue
        whole = mine.mucked + lifted[seat] <= mine.passed(lifted[seat])
        mine.mucked += tracker.forget_lifted(SEAT_ZONE[seat], gone=whole)
        mine.returned = mine.passed(0 if whole else lifted[seat])
        tracker.forget_mucked(mine.names)
        mine.names.clear()
    tracker.return_mucked(kept)
    draw.stub = count if count is not None else draw.stub + back


# -- the end of it


def _end_if_complete(core: Core) -> None:
    draw = core.round.draw
    if draw is not None and draw.complete(_lifted(core, draw)):
        end(core)


def folded(core: Core, seat: int) -> None:
    """Take a player who folds in the draw out of it."""
    if core.round.draw is not None and core.rounds.phase == "draw":
        core.round.draw.drop(seat)
        _judge_discard(core, core.round.draw)
        _end_if_complete(core)


def reinstated(core: Core, seat: int) -> None:
    """Take a player into the draw again whose fold a supervisor has undone."""
    if core.round.draw is not None and core.round.betting is not None:
        core.round.draw.rejoin(seat, core.round.betting.ring)


def may_end(core: Core) -> bool:
    """Whether a draw is in progress that an action ends, because somebody can bet after it."""
    betting = core.round.betting
    return core.rounds.phase == "draw" and betting is not None and betting.contested


def close_refused(core: Core) -> bool:
    """Whether the betting after the draw cannot be closed yet.

    At a table that keys actions no action has been keyed then.
    """
    betting = core.round.betting
    return may_end(core) and betting is not None and betting.ever_keyed


def end(core: Core) -> None:
    """End a draw in progress: the final betting round opens."""
    if core.rounds.phase == "draw" and not core.collecting():
        core.round.clock.stop()
        core.flow.open_next_street()


def count_hands(core: Core) -> None:
    """Enter in the deal how many cards each player holds after the draw, as betting begins.

    A player whose cards were all seen in the discards has folded; no keypad reported it.
    """
    draw, deal = core.round.draw, core.round.deals.current
    if draw is None or deal is None:
        return
    for seat in [seat for seat in draw.order if draw.seats[seat].mucked and _nothing_left(core, seat)]:
        core.flow.fold(seat)
    for seat, lifted in _lifted(core, draw).items():
        mine = draw.seats[seat]
        extra = draw.misplaced.count(seat)
        deal.dealt[seat] = deal.need - mine.passed(lifted) + mine.given + extra
