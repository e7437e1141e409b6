"""The dealer's work on the bets: forced bets, wagers, players' actions, the end of betting."""

from typing import Any, Final

from devices.simulated.people import motions, table_cards
from devices.simulated.people.house_players import PlayWager
from devices.simulated.people.motions import Steps
from devices.simulated.people.players import Turn
from devices.simulated.people.work import Work
from table_fsm.felt import PlayerAction

Prompt = dict[str, Any]

_NEXT_CARDS: Final = {"pre_flop": ["board:1", "board:2", "board:3"], "flop": ["board:4", "board:5"]}
"""The zones turned after a betting round of the house's game."""
_LONG_THOUGHT: Final = 0.03
"""Share of the decisions over which a player thinks until the action clock warns."""
_THOUGHT_SECONDS: Final = 26.0
_BANK_SECONDS: Final = 20.0


# -- before the cards


def post(work: Work, prompt: Prompt) -> Steps:
    """Post the blinds that are due; without keys, go on to the deal."""
    if not work.game.keypad:
        yield from announce(work)
        return
    for seat, cents in prompt["post"].items():
        yield from post_one(work, int(seat), cents if isinstance(cents, int) else work.game.unit)


def post_one(work: Work, seat: int, cents: int) -> Steps:
    """Post one blind."""
    work.players.post(seat, cents)
    yield from work.do(motions.act(seat, PlayerAction.POST, cents))


def ante(work: Work, prompt: Prompt) -> Steps:
    """Post the antes that are due: everybody's, or the big blind's for all."""
    if not work.game.keypad:
        yield from announce(work)
        return
    for_all = len(prompt["ante"]) == 1
    for seat, cents in prompt["ante"].items():
        work.players.ante(int(seat), cents, for_all=for_all)
        yield from work.do(motions.act(int(seat), PlayerAction.ANTE, cents))


def post_unasked(work: Work) -> Steps:
    """Post the usual blinds or antes although the table has not asked for them yet."""
    if not work.game.keypad or work.players.pot.put_in:
        return
    seats, first = work.game.seats, table_cards.first_seat(work)
    ring = seats[seats.index(first) :] + seats[: seats.index(first)]
    blinds = work.sense.blinds or work.game.blinds
    for seat, cents in zip(ring, blinds, strict=False):
        yield from post_one(work, seat, cents)
    cents = work.sense.ante or work.game.ante
    for seat in ring if not blinds and cents else ():
        work.players.ante(seat, cents, for_all=False)
        yield from work.do(motions.act(seat, PlayerAction.ANTE, cents))


def place(work: Work, prompt: Prompt) -> Steps:
    """Place the wagers of the house's game, then announce no more bets."""
    placed = {} if work.house.wagers else work.house.place_wagers()  # wagers on the table stay
    for seat, wagers in placed.items():
        yield from work.do(motions.press("wager", seat=seat, box="ante", cents=wagers.ante))
        yield from work.do(motions.press("wager", seat=seat, box="blind", cents=wagers.ante))
        if wagers.trips:
            yield from work.do(motions.press("wager", seat=seat, box="trips", cents=wagers.trips))
    yield from announce(work)


def announce(work: Work) -> Steps:
    """Announce no more bets, once in a deal."""
    if not work.announced:
        work.announced = True
        yield from work.do(motions.press("deal_start"))


# -- betting


def act(work: Work, prompt: Prompt) -> Steps:
    """The player in turn acts; without keys the dealer closes the betting."""
    may_check = prompt.get("check") is not False and not prompt.get("check_beats")
    yield from _take_turn(work, prompt, prompt["act"], may_check=may_check)


def open_by_cards(work: Work, prompt: Prompt) -> Steps:
    """The table could not read who opens: the lowest live seat acts."""
    opener = min(work.players.live, default=work.game.seats[0])
    yield from _take_turn(work, prompt, opener, may_check=False)


def _take_turn(work: Work, prompt: Prompt, seat: int, *, may_check: bool) -> Steps:
    yield from _clock(work, seat)
    yield from look(work, seat)
    if work.stale(prompt):
        return
    if not work.game.keypad:
        yield from _bet_unkeyed(work, seat)
        return
    turn = Turn(
        owes=prompt.get("owes") or 0,
        cards=work.layout.names(f"seat:{seat}"),
        may_check=may_check,
        last_street=work.sense.street == work.game.wagering.last_street,
    )
    done = work.players.decide(seat, turn)
    work.players.take(seat, done)
    yield from work.do(motions.act(seat, done.action, done.cents))
    if done.action is PlayerAction.FOLD:
        yield from take_hand(work, seat)


def _bet_unkeyed(work: Work, seat: int) -> Steps:
    """A betting round of which the table learns only the folded hands and the end."""
    if work.game.action_clock:
        yield from work.do(motions.press("clock_stop", seat=seat))
    for folding in work.players.folds_unkeyed():
        work.players.live.discard(folding)
        yield from take_hand(work, folding)
    work.players.bet_unkeyed()
    yield from close(work, {})


def _clock(work: Work, seat: int) -> Steps:
    """Start the action clock, if the game has one; sometimes the player thinks for long."""
    if not work.game.action_clock:
        return
    yield from work.do(motions.press("clock_start", seat=seat))
    if work.players.thinks() > _LONG_THOUGHT:
        return
    if work.game.keypad and work.sense.time_banks:
        yield from work.do(motions.act(seat, PlayerAction.TIME_BANK))
        yield from work.do(motions.wait(_BANK_SECONDS))
    yield from work.do(motions.wait(_THOUGHT_SECONDS))


def look(work: Work, seat: int) -> Steps:
    """The player looks at the cards, once."""
    if work.game.look_sensor and seat not in work.looked and work.layout.names(f"seat:{seat}"):
        work.looked.add(seat)
        yield from work.do(motions.on_zone(f"seat:{seat}", "look"))


def take_hand(work: Work, seat: int) -> Steps:
    """Move a folded hand to the discards."""
    zone = f"seat:{seat}"
    for held in list(work.layout.zones.get(zone, [])):
        work.layout.take(zone, held.card)
        yield from work.do(motions.on_zone(zone, "remove", card=held.card))


def close(work: Work, prompt: Prompt) -> Steps:
    """Close the betting round."""
    work.players.new_betting_round()
    yield from work.do(motions.press("betting_closed"))


# -- the house's game


def decide(work: Work, prompt: Prompt) -> Steps:
    """One player of the house's game decides."""
    silent = work.spoken.setdefault(work.sense.street, set())
    waiting = [seat for seat in prompt["decide"] if seat not in silent]
    if not waiting:  # without keys a check is not reported: the dealer goes on when all have decided
        following = _NEXT_CARDS.get(work.sense.street or "", ["dealer"])
        yield from table_cards.turn(work, {"turn": following})
        return
    seat, layout = waiting[0], work.layout
    yield from look(work, seat)
    if work.stale(prompt):
        return
    silent.add(seat)
    board = [card for n in range(1, 6) if layout.is_up(f"board:{n}") for card in layout.names(f"board:{n}")]
    done = work.house.decide(seat, work.sense.street, layout.names(f"seat:{seat}"), board)
    if isinstance(done, PlayWager):
        work.house.played.add(seat)
        yield from work.do(motions.press("wager", seat=seat, box="play", cents=done.cents))
        return
    if work.game.keypad or done.action is PlayerAction.FOLD:
        yield from work.do(motions.act(seat, done.action))
    if done.action is PlayerAction.FOLD:
        work.house.folded.add(seat)
        yield from take_hand(work, seat)
