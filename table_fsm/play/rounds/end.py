"""The end of a round: in good order, as a misdeal, or void; and the next button."""

from table_fsm.core import questions
from table_fsm.core.core import MONEY_MATTERS, Core
from table_fsm.core.round import Matter
from table_fsm.errors import Refused
from table_fsm.events import HandEnd
from table_fsm.felt import BOARD, SEAT_ZONE, clockwise
from table_fsm.outputs import Button
from table_fsm.play import money, showdown
from table_fsm.play.betting.forced_bets import blind_seats
from table_fsm.play.board import run_twice, tabling
from table_fsm.play.button import dead, newcomers, small_blind
from table_fsm.play.button.button import dealing_order, expected_button, in_game, of_last_two
from table_fsm.play.deal import counts
from table_fsm.play.deck import doubts
from table_fsm.play.house import boxes, cards, unfinished
from table_fsm.play.tournament import absences, clock, hand_for_hand, penalties, places
from table_fsm.rulebook.irregularities import Irregularity
from table_fsm.rulebook.outcomes import Outcome

_UNFINISHED = (Matter.ROUND_END, Irregularity.ROUND_UNFINISHED.value)
_NO_DECISIONS = {"decisions": "none", "noticed": "ended"}
_CONTEST = 2
"""Live hands that contest a pot."""
_MONEY = frozenset(matter.value for matter in MONEY_MATTERS)


def on_hand_end(core: Core, event: HandEnd) -> None:
    """End the round, because the pots are pushed and the cards collected."""
    core.need_open()
    if core.collecting():
        return
    if not core.in_round:
        raise Refused("no round is in progress: nothing to end")
    if not judge_end(core):
        return
    run_twice.judge_end(core)
    finish_round(core)


def judge_end(core: Core) -> bool:
    """Rule on a round that is ended before it is over; return whether it may end.

    It may end once the ruling waits for nobody, or is asked for again.
    """
    _judge_open_deal(core)
    _end_last_betting(core)
    if core.collecting():
        return False
    if _judge_short_hands(core) or core.collecting() or not _judge_unfinished(core):
        return False
    if _UNFINISHED not in core.round.rulings.matters:
        _judge_open_betting(core)
    return tabling.judge_end(core, told=_ended_unfinished(core))


def _ended_unfinished(core: Core) -> bool:
    """Whether the round, told to be unfinished, is ended once more with nothing done since."""
    return _UNFINISHED in core.round.rulings.matters and _left_to_do(core)[0] is not None


def _judge_open_deal(core: Core) -> None:
    """Rule on a house-banked round that is ended before its deal is complete."""
    if core.book.banked == "house":
        cards.judge_deal(core)
        core.judge()


def _end_last_betting(core: Core) -> None:
    """Close the last betting round where all have met it, as keyed, and nobody closed it: no card follows it."""
    betting = core.round.betting
    if betting is not None and betting.last_street:
        core.flow.end_met_street()


def _judge_short_hands(core: Core) -> bool:
    """Rule on hands that were shown with too few cards; return whether a person decides on one before the end."""
    return core.book.banked == "player" and counts.judge_shown(core, questions.cards_of_a_hand(core)[0])


def _judge_unfinished(core: Core) -> bool:
    """Rule on a round that is ended with anything left to do; return whether it may end."""
    if _UNFINISHED in core.round.rulings.matters:
        return True
    left, seat = _left_to_do(core)
    if left is None:
        return True
    core.rule(Irregularity.ROUND_UNFINISHED, {"left": left}, seat=seat, once=_UNFINISHED)
    return not core.collecting() and not core.has_pending(Irregularity.ROUND_UNFINISHED)


def _left_to_do(core: Core) -> tuple[str | None, int | None]:
    """What is left to do, and the seat that is to do it: "deal", "betting", "cards", "hands" or "claim", or None.

    Whether players bet and fold is known only where actions are keyed.
    """
    if core.book.banked == "house":
        return unfinished.left_to_do(core)
    betting = core.round.betting
    if betting is None:
        return ("deal" if _players_in_deal(core) >= _CONTEST else None), None
    if not betting.ever_keyed or len(betting.live) < _CONTEST or core.round.showdown.decided:
        return None, None
    if core.rounds.phase == "showdown":
        seat = _hand_to_show(core)
        if seat is not None:
            return "hands", seat
        return ("claim" if _nobody_claims(core) else None), None
    if core.rounds.phase in {"dealing", "draw"}:
        return "deal", None
    if betting.open and betting.contested and betting.certain:
        return "betting", None
    last = core.round.street + 1 == len(core.book.streets)
    shown = sum(core.round.tracker.ups(zone) for zone in BOARD)
    over = last and shown >= questions.cards_before(core, core.round.street)
    return (None if over else "cards"), None


