"""How each mistake is made: what the croupier, a player or a card does instead of what the prompt asks."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from devices.simulated.people import motions, pack_work, round_end, table_cards, wagers
from devices.simulated.people.betting_round import least_bet
from devices.simulated.people.mistakes import Kind, Mistake
from devices.simulated.people.motions import Held, Steps
from devices.simulated.people.occasions import empty_place, held_hands, seat_of
from devices.simulated.people.players import PlayerAction

if TYPE_CHECKING:
    from devices.simulated.people.croupier import Croupier

Prompt: TypeAlias = dict[str, Any]


def make(croupier: "Croupier", mistake: Mistake, prompt: Prompt) -> Steps:
    """Make it."""
    yield from _MADE[mistake](croupier, prompt)


def _next_board(croupier: "Croupier") -> str:
    return next((f"board:{n}" for n in range(1, 6) if not croupier.layout.names(f"board:{n}")), "board:5")


# -- shoe and cards


def _fault(kind: str) -> Callable[["Croupier", Prompt], Steps]:
    def happen(croupier: "Croupier", prompt: Prompt) -> Steps:
        """The shoe stops in the deal; it is cleared at once where nobody has to decide."""
        yield from croupier.do(motions.shoe("fault", kind=kind))
        if not croupier.sense.waits_for_floor:
            yield from croupier.do(motions.shoe("clear", kind=kind))
            yield from croupier.do(motions.badge(croupier.game.staff, croupier.game.staff_role))
            acknowledged = motions.press("decision", decision="acknowledge", staff=croupier.game.staff)
            yield from croupier.do(acknowledged)

    return happen


def _boxed(croupier: "Croupier", prompt: Prompt) -> Steps:
    yield from croupier.do(motions.shoe("box_card"))
    yield from table_cards.deal(croupier, prompt)


def _tampered(order: str) -> Callable[["Croupier", Prompt], Steps]:
    def happen(croupier: "Croupier", prompt: Prompt) -> Steps:
        """The pack is no longer whole; nobody at the table has seen why."""
        yield from croupier.do(motions.shoe(order, deck=prompt.get("shuffle") or pack_work.next_deck(croupier)))
        yield from pack_work.shuffle(croupier, prompt)

    return happen


def _no_shuffle(croupier: "Croupier", prompt: Prompt) -> Steps:
    """The rest of the last shuffle is dealt on."""
    yield from round_end.clear_layout(croupier)
    zone = "board:1" if croupier.house_banked else f"seat:{croupier.game.seats[0]}"
    yield from table_cards.deal_to(croupier, zone, "down")


def _same_deck(croupier: "Croupier", prompt: Prompt) -> Steps:
    """The deck of the last round is shuffled and dealt again."""
    yield from round_end.clear_layout(croupier)
    yield from pack_work.shuffle_deck(croupier, croupier.last_deck or pack_work.next_deck(croupier))
    yield from wagers.place(croupier, prompt)
    yield from table_cards.deal_to(croupier, "board:1", "down")


def _from_nowhere(croupier: "Croupier", prompt: Prompt) -> Steps:
    """A card lies there that the shoe did not give."""
    held = Held("2c", croupier.last_deck)
    croupier.layout.put(prompt["deal"], held)
    yield from croupier.do(motions.place(prompt["deal"], held, prompt.get("face") or "down"))


# -- cut


def _no_cut(croupier: "Croupier", prompt: Prompt) -> Steps:
    yield from table_cards.deal_unasked(croupier)


def _cut_exposes(croupier: "Croupier", prompt: Prompt) -> Steps:
    yield from croupier.do(motions.press("cut", by="dealer", depth=20, exposed=1))


def _thin_cut(croupier: "Croupier", prompt: Prompt) -> Steps:
    yield from croupier.do(motions.press("cut", by="dealer", depth=1))


# -- deal


def _flash(croupier: "Croupier", prompt: Prompt) -> Steps:
    """The card comes where it belongs, and was seen on its way."""
    zone = prompt["deal"]
    if (yield from table_cards.deal_to(croupier, zone, "down")):
        yield from _expose(croupier, zone, "dealer")


def _expose(croupier: "Croupier", zone: str, by: str) -> Steps:
    card = croupier.layout.names(zone)[-1]
    croupier.layout.marked[zone] = card
    yield from croupier.do(motions.on_zone(zone, "expose", card=card, by=by))


def _face_up(croupier: "Croupier", prompt: Prompt) -> Steps:
    yield from _deal_marked(croupier, prompt["deal"], "up")


def _deal_marked(croupier: "Croupier", zone: str, face: str) -> Steps:
    if (yield from table_cards.deal_to(croupier, zone, face)):
        croupier.layout.marked[zone] = croupier.layout.names(zone)[-1]


def _out_of_turn(croupier: "Croupier", prompt: Prompt) -> Steps:
    """The card goes to the seat after the one that is due."""
    seats = sorted(croupier.players.live - {seat_of(prompt["deal"])}) if croupier.exchanged else croupier.game.seats
    due = seat_of(prompt["deal"])
    following = [seat for seat in seats if seat > due] or list(seats)
    yield from _deal_marked(croupier, f"seat:{following[0]}", prompt.get("face") or "down")


def _too_soon(croupier: "Croupier", prompt: Prompt) -> Steps:
    """While they bet, the first player gets a card of the next street, or a replacement."""
    first = next((seat for seat in croupier.dealt_to if seat in croupier.players.live), prompt["act"])
    face = "down" if croupier.game.kind is Kind.DRAW else "up"
    yield from _deal_marked(croupier, f"seat:{first}", face)


def _miss(croupier: "Croupier", prompt: Prompt) -> Steps:
    """The last seat of the first pass is passed over."""
    yield from _deal_marked(croupier, f"seat:{croupier.dealt_to[0]}", "down")


def _extra_card(croupier: "Croupier", prompt: Prompt) -> Steps:
    """The deal is complete, and one seat gets another card."""
    yield from _deal_marked(croupier, f"seat:{croupier.dealt_to[0]}", "down")


def _three_cards(croupier: "Croupier", prompt: Prompt) -> Steps:
    """A box that has its two cards gets a third."""
    yield from _deal_marked(croupier, f"seat:{croupier.dealt_to[0]}", "down")


def _extra_hand(croupier: "Croupier", prompt: Prompt) -> Steps:
    yield from _deal_marked(croupier, f"seat:{empty_place(croupier)}", "down")


def _mix(croupier: "Croupier", prompt: Prompt) -> Steps:
    """A card wanders from one hand to another."""
    first, second = held_hands(croupier)[:2]
    card = croupier.layout.names(f"seat:{first}")[-1]
    croupier.layout.take(f"seat:{first}", card)
    held = Held(card, croupier.last_deck)
    croupier.layout.put(f"seat:{second}", held)
    yield from croupier.do(motions.on_zone(f"seat:{first}", "remove", card=card))
    yield from croupier.do(motions.place(f"seat:{second}", held, "down"))


def _wrong_button(croupier: "Croupier", prompt: Prompt) -> Steps:
    """The button goes a seat too far, and nobody sees it before the deal."""
    yield from round_end.settle_pots(croupier, excess=0)
    seats = croupier.game.seats
    at = croupier.sense.button or seats[0]
    beyond = [seat for seat in seats if seat > at] + list(seats)
    croupier.button_unnoticed = True
    yield from round_end.end_hand(croupier, marker=beyond[1])


# -- board


def _early_board(croupier: "Croupier", prompt: Prompt) -> Steps:
    yield from _deal_marked(croupier, _next_board(croupier), "up")


def _extra_burn(croupier: "Croupier", prompt: Prompt) -> Steps:
    for _ in range(2):
        yield from table_cards.deal_to(croupier, "burn", "down")


def _burn_up(croupier: "Croupier", prompt: Prompt) -> Steps:
    yield from _deal_marked(croupier, "burn", "up")


# -- betting


def _close_early(croupier: "Croupier", prompt: Prompt) -> Steps:
    yield from wagers.close(croupier, prompt)


def _acts_early(croupier: "Croupier", prompt: Prompt) -> Steps:
    """A player behind the one to act puts in the smallest bet."""
    behind = [seat for seat in sorted(croupier.players.live) if seat != prompt["act"]]
    after = [seat for seat in behind if seat > prompt["act"]] or behind
    seat = after[-1]
    owes = max(0, croupier.players.round.level - croupier.players.round.bets.get(seat, 0))
    wagering = croupier.game.wagering
    last = croupier.sense.street == wagering.last_street
    bet = least_bet(wagering, unit=croupier.players.unit, last_street=last)
    done = PlayerAction("call", owes) if owes else PlayerAction("bet", bet)
    yield from _does(croupier, seat, done)


def _does(croupier: "Croupier", seat: int, done: PlayerAction) -> Steps:
    croupier.players.take(seat, done)
    yield from croupier.do(motions.act(seat, done.action, done.cents))


def _between(croupier: "Croupier", prompt: Prompt) -> Steps:
    """More than the call, less than a raise: what is ruled a call is counted as one."""
    seat, owes = prompt["act"], prompt["owes"]
    croupier.players.take(seat, PlayerAction("call", owes))
    yield from croupier.do(motions.act(seat, "raise", owes + croupier.players.round.least_raise(owes) // 2))


def _short(croupier: "Croupier", prompt: Prompt) -> Steps:
    yield from _does(croupier, prompt["act"], PlayerAction("call", prompt["owes"] // 2))


def _bad_check(croupier: "Croupier", prompt: Prompt) -> Steps:
    yield from croupier.do(motions.act(prompt["act"], "check"))


def _shows(croupier: "Croupier", prompt: Prompt) -> Steps:
    yield from _expose(croupier, f"seat:{prompt['act']}", "player")


# -- the house's game


def _flash_dealer(croupier: "Croupier", prompt: Prompt) -> Steps:
    if croupier.layout.names("dealer"):
        yield from _expose(croupier, "dealer", "dealer")


def _unlike_blind(croupier: "Croupier", prompt: Prompt) -> Steps:
    seat = croupier.game.seats[0]
    yield from croupier.do(motions.press("wager", seat=seat, box="ante", cents=croupier.game.table_min))
    yield from croupier.do(motions.press("wager", seat=seat, box="blind", cents=croupier.game.table_min * 2))
    yield from wagers.announce(croupier)


def _trips_alone(croupier: "Croupier", prompt: Prompt) -> Steps:
    seat, other = croupier.game.seats[:2]
    for box in ("ante", "blind"):
        yield from croupier.do(motions.press("wager", seat=other, box=box, cents=croupier.game.table_min))
    yield from croupier.do(motions.press("wager", seat=seat, box="trips", cents=croupier.game.table_min))
    yield from wagers.announce(croupier)


def _late_wager(croupier: "Croupier", prompt: Prompt) -> Steps:
    seat = next(iter(croupier.house.wagers))
    yield from croupier.do(motions.press("wager", seat=seat, box="ante", cents=croupier.game.table_min * 10))


def _wrong_play(croupier: "Croupier", prompt: Prompt) -> Steps:
    seat = prompt["decide"][0]
    croupier.house.played.add(seat)
    wagers = croupier.house.wagers.get(seat)
    ante = wagers.ante if wagers is not None else croupier.game.table_min
    yield from croupier.do(motions.press("wager", seat=seat, box="play", cents=ante * 5))


# -- money


def _wrong_commission(croupier: "Croupier", prompt: Prompt) -> Steps:
    yield from round_end.settle_pots(croupier, excess=croupier.game.chips[-1])
    yield from round_end.end_hand(croupier)


def _unlock(croupier: "Croupier", prompt: Prompt) -> Steps:
    yield from croupier.do(motions.dropbox("box", locked=False))


_MADE: Final[Mapping[Mistake, Callable[["Croupier", Prompt], Steps]]] = MappingProxyType(
    {
        Mistake.SHOE_JAM: _fault("jam"),
        Mistake.LID_OPEN: _fault("lid_open"),
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
"""How each is made. A test holds this to have every mistake."""
