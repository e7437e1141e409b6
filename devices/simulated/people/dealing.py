"""The dealer's work at the prompts for a card or a marker."""

from typing import Any, TypeAlias

from devices.simulated.people import motions, table_cards, wagers
from devices.simulated.people.motions import Steps
from devices.simulated.people.work import Work
from table_fsm.felt import Built

Prompt: TypeAlias = dict[str, Any]


def deal(work: Work, prompt: Prompt) -> Steps:
    """Deal the next card where the table wants it; announce the deal before the first."""
    zone = prompt["deal"] if prompt["deal"] != "board" else work.layout.free_on_board()
    if work.layout.empty and not work.draws_button and not zone.startswith("race:"):
        yield from wagers.announce(work)
        if work.game.built is Built.BOARD_ONLY:
            yield from _deal_hands(work)
            return
    yield from table_cards.deal_to(work, zone, prompt.get("face") or "down")


def _deal_hands(work: Work) -> Steps:
    """Deal every hand, unless the table waits for a person: it sees none of it, and takes the announcement for all."""
    if work.sense.waits_for_floor:
        work.announced = False
        return
    for _ in range(work.game.hole_cards):
        for seat in work.game.seats:
            yield from table_cards.deal_to(work, f"seat:{seat}", "down")


def deal_unasked(work: Work) -> Steps:
    """Go straight to the deal whatever the prompt: blinds, no more bets, the first card."""
    yield from wagers.post_unasked(work)
    yield from wagers.announce(work)
    yield from table_cards.deal_to(work, f"seat:{table_cards.first_seat(work)}", "down")


def move(work: Work, prompt: Prompt) -> Steps:
    """Move a marker, or a card from the board to the burns.

    If the button stands wrong unnoticed, deal on instead.
    """
    if prompt.get("to") == "burn":
        yield from table_cards.remove(work, {"remove": prompt["move"]})
        yield from table_cards.burn(work, prompt)
        return
    if work.button_unnoticed:
        work.button_unnoticed = False
        yield from deal_unasked(work)
        return
    yield from work.do(motions.marker(prompt["move"], prompt["to"]))