def _players_in_deal(core: Core) -> int:
    """Number of players in an initial deal that is not complete, without those who have folded."""
    deal = core.round.deals.current
    if core.rounds.phase != "dealing" or (deal is not None and not deal.short and questions.first_lies(core)):
        return 0
    return len(set(core.players() if deal is None else deal.seats) - set(core.round.early.folds))


def _hand_to_show(core: Core) -> int | None:
    """The first seat whose hand lies face down and must be shown at the showdown, in a book that speaks of it.

    Where the last aggressor or the player who was called shows first, the others may fold unseen; where that player is
    out, or there is none, one hand shows. Else all show.
    """
    row = core.row(Irregularity.ROUND_UNFINISHED, {"left": "hands"})
    if questions.hands_unseen(core) or "hands" not in row.when.get("left", ()):
        return None
    order, tracker = showdown.show_order(core), core.round.tracker
    if core.book.showdown.first == "after_button":
        hidden = [seat for seat in order if tracker.holds(SEAT_ZONE[seat]) > tracker.ups(SEAT_ZONE[seat])]
        return hidden[0] if hidden else None
    first = showdown.shows_first(core)
    must_show = [first] if first in order else order
    return must_show[0] if all(_is_unshown(core, seat) for seat in must_show) else None


def _nobody_claims(core: Core) -> bool:
    """Whether no live hand lies open whole, in a book that gives the pot to an open hand alone (The Star 7.29).

    Once a player is all in, all hands must lie open: `tabling` judges that.
    """
    row = core.row(Irregularity.ROUND_UNFINISHED, {"left": "claim"})
    if questions.hands_unseen(core) or "claim" not in row.when.get("left", ()) or tabling.must_lie_open(core):
        return False
    betting = core.round.betting
    return betting is not None and all(_is_unshown(core, seat) for seat in betting.live)


def _is_unshown(core: Core, seat: int) -> bool:
    """Whether a hand, or a card of it, lies face down, or was taken up and not shown before."""
    tracker, zone = core.round.tracker, SEAT_ZONE[seat]
    if tracker.hides(zone):
        return True
    return counts.hidden_in_hand(core, seat) and counts.shown(core, seat) < questions.cards_of_a_hand(core)[0]


def _judge_open_betting(core: Core) -> None:
    """Rule on a round that is ended while a seat still has to act, as far as it was keyed."""
    if core.book.banked == "house":
        waiting = boxes.undecided(core) if core.round.house.keyed else []
        if waiting:
            boxes.judge_undecided(core, waiting[0], "ended")
        return
    betting = core.round.betting
    if betting is None or not betting.open or not (betting.keyed or core.options.actions_keyed):
        return
    seat = betting.to_act()
    if seat is not None:
        core.rule(Irregularity.BETTING_INCOMPLETE, _NO_DECISIONS, seat=seat)


def finish_round(core: Core) -> None:
    """End a round that counts."""
    standing = core.standing
    if core.book.banked == "house":
        boxes.settle_rest(core)
    money.note_flop(core)
    standing.played += 1
    standing.last_deck = deck = core.round.deck
    findings = doubts.at_end(core)
    _drop_round_matters(core)
    _next_pack(core)
    big_blind = _big_blind(core) if core.book.button.used else None  # while it is known who was to wait for it
    _newcomers_played(core)
    _note_missed_blinds(core, big_blind)
    button = core.round.button.seat if core.round.button.seat is not None else expected_button(core)
    absences.round_over(core)
    if core.book.button.used:
        _move_button(core, big_blind)
    else:
        _remove_leavers(core)
    penalties.round_over(core, button)
    standing.carried_posts, standing.carried_antes, standing.carried_all_in = {}, {}, {}
    standing.carried_entries = []
    standing.attention = False
    core.move("finish")
    standing.rest = core.rounds.state
    _carry_over(core, stay=False)
    core.fresh_round()
    doubts.tell(core, deck, findings)
    core.judge()
    clock.deal_over(core, counts=True)


def _carry_over(core: Core, *, stay: bool) -> None:
    """Keep for the next round what lies in the betting boxes: chips of this round, and wagers for that one.

    `stay`: the round was ended without settlement, so its chips are their players' still. Those of a player who was
    away while a round was settled are too.
    """
    house, seats = core.round.house, core.standing.seats
    chips = house.chips(plays=stay)
    there = [seat for seat in chips if (record := seats.get(seat)) is not None and not record.leaving]
    core.standing.chips_stay_at = sorted(seat for seat in there if stay or house.stays(seat))
    core.standing.carried_chips = chips
    core.standing.carried_wagers = core.round.house.ahead


def _next_pack(core: Core) -> None:
    """Make the pack that was shuffled during this round the next round's."""
    standing = core.standing
    if standing.shuffled_beside is not None and core.deck(standing.shuffled_beside).shuffled:
        standing.last_shuffled = standing.shuffled_beside
    standing.shuffled_beside = None


