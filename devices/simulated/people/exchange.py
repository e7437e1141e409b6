"""The croupier's work in a draw: players replace cards; and the draw for the button."""

from typing import TYPE_CHECKING, Any, Final

from devices.simulated.people import motions, table_cards, wagers
from devices.simulated.people.motions import Steps

if TYPE_CHECKING:
    from devices.simulated.people.croupier import Croupier

_WHOLE_HAND: Final = 5


def follow(croupier: "Croupier", prompt: dict[str, Any]) -> Steps:
    """A player says how many cards to replace, and passes them; or the players are to draw for the button."""
    if prompt["draw"] == "button":
        croupier.draws_button = True
        yield from croupier.do(motions.press("button_draw"))
    elif croupier.game.keypad:
        yield from _keyed(croupier, prompt)
    else:
        yield from _unkeyed(croupier, prompt)


def _keyed(croupier: "Croupier", prompt: dict[str, Any]) -> Steps:
    seat = prompt["draw"]
    yield from wagers.look(croupier, seat)
    if croupier.stale(prompt):
        return
    thrown = _choose(croupier, seat, most=_WHOLE_HAND)
    yield from croupier.do(motions.press("draw", seat=seat, count=len(thrown)))
    yield from _pass(croupier, seat, thrown)


def _unkeyed(croupier: "Croupier", prompt: dict[str, Any]) -> Steps:
    """Nobody keys what is drawn: the cards themselves tell. Who stands pat is passed over."""
    waiting = [seat for seat in croupier.dealt_to if seat in croupier.players.live - croupier.exchanged]
    if not waiting:
        yield from wagers.close(croupier, prompt)
        return
    seat = waiting[0]
    thrown = _choose(croupier, seat, most=min(_WHOLE_HAND - 1, croupier.undealt))
    yield from _pass(croupier, seat, thrown)
    for _ in thrown:
        if croupier.sense.waits_for_floor:
            return
        yield from table_cards.deal_to(croupier, f"seat:{seat}", "down")


def _choose(croupier: "Croupier", seat: int, *, most: int) -> list[str]:
    croupier.exchanged.add(seat)
    return croupier.players.replaced(croupier.layout.names(f"seat:{seat}"), most=most)


def _pass(croupier: "Croupier", seat: int, cards: list[str]) -> Steps:
    """The cards leave the player's place."""
    zone = f"seat:{seat}"
    for held in [held for held in croupier.layout.zones.get(zone, []) if held.card in cards]:
        croupier.layout.discard(seat, held)
        yield from croupier.do(motions.on_zone(zone, "remove", card=held.card))
