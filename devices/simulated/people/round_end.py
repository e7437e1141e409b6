"""The dealer's work at the end of a round: showdown, pots, commission, collecting."""

from typing import Any

from devices.simulated.people import motions, table_cards
from devices.simulated.people.motions import Steps
from devices.simulated.people.work import Work


def show(work: Work, prompt: dict[str, Any]) -> Steps:
    """Have the next player in the order table the hand."""
    for seat in prompt["show"]:
        if any(held.face == "down" for held in work.layout.zones.get(f"seat:{seat}", [])):
            yield from table_cards.turn_up(work, f"seat:{seat}")
            if prompt.get("by_key"):
                yield from work.do(motions.press("hand_shown", seat=seat))
            return
    if work.game.keypad:
        yield from work.do(motions.wait(1.0))
    else:  # the remaining players have folded, and nobody has keyed it
        yield from collect(work, prompt)


def collect(work: Work, prompt: dict[str, Any]) -> Steps:
    """Count and push the pots, drop the commission, collect the cards, end the round."""
    if not work.house_banked:
        yield from settle_pots(work, excess=0)
    yield from end_hand(work)


def settle_pots(work: Work, *, excess: int) -> Steps:
    """Count each pot, drop what is due plus `excess` cents, push the rest."""
    players, sense = work.players, work.sense
    pots = players.pots()
    for number, cents in enumerate(pots, start=1):
        yield from work.do(motions.press("pot", cents=cents, pot=number))
    for chip in chips_for(sum(sense.due.values()) + excess, work.game.chips):
        yield from work.do(motions.dropbox("chip", cents=chip))
    for number, cents in enumerate(pots, start=1):
        winners = sense.winners.get(number) or sorted(players.live)[:1]
        if winners:
            players.win(winners, cents - sense.due.get(number, 0))
    players.settled()


def chips_for(cents: int, chips: tuple[int, ...]) -> list[int]:
    """An amount in the fewest chips; a rest below the smallest chip is one chip more."""
    counted: list[int] = []
    for chip in chips:
        counted += [chip] * (cents // chip)
        cents %= chip
    return counted + ([cents] if cents else [])


def end_hand(work: Work, *, marker: int | None = None) -> Steps:
    """Collect the cards, end the round, move the button: to `marker`, if that is given."""
    yield from clear_layout(work)
    yield from work.do(motions.press("hand_end"))
    button = work.sense.button
    if button is not None and not work.house_banked:
        yield from work.do(motions.marker(work.game.marker, button if marker is None else marker))
    work.round_over()


def clear_layout(work: Work) -> Steps:
    """Collect every card that is out."""
    if not work.layout.empty:
        work.layout.clear()
        yield from work.do(motions.collect_all())
