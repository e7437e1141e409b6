"""The draw for the button: a card face up to each player; the high card takes the button.

Onyx, Dealer Button 1; Cash 7. Cards of one rank are told apart by bridge suits: spades, hearts, diamonds, clubs (ours:
the source says so of chip races only). Afterwards the cards are collected and shuffled.
"""

from typing import Final

from table_fsm.core.core import Core
from table_fsm.errors import Refused
from table_fsm.events import ButtonDraw
from table_fsm.felt import RANKS, SEAT_OF, SEAT_ZONE, SUITS
from table_fsm.play.button import button
from table_fsm.prompts import types as ask
from table_fsm.rulebook.irregularities import Irregularity

_DECK: Final = {"pack": "deck"}


def on_button_draw(core: Core, event: ButtonDraw) -> None:
    """Begin the draw for the button; raise Refused where none may begin."""
    if core.book.button.first != "drawn":
        raise Refused(f"button.draw has no meaning under {core.standing.rulebook}: nobody draws for the button")
    if core.in_round or core.round.button.cards is not None:
        raise Refused("button.draw: cards are being dealt already")
    if core.standing.button is not None:
        raise Refused(f"button.draw: the button is at seat {core.standing.button} already")
    if not core.players():
        raise Refused("button.draw: nobody is seated")
    if not core.deck(None).shuffled and not core.has_pending(Irregularity.NOT_SHUFFLED):
        core.find(Irregularity.NOT_SHUFFLED, _DECK, deck=core.deck_key(None) or None)
    core.round.button.cards = {}


def drawing(core: Core) -> bool:
    """Whether the cards dealt now are for the button."""
    return core.round.button.cards is not None


def card_came(core: Core, zone: str, card: str | None, *, up: bool) -> None:
    """Take a card of the draw that came to rest or was turned up.

    Raises Refused for a card that is not a player's only one.
    """
    draw = core.round.button.cards
    assert draw is not None
    seat = SEAT_OF.get(zone)
    if seat is None or seat not in core.players():
        raise Refused(f"{zone}: the cards are for the button, one to each player, face up; take this one back")
    if seat in draw:
        raise Refused(f"seat {seat} has its card for the button already; take this one back")
    if not up:
        return
    if card is None:
        draw[seat] = ""  # no reader named it: people see the card and place the button
    elif card in draw.values():
        core.find(Irregularity.DUPLICATE_CARD, {"found": "identity"}, deck=core.deck_key(None) or None)
        return
    else:
        draw[seat] = card
    if not _still_due(core):
        _decide(core, draw)


def _decide(core: Core, draw: dict[int, str]) -> None:
    """End the draw: the high card takes the button, and the pack is to be shuffled."""
    read = {seat: card for seat, card in draw.items() if card}
    core.standing.collecting = True
    core.deck(None).shuffled = False
    core.fresh_round()
    if len(read) == len(draw):
        button.take_button(core, max(read, key=lambda seat: _height(read[seat])))


def _height(card: str) -> tuple[int, int]:
    return (RANKS.find(card[0]), -SUITS.find(card[1]))


def _still_due(core: Core) -> list[int]:
    draw = core.round.button.cards
    return [seat for seat in core.players() if draw is not None and seat not in draw]


def prompt(core: Core) -> ask.DrawForButton | ask.Deal | None:
    """The next card of the draw, or the prompt to begin one.

    None where the button is known or was placed by hand.
    """
    if core.book.button.first != "drawn" or core.standing.button is not None or core.standing.collecting:
        return None
    if core.round.button.cards is None:
        return ask.DrawForButton() if core.standing.played == 0 and core.players() else None
    due = _still_due(core)
    return ask.deal(SEAT_ZONE[due[0]], "up") if due else None
