"""The croupier's work on the bets: forced ones, wagers, the players' actions, the end of a betting round."""

from typing import TYPE_CHECKING, Any, Final

from devices.simulated.people import motions, table_cards
from devices.simulated.people.motions import Steps
from devices.simulated.people.players import Turn

if TYPE_CHECKING:
    from devices.simulated.people.croupier import Croupier

Prompt = dict[str, Any]

_NEXT_CARDS: Final = {"pre_flop": ["board:1", "board:2", "board:3"], "flop": ["board:4", "board:5"]}
"""What is turned after a betting round of the house's game."""
_LONG_THOUGHT: Final = 0.03
"""Share of the decisions over which a player thinks until the action clock warns."""
_THOUGHT_SECONDS: Final = 26.0
_BANK_SECONDS: Final = 20.0


# -- before the cards


def post(croupier: "Croupier", prompt: Prompt) -> Steps:
    """The blinds that are due. Where nobody keys them, on to the deal."""
    if not croupier.game.keypad:
        yield from announce(croupier)
        return
    for seat, cents in prompt["post"].items():
        yield from post_one(croupier, int(seat), cents if isinstance(cents, int) else croupier.game.unit)


def post_one(croupier: "Croupier", seat: int, cents: int) -> Steps:
    """One blind."""
    croupier.players.post(seat, cents)
    yield from croupier.do(motions.act(seat, "post", cents))


def ante(croupier: "Croupier", prompt: Prompt) -> Steps:
    """The antes that are due: everybody's, or the big blind's for all."""
    if not croupier.game.keypad:
        yield from announce(croupier)
        return
    for_all = len(prompt["ante"]) == 1
    for seat, cents in prompt["ante"].items():
        croupier.players.ante(int(seat), cents, for_all=for_all)
        yield from croupier.do(motions.act(int(seat), "ante", cents))


def post_unasked(croupier: "Croupier") -> Steps:
    """Blinds or antes as everybody knows them, though the table has not asked for them yet."""
    if not croupier.game.keypad or croupier.players.pot.put_in:
        return
    seats, first = croupier.game.seats, table_cards.first_seat(croupier)
    ring = seats[seats.index(first) :] + seats[: seats.index(first)]
    blinds = croupier.sense.blinds or croupier.game.blinds
    for seat, cents in zip(ring, blinds, strict=False):
        yield from post_one(croupier, seat, cents)
    cents = croupier.sense.ante or croupier.game.ante
    for seat in ring if not blinds and cents else ():
        croupier.players.ante(seat, cents, for_all=False)
        yield from croupier.do(motions.act(seat, "ante", cents))


def place(croupier: "Croupier", prompt: Prompt) -> Steps:
    """Players of the house's game place their wagers, then no more bets."""
    placed = {} if croupier.house.wagers else croupier.house.place_wagers()  # those that lie there stay
    for seat, wagers in placed.items():
        yield from croupier.do(motions.press("wager", seat=seat, box="ante", cents=wagers.ante))
        yield from croupier.do(motions.press("wager", seat=seat, box="blind", cents=wagers.ante))
        if wagers.trips:
            yield from croupier.do(motions.press("wager", seat=seat, box="trips", cents=wagers.trips))
    yield from announce(croupier)


def announce(croupier: "Croupier") -> Steps:
    """No more bets."""
    if not croupier.announced:
        croupier.announced = True
        yield from croupier.do(motions.press("deal_start"))


# -- betting


def act(croupier: "Croupier", prompt: Prompt) -> Steps:
    """The player in turn acts; with no keypad the dealer sees the bets met and closes."""
    may_check = prompt.get("check") is not False and not prompt.get("check_beats")
    yield from _take_turn(croupier, prompt, prompt["act"], may_check=may_check)


def open_by_cards(croupier: "Croupier", prompt: Prompt) -> Steps:
    """The table could not read who opens; the dealer sees the cards, and whoever is asked acts."""
    opener = min(croupier.players.live, default=croupier.game.seats[0])
    yield from _take_turn(croupier, prompt, opener, may_check=False)