def _newcomers_played(core: Core) -> None:
    round_ = core.round
    first = round_.deals.earlier[0] if round_.deals.earlier else round_.deals.current
    for seat in first.seats if first is not None else []:
        record = core.standing.seats.get(seat)
        if record is not None:
            record.newcomer = record.comes_in = False


def _note_missed_blinds(core: Core, big_blind: int | None) -> None:
    """Note missed blinds of absent players from behind the button up to the big blind."""
    if not core.standing.someone_away:
        return
    button, seats = core.round.button.seat, core.standing.seats
    if core.book.seats.newcomers != "wait_for_blind" or button is None or big_blind not in seats:
        return
    deal = core.round.deals.earlier[0] if core.round.deals.earlier else core.round.deals.current
    order = clockwise(list(seats), button)
    for number in order[: order.index(big_blind)]:
        if seats[number].away_since is not None and (deal is None or number not in deal.seats):
            seats[number].missed_blind = True


def _remove_leavers(core: Core) -> list[int]:
    seats = core.standing.seats
    gone = [number for number, seat in seats.items() if seat.leaving]
    for number in gone:
        del seats[number]
    return gone


def _move_button(core: Core, big_blind: int | None) -> None:
    """Move the button to the next player clockwise.

    The seat due the small blind is fixed now, so that a player who leaves is missed there.
    """
    standing = core.standing
    everyone = list(standing.seats)
    button = core.round.button.seat if core.round.button.seat is not None else expected_button(core)
    standing.last_big_blind = big_blind
    gone = _remove_leavers(core)
    if dead.used(core):
        dead.hand_over(core)
        return
    standing.no_small_blind = False
    if button is None or not standing.seats:
        return
    playing = in_game(core)
    standing.button = of_last_two(core, playing) or clockwise(playing, _played_from(core, button))[0]
    newcomers.settle(core)
    after = clockwise([seat for seat in everyone if seat != standing.button], standing.button)
    standing.small_blind_due = after[0] if after else None
    if standing.small_blind_due in gone and core.book.button.small_blind_may_be_missing:
        standing.no_small_blind = True
        standing.small_blind_due = None
    core.emit(Button(standing.button))


def _played_from(core: Core, marker: int) -> int:
    """The seat from which the round was played with the marker at this one.

    Where the buck's player has gone, that is the next one who was dealt in: else the same player would have the buck,
    and the same two the blinds, in the round after it too (ACT 2001, 8.6: it is passed to the next player in turn).
    """
    deal = core.round.deals.earlier[0] if core.round.deals.earlier else core.round.deals.current
    if core.book.button.marker == "button" or deal is None:
        return marker
    return dealing_order(core, list(deal.seats), marker)[0]


def _big_blind(core: Core) -> int | None:
    """The seat of the last blind of the round that is over; None where there was none."""
    deal = core.round.deals.current
    return None if deal is None else next(reversed(blind_seats(core, deal.seats)), None)


def end_round(core: Core, outcome: Outcome) -> None:
    """End a round as a misdeal or void.

    The button stays, the round does not count, and all is collection until the next shuffle. After a misdeal posted
    blinds and antes stand where the book says so (player-banked games); after a void round all goes back.
    """
    standing = core.standing
    forced = core.round.forced
    choice = core.round.button.seat
    standing.last_deck = None  # after a misdeal either pack may be used
    core.deck(core.round.deck).shuffled = False
    doubts.without_count(core)
    money.round_ended(core)
    _drop_round_matters(core)
    trigger = "misdeal" if outcome is Outcome.MISDEAL else "void"
    core.move(trigger)
    standing.rest = core.rounds.state
    standing.collecting = True
    if choice is not None:
        standing.button = choice
    small_blind.left(core, [number for number, record in standing.seats.items() if record.leaving])
    kept = core.book.banked == "player" and core.book.betting.after_misdeal == "posts_stand"
    stand = outcome is Outcome.MISDEAL and kept
    standing.carried_posts = dict(forced.posts) if stand else {}
    standing.carried_entries = sorted(forced.entries & forced.posts.keys()) if stand else []
    standing.carried_antes = dict(forced.antes) if stand else {}
    standing.carried_all_in = dict(forced.all_in) if stand else {}
    newcomers.settle(core)
    _carry_over(core, stay=True)
    core.fresh_round()
    if dead.used(core):
        dead.settle(core)
    clock.deal_over(core, counts=False)
    places.round_void(core)
    hand_for_hand.dealt_again(core)


def _drop_round_matters(core: Core) -> None:
    """Resolve rulings of this round's play that await a person.

    Rulings on money, stops and the deck stay pending.
    """
    core.resolve(
        [
            p
            for p in core.standing.pending
            if p.outcome == Outcome.CALL_FLOOR.value and p.irregularity not in _MONEY and not p.beyond_round
        ]
    )
