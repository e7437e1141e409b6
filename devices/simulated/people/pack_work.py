"""The croupier's work on the pack: checking, shuffling, having it cut, shuffling what is left of it."""

from typing import TYPE_CHECKING, Any, Final

from devices.simulated.people import director, motions, round_end
from devices.simulated.people.motions import Steps

if TYPE_CHECKING:
    from devices.simulated.people.croupier import Croupier

_WHOLE_HAND: Final = 5


def check(croupier: "Croupier", prompt: dict[str, Any]) -> Steps:
    """Check a deck card by card; a supervisor looks on."""
    yield from round_end.clear_layout(croupier)
    yield from croupier.do(motions.badge(croupier.game.staff, croupier.game.staff_role))
    decks = [prompt["check"]] if prompt.get("check") else list(croupier.game.decks)
    for deck in decks:
        yield from check_deck(croupier, deck)


def check_deck(croupier: "Croupier", deck: str | None) -> Steps:
    """A full check; cards that are not whole are replaced, and the new ones checked. Afterwards they lie in order."""
    croupier.loaded = croupier.loaded and deck not in (None, croupier.last_deck)
    reply = yield from croupier.do(motions.shoe("check", deck=deck))
    if reply.result.get("whole", True):
        return
    yield from croupier.do(motions.shoe("change_deck", deck=deck))
    yield from croupier.do(motions.badge(croupier.game.staff, croupier.game.staff_role))
    yield from croupier.do(motions.shoe("check", deck=deck))


def shuffle(croupier: "Croupier", prompt: dict[str, Any]) -> Steps:
    """Shuffle the deck the table names, else the one whose turn it is. Between two rounds the director looks in."""
    yield from round_end.clear_layout(croupier)
    yield from director.between_rounds(croupier)
    yield from shuffle_deck(croupier, prompt.get("shuffle") or next_deck(croupier))


def shuffle_deck(croupier: "Croupier", deck: str) -> Steps:
    """Shuffle this deck: a new deal begins. After a misdeal the posted blinds stand where the table does not ask for
    them again, else every bet has gone back."""
    if croupier.dealt_to or croupier.sense.phase in ("misdeal", "void"):
        croupier.new_deal(posts_stand=croupier.sense.phase == "misdeal")
    reply = yield from croupier.do(motions.shoe("shuffle", deck=deck))
    if reply.refused is None:
        croupier.last_deck, croupier.loaded = deck, True
        croupier.undealt = len(croupier.game.pack)
    else:
        yield from croupier.do(motions.wait(1.0))


def next_deck(croupier: "Croupier") -> str:
    """Decks take turns."""
    decks, last = croupier.game.decks, croupier.last_deck
    return decks[0] if last not in decks else decks[(decks.index(last) + 1) % len(decks)]


def cut(croupier: "Croupier", prompt: dict[str, Any]) -> Steps:
    """Have the cards cut well inside the deck: by the player the table names, who is offered them, or by the dealer."""
    by = prompt.get("by") or "dealer"
    if by != "dealer":
        yield from croupier.do(motions.press("cut_offered", seat=int(by.removeprefix("seat:"))))
    depth = croupier.chance.randrange(8, len(croupier.game.pack) // 2 + 1)
    yield from croupier.do(motions.press("cut", by=by, depth=depth))


def shuffle_stub(croupier: "Croupier", prompt: dict[str, Any]) -> Steps:
    """What was taken back goes into the undealt cards, which are shuffled.

    In a draw whose cards have run out it is what players have replaced, but for those who replace a whole hand and who
    waits for a card; and then the cards are cut.
    """
    layout = croupier.layout
    if croupier.sense.phase == "draw":
        due = next((seat for seat in croupier.dealt_to if _waits(croupier, seat)), None)
        for seat, thrown in layout.discards.items():
            if seat != due and len(thrown) < _WHOLE_HAND:
                layout.in_hand += thrown
                thrown.clear()
    cards = [held.card for held in layout.in_hand]
    layout.in_hand.clear()
    croupier.undealt += len(cards)
    yield from croupier.do(motions.shoe("reshuffle", cards=cards))
    if croupier.sense.phase == "draw":
        yield from cut(croupier, {"cut": True})


def _waits(croupier: "Croupier", seat: int) -> bool:
    return seat in croupier.exchanged and 0 < len(croupier.layout.names(f"seat:{seat}")) < _WHOLE_HAND
