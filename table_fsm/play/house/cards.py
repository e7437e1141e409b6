"""Cards of house-banked rounds: the deal in legs, cards turned, seen, lifted and laid down."""

from typing import Final

from table_fsm.core.core import Core
from table_fsm.core.round import Matter
from table_fsm.felt import BOARD, BOARD_ZONES, SEAT_OF, SEAT_ZONE
from table_fsm.play.house import boxes, settlement, wagers
from table_fsm.poker.cards.places import Origin, Placement
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.model import Row

_DEAL: Final = {"noticed": "deal"}
_LATER: Final = {"during": "later", "exposed": "one", "burn": "off"}


def card_came(core: Core, zone: str, seat: int | None, placement: Placement, up: bool) -> None:
    """Take a card that came to rest in a house-banked game."""
    if placement.origin is Origin.LIFTED:
        _moved(core, zone, seat, placement, up=up)
        return
    if up and not placement.boxed and boxes.dealing(core):
        core.find(Irregularity.DEAL_REVEALED, seat=seat)
    if zone == "burn":
        core.find(Irregularity.BURN_EXTRA)
        return
    if zone in {"muck", "shoe"}:
        return
    if not boxes.dealing(core):
        core.find(Irregularity.WRONG_CARD_COUNT, _DEAL, seat=seat)
        return
    _dealt(core, zone, seat)
    core.judge()
    if core.collecting():
        return
    _complete_if_so(core)


def _dealt(core: Core, zone: str, seat: int | None) -> None:
    """Take one card of the deal.

    The first card of a leg ends the leg before, and cards missing there are ruled on.
    """
    leg = _leg_of(core, zone)
    state = core.round.house
    while state.step < leg:
        short = _short(core, state.step)
        state.step += 1
        if short is not None:
            core.find(Irregularity.WRONG_CARD_COUNT, _DEAL, seat=short or None)
            return
    if seat is not None and state.any_wager and not boxes.has_wager(core, seat):
        _without_wager(core, seat)
        return
    step = core.street.deal[leg]
    held = _on_board(core) if step.to == "board" else given(core, zone)
    if held > step.cards:
        core.find(Irregularity.WRONG_CARD_COUNT, _DEAL, seat=seat)


def _leg_of(core: Core, zone: str) -> int:
    kind = "board" if zone in BOARD_ZONES else "dealer" if zone == "dealer" else "boxes"
    return next(index for index, step in enumerate(core.street.deal) if step.to == kind)


def given(core: Core, zone: str) -> int:
    """Number of cards dealt to a zone: those that lie there, and those lifted from it."""
    return core.round.tracker.holds(zone) + core.round.tracker.lifted_from(zone)


def _on_board(core: Core) -> int:
    return sum(given(core, zone) for zone in BOARD)


def _short(core: Core, leg: int) -> int | None:
    """The seat that lacks cards of a leg; 0 for the board or the dealer, None for nobody."""
    step = core.street.deal[leg]
    if step.to == "board":
        return 0 if _on_board(core) < step.cards else None
    if step.to == "dealer":
        return 0 if given(core, "dealer") < step.cards else None
    for seat in _due_seats(core):
        if given(core, SEAT_ZONE[seat]) < step.cards:
            return seat
    return None


def _due_seats(core: Core) -> list[int]:
    """Boxes with ante and blind; without any reported wager, boxes that were dealt cards."""
    if core.round.house.any_wager:
        return boxes.playing(core)
    return [seat for seat, zone in SEAT_ZONE.items() if given(core, zone)]


def _without_wager(core: Core, seat: int) -> None:
    looked = "yes" if core.round.looks.seats else "no"
    if core.options.look_sensor is False:
        looked = "unknown"
    matter = Matter.HAND_WITHOUT_WAGER, seat
    core.find(Irregularity.HAND_WITHOUT_WAGER, {"looked": looked}, seat=seat, once=matter)


def _complete_if_so(core: Core) -> None:
    if not boxes.dealing(core) or any(_short(core, leg) is not None for leg in range(len(core.street.deal))):
        return
    core.move("dealt")
    core.round.house.open_window(core.t)
    wagers.judge_early_plays(core)


