"""Events of cards: checks of each event, the card's owner, and the subject that judges it.

Cards of the shoe and cards on the layout are matched only here and in the tracker: a card placed must be a card dealt.
"""

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.core.round import WITHOUT_SHOE, Matter, RuledMatter
from table_fsm.errors import Refused
from table_fsm.events import (
    CardExposed,
    CardLeftTable,
    CardPlaced,
    CardRemoved,
    CardTurned,
    HandLooked,
    ShoeCard,
    StubShuffled,
)
from table_fsm.felt import BOARD, BOARD2, CARDS, CARDS_SAID, EXPOSERS, FACES, SEAT_OF, SEAT_ZONE, ZONES
from table_fsm.play.board import board, corrections, run_twice
from table_fsm.play.button import draw as button_draw
from table_fsm.play.cards import identity, shoe
from table_fsm.play.deal import boxed as deal_boxed
from table_fsm.play.deal import counts, seats
from table_fsm.play.deck import cutting, stub_count
from table_fsm.play.house import boxes
from table_fsm.play.rounds import end, start
from table_fsm.play.tournament import hand_for_hand, races
from table_fsm.poker.cards.places import Doubt, Leaves, Origin, Placement
from table_fsm.prompts import types as ask
from table_fsm.rulebook.irregularities import Irregularity


def _check_card(card: str | None) -> None:
    if card is not None and card not in CARDS:
        raise Refused(f"{card!r} is no card: {CARDS_SAID}")


def _check_zone(core: Core, zone: str) -> None:
    if zone not in ZONES:
        raise Refused(f"there is no zone {zone!r}: seat:1 to seat:10, dealer, board:1 to board:5, burn, muck, shoe")
    if zone.startswith("race:") or (zone in BOARD2 and not core.book.run_twice.used):
        raise Refused(f"zone {zone!r} is not used by this rulebook")


def _check_face(face: str) -> None:
    if face not in FACES:
        raise Refused(f"face {face!r}: down or up")


def on_shoe_card(core: Core, event: ShoeCard) -> None:
    """Take a card that left the shoe's mouth."""
    _check_card(event.card)
    _check_face(event.face)
    core.need_open()
    first_given = not core.shoe_deals
    core.standing.shoe_gives_cards = True
    if core.collecting() and not shoe.other_pack_deals(core, event.deck):
        start.judge_unshuffled(core, event.deck)
        return
    if core.in_round and boxes.concluded(core) and not core.round.house.chips():
        end.finish_round(core)  # the last wager is settled: this card is the next round's first
    if races.takes_shoe_card(core, event):
        return
    if button_draw.drawing(core):
        return  # the zone where it comes to rest shows whose it is
    if not core.in_round:
        start.first_card(core, event.deck)
        if core.collecting():
            return
    boxed = event.face == "up"
    cutting.stub_dealt(core)
    core.stage().card_left_shoe()
    if first_given:
        _judge_cards_before(core)
    doubt = core.round.tracker.leave_shoe(event.card, event.deck, boxed)
    identity.judge(core, doubt, event, (identity.MOUTH, event.card))
    if core.will_end():
        return
    if board.stub_unshuffled(core):
        return
    hand_for_hand.judge(core)
    if boxed:
        core.stage().boxed_card()


def _judge_cards_before(core: Core) -> None:
    """Rule, as the shoe gives its first card at this table, on cards that lie there already.

    Until then the table passed for one without a shoe. A reader that was away may have missed what the shoe gave.
    """
    zones = [zone for zone, cards in core.round.tracker.zones.items() if cards]
    if zones and not core.round.doubts.reader_lost:
        seat = SEAT_OF.get(zones[0]) if len(zones) == 1 else None
        core.find(Irregularity.CARD_NOT_FROM_SHOE, seat=seat, once=(Matter.DEALT_BY_HAND, None))


def on_card_placed(core: Core, event: CardPlaced) -> None:
    """Take a card that came to rest in a zone."""
    _check_card(event.card)
    _check_face(event.face)
    banked = core.book.banked
    zone = event.zone
    if zone in races.SEAT_OF_RACE:
        races.on_card_placed(core, event)
        return
    _check_zone(core, zone)
    if zone == "dealer" and banked == "player":
        raise Refused("zone 'dealer' holds no cards in this game")
    if core.collecting():
        return
    if zone in BOARD2:
        run_twice.check_agreed(core, zone)
    if not core.in_round and not _begin_round(core, event):
        return
    up = event.face == "up"
    if _is_repeated(core, zone, event.card):
        if zone == "muck":
            core.stage().card_in_muck(event.card, up=up)
        return  # a reader repeats a card that lies there: the shoe has given nothing new
    core.stage().before_placed(zone)
    placement = _settle(core, zone, event.card, up)
    if placement is None:
        return
    identity.judge(core, identity.doubt_anew(core, placement, zone, event.card), event, (zone, event.card))
    if core.will_end():
        return
    if placement.origin is Origin.NOWHERE:
        if core.shoe_deals:
            core.find(Irregularity.CARD_NOT_FROM_SHOE, seat=SEAT_OF.get(zone), once=_by_hand(core))
        cutting.stub_dealt(core)
        if board.stub_unshuffled(core):
            return
    if zone == "burn" and not core.round.board.burns and identity.is_doubted(core, placement, event):
        board.first_is_doubted(core)
    core.stage().card_placed(zone, placement, up=up)


