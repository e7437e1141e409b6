"""The dealer's work in a draw (players replace cards) and in the draw for the button."""

from typing import Any, Final

from devices.simulated.people import motions, table_cards, wagers
from devices.simulated.people.motions import Steps
from devices.simulated.people.work import Work

_WHOLE_HAND: Final = 5


def follow(work: Work, prompt: dict[str, Any]) -> Steps:
    """Have a player replace cards, or begin the draw for the button."""
    if prompt["draw"] == "button":
        work.draws_button = True
        yield from work.do(motions.press("button_draw"))
    elif work.game.keypad:
        yield from _keyed(work, prompt)
    else:
        yield from _unkeyed(work, prompt)


def _keyed(work: Work, prompt: dict[str, Any]) -> Steps:
    seat = prompt["draw"]
    yield from wagers.look(work, seat)
    if work.stale(prompt):
        return
    thrown = _choose(work, seat, most=_WHOLE_HAND)
    yield from work.do(motions.press("draw", seat=seat, count=len(thrown)))
    yield from _pass(work, seat, thrown)


def _unkeyed(work: Work, prompt: dict[str, Any]) -> Steps:
    """Without keys only the cards report the draw: a player who stands pat is passed over."""
    waiting = [seat for seat in work.dealt_to if seat in work.players.live - work.exchanged]
    if not waiting:
        yield from wagers.close(work, prompt)
        return
    seat = waiting[0]
    thrown = _choose(work, seat, most=min(_WHOLE_HAND - 1, work.undealt))
    yield from _pass(work, seat, thrown)
    for _ in thrown:
        if work.sense.waits_for_floor:
            return
        yield from table_cards.deal_to(work, f"seat:{seat}", "down")


def give_up(work: Work, prompt: dict[str, Any]) -> Steps:
    """The players who hold too many cards pass some to the dealer, the lowest first."""
    for seat in prompt["give_up"]:
        yield from wagers.look(work, seat)
        if work.stale(prompt):
            return
        yield from _pass(work, seat, work.players.given_up(work.layout.names(f"seat:{seat}"), prompt["count"]))
        if work.sense.waits_for_floor:
            return


def _choose(work: Work, seat: int, *, most: int) -> list[str]:
    work.exchanged.add(seat)
    return work.players.replaced(work.layout.names(f"seat:{seat}"), most=most)


def _pass(work: Work, seat: int, cards: list[str]) -> Steps:
    """The cards leave the player's place."""
    zone = f"seat:{seat}"
    for held in [held for held in work.layout.zones.get(zone, []) if held.card in cards]:
        work.layout.discard(seat, held)
        yield from work.do(motions.on_zone(zone, "remove", card=held.card))
