"""The dealer's work when the table prompts a card: announcing the deal, dealing, moving a marker or a card."""

from typing import Any, TypeAlias

from devices.simulated.people import motions, table_cards, wagers
from devices.simulated.people.motions import Steps
from devices.simulated.people.work import Work

Prompt: TypeAlias = dict[str, Any]


def deal(work: Work, prompt: Prompt) -> Steps:
    """The next card, where the table wants it."""
    zone = prompt["deal"] if prompt["deal"] != "board" else work.layout.free_on_board()
    if work.layout.empty and not work.draws_button and not zone.startswith("race:"):
        yield from wagers.announce(work)
    yield from table_cards.deal_to(work, zone, prompt.get("face") or "down")


def deal_unasked(work: Work) -> Steps:
    """Straight to the deal, whatever the table asks for: blinds, no more bets, the first card."""
    yield from wagers.post_unasked(work)
    yield from wagers.announce(work)
    yield from table_cards.deal_to(work, f"seat:{table_cards.first_seat(work)}", "down")


def move(work: Work, prompt: Prompt) -> Steps:
    """A marker moves, unless nobody has seen that it stands wrong; or a card of the board goes to the burns."""
    if prompt.get("to") == "burn":
        yield from table_cards.remove(work, {"remove": prompt["move"]})
        yield from table_cards.burn(work, prompt)
        return
    if work.button_unnoticed:
        work.button_unnoticed = False
        yield from deal_unasked(work)
        return
    yield from work.do(motions.marker(prompt["move"], prompt["to"]))
