"""Cards that no reader of this table sees: each is taken to lie where it is due.

A table may be built with less (`Built`). Without readers at the seats it knows of a hand no more than that the shoe
gave its cards; with a reader under the board alone not even that. What such a table would ask for next, and cannot see,
is taken to be done. A card that lies so has no name, and no fault is found on it: a hand that is shown is shown to
people alone, and they say who wins.
"""

from typing import Final

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.errors import Refused
from table_fsm.events import ButtonDraw, CardPlaced, DealStart, RaceStart, ShoeCard
from table_fsm.felt import SEAT_OF, SEAT_ZONE, Built
from table_fsm.play.button import draw
from table_fsm.play.cards import events
from table_fsm.play.deal import order
from table_fsm.play.rounds import start
from table_fsm.play.tournament import races
from table_fsm.prompts import types as ask
from table_fsm.rulebook.model import Book

_WITHOUT_SHOE: Final = frozenset({Built.NO_SHOE.value, Built.BOARD_ONLY.value})


def check_open(book: Book, built: object, button: int | None) -> None:
    """Raise Refused where a table that is built so cannot judge the book's game."""
    if built in _WITHOUT_SHOE and book.deck.from_shoe:
        raise Refused(f"option built: {built}: this game is dealt from a shoe; open it at a table that has one")
    if built in {Built.NO_SEAT_READERS, Built.BOARD_ONLY} and _is_judged_by_hands(book):
        raise Refused(
            f"option built: {built}: the cards before the players decide who acts, draws or is paid in this game; "
            "open it at a table with readers at its seats"
        )
    if built in {Built.NO_SEAT_READERS, Built.BOARD_ONLY} and book.button.first == "drawn" and button is None:
        raise Refused(f"option built: {built}: draw for the button by hand, and open the table with its seat")


def _is_judged_by_hands(book: Book) -> bool:
    if book.banked == "house" or any(street.own_cards for street in book.streets[1:]):
        return True
    return any("up" in street.faces or street.draw or street.given_up for street in book.streets)


def on_shoe_card(core: Core, event: ShoeCard) -> None:
    """Take a card out of the shoe; where it goes to a player unseen, it lies there now."""
    if core.standing.open and core.options.built in _WITHOUT_SHOE:
        raise Refused(f"shoe.card: this table was opened with built = {core.options.built}: open it as it is built")
    events.on_shoe_card(core, event)
    if questions.hands_unseen(core) and core.round.tracker.mouth:
        _lay_next(core)


def on_deal_start(core: Core, event: DealStart) -> None:
    """Take the dealer's announcement; without a shoe and readers the hands that nobody sees are dealt by it."""
    start.on_deal_start(core, event)
    if core.options.built != Built.BOARD_ONLY or core.found:
        return
    for _ in range(core.deck_size):  # a deal that asks for ever must not take the table with it
        if not _lay_next(core):
            return


def on_card_placed(core: Core, event: CardPlaced) -> None:
    """Take a card that came to rest. Raises Refused where this table was opened as one that has no reader there."""
    if not (core.standing.open and questions.hands_unseen(core)):
        events.on_card_placed(core, event)
    elif event.zone in questions.unseen_zones(core):
        raise Refused(f"{event.zone}: this table was opened with built = {core.options.built}: open it as it is built")
    elif core.options.built == Built.BOARD_ONLY and not (core.in_round or core.collecting()):
        raise Refused(f"{event.zone}: the deal was not announced: take the card back, and press the key for the deal")
    elif event.zone != "muck":  # a hand thrown away: whose it was nobody knows
        events.on_card_placed(core, event)


def on_button_draw(core: Core, event: ButtonDraw) -> None:
    """Begin the draw for the button. Raises Refused where nobody would see its cards."""
    if core.standing.open and (questions.hands_unseen(core) or questions.faces_unseen(core)):
        raise Refused("button.draw: no reader of this table sees the cards: draw, and put the button where it belongs")
    draw.on_button_draw(core, event)


def on_race_start(core: Core, event: RaceStart) -> None:
    """Begin a race. Raises Refused where nobody would see its cards."""
    if core.standing.open and questions.hands_unseen(core):
        raise Refused("race.start: no reader of this table sees the cards: race the chips, and key the stacks")
    races.on_race_start(core, event)


def _lay_next(core: Core) -> bool:
    """Lay the card that is due next where nobody sees it; return whether one was due there."""
    if core.collecting() or core.will_end():
        return False
    due = _asked_for(core)
    if not isinstance(due, ask.Deal) or due.zone not in SEAT_OF:
        return False
    laid = core.round.tracker.holds(due.zone)
    events.on_card_placed(core, CardPlaced(t=core.t, zone=due.zone, card=None, face=due.face, deck=core.round.deck))
    return core.round.tracker.holds(due.zone) > laid


def _asked_for(core: Core) -> ask.Prompt | None:
    if core.in_round:
        return core.stage().prompt()
    first = order.make_deal(core, 0).due() if len(core.players()) > 1 else None
    return None if first is None else ask.Deal(SEAT_ZONE[first], "down")