def _is_repeated(core: Core, zone: str, card: str | None) -> bool:
    """Whether a reader repeats a card that lies there: the shoe has given nothing, and no double of it is awaited."""
    tracker = core.round.tracker
    if card is None or tracker.where.get(card) != zone or tracker.mouth or not core.shoe_deals:
        return False
    return not identity.is_double_on_its_way(core, zone, card)


def _by_hand(core: Core) -> RuledMatter | None:
    """The matter of cards dealt without the shoe, told once; None where the shoe is there, and each card is one."""
    if not core.standing.shoe_gives_cards:
        return Matter.DEALT_BY_HAND, None
    return WITHOUT_SHOE if questions.shoe_offline(core) else None


def _begin_round(core: Core, event: CardPlaced) -> bool:
    """Begin a round with the card; return whether a round is in progress.

    A card that is collected, or belongs to a draw for the button, begins none.
    """
    if event.zone in {"muck", "shoe"}:  # collection after the round
        return False
    if button_draw.drawing(core):
        button_draw.card_came(core, event.zone, event.card, up=event.face == "up")
        return False
    start.first_card(core, event.deck)
    return not core.collecting()


def _settle(core: Core, zone: str, card: str | None, up: bool) -> Placement | None:
    """Enter the card in the tracker; None where there is nothing to judge."""
    tracker = core.round.tracker
    if zone != "muck":
        if card is not None and not tracker.mouth and tracker.where.get(card) == "muck":
            tracker.move_named(card, zone)  # out of the discards, where no reader saw it leave
            return Placement(Origin.LIFTED, card, "muck")
        return tracker.place(zone, card, up, moves=core.shoe_deals or seats.being_moved(core))
    lies = card is not None and tracker.where.get(card) not in {None, "mouth", "lifted"}
    told = None
    if not lies or (card is not None and _is_of_a_live_hand(core, card)):
        told = tracker.tell_discard(card, up)
    if told is not None:
        return told
    if card is not None and lies:
        return Placement(Origin.LIFTED, card, tracker.move_named(card, "muck"))
    if not tracker.mouth and not tracker.lifted:
        if card is not None and card in tracker.deck:
            return tracker.place(zone, card, up)
        return None  # a nameless card in the discards that left its zone unreported
    return tracker.place(zone, card, up)


def _is_of_a_live_hand(core: Core, card: str) -> bool:
    """Whether a card of a live hand has this name by inference only.

    Else a discard that shows it would take the card out of that hand, which would be short at the showdown.
    """
    betting, seat = core.round.betting, SEAT_OF.get(core.round.tracker.where[card])
    live = betting is not None and seat is not None and betting.is_live(seat)
    return live and core.round.tracker.is_inferred(card)


def on_card_turned(core: Core, event: CardTurned) -> None:
    """Take a card that was turned in the normal course of play."""
    _check_card(event.card)
    _check_face(event.face)
    core.need_open()
    zone = event.zone
    if zone in races.SEAT_OF_RACE:
        races.on_card_turned(core, event)
        return
    _check_zone(core, zone)
    if core.collecting():
        return
    if button_draw.drawing(core):
        button_draw.card_came(core, zone, event.card, up=event.face == "up")
        return
    _need_card(core, zone)
    tracker = core.round.tracker
    before, misnamed = tracker.ups(zone), tracker.misnamed
    doubt = tracker.turn(zone, event.card, event.face == "up")
    seat = SEAT_OF.get(zone)
    as_inferred = misnamed is tracker.misnamed
    if doubt is Doubt.UNEXPECTED and as_inferred and seat is not None and core.rounds.phase == "showdown":
        left = counts.left_to_win(core, [seat])  # one more card than a hand has is tabled: it had it before
        counts.find_wrong(core, seat, "showdown", left=left)
        return
    identity.judge_lying(core, doubt, zone, event.card)
    if core.will_end():
        return
    if tracker.ups(zone) < before and zone in BOARD:
        corrections.card_covered(core)
    if tracker.ups(zone) <= before:
        return
    core.stage().card_turned(zone, event.card)


def _need_card(core: Core, zone: str) -> None:
    if not core.round.tracker.holds(zone):
        raise Refused(f"no card lies in {zone}: nothing has been placed there in this round")


