"""What the dealer should do next, from the state alone."""

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.core.standing import DeckRecord
from table_fsm.felt import BOARD, SEAT_ZONE, clockwise
from table_fsm.play import draw, money, showdown
from table_fsm.play.betting import forced_bets, stakes
from table_fsm.play.board import board, corrections, run_twice, tabling
from table_fsm.play.button import button as button_button
from table_fsm.play.button import draw as button_draw
from table_fsm.play.deal import order
from table_fsm.play.deck import cutting
from table_fsm.play.house import boxes
from table_fsm.play.stud import burns, openers
from table_fsm.play.tournament import hand_for_hand
from table_fsm.poker.betting import acting
from table_fsm.poker.betting.state import Betting
from table_fsm.poker.dealing import Deal
from table_fsm.prompts import types as ask
from table_fsm.prompts.types import Prompt


def prompt(core: Core) -> Prompt | None:
    """The next thing to do; None where there is nothing to say."""
    standing = core.standing
    if not standing.open:
        return None
    if standing.pending and waits_for_person(core):
        return ask.Wait(ask.WaitReason.FLOOR)
    round_ = core.round
    if not round_.started:
        return _between(core)
    if core.book.banked == "house":
        return _house(core)
    if standing.tournament.hand_for_hand and hand_for_hand.showdown_held(core):
        return ask.Wait(ask.WaitReason.GO) if round_.betting is None or not round_.betting.open else ask.Close()
    return _player(core)


def waits_for_person(core: Core) -> bool:
    """Whether play stops until a person has decided. A stop about the pack that is not in play waits for its turn."""
    return not all(map(core.of_other_pack, core.standing.pending))


def gate_locked(core: Core) -> bool:
    """Whether the shoe's gate must stay shut."""
    standing = core.standing
    if not standing.open:
        return True
    if standing.pending and waits_for_person(core):
        return True
    if standing.test_mode or not money.box_safe(core) or (standing.offline and questions.needed_offline(core)):
        return True
    in_round = core.round.started
    held = hand_for_hand.showdown_held if in_round else hand_for_hand.hand_held
    if standing.tournament.hand_for_hand and held(core):
        return True
    round_deck = core.round.deck if in_round else None
    for fault in standing.faults:
        if fault.deck is None or round_deck is None or fault.deck == round_deck:
            return True
    fouled = standing.decks.get(core.deck_key(round_deck))
    return fouled is not None and fouled.fouled


def _next_pack(core: Core) -> str | None:
    """The pack whose turn it is, where two take turns."""
    standing = core.standing
    if core.book.deck.packs > 1 and standing.last_deck is not None:
        return next((name for name in standing.decks if name and name != standing.last_deck), None)
    return standing.last_shuffled


def _between(core: Core) -> Prompt:
    standing = core.standing
    pack = _next_pack(core)
    record = standing.decks.get(pack or "")
    if core.rounds.phase == "checking_cards" or (record is not None and record.fouled):
        return ask.CheckPack(pack)
    if standing.tournament.race is not None and (raced := _race(core, record)) is not None:
        return raced
    if standing.collecting or record is None or not record.shuffled:
        return ask.Shuffle(pack)
    if core.rounds.phase == "cutting":
        cutters = cutting.who_cuts(core)
        return ask.Cut(SEAT_ZONE[cutters[0]] if cutters else None)
    if core.book.banked == "house":
        return ask.Wagers() if not core.round.deal_announced else ask.Deal(BOARD[0], "down")
    if (drawn := button_draw.prompt(core)) is not None:
        return drawn
    expected = button_button.expected_button(core)
    if standing.button_seen is not None and expected is not None and standing.button_seen != expected:
        return ask.MoveButton(expected)
    forced = _forced_bets(core) if not core.round.deal_announced else None
    if forced is not None:
        return forced
    first = order.make_deal(core, 0).due()
    if first is not None and hand_for_hand.hand_held(core):
        return ask.Wait(ask.WaitReason.GO)
    return ask.Deal(SEAT_ZONE[first], "down") if first is not None else ask.Wait(ask.WaitReason.PLAYERS)


def _race(core: Core, record: DeckRecord | None) -> Prompt | None:
    """The next card of a chip race. None while the pack is to be shuffled for it."""
    race = core.standing.tournament.race
    assert race is not None
    if race.due is None:
        return ask.Wait(ask.WaitReason.FLOOR)
    ready = core.round.tournament.race_cards is not None or (record is not None and record.shuffled)
    return ask.Deal(f"race:{race.due}", "up") if ready else None


def _forced_bets(core: Core) -> Prompt | None:
    """Blinds and antes not yet put in, where the amounts are known: which of them first, the book says.

    A player who is not there, and may be passed over, owes nothing until they are dealt in.
    """
    deal = order.make_deal(core, 0)
    ring = [seat for seat in deal.ring if seat not in deal.optional]
    due = forced_bets.blind_seats(core, ring) if stakes.of_deal(core) is not None else {}
    paid = forced_bets.posted(core, ring, due)
    owed = forced_bets.antes_due(core, ring, due)
    antes = {seat: paid[seat].ante for seat in owed if seat not in core.round.forced.antes and paid[seat].ante}
    blinds = {s: paid[s].blind if s in paid else cents for s, cents in _posts_due(core, deal, due).items()}
    asked: list[Prompt] = [ask.Post(blinds)] if blinds else []
    if antes:
        asked.insert(0 if forced_bets.ante_first(core) else len(asked), ask.Ante(antes))
    return asked[0] if asked else None


