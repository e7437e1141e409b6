"""The dead button: the big blind moves one player a hand, small blind and button follow.

Onyx, Dealer Button 2, 6 and 7, Blinds 4. A blind or button whose player has gone stays with the empty seat: there is no
small blind that hand, and the button is dead. A dead button is moved on so far that players who have sat down between
it and the small blind are dealt in. Between two, the big blind goes to the player who was next to have it, and the
other has the button and the small blind.
"""

from table_fsm.core.core import Core
from table_fsm.core.standing import ButtonSpots
from table_fsm.felt import clockwise
from table_fsm.outputs import Button

_TWO = 2


def used(core: Core) -> bool:
    """Whether the open table's button may be dead."""
    return core.book.button.used and core.book.button.moves == "dead"


def plan(last: ButtonSpots | None, button: int | None, players: list[int]) -> ButtonSpots | None:
    """The seats of button and blinds for a hand of these players.

    `last`: those of the last hand; None before the first. `button`: its seat for the first hand. Returns None where the
    button is not known or fewer than two play.
    """
    players = sorted(players)
    if len(players) < _TWO or (last is None and button is None):
        return None
    big = _first_big(button, players) if last is None else clockwise(players, last.big)[0]
    if len(players) == _TWO:
        other = players[0] if players[1] == big else players[1]
        return ButtonSpots(other, other, big)
    if last is None:
        assert button is not None
        return ButtonSpots(button, clockwise(players, button)[0], big)
    small, at = last.big, last.small
    if not _in_order(at, small, big):  # the table was down to two: the button is behind the small blind
        at = clockwise([seat for seat in players if seat not in {small, big}], small)[-1]
    if at not in players:
        at = [at, *between(at, small, players)][-1]
    return ButtonSpots(at, small, big)


def _first_big(button: int | None, players: list[int]) -> int:
    """The big blind of the first hand: the second seat behind the button, of two the first."""
    assert button is not None
    order = clockwise(players, button)
    return order[0] if len(players) == _TWO else order[1]


def _in_order(button: int, small: int, big: int) -> bool:
    order = clockwise([button, small, big], button)
    return len({button, small, big}) == 3 and order == [small, big, button]


def between(button: int, small: int, players: list[int]) -> list[int]:
    """Players strictly between the button and the small blind, clockwise."""
    if button == small:
        return []
    order = clockwise(sorted({*players, small, button}), button)
    return [seat for seat in order[: order.index(small)] if seat != button]


# -- at the table


def of_coming_hand(core: Core) -> ButtonSpots | None:
    """The seats of button and blinds for the coming hand with the present players."""
    standing = core.standing
    return plan(standing.spots, standing.button, _players(core))


def _players(core: Core) -> list[int]:
    return core.players()


def settle(core: Core) -> None:
    """Settle button, missing small blind and waiting players between two hands.

    Emits an output where the button's seat is new.
    """
    standing = core.standing
    spots = of_coming_hand(core)
    if spots is None:
        return
    players = _players(core)
    waiting = between(spots.button, spots.small, players)
    for number, record in standing.seats.items():
        record.waits = number in waiting and number != core.round.purchase.buyer
    standing.button = spots.button
    standing.no_small_blind = spots.small not in players
    dead = spots.button not in standing.seats
    told = (spots.button, dead)
    if standing.button_told != told:
        standing.button_told = told
        core.emit(Button(spots.button, dead))


def hand_begins(core: Core) -> None:
    """Fix button and blinds for the hand, at its first card."""
    core.round.button.spots = of_coming_hand(core)


def hand_over(core: Core) -> None:
    """Move button and blinds on after a hand that counts (Dealer Button 4, 5).

    After a wrong button they go on as the rule says. Not moved: they pass on as normal from there, so the coming hand
    is played where this one should have been. Moved two places: back by one for the coming hand, and for the one after
    it forward two.
    """
    standing, played, found = core.standing, _bought(core), core.round.button.found
    if played is not None and found not in {"not_moved", "two_places"}:
        standing.spots = _after_skip(core, played) if standing.button_skips else played
        standing.button_skips = False
    if found == "two_places":
        standing.button_skips = True
    standing.button_told = None
    settle(core)


def _bought(core: Core) -> ButtonSpots | None:
    """The seats of button and blinds in the hand that is over.

    A buyer of the button has it next, and the blinds go to the players whose turn it was.
    """
    played, buyer = core.round.button.spots, core.round.purchase.buyer
    return ButtonSpots(played.button, buyer, played.small) if played is not None and buyer is not None else played


def must_halt(core: Core) -> bool:
    """Whether play halts because the big blind has come to an empty seat of a short table.

    Onyx, Balancing 2: another player is to be moved there first. Judged where the option `seats_max` gives the table's
    seats; a final table has no others.
    """
    short, most, last = core.book.seats.halts_when_short, core.options.seats_max, core.standing.spots
    if short is None or most is None or last is None or core.options.final_table:
        return False
    players = _players(core)
    return len(players) <= most - short and last.big % most + 1 not in players


def _after_skip(core: Core, played: ButtonSpots) -> ButtonSpots:
    """The spots one place further: the hand played two places on has had its turn."""
    return plan(played, None, _players(core)) or played


def place_of(core: Core, seen: int) -> str:
    """The fact `moved` of a button at a wrong seat: not_moved, two_places or elsewhere."""
    spots = of_coming_hand(core) if not core.in_round else core.round.button.spots
    before = core.standing.spots
    if before is not None and seen == before.button:
        return "not_moved"
    return "two_places" if spots is not None and seen == spots.small else "elsewhere"