def judge_deal(core: Core) -> None:
    """Rule on the first hand that is short, because no further card will come."""
    if not boxes.dealing(core):
        return
    for leg in range(len(core.street.deal)):
        short = _short(core, leg)
        if short is not None:
            core.find(Irregularity.WRONG_CARD_COUNT, _DEAL, seat=short or None)
            return


def _moved(core: Core, zone: str, seat: int | None, placement: Placement, *, up: bool) -> None:
    before = placement.zone_before
    if before == zone or {before, zone} <= BOARD_ZONES:  # put back, laid face up, or the stack of five spread out
        if up:
            card_turned(core, zone, seat)
        return
    if up:
        _came_open(core, before, seat)
    if zone == "muck":
        for number, place in SEAT_ZONE.items():
            if place == before:
                boxes.fold(core, number)
        return
    if seat is not None and before == "muck":
        core.find(Irregularity.MUCKED_CARD_RETURNED, seat=seat, once=(Matter.CARD_RETURNED, seat))
        return
    undecided = core.has_pending(Irregularity.CARDS_MIXED)
    if before is None or not core.round.mixed.moves(placement.card, before, zone, undecided=undecided):
        core.find(Irregularity.CARDS_MIXED, seat=seat)


def _came_open(core: Core, before: str | None, seat: int | None) -> None:
    """Rule on a card that was moved and lies face up: seen in the deal, or shown by the player who had it.

    `before`: where it lay. A folded card that comes back is shown by the player who has it then.
    """
    owner = SEAT_OF.get(before or "")
    if boxes.dealing(core):
        core.find(Irregularity.DEAL_REVEALED, seat=owner or seat)
    elif before == "dealer":
        card_exposed(core, "dealer", None, "dealer", None)
    elif (shower := owner or seat) is not None and _hidden_hands(core):
        _came_up(core, shower)


def folded_card_came(core: Core, card: str | None, *, up: bool) -> None:
    """Rule on a folded card that comes face up to the discards: its player has shown it (ACT 2019, 8.6, 12.1)."""
    seat = core.round.house.folded_cards.get(card or "")
    if up and seat is not None and _hidden_hands(core):
        _came_up(core, seat)


def _hidden_hands(core: Core) -> bool:
    """Whether players are still to keep their cards to themselves: the dealer's hand is not open."""
    return core.rounds.phase in {"betting", "board"} and not core.round.house.dealer_open


def card_turned(core: Core, zone: str, seat: int | None) -> None:
    """Take a card turned in the normal course: board, dealer's hand, or a player's hand."""
    if core.rounds.phase == "settling":
        return  # everybody has folded, or all is settled: cards turned now do not matter
    if boxes.dealing(core) and zone in BOARD_ZONES and _short(core, _leg_of(core, zone) + 1) is None:
        judge_deal(core)  # every box has its hand and the board is turned: the dealer's own hand was forgotten
    elif boxes.dealing(core):
        core.find(Irregularity.DEAL_REVEALED, seat=seat)
    elif zone in BOARD_ZONES:
        _board_turned(core, zone)
    elif zone == "dealer":
        _dealer_turned(core)
    elif seat is not None and _hidden_hands(core):
        _came_up(core, seat)
    elif seat is not None:
        _judge_settling_order(core, seat)
        settlement.settle_shown(core)


def _judge_settling_order(core: Core, seat: int) -> None:
    """Rule on a hand that is turned before one nearer to the dealer's right has been acted on (9.3).

    A card that was taken up and is missing from a hand then is out of view (12.1).
    """
    tracker, waiting = core.round.tracker, boxes.unsettled(core)
    passed = [s for s in waiting if s > seat and not tracker.ups(SEAT_ZONE[s])]
    if seat in waiting and passed:
        core.find(Irregularity.SETTLED_OUT_OF_ORDER, seat=seat, once=(Matter.SETTLING_ORDER, seat))
    for before in [s for s in waiting if s > seat and tracker.ups(SEAT_ZONE[s]) and tracker.lifted_from(SEAT_ZONE[s])]:
        facts = {"by": "player", "sufficient": core.round.actions.sufficient_fact}
        core.find(Irregularity.CARD_LEFT_TABLE, facts, seat=before, once=(Matter.HAND_NOT_WHOLE, before))