def _posts_due(core: Core, deal: Deal, due: dict[int, int | None]) -> dict[int, int | None]:
    """Blinds not yet posted; newcomers beyond the big blind post it too."""
    due = dict(due)
    if not due:
        return {}
    last = list(due)[-1]
    button = button_button.expected_button(core) or 0
    behind = clockwise(list(deal.ring), button)
    for seat in behind[behind.index(last) + 1 :]:
        record = core.standing.seats[seat]
        if record.newcomer and record.away_since is None and seat not in due:
            due[seat] = due[last]
    return {seat: cents for seat, cents in due.items() if seat not in core.round.forced.posts}


def _player(core: Core) -> Prompt | None:
    round_ = core.round
    lying, exposures, betting = round_.board, round_.exposures, round_.betting
    phase = core.rounds.phase
    if lying.to_mend and (mending := corrections.prompt(core)) is not None:
        return mending
    if lying.stub_owed:
        zone = round_.stud.boxed[0] if round_.stud.boxed else _board_card_too_many(core)
        return ask.Remove(zone) if zone else ask.ShuffleStub()
    if exposures.replace_seat is not None and not exposures.replaced and not (betting and betting.begun):
        zone = SEAT_ZONE[exposures.replace_seat]
        if not exposures.removed:
            return ask.Remove(zone)
        if phase != "dealing":
            return ask.Deal(zone, "down")
    if round_.cut.stub_due and phase in {"dealing", "board"}:
        return ask.Cut()
    if phase == "dealing":
        if round_.stud.communal:
            return ask.Deal(BOARD[0], "up")
        if (asked := burns.prompt(core)) is not None:
            return asked
        due = round_.deals.current.due() if round_.deals.current is not None else order.make_deal(core, 0).due()
        if due is not None:
            return ask.Deal(SEAT_ZONE[due], questions.next_face(core, due))
        if not questions.first_lies(core):
            return ask.Deal(BOARD[0], "up")
        return ask.Close() if round_.street else None
    if phase in {"betting", "board"} and (hands := tabling.hands_due(core)):
        return ask.Show(tuple(hands))
    if phase == "betting" and betting is not None:
        return _act(core, betting)
    if phase == "draw" and round_.draw is not None:
        return draw.prompt(round_.draw)
    if phase == "board":
        left = board.burns_due(core) - round_.board.burns
        if left > 0 and round_.board.shown <= questions.cards_before(core, round_.street - 1):
            return ask.Burn(left)
        free = [zone for zone in BOARD if not round_.tracker.holds(zone)]
        return ask.Deal(free[0], "up") if free else None
    if (second := run_twice.prompt(core)) is not None:
        return second
    if phase == "showdown":
        return ask.Show(tuple(showdown.show_order(core)))
    return ask.Collect()


def _act(core: Core, betting: Betting) -> Prompt:
    """Whose turn it is in the betting, and what they may do."""
    if betting.opener_unknown and betting.contested:
        return ask.Open(openers.wanted(core))
    went_back = betting.went_back
    return_bet = None if went_back is None else ask.ReturnBet(*went_back)
    seat = betting.to_act()
    if seat is None:
        return ask.Close(return_bet)
    check = acting.may_check(betting, seat) or betting.owes(seat)
    beats = _check_beats(betting) if core.book.betting.last_check != "free" else ()
    return ask.Act(seat, betting.owed(seat), check, beats, return_bet)


def _check_beats(betting: Betting) -> tuple[int, ...]:
    """Whose open cards the player to act must be able to beat to check too, in a book that asks for it."""
    if not betting.last_street or betting.bet_made:
        return ()
    return tuple(seat for seat in betting.checked if betting.is_live(seat))


def _board_card_too_many(core: Core) -> str | None:
    allowed = questions.cards_before(core, core.round.street)
    if core.rounds.phase == "board":
        allowed = questions.cards_before(core, core.round.street - 1)
    lying = [zone for zone in BOARD if core.round.tracker.holds(zone)]
    return lying[-1] if len(lying) > allowed else None


def _house(core: Core) -> Prompt | None:
    phase = core.rounds.phase
    tracker = core.round.tracker
    if phase == "dealing":
        free = [zone for zone in BOARD if not tracker.holds(zone)]
        if free:
            return ask.Deal(free[0], "down")
        for seat in boxes.playing(core):
            if tracker.holds(SEAT_ZONE[seat]) < 2:
                return ask.Deal(SEAT_ZONE[seat], "down")
        return ask.Deal("dealer", "down")
    if phase == "betting":
        waiting = boxes.undecided(core)
        if waiting:
            return ask.Decide(tuple(waiting))
        following = core.round.street + 1
        if following < len(core.book.streets):
            return ask.Turn(tuple(core.book.streets[following].turn))
        return ask.Turn(("dealer",))
    if phase == "board":
        return ask.Turn(tuple(zone for zone in core.street.turn if not tracker.ups(zone)))
    if phase == "showdown":
        if not core.round.house.dealer_open:
            return ask.Turn(("dealer",))
        closed = [s for s in reversed(boxes.playing(core)) if not core.round.house.boxes[s].settled]
        return ask.Turn((SEAT_ZONE[closed[0]],)) if closed else ask.Collect()
    return ask.Collect()
