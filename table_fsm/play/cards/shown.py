"""Hands that lie open by the dealer's word, where the readers know no side of a card, or do not tell it of one.

Readers of a table from parts tell which card lies before a player, and not which side is up. Nobody sees there that a
hand is tabled, so the dealer says it. It counts where the hand is to be shown and nowhere else: everybody sees what the
table takes for open, and a key that was pressed too soon must not show a hand that lies face down.
"""

from table_fsm.core import questions
from table_fsm.core.core import Core
from table_fsm.errors import Refused
from table_fsm.events import CardPlaced, CardTurned, HandShown
from table_fsm.felt import SEAT_OF, SEAT_ZONE
from table_fsm.play.cards import events, unseen
from table_fsm.play.deal import counts, turned
from table_fsm.play.tournament import hand_for_hand
from table_fsm.rulebook.model import Book


def check_open(book: Book, faces: object, button: int | None) -> None:
    """Raise Refused where a table whose readers know no side of a card cannot judge the book's game."""
    if faces is not False:
        return
    if book.banked == "house" or any("up" in street.faces for street in book.streets):
        raise Refused(
            "option faces: false: cards that lie open before the players or the dealer decide in this game; "
            "open it at a table whose readers see which side is up"
        )
    if book.button.first == "drawn" and button is None:
        raise Refused("option faces: false: draw for the button by hand, and open the table with its seat")


def on_hand_shown(core: Core, event: HandShown) -> None:
    """Take the dealer's word that a hand lies open: its cards are turned up, as a reader would tell it.

    A hand that lies open already stays so. Where readers know the sides the word is that the cards lie there that lay
    face up before a card left without a name. Raises Refused where the hand is not to be shown now: then nothing of it
    is seen.
    """
    core.need_open()
    seat = event.seat
    if seat not in SEAT_ZONE:
        raise Refused(f"there is no seat {seat}: 1 to 10")
    faces_unseen = questions.faces_unseen(core)
    if not faces_unseen and not (core.in_round and seat in counts.open_in_doubt(core)):
        raise Refused(
            "hand.shown: the dealer's word counts only at a table opened with faces = false that sees hands, "
            "or where the table asks for it"
        )
    if not (core.in_round and turned.to_be_shown(core, seat)) or hand_for_hand.showdown_held(core):
        raise Refused(f"hand.shown: the hand of seat {seat} is not to be shown now: nothing of it was opened")
    zone = SEAT_ZONE[seat]
    if not core.round.tracker.holds(zone):
        raise Refused(f"hand.shown: no card lies in {zone}: lay the hand back there, then press the key again")
    tracker = core.round.tracker
    opened = tracker.down(zone) if faces_unseen else _lie_open(core, zone)
    for card in opened:
        events.on_card_turned(core, CardTurned(t=core.t, zone=zone, card=card, face="up"))


def _lie_open(core: Core, zone: str) -> list[str]:
    """The cards that lay face up; raises Refused, in words that name no card, where a reader knows one elsewhere."""
    cards = core.round.tracker.may_lie_open(zone)
    if any(core.round.tracker.is_elsewhere(zone, card) for card in cards):
        raise Refused(f"hand.shown: nothing of {zone} was opened by key: turn its cards up there once more")
    return cards


def on_card_placed(core: Core, event: CardPlaced) -> None:
    """Take a card that came to rest; one of a hand that lay open lies open again where it was lifted."""
    if event.zone in SEAT_OF and _lay_open(core, event):
        event = CardPlaced(t=event.t, zone=event.zone, card=event.card, face="up", deck=event.deck, pack=event.pack)
    unseen.on_card_placed(core, event)


def _lay_open(core: Core, event: CardPlaced) -> bool:
    if not (core.standing.open and questions.faces_unseen(core) and core.in_round):
        return False
    return core.round.tracker.lay_open(event.zone, event.card)
