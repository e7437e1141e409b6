"""The croupier's work at the end of a round: hands shown, pots counted and pushed, commission, cards collected."""

from typing import TYPE_CHECKING, Any

from devices.simulated.people import motions, table_cards
from devices.simulated.people.motions import Steps

if TYPE_CHECKING:
    from devices.simulated.people.croupier import Croupier


def show(croupier: "Croupier", prompt: dict[str, Any]) -> Steps:
    """The next player in the order tables the hand."""
    for seat in prompt["show"]:
        if any(held.face == "down" for held in croupier.layout.zones.get(f"seat:{seat}", [])):
            yield from table_cards.turn_up(croupier, f"seat:{seat}")
            return
    if croupier.game.keypad:
        yield from croupier.do(motions.wait(1.0))
    else:  # whom the table still waits for has folded, and nobody has keyed it
        yield from collect(croupier, prompt)


def collect(croupier: "Croupier", prompt: dict[str, Any]) -> Steps:
    """Pots counted and pushed, commission dropped, cards collected, the round ended."""
    if not croupier.house_banked:
        yield from settle_pots(croupier, excess=0)
    yield from end_hand(croupier)


def settle_pots(croupier: "Croupier", *, excess: int) -> Steps:
    """Count each pot, drop what is due and `excess` cents more, push the rest."""
    players, sense = croupier.players, croupier.sense
    pots = players.pots()
    for number, cents in enumerate(pots, start=1):
        yield from croupier.do(motions.press("pot", cents=cents, pot=number))
    for chip in chips_for(sum(sense.due.values()) + excess, croupier.game.chips):
        yield from croupier.do(motions.dropbox("chip", cents=chip))
    for number, cents in enumerate(pots, start=1):
        winners = sense.winners.get(number) or sorted(players.live)[:1]
        if winners:
            players.win(winners, cents - sense.due.get(number, 0))
    players.settled()


def chips_for(cents: int, chips: tuple[int, ...]) -> list[int]:
    """An amount in the fewest chips; what no chip makes up goes as one more."""
    found: list[int] = []
    for chip in chips:
        found += [chip] * (cents // chip)
        cents %= chip
    return found + ([cents] if cents else [])


def end_hand(croupier: "Croupier", *, marker: int | None = None) -> Steps:
    """Cards collected, the round is over, the button moves: to `marker`, where that is wrong."""
    yield from clear_layout(croupier)
    yield from croupier.do(motions.press("hand_end"))
    button = croupier.sense.button
    if button is not None and not croupier.house_banked:
        yield from croupier.do(motions.marker(croupier.game.marker, button if marker is None else marker))
    croupier.round_over()


def clear_layout(croupier: "Croupier") -> Steps:
    """Gather every card that is out."""
    if not croupier.layout.empty:
        croupier.layout.clear()
        yield from croupier.do(motions.collect_all())