def on_card_exposed(core: Core, event: CardExposed) -> None:
    """Take a face-down card that was seen and should not have been."""
    _check_card(event.card)
    if event.by not in EXPOSERS:
        raise Refused(f"by {event.by!r}: dealer, player or shoe")
    core.need_open()
    zone = event.zone
    _check_zone(core, zone)
    if core.collecting():
        return
    if zone == "shoe":
        core.stage().top_card_seen(event.card)
        return
    _need_card(core, zone)
    doubt = core.round.tracker.see(zone, event.card)
    identity.judge_lying(core, doubt, zone, event.card)
    if core.will_end():
        return
    core.stage().card_exposed(zone, event.by, event.card)


def on_card_removed(core: Core, event: CardRemoved) -> None:
    """Take a card that left its zone."""
    _check_card(event.card)
    core.need_open()
    zone = event.zone
    if zone in races.SEAT_OF_RACE:
        races.on_card_removed(core, event)
        return
    _check_zone(core, zone)
    if core.collecting() or not core.in_round:
        return  # collection
    tracker = core.round.tracker
    if zone == "shoe" and tracker.on_pack:
        return  # the card that was put back on top: the zone where it comes to rest shows whose it is
    _need_card(core, zone)
    ups = tracker.ups(zone)
    doubt = tracker.lift(zone, event.card, _leaves(core, zone) if event.card is None else Leaves.DOWN)
    shown = tracker.ups(zone) < ups
    identity.judge_lying(core, doubt, zone, event.card)
    if core.will_end():
        return
    core.stage().card_removed(zone, shown=shown)


def _leaves(core: Core, zone: str) -> Leaves:
    """Which card of the zone it may be that leaves it without a name.

    The open one where it is taken back, or where a burn that was seen is used: left there, it would make the player's
    own cards one too many at the showdown. Where players give cards up, an exposed one may be among them.
    """
    if zone == board.BURN:
        return Leaves.LAST_OPEN if board.seen_is_used(core) else Leaves.DOWN
    asked, seat = core.stage().prompt(), SEAT_OF.get(zone)
    misplaced = any(error.open_card and error.seat == seat for error in core.round.deals.errors)
    if misplaced or (isinstance(asked, ask.Remove) and asked.zone == zone):
        return Leaves.LAST_OPEN
    gives_up = any(street.draw or street.given_up for street in core.book.streets)
    return Leaves.ANY if gives_up and core.rounds.phase not in {"showdown", "settling"} else Leaves.DOWN


def on_card_left_table(core: Core, event: CardLeftTable) -> None:
    """Take a card that left the table."""
    _check_card(event.card)
    core.need_open()
    if event.zone is not None:
        _check_zone(core, event.zone)
    if core.collecting():
        return
    seat, the_last = _off_table(core, event)
    facts = {"by": event.by, "sufficient": core.round.actions.sufficient_fact}
    core.find(Irregularity.CARD_LEFT_TABLE, facts, seat=seat)
    if seat is not None and the_last and not core.will_end():
        core.stage().card_off_table(seat)


def _off_table(core: Core, event: CardLeftTable) -> tuple[int | None, bool]:
    """Take the card off the table; return the seat that it belongs to, and whether it may be the last that came there.

    It is not where it did not lie there any more, or is known to be another. Who tells it may not know the zone, and a
    reader may have seen the card leave its zone before: it comes back to no hand, and a hand that lacks it is short.
    """
    tracker, card = core.round.tracker, event.card
    zone = event.zone if event.zone is not None else tracker.lies_at(card)
    held_before = card is not None and tracker.where.get(card) == "lifted"
    if zone is not None and not held_before and tracker.holds(zone):
        the_last = tracker.may_be_last(zone, card)
        tracker.take_off_table(zone, card)
        return SEAT_OF.get(zone), the_last
    lay = tracker.lifted_off_table(zone, card) or zone
    return (None if lay is None else SEAT_OF.get(lay)), False


def on_stub_shuffled(core: Core, event: StubShuffled) -> None:
    """Take a shuffle of the undealt cards in the round."""
    core.need_open()
    if core.collecting():
        return
    if not core.in_round:
        raise Refused("no round is in progress: a whole deck's shuffle is shoe.shuffled")
    right = stub_count.on_table(core)
    corrections.stub_shuffled(core)
    core.round.stud.top_gone()
    deal_boxed.stub_shuffled(core)
    core.stage().stub_shuffled(event.count)
    stub_count.judge(core, event.count, right)


def on_hand_looked(core: Core, event: HandLooked) -> None:
    """Take a player's look at their cards."""
    core.need_open()
    if event.seat not in SEAT_ZONE:
        raise Refused(f"there is no seat {event.seat}: 1 to 10")
    if core.collecting():
        return
    if not core.round.tracker.lifted_from(SEAT_ZONE[event.seat]):  # cards that were taken up are those looked at
        _need_card(core, SEAT_ZONE[event.seat])
    core.round.looks.note(event.seat)
    core.stage().looked(event.seat)