def _take_turn(croupier: "Croupier", prompt: Prompt, seat: int, *, may_check: bool) -> Steps:
    yield from _clock(croupier, seat)
    yield from look(croupier, seat)
    if croupier.stale(prompt):
        return
    if not croupier.game.keypad:
        yield from _bet_unkeyed(croupier, seat)
        return
    turn = Turn(
        owes=prompt.get("owes") or 0,
        cards=croupier.layout.names(f"seat:{seat}"),
        may_check=may_check,
        last_street=croupier.sense.street == croupier.game.wagering.last_street,
    )
    done = croupier.players.decide(seat, turn)
    croupier.players.take(seat, done)
    yield from croupier.do(motions.act(seat, done.action, done.cents))
    if done.action == "fold":
        yield from take_hand(croupier, seat)


def _bet_unkeyed(croupier: "Croupier", seat: int) -> Steps:
    """A betting round that the table hears nothing of but its end, and hands that go."""
    if croupier.game.action_clock:
        yield from croupier.do(motions.press("clock_stop", seat=seat))
    for folding in croupier.players.folds_unkeyed():
        croupier.players.live.discard(folding)
        yield from take_hand(croupier, folding)
    croupier.players.bet_unkeyed()
    yield from close(croupier, {})


def _clock(croupier: "Croupier", seat: int) -> Steps:
    """The dealer starts the action clock, where the game has one; now and then the player thinks for long."""
    if not croupier.game.action_clock:
        return
    yield from croupier.do(motions.press("clock_start", seat=seat))
    if croupier.players.thinks() > _LONG_THOUGHT:
        return
    if croupier.game.keypad and croupier.sense.time_banks:
        yield from croupier.do(motions.act(seat, "time_bank"))
        yield from croupier.do(motions.wait(_BANK_SECONDS))
    yield from croupier.do(motions.wait(_THOUGHT_SECONDS))


def look(croupier: "Croupier", seat: int) -> Steps:
    """The player looks at the cards, once."""
    if croupier.game.look_sensor and seat not in croupier.looked and croupier.layout.names(f"seat:{seat}"):
        croupier.looked.add(seat)
        yield from croupier.do(motions.on_zone(f"seat:{seat}", "look"))


def take_hand(croupier: "Croupier", seat: int) -> Steps:
    """A folded hand goes to the discards."""
    zone = f"seat:{seat}"
    for held in list(croupier.layout.zones.get(zone, [])):
        croupier.layout.take(zone, held.card)
        yield from croupier.do(motions.on_zone(zone, "remove", card=held.card))


def close(croupier: "Croupier", prompt: Prompt) -> Steps:
    """The betting round is over."""
    croupier.players.new_betting_round()
    yield from croupier.do(motions.press("betting_closed"))


# -- the house's game


def decide(croupier: "Croupier", prompt: Prompt) -> Steps:
    """One player of the house's game decides."""
    silent = croupier.spoken.setdefault(croupier.sense.street, set())
    waiting = [seat for seat in prompt["decide"] if seat not in silent]
    if not waiting:  # with no keypad a check is not heard of: the dealer sees that all have spoken, and goes on
        following = _NEXT_CARDS.get(croupier.sense.street or "", ["dealer"])
        yield from table_cards.turn(croupier, {"turn": following})
        return
    seat, layout = waiting[0], croupier.layout
    yield from look(croupier, seat)
    if croupier.stale(prompt):
        return
    silent.add(seat)
    board = [card for n in range(1, 6) if layout.is_up(f"board:{n}") for card in layout.names(f"board:{n}")]
    done = croupier.house.decide(seat, croupier.sense.street, layout.names(f"seat:{seat}"), board)
    if done.action == "play":
        croupier.house.played.add(seat)
        yield from croupier.do(motions.press("wager", seat=seat, box="play", cents=done.cents))
        return
    if croupier.game.keypad or done.action == "fold":
        yield from croupier.do(motions.act(seat, done.action))
    if done.action == "fold":
        croupier.house.folded.add(seat)
        yield from take_hand(croupier, seat)
