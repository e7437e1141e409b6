"""How each mistake is made, instead of what the prompt asks."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from devices.simulated.people import dealing, motions, pack_work, round_end, table_cards, wagers
from devices.simulated.people.betting_round import least_bet
from devices.simulated.people.mistakes import Kind, Mistake
from devices.simulated.people.motions import Held, Steps
from devices.simulated.people.occasions import empty_place, held_hands, seat_of
from devices.simulated.people.players import Act
from devices.simulated.people.work import Work
from table_fsm.felt import Decision, FaultKind, PlayerAction

Prompt: TypeAlias = dict[str, Any]


def make(work: Work, mistake: Mistake, prompt: Prompt) -> Steps:
    """Make the mistake at this prompt."""
    yield from _MADE[mistake](work, prompt)


def _next_board(work: Work) -> str:
    return next((f"board:{n}" for n in range(1, 6) if not work.layout.names(f"board:{n}")), "board:5")


# -- shoe and cards


def _fault(kind: FaultKind) -> Callable[[Work, Prompt], Steps]:
    def happen(work: Work, prompt: Prompt) -> Steps:
        """The shoe stops in the deal; it is cleared at once if no person has to decide."""
        yield from work.do(motions.shoe("fault", kind=kind.value))
        if not work.sense.waits_for_floor:
            yield from work.do(motions.shoe("clear", kind=kind.value))
            yield from work.do(motions.badge(work.game.staff, work.game.staff_role))
            yield from work.do(motions.decide(Decision.ACKNOWLEDGE, work.game.staff))

    return happen


def _boxed(work: Work, prompt: Prompt) -> Steps:
    yield from work.do(motions.shoe("box_card"))
    yield from dealing.deal(work, prompt)


def _tampered(order: str) -> Callable[[Work, Prompt], Steps]:
    def happen(work: Work, prompt: Prompt) -> Steps:
        """The pack is no longer whole; nobody at the table saw why."""
        yield from work.do(motions.shoe(order, deck=prompt.get("shuffle") or pack_work.next_deck(work)))
        yield from pack_work.shuffle(work, prompt)

    return happen


def _no_shuffle(work: Work, prompt: Prompt) -> Steps:
    """Deal on from the last shuffle."""
    yield from round_end.clear_layout(work)
    zone = "board:1" if work.house_banked else f"seat:{work.game.seats[0]}"
    yield from table_cards.deal_to(work, zone, "down")


def _same_deck(work: Work, prompt: Prompt) -> Steps:
    """Shuffle and deal the deck of the last round again."""
    yield from round_end.clear_layout(work)
    yield from pack_work.shuffle_deck(work, work.last_deck or pack_work.next_deck(work))
    yield from wagers.place(work, prompt)
    yield from table_cards.deal_to(work, "board:1", "down")


def _from_nowhere(work: Work, prompt: Prompt) -> Steps:
    """Place a card that did not come from the shoe."""
    held = Held("2c", work.last_deck)
    work.layout.put(prompt["deal"], held)
    yield from work.do(motions.place(prompt["deal"], held, prompt.get("face") or "down"))


# -- cut


def _no_cut(work: Work, prompt: Prompt) -> Steps:
    yield from dealing.deal_unasked(work)


def _cut_exposes(work: Work, prompt: Prompt) -> Steps:
    yield from work.do(motions.press("cut", by="dealer", depth=20, exposed=1))


def _thin_cut(work: Work, prompt: Prompt) -> Steps:
    yield from work.do(motions.press("cut", by="dealer", depth=1))


# -- deal


def _flash(work: Work, prompt: Prompt) -> Steps:
    """Deal the card to its place, exposed on its way."""
    zone = prompt["deal"]
    if (yield from table_cards.deal_to(work, zone, "down")):
        yield from _expose(work, zone, "dealer")


def _expose(work: Work, zone: str, by: str) -> Steps:
    card = work.layout.names(zone)[-1]
    work.layout.marked[zone] = card
    yield from work.do(motions.on_zone(zone, "expose", card=card, by=by))


def _face_up(work: Work, prompt: Prompt) -> Steps:
    yield from _deal_marked(work, prompt["deal"], "up")


def _deal_marked(work: Work, zone: str, face: str) -> Steps:
    if (yield from table_cards.deal_to(work, zone, face)):
        work.layout.marked[zone] = work.layout.names(zone)[-1]


def _out_of_turn(work: Work, prompt: Prompt) -> Steps:
    """Deal the card to the seat after the one that is due."""
    seats = sorted(work.players.live - {seat_of(prompt["deal"])}) if work.exchanged else work.game.seats
    due = seat_of(prompt["deal"])
    following = [seat for seat in seats if seat > due] or list(seats)
    yield from _deal_marked(work, f"seat:{following[0]}", prompt.get("face") or "down")


def _too_soon(work: Work, prompt: Prompt) -> Steps:
    """During the betting, deal the first player a card of the next street, or a replacement."""
    first = next((seat for seat in work.dealt_to if seat in work.players.live), prompt["act"])
    face = "down" if work.game.kind is Kind.DRAW else "up"
    yield from _deal_marked(work, f"seat:{first}", face)


def _miss(work: Work, prompt: Prompt) -> Steps:
    """Pass over the last seat of the first pass."""
    yield from _deal_marked(work, f"seat:{work.dealt_to[0]}", "down")


def _extra_card(work: Work, prompt: Prompt) -> Steps:
    """Deal one seat another card after the deal is complete."""
    yield from _deal_marked(work, f"seat:{work.dealt_to[0]}", "down")


def _three_cards(work: Work, prompt: Prompt) -> Steps:
    """Deal a third card to a box that has two."""
    yield from _deal_marked(work, f"seat:{work.dealt_to[0]}", "down")


def _extra_hand(work: Work, prompt: Prompt) -> Steps:
    yield from _deal_marked(work, f"seat:{empty_place(work)}", "down")


def _mix(work: Work, prompt: Prompt) -> Steps:
    """Move a card from one hand to another."""
    first, second = held_hands(work)[:2]
    card = work.layout.names(f"seat:{first}")[-1]
    work.layout.take(f"seat:{first}", card)
    held = Held(card, work.last_deck)
    work.layout.put(f"seat:{second}", held)
    yield from work.do(motions.on_zone(f"seat:{first}", "remove", card=card))
    yield from work.do(motions.place(f"seat:{second}", held, "down"))


def _wrong_button(work: Work, prompt: Prompt) -> Steps:
    """Move the button a seat too far; nobody notices before the deal."""
    yield from round_end.settle_pots(work, excess=0)
    seats = work.game.seats
    at = work.sense.button or seats[0]
    beyond = [seat for seat in seats if seat > at] + list(seats)
    work.button_unnoticed = True
    yield from round_end.end_hand(work, marker=beyond[1])


# -- board


def _early_board(work: Work, prompt: Prompt) -> Steps:
    yield from _deal_marked(work, _next_board(work), "up")


def _extra_burn(work: Work, prompt: Prompt) -> Steps:
    for _ in range(2):
        yield from table_cards.deal_to(work, "burn", "down")


def _burn_up(work: Work, prompt: Prompt) -> Steps:
    yield from _deal_marked(work, "burn", "up")


# -- betting


def _close_early(work: Work, prompt: Prompt) -> Steps:
    yield from wagers.close(work, prompt)


def _acts_early(work: Work, prompt: Prompt) -> Steps:
    """A player behind the one to act puts in the smallest bet."""
    behind = [seat for seat in sorted(work.players.live) if seat != prompt["act"]]
    after = [seat for seat in behind if seat > prompt["act"]] or behind
    seat = after[-1]
    owes = max(0, work.players.round.level - work.players.round.bets.get(seat, 0))
    wagering = work.game.wagering
    last = work.sense.street == wagering.last_street
    bet = least_bet(wagering, unit=work.players.unit, last_street=last)
    done = Act(PlayerAction.CALL, owes) if owes else Act(PlayerAction.BET, bet)
    yield from _does(work, seat, done)


def _does(work: Work, seat: int, done: Act) -> Steps:
    work.players.take(seat, done)
    yield from work.do(motions.act(seat, done.action, done.cents))


def _between(work: Work, prompt: Prompt) -> Steps:
    """Put in more than the call and less than a raise: it is ruled a call and counted as one."""
    seat, owes = prompt["act"], prompt["owes"]
    work.players.take(seat, Act(PlayerAction.CALL, owes))
    yield from work.do(motions.act(seat, PlayerAction.RAISE, owes + work.players.round.least_raise(owes) // 2))


def _short(work: Work, prompt: Prompt) -> Steps:
    yield from _does(work, prompt["act"], Act(PlayerAction.CALL, prompt["owes"] // 2))


def _bad_check(work: Work, prompt: Prompt) -> Steps:
    yield from work.do(motions.act(prompt["act"], PlayerAction.CHECK))


def _shows(work: Work, prompt: Prompt) -> Steps:
    yield from _expose(work, f"seat:{prompt['act']}", "player")


# -- the house's game


def _flash_dealer(work: Work, prompt: Prompt) -> Steps:
    if work.layout.names("dealer"):
        yield from _expose(work, "dealer", "dealer")


def _unlike_blind(work: Work, prompt: Prompt) -> Steps:
    seat = work.game.seats[0]
    yield from work.do(motions.press("wager", seat=seat, box="ante", cents=work.game.table_min))
    yield from work.do(motions.press("wager", seat=seat, box="blind", cents=work.game.table_min * 2))
    yield from wagers.announce(work)


def _trips_alone(work: Work, prompt: Prompt) -> Steps:
    seat, other = work.game.seats[:2]
    for box in ("ante", "blind"):
        yield from work.do(motions.press("wager", seat=other, box=box, cents=work.game.table_min))
    yield from work.do(motions.press("wager", seat=seat, box="trips", cents=work.game.table_min))
    yield from wagers.announce(work)


def _late_wager(work: Work, prompt: Prompt) -> Steps:
    seat = next(iter(work.house.wagers))
    yield from work.do(motions.press("wager", seat=seat, box="ante", cents=work.game.table_min * 10))


def _wrong_play(work: Work, prompt: Prompt) -> Steps:
    seat = prompt["decide"][0]
    work.house.played.add(seat)
    wagers = work.house.wagers.get(seat)
    ante = wagers.ante if wagers is not None else work.game.table_min
    yield from work.do(motions.press("wager", seat=seat, box="play", cents=ante * 5))


# -- money


def _wrong_commission(work: Work, prompt: Prompt) -> Steps:
    yield from round_end.settle_pots(work, excess=work.game.chips[-1])
    yield from round_end.end_hand(work)


def _unlock(work: Work, prompt: Prompt) -> Steps:
    yield from work.do(motions.dropbox("box", locked=False))


_MADE: Final[Mapping[Mistake, Callable[[Work, Prompt], Steps]]] = MappingProxyType(
    {
        Mistake.SHOE_JAM: _fault(FaultKind.JAM),
        Mistake.LID_OPEN: _fault(FaultKind.LID_OPEN),
        Mistake.BOXED_CARD: _boxed,
        Mistake.MISSING_CARD: _tampered("lose_card"),
        Mistake.DOUBLED_CARD: _tampered("swap_card"),
        Mistake.FOREIGN_CARD: _tampered("add_foreign"),
        Mistake.NO_SHUFFLE: _no_shuffle,
        Mistake.SAME_DECK_AGAIN: _same_deck,
        Mistake.CARD_FROM_NOWHERE: _from_nowhere,
        Mistake.NO_CUT: _no_cut,
        Mistake.CUT_EXPOSES_CARD: _cut_exposes,
        Mistake.THIN_CUT: _thin_cut,
        Mistake.FLASH_CARD: _flash,
        Mistake.DEAL_FACE_UP: _face_up,
        Mistake.DEAL_OUT_OF_TURN: _out_of_turn,
        Mistake.MISS_PLAYER: _miss,
        Mistake.EXTRA_CARD: _extra_card,
        Mistake.THREE_CARDS: _three_cards,
        Mistake.EXTRA_HAND: _extra_hand,
        Mistake.MIX_CARDS: _mix,
        Mistake.WRONG_BUTTON: _wrong_button,
        Mistake.STREET_BEFORE_CLOSE: _too_soon,
        Mistake.FLASH_REPLACEMENT: _flash,
        Mistake.REPLACEMENT_OUT_OF_TURN: _out_of_turn,
        Mistake.REPLACEMENT_BEFORE_DRAW: _too_soon,
        Mistake.FLOP_BEFORE_CLOSE: _early_board,
        Mistake.NO_BURN: _early_board,
        Mistake.EXTRA_BURN: _extra_burn,
        Mistake.BURN_FACE_UP: _burn_up,
        Mistake.CLOSE_TOO_EARLY: _close_early,
        Mistake.ACT_OUT_OF_TURN: _acts_early,
        Mistake.BET_BETWEEN: _between,
        Mistake.SHORT_CALL: _short,
        Mistake.CHECK_FACING_BET: _bad_check,
        Mistake.PLAYER_SHOWS_CARD: _shows,
        Mistake.FLASH_DEALER_CARD: _flash_dealer,
        Mistake.BLIND_UNLIKE_ANTE: _unlike_blind,
        Mistake.TRIPS_ALONE: _trips_alone,
        Mistake.LATE_WAGER: _late_wager,
        Mistake.WRONG_PLAY_WAGER: _wrong_play,
        Mistake.WRONG_COMMISSION: _wrong_commission,
        Mistake.BOX_UNLOCKED: _unlock,
    }
)
"""How each mistake is made. A test checks that none is missing."""