def _came_up(core: Core, seat: int) -> None:
    """Take a card of a box that came face up as shown by its player; a void hand is taken back by the dealer."""
    box = core.round.house.boxes.get(seat)
    if not core.round.house.any_wager or (box is not None and box.wagered and not box.void):
        _player_showed(core, seat)


def _player_showed(core: Core, seat: int) -> None:
    core.find(Irregularity.PLAYER_EXPOSED, {"cards": "own"}, seat=seat, once=(Matter.PLAYER_EXPOSED, seat))


def _board_turned(core: Core, zone: str) -> None:
    streets = core.book.streets
    following = core.round.street if core.rounds.phase == "board" else core.round.street + 1
    if any(zone in street.turn for street in streets[:following]):
        return  # it was turned in its street, and is laid straight
    if following >= len(streets) or zone not in streets[following].turn:
        if core.rounds.phase in {"betting", "board"}:
            core.find(Irregularity.BOARD_PREMATURE, _board_fact(core, zone))
        return
    if core.rounds.phase == "betting":
        boxes.close_decisions(core, "card")
    if all(core.round.tracker.ups(place) for place in streets[following].turn):
        core.move("dealt")
        core.round.house.open_window(core.t)
        _open_if_so(core)


def _board_fact(core: Core, zone: str) -> dict[str, str]:
    """Whether a place of the board is one of the flop's, as a fact."""
    return {"turned": "flop" if zone in core.book.streets[1].turn else "last"}


def _may_show(core: Core, zone: str) -> bool:
    """Whether a card of the board lies open, or is the dealer's to reveal now (8.2, 8.4)."""
    if core.round.tracker.ups(zone):
        return True
    if core.rounds.phase == "board":
        return zone in core.street.turn
    if core.rounds.phase != "betting" or boxes.undecided(core):
        return False
    return any(zone in street.turn for street in core.book.streets[core.round.street + 1 :][:1])


def _board_open(core: Core) -> bool:
    return all(core.round.tracker.ups(zone) for zone in BOARD)


def _dealer_turned(core: Core) -> None:
    if not _board_open(core):
        _dealer_seen(core)
        return
    if core.rounds.phase == "betting":
        boxes.close_decisions(core, "card")
    if core.round.tracker.ups("dealer") == 1:
        boxes.judge_opening(core)
    _open_if_so(core)


def _open_if_so(core: Core) -> None:
    """Open the dealer's hand if both its cards and the whole board show."""
    tracker = core.round.tracker
    if _board_open(core) and tracker.holds("dealer") and tracker.ups("dealer") == tracker.holds("dealer"):
        core.round.house.dealer_open = True
        settlement.settle_shown(core)


def _dealer_seen(core: Core) -> None:
    made = any(box.play for box in core.round.house.boxes.values())
    facts = {"play_wager": "made" if made else "none"}
    core.find(Irregularity.DEALER_HAND_EXPOSED, facts, once=(Matter.DEALER_HAND, None))


def card_exposed(core: Core, zone: str, seat: int | None, by: str, card: str | None) -> None:
    """Rule on a face-down card that was seen and should not have been; once on one whose name is known."""
    exposures = core.round.exposures

    def ruled(_: int, __: Row) -> None:
        exposures.note_seen(card)

    if boxes.dealing(core):
        core.find(Irregularity.DEAL_REVEALED, seat=seat)
    elif zone == "dealer":
        if not core.round.house.dealer_open and core.rounds.phase != "settling":
            _dealer_seen(core)
    elif zone in BOARD_ZONES:
        if card not in exposures.seen and not _may_show(core, zone):
            core.find(Irregularity.BOARD_PREMATURE, _board_fact(core, zone), then=ruled)
    elif seat is not None and by == "player":
        _player_showed(core, seat)
    elif seat is not None:
        if card not in exposures.seen:
            core.find(Irregularity.HOLE_EXPOSED, _LATER, seat=seat, then=ruled)
    else:
        core.find(Irregularity.FOLD_EXPOSED)


def card_removed(core: Core, seat: int | None) -> None:
    """Discard a card of a folded hand that left its zone."""
    if seat is not None and (box := core.round.house.boxes.get(seat)) is not None and box.folded:
        boxes.discard(core, seat)
