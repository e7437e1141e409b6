"""The dealer's work on the pack: check, shuffle, cut, shuffle the stub."""

from typing import Any, Final

from devices.simulated.people import director, motions, round_end
from devices.simulated.people.motions import Steps
from devices.simulated.people.work import Work

_WHOLE_HAND: Final = 5


def check(work: Work, prompt: dict[str, Any]) -> Steps:
    """Check the decks card by card; a supervisor badges for it."""
    yield from round_end.clear_layout(work)
    yield from work.do(motions.badge(work.game.staff, work.game.staff_role))
    decks = [prompt["check"]] if prompt.get("check") else list(work.game.decks)
    for deck in decks:
        yield from check_deck(work, deck)


def check_deck(work: Work, deck: str | None) -> Steps:
    """Check a deck; replace one that is not whole and check the new one.

    Afterwards it lies in order.
    """
    work.loaded = work.loaded and deck not in (None, work.last_deck)
    reply = yield from work.do(motions.shoe("check", deck=deck))
    if reply.result.get("whole", True):
        return
    yield from work.do(motions.shoe("change_deck", deck=deck))
    yield from work.do(motions.badge(work.game.staff, work.game.staff_role))
    yield from work.do(motions.shoe("check", deck=deck))


def shuffle(work: Work, prompt: dict[str, Any]) -> Steps:
    """Shuffle the deck that the table names, or the next in turn.

    The director's work between two rounds comes before.
    """
    yield from round_end.clear_layout(work)
    yield from director.between_rounds(work)
    yield from shuffle_deck(work, prompt.get("shuffle") or next_deck(work))


def shuffle_deck(work: Work, deck: str) -> Steps:
    """Shuffle this deck: a new deal begins.

    After a misdeal the posted blinds stand, because the table does not ask for them again; otherwise every bet has been
    returned.
    """
    if work.dealt_to or work.sense.phase in ("misdeal", "void"):
        work.new_deal(posts_stand=work.sense.phase == "misdeal")
    reply = yield from work.do(motions.shoe("shuffle", deck=deck))
    if reply.refused is None:
        work.last_deck, work.loaded = deck, True
        work.undealt = len(work.game.pack)
    else:
        yield from work.do(motions.wait(1.0))


def next_deck(work: Work) -> str:
    """The deck whose turn it is."""
    decks, last = work.game.decks, work.last_deck
    return decks[0] if last not in decks else decks[(decks.index(last) + 1) % len(decks)]


def cut(work: Work, prompt: dict[str, Any]) -> Steps:
    """Have the cards cut well inside the deck.

    By the player whom the table names, who is offered the cut first, or by the dealer.
    """
    by = prompt.get("by") or "dealer"
    if by != "dealer":
        yield from work.do(motions.press("cut_offered", seat=int(by.removeprefix("seat:"))))
    depth = work.chance.randrange(8, len(work.game.pack) // 2 + 1)
    yield from work.do(motions.press("cut", by=by, depth=depth))


def shuffle_stub(work: Work, prompt: dict[str, Any]) -> Steps:
    """Put back the cards in hand and shuffle the undealt cards.

    In a draw whose cards have run out, the players' discards go back too, except those of a player who replaces a whole
    hand or waits for a card; then the cards are cut.
    """
    layout = work.layout
    if work.sense.phase == "draw":
        due = next((seat for seat in work.dealt_to if _waits(work, seat)), None)
        for seat, thrown in layout.discards.items():
            if seat != due and len(thrown) < _WHOLE_HAND:
                layout.in_hand += thrown
                thrown.clear()
    cards = [held.card for held in layout.in_hand]
    layout.in_hand.clear()
    work.undealt += len(cards)
    yield from work.do(motions.shoe("reshuffle", cards=cards))
    if work.sense.phase == "draw":
        yield from cut(work, {"cut": True})


def _waits(work: Work, seat: int) -> bool:
    return seat in work.exchanged and 0 < len(work.layout.names(f"seat:{seat}")) < _WHOLE_HAND
